//! The handlers that an installation writes into a configuration, by the table of clients.

use provost_kernel::guard::{
    HookType,
    client::{ClientEntry, FieldAt, FieldValue, InstallForm, Meaning},
};
use serde_json::{Value, json};

use super::{Hook, InstallError, command::quoted, document::Handler};

/// What an installation writes for the events of a client; nothing where it writes a plugin.
pub(super) fn handlers(entry: &ClientEntry, hook: &Hook) -> Result<Vec<Handler>, InstallError> {
    let InstallForm::Entries { fields, .. } = entry.install.form else { return Ok(Vec::new()) };
    let mut handlers = Vec::new();
    for &(event, meaning) in entry.events.installed {
        for (kind, matcher) in types(meaning) {
            let words = hook.words(entry.client, kind);
            let stands = |at: FieldAt| match at {
                FieldAt::All => true,
                FieldAt::Types(types) => types.contains(&kind),
                FieldAt::Event(name) => name == event,
                FieldAt::Except(name) => name != event,
            };
            let fields = fields.iter().filter(|it| stands(it.at));
            let fields = fields.map(|it| Ok((it.key, value(it.value, &words)?)));
            handlers.push(Handler { event, matcher, fields: fields.collect::<Result<_, _>>()? });
        }
    }
    Ok(handlers)
}

fn value(of: FieldValue, words: &[String]) -> Result<Value, InstallError> {
    Ok(match of {
        FieldValue::Text(text) => json!(text),
        FieldValue::Number(number) => json!(number),
        FieldValue::True => json!(true),
        FieldValue::Program => json!(words.first()),
        FieldValue::Arguments => json!(words.get(1..).unwrap_or_default()),
        FieldValue::Line => json!(quoted(words)?),
    })
}

/// The types that an event is installed for, each with what the client holds its trigger against.
/// The type of a stop is the general one: the modes that are active then say more.
fn types(meaning: Meaning) -> Vec<(HookType, Option<&'static str>)> {
    match meaning {
        Meaning::Hook(hook) => vec![(hook, None)],
        Meaning::Stop => vec![(HookType::StopContinuation, None)],
        Meaning::Setup => vec![
            (HookType::SetupInit, Some("init")),
            (HookType::SetupMaintenance, Some("maintenance")),
        ],
        Meaning::NoType => Vec::new(),
    }
}
