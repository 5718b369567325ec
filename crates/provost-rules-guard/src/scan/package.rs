//! The scripts of a `package.json`.

use jsonc_parser::{CollectOptions, ParseOptions, ast::Value, common::Ranged as _, parse_to_ast};

use super::{Command, ScanError};

/// Each script, on the line of its value.
pub(super) fn commands(text: &str, folder: &str) -> Result<Vec<Command>, ScanError> {
    let malformed = |at: usize| ScanError::Malformed { format: "JSON", line: line_of(text, at) };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default())
        .map_err(|error| malformed(error.range().start))?;
    let Some(Value::Object(package)) = parsed.value else { return Ok(Vec::new()) };
    let Some(scripts) = package.get_object("scripts") else { return Ok(Vec::new()) };
    let commands = scripts.properties.iter().filter_map(|it| match &it.value {
        Value::StringLit(script) => {
            let line = line_of(text, script.start());
            Some(Command::on_kept(line, &script.value, folder))
        }
        Value::NumberLit(_)
        | Value::BooleanLit(_)
        | Value::Object(_)
        | Value::Array(_)
        | Value::NullKeyword(_) => None,
    });
    Ok(commands.collect())
}

/// The line of a place in a text, from 1.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.get(..at).map_or(0, |it| it.matches('\n').count())
}
