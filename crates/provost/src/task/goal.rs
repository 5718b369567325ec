//! `provost do`, and `provost run` with a sentence: a goal becomes a task.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use provost_desk::task::{ForGoal, Repeated};
use provost_kernel::{Exit, Message, RecordFile, TaskId, task::TaskSpec};
use provost_rules_task::spec;
use serde_json::{Map, Value, json};

use super::{
    changes, detach,
    queue::{self, Asked, Several},
    run::start,
    target::Target,
    text,
};
use crate::{
    environment, home,
    session::{AnyFault, Run, Session},
    wiring,
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  provost do \"fix the login for addresses with a plus sign\"\n  provost do \"total() ignores the discount\" --test \"npm test\" --agent codex --in src\n  provost do -f list.md --jobs 2\n\nThe task starts from the commit that you stand on, with --with-changes from your\nuncommitted files, too. The same sentence again\ngoes on with its unfinished task, unless it is to be tested or done otherwise.\n\nExit codes: 0 ready for review, 1 failed, 2 error, 3 paused, 5 already running, 75 quota"
)]
pub(crate) struct Args {
    /// What should change, in your own words; `-` reads it from standard input
    #[arg(value_name = "GOAL", required_unless_present = "file", conflicts_with = "file")]
    goal: Vec<String>,
    #[command(flatten)]
    several: Several,
    #[command(flatten)]
    wishes: Wishes,
    /// The maximum number of counted attempts, 1 to 50
    #[arg(long, value_name = "N")]
    max_attempts: Option<u16>,
    #[command(flatten)]
    background: detach::Background,
}

/// What a person can say of a task beside its goal.
#[derive(Debug, clap::Args)]
pub(super) struct Wishes {
    /// The command that tests the result
    #[arg(long, value_name = "CMD")]
    test: Option<String>,
    /// The agent that does the work
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// The judge: an adapter, or `tests`
    #[arg(long, value_name = "J")]
    judge: Option<String>,
    /// A file or folder that may change; can be repeated
    #[arg(long = "in", value_name = "PATH")]
    paths: Vec<String>,
    /// A test file or folder that may change, because what is expected changes; can be repeated
    #[arg(long, value_name = "PATH")]
    tests_may_change: Vec<String>,
    /// The model that the agent uses
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The maximum cost in US dollars
    #[arg(long, value_name = "USD")]
    budget: Option<String>,
    /// Start from your uncommitted files, too: changed and new ones
    #[arg(long)]
    pub(super) with_changes: bool,
}

/// Why a goal does not become a task.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "task.goal")]
enum GoalError {
    #[message(
        en = "`{folder}` is not inside a git repository",
        zh = "`{folder}` 不在 git 仓库中",
        hint(
            en = "change to your project, or make it a repository: `git init`",
            zh = "请进入你的项目目录，或先运行 `git init`"
        )
    )]
    NoRepository { folder: Utf8PathBuf },
    #[message(
        en = "the goal is empty",
        zh = "目标为空",
        hint(
            en = "say what should change: `provost do \"fix the login\"`",
            zh = "请说明要改什么：`provost do \"修复登录\"`"
        )
    )]
    Empty,
    #[message(
        en = "every id for this goal is taken",
        zh = "该目标可用的 id 均已被占用",
        hint(
            en = "say it in other words, or name a `task_id` in a spec",
            zh = "请换一种说法，或在任务规格中指定 `task_id`"
        )
    )]
    Taken,
    #[message(
        en = "`{option}` needs a goal in words: `{target}` is a file or an id",
        zh = "`{option}` 只用于以文字给出的目标：`{target}` 是文件或任务 id",
        hint(en = "a task that exists keeps its spec", zh = "已有的任务保持原来的任务说明")
    )]
    NotAGoal { option: &'static str, target: String },
}

impl Run for Args {
    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let goal = match self.goal.as_slice() {
            [] => {
                let asked = Asked { targets: &[], wishes: &self.wishes, several: &self.several };
                return queue::run(session, asked, self.max_attempts, self.background);
            }
            [one] => text::read(one)?,
            words => words.join(" "),
        };
        let mut target = target(session, &goal, &self.wishes, &BTreeSet::new(), Repeated::Anew)?;
        changes::settle(session, &mut target, &self.wishes)?;
        start(session, target, self.max_attempts, self.background)
    }
}

