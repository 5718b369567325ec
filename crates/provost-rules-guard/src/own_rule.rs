//! A rule that a person adds to a file of their own. Whatever else stands in the file stays as it
//! is, comments included.

use provost_kernel::{
    Message,
    guard::policy::{Policy, PolicyRule},
};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::policy::{RuleError, validate};

/// Why a rule cannot be added. The file was not touched.
#[derive(Debug, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.own_rule")]
pub enum AppendError {
    #[message(
        en = "it is not valid TOML: {why}",
        zh = "不是有效的 TOML：{why}",
        hint(
            en = "`provost config show` names the line",
            zh = "`provost config show` 会指出所在的行"
        )
    )]
    NotToml { why: String },
    #[message(
        en = "`guard` or `guard.rules` is not a table of rules there",
        zh = "其中的 `guard` 或 `guard.rules` 不是规则表"
    )]
    NotRules,
    #[error(transparent)]
    #[message(transparent)]
    Rule(#[from] RuleError),
}

/// The text of a file with a rule behind those that it has.
pub fn append(text: Option<&str>, rule: &PolicyRule) -> Result<String, AppendError> {
    validate(&Policy::of_rules(vec![rule.clone()]))?;
    let text = text.unwrap_or_default();
    let mut document: DocumentMut = text.parse().map_err(|it: toml_edit::TomlError| {
        AppendError::NotToml { why: it.message().to_owned() }
    })?;
    let guard = document.entry("guard").or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let guard = guard.as_table_like_mut().ok_or(AppendError::NotRules)?;
    match guard.entry("rules").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new())) {
        Item::ArrayOfTables(rules) => rules.push(table(rule)),
        Item::Value(Value::Array(rules)) => {
            let inline = entries(rule)
                .into_iter()
                .filter_map(|(key, item)| Some((key, item.into_value().ok()?)));
            rules.push(inline.collect::<InlineTable>());
        }
        Item::None | Item::Value(_) | Item::Table(_) => return Err(AppendError::NotRules),
    }
    Ok(document.to_string())
}

fn table(rule: &PolicyRule) -> Table {
    let mut table = Table::new();
    for (key, item) in entries(rule) {
        table.insert(key, item);
    }
    table
}

/// The keys of a rule, as far as it says something.
fn entries(rule: &PolicyRule) -> Vec<(&'static str, Item)> {
    let list = |it: &[String]| {
        let list: Array = it.iter().map(String::as_str).collect();
        (!it.is_empty()).then(|| value(list))
    };
    let PolicyRule { id, effect, tool, path, command, host, rule, why, until, project } = rule;
    let all = [
        ("id", id.as_deref().map(value)),
        ("effect", Some(value(effect.as_str()))),
        ("rule", list(rule)),
        ("tool", list(tool)),
        ("path", list(path)),
        ("command", list(command)),
        ("host", list(host)),
        ("until", until.as_ref().map(|it| value(it.as_str()))),
        ("project", project.as_deref().map(value)),
        ("why", why.as_deref().map(value)),
    ];
    all.into_iter().filter_map(|(key, item)| Some((key, item?))).collect()
}

#[cfg(test)]
mod tests {
    use provost_kernel::guard::policy::Effect;

    use super::*;

    fn rule() -> PolicyRule {
        PolicyRule {
            rule: vec!["git.reset-hard".to_owned()],
            command: ["git", "reset", "--hard"].map(str::to_owned).to_vec(),
            why: Some("a \"test\"\nof two lines".to_owned()),
            until: Some("2026-12-31".parse().unwrap()),
            ..PolicyRule::new(Effect::Allow)
        }
    }

    const RULE: &str = "[[guard.rules]]\neffect = \"allow\"\nrule = [\"git.reset-hard\"]\n\
        command = [\"git\", \"reset\", \"--hard\"]\nuntil = \"2026-12-31\"\n";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let written = append(Some(text), &rule()).unwrap();
        assert!(written.starts_with(text) || expected.is_empty(), "{written}");
        assert!(written.contains(expected), "{written}");
        let document: DocumentMut = written.parse().unwrap();
        let rules = document["guard"]["rules"].clone();
        let n = rules
            .as_array_of_tables()
            .map_or_else(|| rules.as_array().unwrap().len(), toml_edit::ArrayOfTables::len);
        assert_eq!(n, text.matches("effect").count() + 1, "{written}");
        assert!(written.contains("of two lines"), "{written}");
    }

    #[test]
    fn a_rule_comes_behind_what_is_there() {
        check("", RULE);
        check("# mine\nlang = \"zh\" # here\n", RULE);
        check("[guard] # strict\nlevel = \"strict\"\n", RULE);
        check("[[guard.rules]]\neffect = \"ask\" # why\ncommand = [\"x\"]\n", RULE);
        check("guard.rules = [{ effect = \"ask\" }]\n", "");
    }

    #[test]
    fn what_cannot_be_extended_is_left_alone() {
        for text in ["guard = 1", "guard.rules = 1", "[guard.rules]\nx = 1", "x = ["] {
            assert!(append(Some(text), &rule()).is_err(), "{text}");
        }
        let unknown = PolicyRule { rule: vec!["git.reset".to_owned()], ..rule() };
        assert!(append(None, &unknown).is_err());
    }
}
