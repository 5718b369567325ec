//! What Codex trusts: the digest of each hook, under the place where the hook stands.
//!
//! A hook that is not trusted does not run, and reports nothing. The digest is over the
//! definition as Codex reads it and not over the program; it was held against Codex 0.166.0.

use provost_kernel::{
    Digest,
    guard::client::{Grammar, Shape},
};
use serde_json::json;
use toml_edit::{DocumentMut, Item, Table, TableLike, value};

use super::{
    InstallError,
    document::{Document, Found, MARK},
};

/// One hook that is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trust {
    /// The path of the file, the event, and the numbers of the group and of the handler.
    pub key: String,
    pub hash: String,
}

/// How Codex writes the names of events here.
const LABELS: [(&str, &str); 10] = [
    ("PreToolUse", "pre_tool_use"),
    ("PermissionRequest", "permission_request"),
    ("PostToolUse", "post_tool_use"),
    ("PreCompact", "pre_compact"),
    ("SessionStart", "session_start"),
    ("SessionEnd", "session_end"),
    ("UserPromptSubmit", "user_prompt_submit"),
    ("SubagentStart", "subagent_start"),
    ("SubagentStop", "subagent_stop"),
    ("Stop", "stop"),
];

const HASH: &str = "trusted_hash";

/// What must be trusted for our hooks in the text of a `hooks.json` to run.
///
/// The path is as Codex spells it: the folder is a real path, the name of the file is not
/// followed.
pub fn of(hooks: Option<&str>, path: &str) -> Result<Vec<Trust>, InstallError> {
    let found = Document::read(hooks, Grammar::Strict, Shape::Groups)?.found()?;
    found.iter().filter_map(|it| one(it, path)).collect()
}

/// Trusts these hooks, and none of `former`, in the text of a `config.toml`.
pub fn write(
    config: Option<&str>,
    trusted: &[Trust],
    former: &[Trust],
) -> Result<String, InstallError> {
    let text = config.unwrap_or_default();
    let mark = if text.starts_with(MARK) { MARK } else { "" };
    let mut document = parse(text)?;
    for it in former.iter().filter(|it| !trusted.iter().any(|new| new.key == it.key)) {
        forget(&mut document, it)?;
    }
    for Trust { key, hash } in trusted {
        let entries = state(&mut document, Missing::Create)?;
        let Some(entries) = entries else { continue };
        if is_trusted(entries, key, hash) {
            continue;
        }
        if let Some(entry) = entries.get_mut(key).and_then(Item::as_table_like_mut) {
            entry.insert(HASH, value(hash));
        } else {
            let mut entry = Table::new();
            entry.insert(HASH, value(hash));
            entries.insert(key, Item::Table(entry));
        }
    }
    Ok(format!("{mark}{document}"))
}

/// Takes back the trust in these hooks.
pub fn remove(config: &str, former: &[Trust]) -> Result<String, InstallError> {
    write(Some(config), &[], former)
}

/// The first of these hooks that would not run, if any.
pub fn missing<'a>(
    config: Option<&str>,
    trusted: &'a [Trust],
) -> Result<Option<&'a Trust>, InstallError> {
    let mut document = parse(config.unwrap_or_default())?;
    let Some(entries) = state(&mut document, Missing::Leave)? else {
        return Ok(trusted.first());
    };
    let runs = |it: &Trust| {
        let entry = entries.get(&it.key).and_then(Item::as_table_like);
        let is_off = entry.and_then(|it| it.get("enabled")?.as_bool()) == Some(false);
        is_trusted(entries, &it.key, &it.hash) && !is_off
    };
    Ok(trusted.iter().find(|it| !runs(it)))
}

/// Whether hooks are switched off as a whole.
pub fn is_switched_off(config: Option<&str>) -> Result<bool, InstallError> {
    let document = parse(config.unwrap_or_default())?;
    let features = document.get("features").and_then(Item::as_table_like);
    let off = |name: &str| features.and_then(|it| it.get(name)?.as_bool()) == Some(false);
    Ok(off("hooks") || off("codex_hooks"))
}

/// Whether a table that is not there is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    Create,
    Leave,
}

fn parse(text: &str) -> Result<DocumentMut, InstallError> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    text.parse::<DocumentMut>()
        .map_err(|error| InstallError::NotToml { why: error.message().to_owned() })
}

fn one(found: &Found, path: &str) -> Option<Result<Trust, InstallError>> {
    let label = LABELS.iter().find(|it| it.0 == found.event)?.1;
    let handler = &found.handler;
    let definition = json!({
        "event_name": label,
        "hooks": [{
            "type": "command",
            "command": handler.get("command"),
            "timeout": handler.get("timeout"),
            "async": false,
        }],
    });
    let key = format!("{path}:{label}:{}:{}", found.group, found.index);
    let hash = Digest::of_json(&definition).map_err(|_| InstallError::Path { path: key.clone() });
    Some(hash.map(|hash| Trust { key, hash: format!("sha256:{hash}") }))
}

fn is_trusted(entries: &dyn TableLike, key: &str, hash: &str) -> bool {
    let entry = entries.get(key).and_then(Item::as_table_like);
    entry.and_then(|it| it.get(HASH)?.as_str()) == Some(hash)
}

