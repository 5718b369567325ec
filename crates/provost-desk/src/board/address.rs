//! The address of a task beyond this process: its project, its id and its creation, for front ends that
//! carry a few bytes only. What came back from a chat may be about another project, or about a task that
//! was removed since.

use std::{fmt, str::FromStr};

use provost_kernel::{Digest, Message, TaskId, task::Creation};

use super::{Board, BriefError, TaskRef};
use crate::{Desk, DeskError};

/// How many digits name a project, and each of the two parts of a task.
const PROJECT: usize = 6;
const PART: usize = 8;

/// The first 6 hexadecimal digits of the SHA-256 of the path of a project's home.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ProjectRef([u8; PROJECT]);

/// A task of a project, whatever it was made from: enough to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownTask {
    project: ProjectRef,
    task: TaskRef,
}

/// One creation of a task of a project: what an order is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TaskAddress {
    project: ProjectRef,
    task: [u8; PART],
    creation: [u8; PART],
}

/// Why an address leads to no task here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "desk.address", exit = Conflict)]
pub enum AddressError {
    #[message(
        en = "this is about another project",
        zh = "这属于另一个项目",
        hint(
            en = "answer it in that project: `provost inbox` there names the command",
            zh = "请在那个项目中处理：在那里运行 `provost inbox` 可查看命令"
        )
    )]
    OtherProject,
    #[message(
        en = "the task is gone",
        zh = "该任务已不存在",
        hint(en = "`provost ls` names those that are left", zh = "`provost ls` 会列出现有的任务")
    )]
    Gone,
    #[message(
        en = "`{task}` was removed and made again since: this is about the task before it",
        zh = "`{task}` 此后已被删除并重新创建：这属于之前的任务",
        hint(
            en = "`provost show {task}` shows the one that there is now",
            zh = "`provost show {task}` 会显示现在的任务"
        )
    )]
    MadeAgain { task: TaskId },
}

impl ShownTask {
    pub fn of(project: ProjectRef, task: &TaskId) -> Self {
        Self { project, task: TaskRef::of(task) }
    }
}

impl TaskAddress {
    pub fn of(project: ProjectRef, task: &TaskId, creation: Option<&Creation>) -> Self {
        let creation = creation.map_or("", Creation::as_str);
        let made = format!("{project}|{task}|{creation}");
        Self { project, task: digits(task.as_str()), creation: digits(&made) }
    }
}

impl Desk {
    /// The project of this desk, as an address names it.
    pub fn project_ref(&self) -> ProjectRef {
        let home = self.layout.home();
        let path = home.path();
        // The same home by another name is the same project.
        let path = path.canonicalize_utf8().unwrap_or(path);
        ProjectRef(digits(path.as_str()))
    }

    /// The address of a task as it is now.
    pub fn address(&self, task: &TaskId) -> Result<TaskAddress, DeskError> {
        let events = self.files(task).events()?.records;
        Ok(TaskAddress::of(self.project_ref(), task, Creation::of(&events).as_ref()))
    }
}

impl Board {
    /// The task that something was shown of.
    pub fn shown(&self, shown: ShownTask) -> Result<TaskId, AddressError> {
        if shown.project != self.desk().project_ref() {
            return Err(AddressError::OtherProject);
        }
        self.resolve(shown.task).ok_or(AddressError::Gone)
    }

    /// The task that an order is about: the one that it was given for, and no other that has its id.
    pub fn addressed(&self, address: TaskAddress) -> Result<TaskId, AddressError> {
        if address.project != self.desk().project_ref() {
            return Err(AddressError::OtherProject);
        }
        let named = self.ids().into_iter().filter(|it| digits(it.as_str()) == address.task);
        let named: Vec<TaskId> = named.collect();
        let is_it = |it: &&TaskId| self.desk().address(it).is_ok_and(|it| it == address);
        let mut found = named.iter().filter(is_it);
        match (found.next(), found.next(), named.as_slice()) {
            (Some(task), None, _) => Ok(task.clone()),
            (None, _, [task]) => Err(AddressError::MadeAgain { task: task.clone() }),
            (_, _, _) => Err(AddressError::Gone),
        }
    }

