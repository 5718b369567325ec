//! What people add to a preset: a model, flags, and variables of their own environment.
//!
//! A preset sets the sandbox, the permissions, the settings, the output and the budget of its
//! program. Nothing that is added may undo that, so flags are on a list of what is allowed, and
//! variables are held against what they would change. A repository is shared, and may be an
//! attacker's: it chooses how an agent works, never what of the person's environment an agent of
//! any kind gets or where that goes.

pub mod flags;
pub mod named;
pub mod variables;

use provost_kernel::{Message, shorten};

use super::Preset;
use crate::select::{AdapterConfig, is_service};

/// Who described an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Author {
    /// A file that comes with the repository.
    Repository,
    /// A file of the person's own.
    Person,
}

/// An addition that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "adapter.addition")]
pub enum AdditionError {
    #[message(
        en = "{name:?} in `variables` is not the name of a variable",
        zh = "`variables` 中的 {name:?} 不是环境变量名",
        hint(
            en = "name variables as in `variables = [\"MY_GATEWAY_KEY\"]`; their values stay in your environment",
            zh = "请写变量名，例如 `variables = [\"MY_GATEWAY_KEY\"]`；值留在你的环境中"
        )
    )]
    NotAName { name: String },
    #[message(
        en = "`{name}` cannot be passed: it names a folder in which programs keep their state, and the state of an agent is private",
        zh = "不能传递 `{name}`：它指向程序存放状态的文件夹，而智能体的状态是私有的",
        hint(
            en = "remove `{name}` from `variables`; your login and settings are copied from the folder that it names",
            zh = "请从 `variables` 中删除 `{name}`；登录信息和设置会从它所指的文件夹复制"
        )
    )]
    State { name: String },
    #[message(
        en = "`{name}` cannot be passed: it makes programs load or run something else",
        zh = "不能传递 `{name}`：它会使程序加载或运行其他内容",
        hint(en = "remove `{name}` from `variables`", zh = "请从 `variables` 中删除 `{name}`")
    )]
    Loader { name: String },
    #[message(
        en = "`{name}` cannot be passed: it leads to programs of yours outside the sandbox",
        zh = "不能传递 `{name}`：它通向沙箱之外你自己的程序",
        hint(en = "remove `{name}` from `variables`", zh = "请从 `variables` 中删除 `{name}`")
    )]
    WayOut { name: String },
    #[message(
        en = "`{name}` cannot be passed: provost sets it",
        zh = "不能传递 `{name}`：它由 provost 设置",
        hint(en = "remove `{name}` from `variables`", zh = "请从 `variables` 中删除 `{name}`")
    )]
    Set { name: String },
    /// A variable of the program itself that is not on its list.
    #[message(
        en = "`{name}` cannot be passed to {title}: it could undo what provost sets for it",
        zh = "不能将 `{name}` 传给 {title}：它可能撤销 provost 的设置",
        hint(
            en = "these variables of {title} pass by themselves: {passing:names}",
            zh = "{title} 的这些变量会自动传递：{passing:names}"
        )
    )]
    Steers { name: String, title: &'static str, passing: Vec<&'static str> },
    #[message(
        en = "{word:?} in `args` is not a flag in one word, such as `--flag` or `--flag=value`",
        zh = "`args` 中的 {word:?} 不是单个词的参数，例如 `--flag` 或 `--flag=value`",
        hint(
            when = !allowed.is_empty(),
            en = "{title} can be given {allowed:names}",
            zh = "{title} 可用的参数：{allowed:names}"
        )
    )]
    NotAFlag { word: String, title: &'static str, allowed: Vec<String> },
    #[message(
        en = "`{flag}` in `args` cannot be given to {title}: only flags that leave sandbox, permissions, settings, session, output and budget to provost can",
        zh = "`args` 中的 `{flag}` 不能用于 {title}：沙箱、权限、设置、会话、输出和预算由 provost 决定",
        hint(
            when = flags::is_model(flag),
            en = "write `model = \"…\"` beside `args` instead",
            zh = "请改为在 `args` 旁写 `model = \"…\"`"
        ),
        hint(
            when = !flags::is_model(flag) && !allowed.is_empty(),
            en = "{title} can be given {allowed:names}",
            zh = "{title} 可用的参数：{allowed:names}"
        ),
        hint(
            when = !flags::is_model(flag) && allowed.is_empty(),
            en = "remove `args`: {title} has no flag that can be added",
            zh = "请删除 `args`：{title} 没有可以添加的参数"
        )
    )]
    Flag { flag: String, title: &'static str, allowed: Vec<String> },
    #[message(
        en = "`{flag}` in `args` needs a value: `{flag}=…`",
        zh = "`args` 中的 `{flag}` 需要一个值：`{flag}=…`"
    )]
    NoValue { flag: String },
    #[message(
        en = "`{flag}` in `args` takes no value",
        zh = "`args` 中的 `{flag}` 不带值",
        hint(en = "write `{flag}`", zh = "请写 `{flag}`")
    )]
    Value { flag: String },
    #[message(
        en = "`{flag}={key}` in `args` cannot be set for {title}",
        zh = "`args` 中的 `{flag}={key}` 不能用于 {title}",
        hint(en = "`{flag}` can set {allowed:names}", zh = "`{flag}` 可以设置 {allowed:names}")
    )]
    Setting { flag: String, key: String, title: &'static str, allowed: Vec<&'static str> },
    /// What a file of the repository may not decide.
    #[message(
        en = "{0}",
        zh = "{0}",
        hint(
            en = "move the table to `.provost/local.toml`, or to `~/.config/provost/provost.toml` for all your repositories",
            zh = "请将该表移到 `.provost/local.toml`；如需用于所有仓库，移到 `~/.config/provost/provost.toml`"
        )
    )]
    Shared(Shared),
}

