//! The guidance in force for a mission. A file that cannot be parsed is an error and never "none": a
//! judge that continued without it would silently drop everything that was learned. A file that the
//! audit chain does not name is an error as well: an agent could have written it.

use camino::Utf8PathBuf;
use provost_kernel::{
    Message, RecordFile,
    learn::{Current, MissionName},
};

use super::{MissionFolder, MissionLog, adoption::adoption, file::CURRENT};
use crate::{Disk, FileError, Layout, Stored, last_line, read_record};

/// Why the guidance in force cannot be determined.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.current_file")]
pub enum CurrentFileError {
    /// The file does not hold what was put in force.
    #[message(
        en = "the guidance in force for `{mission}` is damaged: `{path}`: {why}",
        zh = "`{mission}` 生效中的指引已损坏：`{path}`：{why}",
        hint(
            en = "see `provost learn status {mission}`; `provost learn rollback {mission} --step N` puts a step in force again",
            zh = "见 `provost learn status {mission}`；`provost learn rollback {mission} --step N` 可使某一步重新生效"
        ),
        exit = Integrity
    )]
    Damaged { mission: MissionName, path: Utf8PathBuf, why: String },
    /// The file is gone, and the history says that something was put in force.
    #[message(
        en = "guidance was put in force for `{mission}`, and `{path}` is missing",
        zh = "`{mission}` 曾有指引生效，而 `{path}` 不见了",
        hint(
            en = "`provost learn run MISSION.toml` puts the last run in force again, if that is what was lost",
            zh = "若丢失的是最近一次运行的指引，`provost learn run MISSION.toml` 可使其重新生效"
        ),
        hint(
            en = "see `provost learn status {mission}`; `provost learn rollback {mission} --step N` puts a step in force again",
            zh = "见 `provost learn status {mission}`；`provost learn rollback {mission} --step N` 可使某一步重新生效"
        ),
        exit = Integrity
    )]
    Lost { mission: MissionName, path: Utf8PathBuf },
    /// The file holds guidance that nobody put in force.
    #[message(
        en = "nobody put the guidance in `{path}` in force for `{mission}`: the audit chain does not name it",
        zh = "`{path}` 中的指引从未对 `{mission}` 生效：审计链中没有记录",
        hint(
            en = "see `provost learn status {mission}`; `provost learn rollback {mission} --step N` puts a step in force again",
            zh = "见 `provost learn status {mission}`；`provost learn rollback {mission} --step N` 可使某一步重新生效"
        ),
        exit = Integrity
    )]
    Forged { mission: MissionName, path: Utf8PathBuf },
    /// The file cannot be read, or a newer version wrote it.
    #[message(
        en = "cannot determine the guidance in force for `{mission}`: {source}",
        zh = "无法得知 `{mission}` 生效中的指引：{source}",
        hint(
            en = "see `provost learn status {mission}`; `provost learn rollback {mission} --step N` puts a step in force again",
            zh = "见 `provost learn status {mission}`；`provost learn rollback {mission} --step N` 可使某一步重新生效"
        ),
        inherit = source
    )]
    File {
        mission: MissionName,
        #[source]
        source: FileError,
    },
}

/// What is in force for a mission; nothing if no run ever made anything current.
pub fn read_current<D: Disk>(
    disk: &D,
    layout: &Layout,
    mission: &MissionName,
) -> Result<Option<Current>, CurrentFileError> {
    let folder = layout.mission(mission);
    let at = folder.join(CURRENT);
    let fail = |source| CurrentFileError::File { mission: mission.clone(), source };
    match read_record::<D, Current>(disk, &at).map_err(fail)? {
        Stored::Present(RecordFile { value, .. }) => {
            let adoption = adoption(disk, layout, mission).map_err(fail)?;
            if adoption.is_some_and(|it| it.names(&value)) {
                return Ok(Some(value));
            }
            Err(CurrentFileError::Forged { mission: mission.clone(), path: at.path() })
        }
        Stored::Absent => {
            let history = folder.join(MissionLog::History.file_name());
            match last_line(disk, &history).map_err(fail)? {
                None => Ok(None),
                Some(_) => {
                    Err(CurrentFileError::Lost { mission: mission.clone(), path: at.path() })
                }
            }
        }
        Stored::Corrupt(it) => Err(CurrentFileError::Damaged {
            mission: mission.clone(),
            path: at.path(),
            why: it.why,
        }),
    }
}

