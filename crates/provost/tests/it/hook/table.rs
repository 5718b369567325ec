//! The table of payloads, through the real process.

use provost_kernel::guard::{Client, HookType};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::world::World;

const TABLE: &str = include_str!("../../../../../fixtures/guard/payloads.json");

#[derive(Deserialize)]
struct Case {
    name: String,
    client: Option<Client>,
    #[serde(rename = "type")]
    hook: Option<HookType>,
    payload: Option<Value>,
    text: Option<String>,
    real: Option<String>,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    result: String,
    stdout: Value,
    exit: i32,
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/guard/real");
        match (&self.real, &self.text, &self.payload) {
            (Some(real), _, _) => std::fs::read(format!("{folder}/{real}")).unwrap(),
            (_, Some(text), _) => text.clone().into_bytes(),
            (_, _, Some(payload)) => payload.to_string().into_bytes(),
            (None, None, None) => Vec::new(),
        }
    }
}

/// The document without its reason, which differs from failure to failure.
fn shape(value: &Value) -> Value {
    let Value::Object(object) = value else {
        let is_reason = value.as_str().is_some_and(|it| it.contains(' ') || it == "REASON");
        return if is_reason { json!("REASON") } else { value.clone() };
    };
    object.iter().map(|(key, it)| (key.clone(), shape(it))).collect()
}

/// HOOK-1.4, HOOK-1.5: every row that is not simply let through, as the process answers it.
#[test]
fn every_refusal_of_the_table_is_what_the_process_says() {
    let world = World::new();
    let cases: Vec<Case> = serde_json::from_str(TABLE).unwrap();
    let mut n_checked = 0;
    for case in cases.iter().filter(|it| it.expect.result != "allow") {
        let mut provost = world.provost().args(["hook"]);
        if let Some(client) = case.client {
            provost = provost.args(["--client", client.as_str()]);
        }
        if let Some(hook) = case.hook {
            provost = provost.args(["--type", hook.as_str()]);
        }
        let ran = provost.input(case.bytes()).run();
        assert_eq!(ran.exit(), Some(case.expect.exit), "{}\n{}", case.name, ran.text());
        let stdout = match ran.stdout().as_str() {
            "" => json!(""),
            _ => ran.json(),
        };
        assert_eq!(shape(&stdout), shape(&case.expect.stdout), "{}\n{}", case.name, ran.text());
        n_checked += 1;
    }
    assert!(n_checked > 300, "{n_checked}");
}