/// What would reach out of a repository that may be an attacker's.
#[derive(Clone, Debug, PartialEq, Eq, Message)]
#[message(code = "adapter.addition.shared")]
pub enum Shared {
    #[message(
        en = "`{name}` cannot be passed by a file of the repository: it would hand a variable of yours to whatever the repository describes",
        zh = "仓库中的文件不能传递 `{name}`：那会把你的环境变量交给仓库描述的程序"
    )]
    Variable { name: String },
    #[message(
        en = "`{flag}` cannot be set by a file of the repository: it decides where your requests go, or what the agent is told",
        zh = "仓库中的文件不能设置 `{flag}`：它决定请求发往何处，或智能体收到什么指令"
    )]
    Flag { flag: String },
    #[message(
        en = "`program` cannot be set by a file of the repository: the program would get your login to {title}",
        zh = "仓库中的文件不能设置 `program`：该程序会得到你在 {title} 的登录信息"
    )]
    Program { title: &'static str },
    #[message(
        en = "`remote` cannot be set by a file of the repository: its program would run on a machine of yours",
        zh = "仓库中的文件不能设置 `remote`：其中的程序会在你的另一台机器上运行"
    )]
    Remote,
}

impl AdapterConfig {
    /// Refuses what its author may not decide, and what may not be added to a preset.
    pub fn check_author(&self, author: Author) -> Result<(), AdditionError> {
        match self {
            Self::Command { variables, remote, .. } => {
                shared_variable(variables.first(), author)?;
                let is_shared = remote.is_some() && author == Author::Repository;
                if is_shared { Err(AdditionError::Shared(Shared::Remote)) } else { Ok(()) }
            }
            // The key of a service that provost knows goes to that service.
            Self::Chat { base, key_variable: Some(key), .. } if !is_service(base, key) => {
                shared_variable(Some(key), author)
            }
            Self::Preset { preset, program, args, variables, .. } => {
                // A preset that does not exist is reported where it is selected.
                let Some(preset) = Preset::named(preset) else { return Ok(()) };
                // A bare name is a program of the person's.
                let is_place = program.as_ref().is_some_and(|it| it.contains('/'));
                if is_place && author == Author::Repository {
                    return Err(AdditionError::Shared(Shared::Program { title: preset.title }));
                }
                args.iter().try_for_each(|it| flags::check(preset, it, author))?;
                variables.iter().try_for_each(|it| variables::check(preset, it, author))
            }
            Self::Chat { .. } | Self::Recording { .. } | Self::Script { .. } => Ok(()),
        }
    }
}

fn shared_variable(name: Option<&String>, author: Author) -> Result<(), AdditionError> {
    match (name, author) {
        (Some(name), Author::Repository) => {
            Err(AdditionError::Shared(Shared::Variable { name: shown(name) }))
        }
        (_, Author::Repository | Author::Person) => Ok(()),
    }
}

/// A text of a configuration, short enough for a message.
fn shown(text: &str) -> String {
    shorten(text).escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A repository describes agents, and gets nothing of the person's environment for them.
    #[test]
    fn a_repository_reaches_nothing_of_the_person() {
        for (table, refused) in [
            (json!({"kind": "command", "argv": ["x"]}), None),
            (json!({"kind": "command", "argv": ["x"], "variables": ["KEY"]}), Some("`KEY`")),
            (json!({"kind": "command", "argv": ["x"], "remote": "builder"}), Some("`remote`")),
            (json!({"kind": "chat", "base": "http://127.0.0.1:1/v1"}), None),
            (json!({"kind": "chat", "base": "https://a.b/v1", "key_variable": "K"}), Some("`K`")),
            (
                json!({"kind": "chat", "base": "https://api.openai.com/v1/", "key_variable": "OPENAI_API_KEY"}),
                None,
            ),
            (
                json!({"kind": "chat", "base": "https://api.openai.com/v1", "key_variable": "AWS_SECRET_ACCESS_KEY"}),
                Some("`AWS_SECRET_ACCESS_KEY`"),
            ),
            (
                json!({"kind": "chat", "base": "https://api.openai.com.evil.example/v1", "key_variable": "OPENAI_API_KEY"}),
                Some("`OPENAI_API_KEY`"),
            ),
            (json!({"kind": "preset", "preset": "codex", "program": "codex-beta"}), None),
            (
                json!({"kind": "preset", "preset": "codex", "program": "bin/codex"}),
                Some("`program`"),
            ),
            (
                json!({"kind": "preset", "preset": "codex", "program": "/x/codex"}),
                Some("`program`"),
            ),
            (json!({"kind": "preset", "preset": "codex", "variables": ["K"]}), Some("`K`")),
            (json!({"kind": "recording", "file": "a.jsonl"}), None),
        ] {
            let adapter: AdapterConfig = serde_json::from_value(table.clone()).unwrap();
            let said = adapter.check_author(Author::Repository).err().map(|it| it.to_string());
            let begins = |it: &String| refused.is_some_and(|word| it.starts_with(word));
            assert!(said.as_ref().map_or(refused.is_none(), begins), "{table}: {said:?}");
            assert_eq!(adapter.check_author(Author::Person), Ok(()), "{table}");
        }
    }
}
