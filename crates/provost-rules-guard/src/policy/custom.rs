//! Matches the configured rules of a person against one action.
//!
//! In doubt a rule that refuses fits and a rule that allows does not: a refusal reads patterns
//! widely and looks past words that stand between, a permission wants every word in its place.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use provost_kernel::{
    Message, Text,
    guard::policy::{Policy, PolicyRule},
};

use super::{
    action::{Action, show},
    call::Tool,
    error::GlobError,
    path_zones::{PathZones, lies_in},
};

/// Says whether every glob of a policy can be understood.
pub fn validate(policy: &Policy) -> Result<(), GlobError> {
    for (at, rule) in policy.rules.iter().enumerate() {
        for glob in &rule.path {
            built(glob, Reading::Wide).map_err(|source| GlobError {
                rule: at + 1,
                glob: show(glob),
                source,
            })?;
        }
    }
    Ok(())
}

/// Whether a rule fits an action.
pub(super) fn fits(rule: &PolicyRule, zones: &PathZones, tool: &Tool, action: &Action) -> bool {
    let reading = if rule.effect.passes() { Reading::Narrow } else { Reading::Wide };
    fits_tool(&rule.tool, tool)
        && (rule.command.is_empty() || fits_command(&rule.command, &action.words, reading))
        && (rule.path.is_empty() || fits_path(&rule.path, zones, action, reading))
        && (rule.host.is_empty() || fits_host(&rule.host, &action.hosts, reading))
}

/// What a configured rule says that gives no reason of its own.
#[derive(Message)]
#[message(
    code = "guard.configured",
    en = "a rule of the configuration applies",
    zh = "配置中的规则适用于它"
)]
struct Configured;

/// Why a configured rule decides.
pub(super) fn why(rule: &PolicyRule) -> Text {
    rule.why.as_ref().map_or_else(|| Configured.text(), |it| Text::verbatim(it.clone()))
}

/// How a rule is read in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    Wide,
    Narrow,
}

fn fits_tool(names: &[String], tool: &Tool) -> bool {
    names.is_empty()
        || names.iter().any(|it| {
            let given = it.to_lowercase();
            match given.strip_suffix('*') {
                Some(begin) => tool.name.starts_with(begin),
                None => tool.name == given || tool.kind.word() == given,
            }
        })
}

fn fits_command(rule: &[String], words: &[Option<String>], reading: Reading) -> bool {
    let is_same = |wanted: &String, word: &Option<String>| match (wanted.strip_suffix('*'), word) {
        (_, None) => reading == Reading::Wide,
        (Some(begin), Some(word)) => word.starts_with(begin),
        (None, Some(word)) => word == wanted,
    };
    let Some((program, rest)) = rule.split_first() else { return false };
    let Some((first, arguments)) = words.split_first() else { return false };
    if !is_same(program, first) {
        return false;
    }
    match reading {
        Reading::Narrow => {
            rest.len() <= arguments.len() && rest.iter().zip(arguments).all(|(a, b)| is_same(a, b))
        }
        Reading::Wide => {
            let mut left = arguments.iter();
            rest.iter().all(|wanted| left.any(|it| is_same(wanted, it)))
        }
    }
}

fn fits_path(globs: &[String], zones: &PathZones, action: &Action, reading: Reading) -> bool {
    // The words of a command name files only as far as one can guess.
    if reading == Reading::Narrow && (!action.words.is_empty() || action.paths.is_empty()) {
        return false;
    }
    let expanded: Vec<String> = globs
        .iter()
        .map(|it| match it.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", zones.user_home),
            None => it.trim_start_matches("./").to_owned(),
        })
        .collect();
    let Some(set) = set(&expanded, reading) else { return reading == Reading::Wide };
    let mut paths = action.paths.iter();
    match reading {
        Reading::Narrow => paths.all(|it| spellings(zones, it).iter().any(|it| set.is_match(it))),
        Reading::Wide => paths.any(|it| {
            spellings(zones, it).iter().any(|path| {
                // Whatever lies in a folder that is meant is meant too.
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
                ends.filter_map(|end| path.get(..end)).any(|it| set.is_match(it))
            })
        }),
    }
}

/// A path as a rule may write it: absolute, from the project, from the folder of the call.
fn spellings(zones: &PathZones, path: &str) -> Vec<String> {
    let mut found = vec![path.to_owned()];
    for base in [&zones.root, &zones.directory] {
        if lies_in(path, base) {
            let rest = path.get(base.len()..).unwrap_or_default();
            found.push(rest.trim_start_matches('/').to_owned());
        }
    }
    found
}

fn set(globs: &[String], reading: Reading) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(built(glob, reading).ok()?);
    }
    set.build().ok()
}

fn built(glob: &str, reading: Reading) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob)
        .literal_separator(reading == Reading::Narrow)
        .case_insensitive(reading == Reading::Wide)
        .backslash_escape(true)
        .build()
}

fn fits_host(names: &[String], hosts: &[String], reading: Reading) -> bool {
    let fits_one = |host: &String| {
        names.iter().map(|it| it.to_ascii_lowercase()).any(|name| match name.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|it| it.ends_with('.')),
            None => *host == name || name == "*",
        })
    };
    match reading {
        Reading::Narrow => !hosts.is_empty() && hosts.iter().all(fits_one),
        Reading::Wide => hosts.iter().any(fits_one),
    }
}