    fn ids(&self) -> Vec<TaskId> {
        self.read().tasks.keys().cloned().collect()
    }
}

/// The first digits of the SHA-256 of a text.
fn digits<const N: usize>(text: &str) -> [u8; N] {
    let digest = Digest::of_bytes(text.as_bytes()).to_string();
    let mut kept = [b'0'; N];
    for (place, digit) in kept.iter_mut().zip(digest.bytes()) {
        *place = digit;
    }
    kept
}

fn write(f: &mut fmt::Formatter<'_>, digits: &[u8]) -> fmt::Result {
    digits.iter().try_for_each(|it| write!(f, "{}", char::from(*it)))
}

fn read<const N: usize>(bytes: &[u8]) -> Result<[u8; N], BriefError> {
    let digits: [u8; N] = bytes.try_into().map_err(|_| BriefError)?;
    let is_hex = digits.iter().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'));
    if is_hex { Ok(digits) } else { Err(BriefError) }
}

impl fmt::Display for ProjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(f, &self.0)
    }
}

impl fmt::Debug for ProjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProjectRef({self})")
    }
}

impl FromStr for ProjectRef {
    type Err = BriefError;

    fn from_str(text: &str) -> Result<Self, BriefError> {
        read(text.as_bytes()).map(Self)
    }
}

impl fmt::Display for ShownTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.project, self.task)
    }
}

impl FromStr for ShownTask {
    type Err = BriefError;

    fn from_str(text: &str) -> Result<Self, BriefError> {
        let (project, task) = text.split_at_checked(PROJECT).ok_or(BriefError)?;
        Ok(Self { project: project.parse()?, task: task.parse()? })
    }
}

/// 22 digits: the project, the id, and the creation together with both.
impl fmt::Display for TaskAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.project)?;
        write(f, &self.task)?;
        write(f, &self.creation)
    }
}

impl fmt::Debug for TaskAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskAddress({self})")
    }
}

impl FromStr for TaskAddress {
    type Err = BriefError;

    fn from_str(text: &str) -> Result<Self, BriefError> {
        let (project, rest) = text.split_at_checked(PROJECT).ok_or(BriefError)?;
        let (task, creation) = rest.split_at_checked(PART).ok_or(BriefError)?;
        let (task, creation) = (read(task.as_bytes())?, read(creation.as_bytes())?);
        Ok(Self { project: project.parse()?, task, creation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_as_it_was_and_nothing_else_does() {
        let (project, task) = (ProjectRef(digits("/h")), "t1".parse().unwrap());
        let address = TaskAddress::of(project, &task, None);
        assert_eq!(address.to_string().len(), 22);
        assert_eq!(address.to_string().parse(), Ok(address));
        let shown = ShownTask::of(project, &task);
        assert_eq!(shown.to_string().parse(), Ok(shown));
        let whole = address.to_string();
        let (upper, long) = (whole.to_uppercase(), format!("{whole}0"));
        for text in ["", "0123", &whole[1..], &upper, &long, "é123456789abcdef01234"] {
            assert_eq!(text.parse::<TaskAddress>(), Err(BriefError), "{text}");
        }
    }

    #[test]
    fn an_address_names_project_task_and_creation() {
        let project = |path| ProjectRef(digits(path));
        let creation: [Creation; 2] =
            ["0000000000000001", "0000000000000002"].map(|it| it.parse().unwrap());
        let of = |path, task: &str, creation| {
            TaskAddress::of(project(path), &task.parse().unwrap(), creation)
        };
        let one = of("/h", "t1", Some(&creation[0]));
        assert_eq!(one, of("/h", "t1", Some(&creation[0])));
        for other in [
            of("/i", "t1", Some(&creation[0])),
            of("/h", "t2", Some(&creation[0])),
            of("/h", "t1", Some(&creation[1])),
            of("/h", "t1", None),
        ] {
            assert_ne!(one, other);
        }
    }
}
