//! The missions that teach a judge: what must hold of them, and one that is ready to be run.
//!
//! What such a mission learns is told to the judge. So its labels come from people's reviews, its
//! scaffold is that of the program, and its name says whose judge it is, or there is no such mission.

use provost_kernel::{
    Lang, Message,
    learn::{Endpoint, Mission, MissionName, Source},
    task::TaskType,
};
use unicode_normalization::UnicodeNormalization as _;

/// A mission that would teach a judge, and must not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "learn.judge_mission", exit = Refused)]
pub enum JudgeMissionError {
    /// The judge of a type would learn from files.
    #[message(
        en = "`{mission}` is the guidance of the judge, which learns from reviews alone",
        zh = "`{mission}` 是评审所依据的，只能从人的评审中学习",
        arg(task_type = task_type.as_str()),
        hint(
            en = "give the mission another name, or print the right one with `provost learn mission {task_type}`",
            zh = "换一个名称，或用 `provost learn mission {task_type}` 打印正确的任务目标"
        )
    )]
    Files { mission: MissionName, task_type: TaskType },
    /// Reviews would be learned from under a name that no judge asks for.
    #[message(
        en = "a mission over these reviews is called `{expected}`, not `{found}`",
        zh = "基于这些评审的任务目标应名为 `{expected}`，而不是 `{found}`",
        hint(en = "write `mission = \"{expected}\"`", zh = "请写 `mission = \"{expected}\"`")
    )]
    OtherName { found: MissionName, expected: MissionName },
    /// The judge has a scaffold of its own.
    #[message(
        en = "`{mission}` has a scaffold of its own: `guidance.path` is not allowed",
        zh = "`{mission}` 有自己的骨架规则，不能写 `guidance.path`",
        hint(en = "remove `guidance.path`", zh = "请去掉 `guidance.path`")
    )]
    OwnGuidance { mission: MissionName },
}

/// Refuses a mission that would teach a judge from anything but people.
pub fn check(mission: &Mission) -> Result<(), JudgeMissionError> {
    let name = &mission.mission;
    match (&mission.source, alike(name)) {
        (Source::Files(_), None) => Ok(()),
        (Source::Files(_), Some(task_type)) => {
            Err(JudgeMissionError::Files { mission: name.clone(), task_type })
        }
        (Source::Reviews(task_type), _) => {
            let expected = MissionName::of_judge(*task_type);
            if *name != expected {
                return Err(JudgeMissionError::OtherName { found: name.clone(), expected });
            }
            match mission.guidance.path {
                Some(_) => Err(JudgeMissionError::OwnGuidance { mission: name.clone() }),
                None => Ok(()),
            }
        }
    }
}

/// The task type whose judge a name stands for, to a person or to a disk that does not tell capitals
/// from small letters.
fn alike(name: &MissionName) -> Option<TaskType> {
    let plain = name.as_str().nfkc().collect::<String>().to_lowercase();
    plain.trim_end_matches('.').parse::<MissionName>().ok()?.judged_type()
}

/// A file of a mission over the reviews of a task type, with the endpoint that is known, or with
/// one to be filled in.
pub fn template(task_type: TaskType, endpoint: Option<&Endpoint>, language: Lang) -> String {
    let mission = MissionName::of_judge(task_type);
    let about = about(language);
    let endpoint = match endpoint {
        Some(endpoint) => written(endpoint),
        None => written(&Endpoint::Chat {
            base_url: "http://127.0.0.1:8000/v1".to_owned(),
            model: "judge".to_owned(),
            key_variable: None,
            concurrency: 8,
            timeout_seconds: 120,
        }),
    };
    format!(
        "# {}\nmission = \"{mission}\"\nreviews = \"{task_type}\"\nlanguage = \"{language}\"\nseed = 17\n\n\
         # {}\n[pools]\nlearn = 60\ngate = 20\naudit = 20\n\n\
         [guidance]\nreset_on_rerun = false\n\n\
         [runner]\nepochs = 3\n\n\
         # {}\n[budget]\nmax_model_calls = 20000\n\n\
         # {}\n{endpoint}",
        about[0], about[1], about[2], about[3]
    )
}

/// What the file says about itself.
fn about(language: Lang) -> [&'static str; 4] {
    language.pick(
        [
            "The judge of this task type learns from what people approve and reject.",
            "Rules are learned on one part, measured on another, and judged at the end on a third.",
            "A run ends when this is spent.",
            "What answers. `key_variable` names the environment variable with the key.",
        ],
        [
            "此任务类型的评审从人的批准与驳回中学习。",
            "规则在一部分上学习,在另一部分上测量,最后在第三部分上评定。",
            "用完即结束运行。",
            "由谁作答。`key_variable` 是存放密钥的环境变量名。",
        ],
    )
}

/// An endpoint as the file has it.
fn written(endpoint: &Endpoint) -> String {
    let value = toml::Table::try_from(endpoint).unwrap_or_default();
    format!("[[endpoints]]\n{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mission::read;

    const TYPE: TaskType = TaskType::EngineeringImpl;

    fn file(head: &str) -> Mission {
        let end = "[[endpoints]]\nkind = \"command\"\ncommand = [\"m\"]\n";
        read(&format!("{head}\n{end}")).unwrap()
    }

    #[test]
    fn a_judge_learns_from_people_under_its_own_name_and_scaffold() {
        let check = |head: &str, expected: Option<&str>| {
            let error = check(&file(head)).err().map(|it| it.to_string());
            assert_eq!(error.is_some(), expected.is_some(), "{head}: {error:?}");
            if let (Some(error), Some(expected)) = (error, expected) {
                assert!(error.contains(expected), "{error}");
            }
        };
        let files = "tickets = \"t.jsonl\"\nguidance.path = \"g.json\"";
        check(&format!("mission = \"m\"\n{files}"), None);
        check("mission = \"judge-storyboard\"\nreviews = \"storyboard\"", None);
        check(&format!("mission = \"judge-storyboard\"\n{files}"), Some("reviews alone"));
        for name in
            ["Judge-storyboard", "judge-storyboard.", "JUDGE-Storyboard..", "ｊudge-storyboard"]
        {
            check(&format!("mission = \"{name}\"\n{files}"), Some("reviews alone"));
            check(&format!("mission = \"{name}\"\nreviews = \"storyboard\""), Some("not `"));
        }
        check(&format!("mission = \"judge-storyboard.2\"\n{files}"), None);
        check("mission = \"m\"\nreviews = \"storyboard\"", Some("`judge-storyboard`, not `m`"));
        check("mission = \"judge-storyboard\"\nreviews = \"douyin_script\"", Some("not `judge-st"));
        check(
            "mission = \"judge-storyboard\"\nreviews = \"storyboard\"\nguidance.path = \"g.json\"",
            Some("scaffold of its own"),
        );
    }

    #[test]
    fn a_mission_that_is_printed_can_be_read() {
        let known = Endpoint::Command {
            command: vec!["ask".to_owned(), "a \"b\"".to_owned()],
            model: Some("m".to_owned()),
            concurrency: 2,
            timeout_seconds: 9,
        };
        for &task_type in TaskType::ALL {
            for lang in [Lang::En, Lang::Zh] {
                let mission = read(&template(task_type, None, lang)).unwrap();
                assert_eq!(mission.mission.judged_type(), Some(task_type));
                assert_eq!(mission.language, lang);
                assert_eq!(check(&mission), Ok(()));
            }
        }
        let mission = read(&template(TYPE, Some(&known), Lang::En)).unwrap();
        assert_eq!(mission.endpoints, [known]);
    }
}