/// The table of what is trusted.
fn state(
    document: &mut DocumentMut,
    missing: Missing,
) -> Result<Option<&mut dyn TableLike>, InstallError> {
    let shape = |at: &str| InstallError::Shape { at: at.to_owned() };
    let mut table: &mut dyn TableLike = document.as_table_mut();
    let mut at = String::new();
    for name in ["hooks", "state"] {
        at = if at.is_empty() { name.to_owned() } else { format!("{at}.{name}") };
        if table.get(name).is_none() {
            if missing == Missing::Leave {
                return Ok(None);
            }
            let mut implicit = Table::new();
            implicit.set_implicit(true);
            table.insert(name, Item::Table(implicit));
        }
        table = table.get_mut(name).and_then(Item::as_table_like_mut).ok_or_else(|| shape(&at))?;
    }
    Ok(Some(table))
}

/// Removes one entry if it is the one that was written, and what held nothing else.
fn forget(document: &mut DocumentMut, former: &Trust) -> Result<(), InstallError> {
    let Some(entries) = state(document, Missing::Leave)? else { return Ok(()) };
    if !is_trusted(entries, &former.key, &former.hash) {
        return Ok(());
    }
    entries.remove(&former.key);
    if !entries.is_empty() {
        return Ok(());
    }
    let Some(hooks) = document.get_mut("hooks").and_then(Item::as_table_like_mut) else {
        return Ok(());
    };
    hooks.remove("state");
    if hooks.is_empty() {
        document.remove("hooks");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::{Hook, install};
    use provost_kernel::guard::Harness;

    const PATH: &str = "/u/.codex/hooks.json";

    fn hooks(program: &str) -> String {
        let hook = Hook { program: program.to_owned(), home: Some("/h".to_owned()) };
        install(Harness::Codex, None, &hook).unwrap()
    }

    fn trust(key: &str, hash: &str) -> Trust {
        Trust { key: key.to_owned(), hash: hash.to_owned() }
    }

    /// What `hooks/list` of Codex 0.166.0 answered for this file.
    #[test]
    fn the_digest_is_the_one_that_codex_computes() {
        let text = r#"{"hooks": {
            "PreToolUse": [
                {"matcher": "Bash", "hooks": [{"type": "command", "command": "other"}]},
                {"hooks": [
                    {"type": "command", "command": "another"},
                    {"type": "command", "timeout": 30, "command":
                        "'/a b/é/provost' hook --client codex --type pre-tool-use --home /h"}]}],
            "SessionEnd": [
                {"hooks": [{"type": "command", "timeout": 3, "command":
                    "/provost hook --client codex --type session-end --home /h"}]}]
        }}"#;
        let expected = [
            trust(
                "/u/.codex/hooks.json:pre_tool_use:1:1",
                "sha256:ecaa408686edc89c645a3df1f82e9e1e67a593bba4c086a6d4e8f79f3a90f5a9",
            ),
            trust(
                "/u/.codex/hooks.json:session_end:0:0",
                "sha256:2b217029427da781608844515ee6ce09adda7672876d754e40926e041ffe3889",
            ),
        ];
        assert_eq!(of(Some(text), PATH).unwrap(), expected);
    }

    #[test]
    fn what_was_written_is_trusted_and_taken_back() {
        let trusted = of(Some(&hooks("/opt/provost")), PATH).unwrap();
        assert_eq!(trusted.len(), 10);
        let person =
            "# mine\nmodel = \"x\"  # why\n\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
        assert_eq!(missing(Some(person), &trusted).unwrap(), trusted.first());
        let written = write(Some(person), &trusted, &[]).unwrap();
        assert!(written.starts_with(person), "{written}");
        assert_eq!(missing(Some(&written), &trusted).unwrap(), None);
        assert_eq!(write(Some(&written), &trusted, &trusted).unwrap(), written, "no change");
        assert_eq!(remove(&written, &trusted).unwrap(), person);
    }

    #[test]
    fn what_somebody_else_trusts_stays() {
        let text = "[hooks.state.\"/p/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n";
        let (old, new) = (trust("/k:stop:0:0", "sha256:a"), trust("/k:stop:1:0", "sha256:a"));
        let written = write(Some(text), std::slice::from_ref(&old), &[]).unwrap();
        let moved =
            write(Some(&written), std::slice::from_ref(&new), std::slice::from_ref(&old)).unwrap();
        assert!(!moved.contains("/k:stop:0:0"), "{moved}");
        assert!(moved.contains("/k:stop:1:0"), "{moved}");
        assert_eq!(remove(&moved, &[new]).unwrap(), text);
        let other = trust("/p/hooks.json:stop:0:0", "sha256:2");
        assert_eq!(remove(text, &[other]).unwrap(), text, "another digest is not ours");
    }

    #[test]
    fn a_hook_that_is_switched_off_does_not_run() {
        let it = [trust("/k:stop:0:0", "sha256:a")];
        let written = write(None, &it, &[]).unwrap();
        assert_eq!(missing(Some(&written), &it).unwrap(), None);
        let off = format!("{written}enabled = false\n");
        assert_eq!(missing(Some(&off), &it).unwrap(), it.first());
        let inline = "hooks.state = {\"/k:stop:0:0\" = {trusted_hash = \"sha256:a\"}}\n";
        assert_eq!(missing(Some(inline), &it).unwrap(), None);
        assert!(is_switched_off(Some("[features]\nhooks = false\n")).unwrap());
        assert!(!is_switched_off(Some("features = {hooks = true}\n")).unwrap());
    }

    #[test]
    fn a_configuration_that_cannot_be_read_is_refused() {
        let it = [trust("/k:stop:0:0", "sha256:a")];
        assert!(matches!(write(Some("x ="), &it, &[]), Err(InstallError::NotToml { .. })));
        assert!(matches!(write(Some("hooks = 1"), &it, &[]), Err(InstallError::Shape { .. })));
    }
}
