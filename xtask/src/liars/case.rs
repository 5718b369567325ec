//! The cases: what a file of `fixtures/cheats` says, and which of them were asked for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::outcome::Mechanism;
use crate::failure::Failure;

/// The folders of cases.
pub(crate) const SETS: [&str; 2] = ["documents", "experiments"];

/// A cheat, beside the honest change that looks like it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) project: String,
    pub(crate) about: String,
    pub(crate) by: Vec<Mechanism>,
    pub(crate) alone: Option<Mechanism>,
    /// What the proof of the twin is called.
    pub(crate) proof: String,
    #[serde(default)]
    pub(crate) tests_may_change: Vec<String>,
    /// Files that programs obey, and that the task permits the twin by name.
    #[serde(default)]
    pub(crate) permits: Vec<String>,
    /// Why nothing notices it: a known limit.
    pub(crate) limit: Option<String>,
    /// The command, where it is not the project's.
    pub(crate) test: Option<String>,
    /// What the base has besides: a shell that runs before it is committed.
    #[serde(default)]
    pub(crate) base: String,
    /// What the base requires of a green test (`proof.require`).
    pub(crate) require: Option<String>,
    pub(crate) cheat: Script,
    pub(crate) honest: Script,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Script {
    pub(crate) shell: String,
}

/// How much is proven.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Basic,
    Standard,
    Strict,
}

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Request {
    /// Names of cases, or how they begin.
    pub(crate) names: Vec<String>,
    pub(crate) set: Option<String>,
    pub(crate) level: Option<Level>,
    pub(crate) off: Option<Mechanism>,
    /// The binary, where it is built already.
    pub(crate) provost: Option<String>,
    /// Whether the worlds stay, to look at them.
    pub(crate) keep: bool,
}

impl Case {
    /// The level at which it is run: what only probes can notice needs them.
    pub(crate) fn level(&self, request: &Request) -> Level {
        let is_strict = self.by == [Mechanism::Strict];
        request.level.unwrap_or(if is_strict { Level::Strict } else { Level::Standard })
    }

    /// Whether something that is on at this level should notice it.
    pub(crate) fn is_due(&self, level: Level, off: Option<Mechanism>) -> bool {
        let is_on = |it: &&Mechanism| it.is_on(level) && Some(**it) != off;
        self.limit.is_none() && self.by.iter().any(|it| is_on(&it))
    }
}

impl Level {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }
}

/// Reads a case; the message names its file.
pub(crate) fn parse(path: &str, text: &str) -> Result<Case, Failure> {
    let cannot = |why: String| Failure::Unable(format!("cannot read `{path}`: {why}"));
    let case: Case = toml::from_str(text).map_err(|error| cannot(error.to_string()))?;
    if !["PROVEN", "SHOWN", "HOLDS"].contains(&case.proof.as_str()) {
        return Err(cannot(format!("`proof` is PROVEN, SHOWN or HOLDS, not `{}`", case.proof)));
    }
    if case.by.is_empty() && case.limit.is_none() {
        return Err(cannot("it has neither `by` nor `limit`".to_owned()));
    }
    Ok(case)
}

/// Those of the cases that were asked for; a name that stands for none is a mistake.
pub(crate) fn choose(
    cases: BTreeMap<String, Case>,
    request: &Request,
) -> Result<BTreeMap<String, Case>, Failure> {
    let is_meant = |name: &str, it: &str| name.split('/').nth(1).unwrap_or(name).starts_with(it);
    let unknown = request.names.iter().find(|it| !cases.keys().any(|name| is_meant(name, it)));
    if let Some(name) = unknown {
        return Err(Failure::Unable(format!("no case is called `{name}`, or begins with it")));
    }
    let is_chosen = |name: &str| {
        let is_of_set = request.set.as_deref().is_none_or(|it| name.starts_with(it));
        let is_named =
            request.names.is_empty() || request.names.iter().any(|it| is_meant(name, it));
        is_of_set && is_named
    };
    Ok(cases.into_iter().filter(|(name, _)| is_chosen(name)).collect())
}