/// Puts guidance in force that the audit chain names: it is in the history of the mission first.
pub fn write_current<D: Disk + Clone>(
    disk: &D,
    layout: &Layout,
    mission: &MissionName,
    current: Current,
) -> Result<(), FileError> {
    MissionFolder::on(disk.clone(), &layout.mission(mission)).adopt(&RecordFile::new(current))
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use provost_kernel::{
        Actor, Clock, Exit, Lang, Millis, Source,
        learn::{Guidance, Rule, RuleKey, Scaffold},
        task::TaskType,
    };
    use serde_json::json;

    use super::*;
    use crate::{
        Durable,
        audit::{Audit, Event},
        learn::adoption::{subject, summary},
        sim::SimDisk,
        write_atomic,
    };

    struct Noon;

    impl Clock for Noon {
        fn millis(&self) -> Millis {
            Millis(43_200_000)
        }
    }

    /// Enters an adoption into the chain.
    fn enter(disk: &SimDisk, new: &Current, old: Option<&Current>) {
        let layout = layout();
        let event = Event {
            actor: Actor { source: Source::Cli, id: "ann".to_owned() },
            action: "learn.adopt".to_owned(),
            subject: subject(&mission()),
            request_id: None,
            detail: json!({"old": old.map(summary), "new": summary(new)}),
        };
        Audit::open(disk, &layout).unwrap().append(&event, &Noon, Durable::Now).unwrap();
    }

    /// Puts guidance in force as a person does.
    fn adopt(disk: &SimDisk, new: Current) {
        let old = read_current(&disk, &layout(), &mission()).ok().flatten();
        enter(disk, &new, old.as_ref());
        write_current(&disk, &layout(), &mission(), new).unwrap();
    }

    fn layout() -> Layout {
        Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s"))
    }

    fn mission() -> MissionName {
        MissionName::of_judge(TaskType::Storyboard)
    }

    fn current(text: &str) -> Current {
        let scaffold = Scaffold::new([("S1".parse().unwrap(), "s".to_owned())].into()).unwrap();
        let rules = [(RuleKey::CHECKLIST, Rule::seed(text.to_owned()))].into();
        let guidance = Guidance { step: 1, next_key: 1, rules };
        Current::new("run-1".parse().unwrap(), &scaffold, guidance).unwrap()
    }

    #[test]
    fn what_was_put_in_force_is_in_force() {
        let disk = SimDisk::default();
        assert_eq!(read_current(&&disk, &layout(), &mission()).unwrap(), None);
        for text in ["a", "b"] {
            adopt(&disk, current(text));
            assert_eq!(read_current(&&disk, &layout(), &mission()).unwrap(), Some(current(text)));
        }
    }

    /// A judge that continued without it would drop everything that was learned.
    #[test]
    fn a_file_that_is_gone_is_not_nothing() {
        let disk = SimDisk::default();
        adopt(&disk, current("a"));
        let at = layout().mission(&mission()).join(CURRENT);
        disk.remove(&at).unwrap();
        let error = read_current(&&disk, &layout(), &mission()).unwrap_err();
        assert!(matches!(error, CurrentFileError::Lost { .. }), "{error}");
        assert_eq!(error.exit(), Exit::Integrity);
        for lang in [Lang::En, Lang::Zh] {
            assert!(lang.render(&error.text()).contains("/h/learn/judge-storyboard/current.json"));
            let hints: String = error.hints().iter().map(|it| lang.render(it)).collect();
            assert!(hints.contains("`provost learn run"), "{hints}");
            assert!(hints.contains("`provost learn rollback judge-storyboard"), "{hints}");
        }
        write_current(&&disk, &layout(), &mission(), current("a")).unwrap();
        assert_eq!(read_current(&&disk, &layout(), &mission()).unwrap(), Some(current("a")));
    }

    /// A file with a digest of its own rules is easily written; an entry in the chain is not.
    #[test]
    fn guidance_that_nobody_put_in_force_is_found() {
        let disk = SimDisk::default();
        let read = || read_current(&&disk, &layout(), &mission());
        let forge = |text| write_current(&&disk, &layout(), &mission(), current(text)).unwrap();
        forge("forged");
        let error = read().unwrap_err();
        assert!(matches!(error, CurrentFileError::Forged { .. }), "{error}");
        assert_eq!(error.exit(), Exit::Integrity);
        for lang in [Lang::En, Lang::Zh] {
            assert!(lang.render(&error.text()).contains("/h/learn/judge-storyboard/current.json"));
        }
        adopt(&disk, current("a"));
        adopt(&disk, current("b"));
        assert_eq!(read().unwrap(), Some(current("b")));
        // The machine may stop between the entry and the file; what was before that is history.
        enter(&disk, &current("c"), Some(&current("b")));
        assert_eq!(read().unwrap(), Some(current("b")));
        forge("c");
        assert_eq!(read().unwrap(), Some(current("c")));
        for text in ["a", "forged"] {
            forge(text);
            assert!(matches!(read(), Err(CurrentFileError::Forged { .. })), "{text}");
        }
        // What another mission adopted says nothing here.
        let other = MissionName::of_judge(TaskType::EngineeringImpl);
        write_current(&&disk, &layout(), &other, current("c")).unwrap();
        assert!(read_current(&&disk, &layout(), &other).is_err());
    }

    #[test]
    fn a_damaged_file_is_an_error_that_says_what_to_type() {
        let disk = SimDisk::default();
        let at = layout().mission(&mission()).join(CURRENT);
        assert_eq!(at.path(), "/h/learn/judge-storyboard/current.json");
        let good = serde_json::to_string(&RecordFile::new(current("a"))).unwrap();
        for (bytes, expected) in [
            ("", Exit::Integrity),
            ("{}", Exit::Integrity),
            (&good[..good.len() / 2], Exit::Integrity),
            (&good.replace("\"a\"", "\"b\""), Exit::Integrity),
            (&good.replace("current/1", "current/9"), Exit::Unable),
        ] {
            write_atomic(&disk, &at, bytes.as_bytes()).unwrap();
            let error = read_current(&&disk, &layout(), &mission()).unwrap_err();
            assert_eq!(error.exit(), expected, "{bytes}");
            assert!(Lang::Zh.render(&error.text()).contains("`judge-storyboard`"));
            assert!(error.hints()[0].to_string().contains("provost learn status judge-storyboard"));
        }
    }
}