/// The task of a goal: a new one, or the one that is not finished.
pub(super) fn target(
    session: &mut Session,
    goal: &str,
    wishes: &Wishes,
    taken: &BTreeSet<TaskId>,
    repeated: Repeated,
) -> Result<Target, AnyFault> {
    let goal = goal.trim();
    if goal.is_empty() {
        return Err(GoalError::Empty.into());
    }
    let folder = environment::current_folder()?;
    let root = home::git_root(&folder).ok_or(GoalError::NoRepository { folder })?;
    let root = root.canonicalize_utf8().unwrap_or(root);
    let met = |it: &TaskSpec| wishes.are_met_by(it);
    let found = wiring::desk(session)?.for_goal(goal, root.as_str(), &met, taken, repeated)?;
    let lang = session.output.lang;
    match found {
        Some(ForGoal::GoesOn(task)) => {
            session.output.message(&lang.pick(
                format!("`{task}` has this goal and is not finished: going on with it"),
                format!("`{task}` 目标相同且未完成：继续该任务"),
            ));
            Ok(Target::Task(task))
        }
        Some(ForGoal::Finished(task)) => {
            session.output.message(&lang.pick(
                format!("`{task}` has this goal and is finished; `provost do` alone makes another"),
                format!("`{task}` 目标相同且已结束；单独使用 `provost do` 可新建任务"),
            ));
            Ok(Target::Task(task))
        }
        Some(ForGoal::New { task, finished }) => {
            if let Some(finished) = finished {
                session.output.message(&lang.pick(
                    format!("`{finished}` had this goal and is finished: `{task}` is another task"),
                    format!("`{finished}` 目标相同且已结束：`{task}` 是另一个任务"),
                ));
            }
            let fields = wishes.fields(task.as_str(), root.as_str(), goal);
            let (spec, _): (RecordFile<TaskSpec>, _) =
                spec::read(Value::Object(fields).to_string().as_bytes())?;
            Ok(Target::Goal(Box::new(spec.into())))
        }
        None => Err(GoalError::Taken.into()),
    }
}

impl Wishes {
    /// The spec of a goal, as a file would write it.
    fn fields(&self, task: &str, repository: &str, goal: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        let mut add = |key: &str, value: Option<Value>| {
            fields.extend(value.map(|it| (key.to_owned(), it)));
        };
        let text = |it: &Option<String>| it.clone().map(Value::from);
        add("task_id", Some(task.into()));
        add("repo_path", Some(repository.into()));
        add("goal", Some(goal.into()));
        add("test_cmd", text(&self.test));
        add("coder", text(&self.agent));
        add("judge", text(&self.judge));
        add("coder_model", text(&self.model));
        add("allowed_paths", (!self.paths.is_empty()).then(|| self.paths.clone().into()));
        let tests = &self.tests_may_change;
        add("tests_may_change", (!tests.is_empty()).then(|| tests.clone().into()));
        // What is not a number is refused by name, as in a file.
        let amount = |it: &String| serde_json::from_str(it).unwrap_or_else(|_| it.clone().into());
        let usd: Option<Value> = self.budget.as_ref().map(amount);
        add("budget", usd.map(|it| json!({ "usd": it })));
        fields
    }

    /// Whether a task is as it is wished now; what is not said is not wished otherwise.
    fn are_met_by(&self, spec: &TaskSpec) -> bool {
        let same = |wish: &Option<String>, kept: &Option<String>| wish.is_none() || wish == kept;
        same(&self.test, &spec.test_cmd)
            && same(&self.agent, &spec.coder)
            && same(&self.judge, &spec.judge)
            && same(&self.model, &spec.coder_model)
            && (self.paths.is_empty() || self.paths == spec.allowed_paths)
            && (!self.with_changes || spec.starts_from_changes())
            && (self.tests_may_change.is_empty() || self.tests_may_change == spec.tests_may_change)
            && self.budget.as_ref().is_none_or(|it| {
                let kept = serde_json::to_value(spec.budget.usd).unwrap_or_default();
                serde_json::from_str::<Value>(it).is_ok_and(|it| it == kept)
            })
    }

    /// Refuses wishes for a task that has a spec already.
    pub(super) fn check_absent(&self, target: &str) -> Result<(), AnyFault> {
        let given = [
            ("--test", self.test.is_some()),
            ("--agent", self.agent.is_some()),
            ("--judge", self.judge.is_some()),
            ("--in", !self.paths.is_empty()),
            ("--tests-may-change", !self.tests_may_change.is_empty()),
            ("--model", self.model.is_some()),
            ("--budget", self.budget.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                let target = target.chars().take(200).collect();
                Err(GoalError::NotAGoal { option, target }.into())
            }
            None => Ok(()),
        }
    }
}
