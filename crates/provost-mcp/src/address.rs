//! The addresses of resources. Each is parsed into ids: none of them is a path.

use std::{borrow::Cow, fmt, str::FromStr};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use provost_engine::story::OutputName;
use provost_kernel::story::{ExecutionId, StoryId};

/// What can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// A plan as it was started.
    Plan { branch: String },
    /// A story as it stands.
    Story { branch: String, story: StoryId },
    /// What a command printed.
    Evidence { execution: ExecutionId, story: StoryId, output: OutputName },
}

/// The forms of the addresses: name, template, and what is there in English and in Chinese.
pub(crate) const TEMPLATES: [(&str, &str, [&str; 2]); 3] = [
    ("plan", "provost://plan/{+branch}", ["a plan as it was started", "启动时的计划"]),
    (
        "story",
        "provost://story/{+branch}/{storyId}",
        ["a story with its criteria, evidence and updates", "故事及其 AC、证据与更新"],
    ),
    (
        "evidence",
        "provost://evidence/{executionId}/{storyId}/{look}/{output}",
        ["what a command printed that was run for a story", "为故事运行的命令的输出"],
    ),
];

/// What may not stand in an address as it is.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'{')
    .add(b'}')
    .add(b'`')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'|')
    .add(b'\\');

impl FromStr for Address {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let rest = text.strip_prefix("provost://").ok_or(())?;
        let (kind, rest) = rest.split_once('/').ok_or(())?;
        let rest: Cow<'_, str> = percent_decode_str(rest).decode_utf8().map_err(drop)?;
        match kind {
            "plan" if !rest.is_empty() => Ok(Self::Plan { branch: rest.into_owned() }),
            "story" => {
                let (branch, story) = rest.rsplit_once('/').ok_or(())?;
                let story = story.parse().map_err(drop)?;
                Ok(Self::Story { branch: branch.to_owned(), story })
            }
            "evidence" => {
                let (execution, rest) = rest.split_once('/').ok_or(())?;
                let (story, output) = rest.split_once('/').ok_or(())?;
                Ok(Self::Evidence {
                    execution: execution.parse().map_err(drop)?,
                    story: story.parse().map_err(drop)?,
                    output: output.parse()?,
                })
            }
            _ => Err(()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan { branch } => {
                write!(f, "provost://plan/{}", utf8_percent_encode(branch, ESCAPED))
            }
            Self::Story { branch, story } => {
                write!(f, "provost://story/{}/{story}", utf8_percent_encode(branch, ESCAPED))
            }
            Self::Evidence { execution, story, output } => {
                write!(f, "provost://evidence/{execution}/{story}/{output}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_address: bool) {
        let parsed = text.parse::<Address>();
        assert_eq!(parsed.is_ok(), is_address, "{text:?} {parsed:?}");
        if let Ok(address) = parsed {
            assert_eq!(address.to_string().parse(), Ok(address));
        }
    }

    #[test]
    fn an_address_is_one_of_three() {
        check("provost://plan/ralph/login", true);
        check("provost://plan/%E7%99%BB%E5%BD%95", true);
        check("provost://story/ralph/login/US-001", true);
        check("provost://evidence/e1/US-001/7/2-stdout.log", true);
        for text in [
            "",
            "provost://",
            "provost://plan",
            "provost://plan/",
            "provost://tree/x",
            "file:///etc/passwd",
            "provost://story/US-001",
            "provost://story/ralph/login/one",
            "provost://plan/%ff",
        ] {
            check(text, false);
        }
    }

    /// A path in an address is not a path: what is not an id is refused.
    #[test]
    fn no_address_leads_out_of_the_evidence() {
        for text in [
            "provost://evidence/../US-001/7/2-stdout.log",
            "provost://evidence/%2e%2e/US-001/7/2-stdout.log",
            "provost://evidence/e1/../7/2-stdout.log",
            "provost://evidence/e1/US-001/../2-stdout.log",
            "provost://evidence/e1/US-001/7/..%2f2-stdout.log",
            "provost://evidence/e1/US-001/7/2-stdout.log%00",
            "provost://evidence/e1/US-001/7/claims.jsonl",
            "provost://evidence/e1/US-001/7/2-stdout.raw",
            "provost://evidence/e1%2f..%2f../US-001/7/2-stdout.log",
        ] {
            check(text, false);
        }
    }
}
