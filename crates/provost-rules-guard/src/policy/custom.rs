//! Matches the configured rules of a person against one action.
//!
//! In doubt a rule that refuses fits and a rule that allows does not: a refusal reads patterns
//! widely and looks past words that stand between, a permission wants every word in its place.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use provost_kernel::{
    Message, Text, Timestamp,
    guard::policy::{Policy, PolicyRule},
};

use super::{
    action::{Action, Touched, show},
    builtin::BuiltIn::{self, DeleteOutside, DeleteSources, PathOutside},
    call::{Kind, Tool},
    error::RuleError,
    path_zones::{PathZones, lies_in},
    protected::Access,
};

/// Says whether every rule of a policy can be understood.
pub fn validate(policy: &Policy) -> Result<(), RuleError> {
    let own = policy.rules.iter().enumerate();
    for (at, rule) in own.chain(policy.repository.iter().enumerate()) {
        if let Some(name) = rule.rule.iter().find(|it| BuiltIn::named(it).is_none()) {
            return Err(RuleError::Unknown { rule: at + 1, name: show(name) });
        }
        for glob in &rule.path {
            built(glob, Reading::Wide).map_err(|source| RuleError::Glob {
                rule: at + 1,
                glob: show(glob),
                source,
            })?;
        }
    }
    Ok(())
}

/// Whether a rule has not ended. In doubt one that refuses holds and one that permits does not.
pub fn holds(rule: &PolicyRule, now: Option<Timestamp>) -> bool {
    match (&rule.until, now) {
        (None, _) => true,
        (Some(day), Some(now)) => !day.is_over(now),
        (Some(_), None) => !rule.effect.passes(),
    }
}

/// Whether a rule fits an action.
pub(super) fn fits(rule: &PolicyRule, zones: &PathZones, tool: &Tool, action: &Action) -> bool {
    let reading = if rule.effect.passes() { Reading::Narrow } else { Reading::Wide };
    let is_named = fits_tool(&rule.tool, tool);
    // A command writes and reads as a tool for files does.
    let by_access = tool.kind == Kind::Shell && !rule.path.is_empty();
    let accessed = |access: Access| {
        let kind = if access == Access::Read { Kind::Read } else { Kind::Write };
        is_named || rule.tool.iter().any(|it| it.eq_ignore_ascii_case(kind.word()))
    };
    let is_meant = |it: &&Touched| accessed(it.access);
    let paths: Vec<&Touched> = action.paths.iter().filter(is_meant).collect();
    (is_named || (by_access && !paths.is_empty()))
        && (rule.command.is_empty() || fits_command(rule, &action.words, reading))
        && (rule.path.is_empty() || fits_path(&rule.path, zones, action, &paths, reading))
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

fn fits_command(rule: &PolicyRule, words: &[Option<String>], reading: Reading) -> bool {
    // One that answers a refusal stands for the command that a person saw.
    let is_whole = !rule.rule.is_empty() && rule.command.last().is_none_or(|it| it != "*");
    let rest_is_open = !rule.rule.is_empty() && !is_whole;
    let listed = rule.command.len() - usize::from(rest_is_open);
    let rule = rule.command.get(..listed).unwrap_or_default();

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
            let is_long_enough = rest.len() <= arguments.len();
            let is_short_enough = !is_whole || rest.len() == arguments.len();
            is_long_enough
                && is_short_enough
                && rest.iter().zip(arguments).all(|(a, b)| is_same(a, b))
        }
        Reading::Wide => {
            let mut left = arguments.iter();
            rest.iter().all(|wanted| left.any(|it| is_same(wanted, it)))
        }
    }
}

/// What a command meets because of where the files lie that it names.
const PLACES: [BuiltIn; 3] = [DeleteOutside, DeleteSources, PathOutside];

/// Whether the words of a command name every file that it touches, and nothing but their place
/// speaks against it. Only then is a permission for paths a permission for the command.
fn is_about_places(action: &Action) -> bool {
    action.words.iter().all(Option::is_some)
        && action.hosts.is_empty()
        && action.found.iter().all(|it| PLACES.contains(&it.rule))
}

fn fits_path(
    globs: &[String],
    zones: &PathZones,
    action: &Action,
    paths: &[&Touched],
    reading: Reading,
) -> bool {
    let is_certain = !action.paths.is_empty()
        && paths.len() == action.paths.len()
        && (action.words.is_empty() || is_about_places(action));
    if reading == Reading::Narrow && !is_certain {
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
    let mut paths = paths.iter();
    match reading {
        Reading::Narrow => {
            paths.all(|it| spellings(zones, &it.path).iter().any(|it| set.is_match(it)))
        }
        Reading::Wide => paths.any(|it| {
            spellings(zones, &it.path).iter().any(|path| {
                // Whatever lies in a folder that is meant is meant too.
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
                ends.filter_map(|end| path.get(..end)).any(|it| set.is_match(it))
                    || (it.access == Access::Delete
                        && expanded.iter().any(|it| holds_all(path, it)))
            })
        }),
    }
}

/// Whether everything that a glob names lies in a folder: with the folder it is gone.
fn holds_all(folder: &str, glob: &str) -> bool {
    let known = glob.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let folder = folder.trim_end_matches('/');
    !known.is_empty()
        && known.starts_with('/') == folder.starts_with('/')
        && (folder.is_empty() || lies_in(known.trim_end_matches('/'), folder))
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