/// Reads the command line.
pub(crate) fn request(options: &[&str]) -> Result<Request, Failure> {
    let mut request = Request::default();
    let mut left = options.iter().copied();
    while let Some(word) = left.next() {
        let mut value = |known: &str| {
            let wrong = || Failure::Unable(format!("`{word}` is one of: {known}"));
            left.next().filter(|it| known.split(", ").any(|one| one == *it)).ok_or_else(wrong)
        };
        match word {
            "--set" => request.set = Some(value("documents, experiments")?.to_owned()),
            "--level" => {
                request.level = Some(match value("basic, standard, strict")? {
                    "basic" => Level::Basic,
                    "strict" => Level::Strict,
                    _ => Level::Standard,
                });
            }
            "--off" => {
                request.off = Some(match value("record, square, plant")? {
                    "record" => Mechanism::Record,
                    "square" => Mechanism::Square,
                    _ => Mechanism::Plant,
                });
            }
            "--provost" => {
                let path = left.next().map(str::to_owned);
                let missing = || Failure::Unable("`--provost` needs a path".to_owned());
                request.provost = Some(path.ok_or_else(missing)?);
            }
            "--keep" => request.keep = true,
            other if other.starts_with('-') => {
                return Err(Failure::Unable(format!("`liars` does not understand `{other}`")));
            }
            name => request.names.push(name.to_owned()),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "project = \"python\"\nabout = \"x\"\nby = [\"record\", \"square\"]\n\
        proof = \"PROVEN\"\n[cheat]\nshell = \"true\"\n[honest]\nshell = \"fix\"\n";

    #[test]
    fn a_case_says_what_is_expected_of_it() {
        let case = parse("a.toml", CASE).unwrap();
        assert_eq!(case.by, [Mechanism::Record, Mechanism::Square]);
        assert_eq!((case.base.as_str(), case.limit.as_ref()), ("", None));
        for (from, to, expected) in [
            ("PROVEN", "CLAIMED", "`proof` is PROVEN, SHOWN or HOLDS, not `CLAIMED`"),
            ("by = [\"record\", \"square\"]", "by = []", "it has neither `by` nor `limit`"),
            ("record", "recording", "unknown variant `recording`"),
            ("about", "abuot", "unknown field `abuot`"),
        ] {
            let failure = parse("a.toml", &CASE.replace(from, to)).unwrap_err().to_string();
            assert!(failure.starts_with("cannot read `a.toml`: "), "{failure}");
            assert!(failure.contains(expected), "{failure}");
        }
    }

    #[test]
    fn what_is_off_notices_nothing() {
        let case = parse("a.toml", CASE).unwrap();
        assert!(case.is_due(Level::Basic, None));
        assert!(!case.is_due(Level::Basic, Some(Mechanism::Record)));
        assert!(case.is_due(Level::Standard, Some(Mechanism::Record)));
        let limit = Case { limit: Some("reads its tests".to_owned()), ..case.clone() };
        assert!(!limit.is_due(Level::Strict, None));
        let probed = Case { by: vec![Mechanism::Strict], ..case };
        assert!(!probed.is_due(Level::Standard, None));
        assert_eq!(probed.level(&Request::default()), Level::Strict);
        let basic = Request { level: Some(Level::Basic), ..Request::default() };
        assert_eq!(probed.level(&basic), Level::Basic);
    }

    #[test]
    fn cases_are_chosen_by_how_they_begin() {
        let case = parse("a.toml", CASE).unwrap();
        let names = ["documents/py-skip", "experiments/js-skip", "experiments/py-gone"];
        let all: BTreeMap<_, _> = names.map(|it| (it.to_owned(), case.clone())).into();
        let chosen = |options: &[&str]| -> Result<Vec<String>, Failure> {
            Ok(choose(all.clone(), &request(options)?)?.into_keys().collect())
        };
        assert_eq!(chosen(&[]).unwrap(), names);
        assert_eq!(chosen(&["py"]).unwrap(), [names[0], names[2]]);
        assert_eq!(chosen(&["py", "--set", "experiments"]).unwrap(), [names[2]]);
        let message = "no case is called `rs`, or begins with it";
        assert_eq!(chosen(&["rs"]).unwrap_err().to_string(), message);
        let message = "`--level` is one of: basic, standard, strict";
        assert_eq!(chosen(&["--level", "loose"]).unwrap_err().to_string(), message);
        assert!(chosen(&["--fast"]).is_err());
    }
}
