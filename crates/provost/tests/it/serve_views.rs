//! What the page reads and orders besides tasks, through the real `provost serve`: stories, evals,
//! learning, the guard, the audit chain.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    eval_world::Evals,
    guard_allow::ordered,
    hook::{allowed, ask, guarded, hook, refused},
    learn_world::Learning,
    story_world::{Project, done},
    world::World,
};

/// A server over a world, and a key.
struct Desk {
    child: Child,
    address: String,
    key: String,
}

impl Desk {
    fn start(world: &World, arguments: &[&str]) -> Self {
        let mut command = world.program(env!("CARGO_BIN_EXE_provost"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(arguments);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let (address, token) = line.trim().split_once("/#token=").unwrap();
        let address = address.strip_prefix("http://").unwrap().to_owned();
        let mut desk = Self { child, address, key: String::new() };
        let (status, answer) = desk.ask("POST", "/api/session", Some(&json!({"token": token})));
        assert_eq!(status, 200, "{answer}");
        answer["key"].as_str().unwrap().clone_into(&mut desk.key);
        desk
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.key,
            body.len()
        );
        let mut socket = TcpStream::connect(&self.address).unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        socket.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let (head, content) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(content).unwrap_or(Value::Null))
    }

    #[track_caller]
    fn get(&self, path: &str) -> Value {
        let (status, answer) = self.ask("GET", path, None);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    #[track_caller]
    fn check(&self, method: &str, path: &str, body: Option<Value>, expected: u16) -> Value {
        let (status, answer) = self.ask(method, path, body.as_ref());
        assert_eq!(status, expected, "{method} {path}: {answer}");
        answer
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The entries of the audit chain with an action.
fn entered(world: &World, action: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.path("repo/.provost/out/_audit/audit.jsonl"));
    let text = text.unwrap_or_default();
    let bodies = text.lines().map(|it| serde_json::from_str::<Value>(it).unwrap()["body"].clone());
    bodies.filter(|it| it["action"] == action).collect()
}

/// STORY-2.3, STORY-2.4: how far each story is, what is behind it, and a waiver that is
/// given once however often it is sent.
#[test]
fn a_page_shows_stories_and_takes_a_waiver_once() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    let lie = json!({
        "AC-1": {"passes": true, "evidence": "it greets", "command": "sh greet.sh | grep -qx hello"},
        "AC-2": {"passes": true, "evidence": "<img src=x onerror=alert(1)>"},
    });
    project.update(&done(lie), 1);
    let desk = Desk::start(&project.world, &[]);
    let board = desk.get("/api/stories");
    let story = board["plans"][0]["stories"][0].clone();
    assert_eq!(story["label"]["args"]["total"], 2, "{board:#}");
    assert_eq!(story["label"]["code"], "story.label");
    assert_eq!(board["totals"]["stories"], 2);
    assert!(board["refusals"].is_array(), "{board:#}");
    let key = story["key"].as_str().unwrap();
    let view = desk.get(&format!("/api/stories/{key}"));
    assert_eq!(view["evidence"].as_array().unwrap().len(), 2, "{view:#}");
    let update = &view["attempts"][0];
    assert_eq!(
        (&update["said_done"], &update["is_done"]),
        (&json!(true), &json!(false)),
        "{view:#}"
    );
    let path = format!("/api/stories/{key}/waivers");
    let waiver = json!({"request_id": "w1", "criterion": "AC-2", "because": "looked at it"});
    let taken = desk.check("POST", &path, Some(waiver.clone()), 200);
    assert_eq!(
        (&taken["deduplicated"], &taken["done"]["reason"]),
        (&json!(false), &json!("looked at it"))
    );
    // Also after a restart, and with what was done.
    drop(desk);
    let desk = Desk::start(&project.world, &[]);
    let again = desk.check("POST", &path, Some(waiver), 200);
    assert_eq!((&again["deduplicated"], &again["done"]), (&json!(true), &taken["done"]));
    let reason = json!({"request_id": "w1", "criterion": "AC-2", "because": "another reason"});
    assert_eq!(desk.check("POST", &path, Some(reason), 409)["code"], "request_id_reused");
    let other = json!({"request_id": "w1", "criterion": "AC-1", "because": "x"});
    assert_eq!(desk.check("POST", &path, Some(other), 409)["code"], "request_id_reused");
    let empty = json!({"request_id": "w2", "criterion": "AC-1", "because": "  "});
    desk.check("POST", &path, Some(empty), 422);
    let unknown = json!({"request_id": "w3", "criterion": "AC-9", "because": "x"});
    desk.check("POST", &path, Some(unknown), 422);
    let entries = entered(&project.world, "story.waive");
    assert_eq!(entries.len(), 1, "{entries:#?}");
    assert_eq!(
        (&entries[0]["actor"]["source"], &entries[0]["request_id"]),
        (&json!("web"), &json!("w1"))
    );
    let view = desk.get(&format!("/api/stories/{key}"));
    assert_eq!(view["evidence"][1]["label"], "WAIVED");
    assert_ne!(view["standing"], "done");
    desk.check("GET", "/api/stories/US-999", None, 404);
    desk.check("GET", "/api/stories/..%2f..", None, 400);
    desk.check("GET", "/api/stories?cursor=nothing", None, 400);
}

/// EVAL-6.1: reports are listed and shown; a file that is none is named and hides nothing.
#[test]
fn a_page_shows_the_reports_of_evals() {
    let evals = Evals::new(&["one", "two"]);
    let desk = Desk::start(&evals.world, &[]);
    assert_eq!(desk.get("/api/evals")["runs"], json!([]));
    let ran = evals.eval(&[]);
    assert!(matches!(ran.exit(), Some(0 | 1)), "{}", ran.text());
    evals.world.write("repo/docs/evals/reports/broken.json", "{");
    let listed = desk.get("/api/evals");
    assert_eq!(listed["runs"][0]["run"], "latest", "{listed:#}");
    assert_eq!(listed["runs"][0]["cases"], 2);
    assert_eq!(listed["unreadable"], json!(["docs/evals/reports/broken.json"]));
    let report = desk.get("/api/evals/latest");
    assert_eq!(report["matrix"]["rows"].as_array().unwrap().len(), 2, "{report:#}");
    assert!(report["gate"]["reason"]["code"].is_string(), "{report:#}");
    desk.check("GET", "/api/evals/broken", None, 404);
    desk.check("GET", "/api/evals/..%2flatest", None, 404);
}

/// Rules, the queue, a step back and a word on a ticket, each once.
#[test]
fn a_page_shows_what_was_learned_and_takes_it_back_once() {
    let it = Learning::new();
    it.check(&["run", "MISSION.toml", "--run", "r1"], 0, "");
    let desk = Desk::start(&it.world, &[]);
    let board = desk.get("/api/learn");
    assert_eq!(board["missions"][0]["mission"], "demo", "{board:#}");
    let view = desk.get("/api/learn/demo");
    assert_eq!(view["is_in_force"], true, "{view:#}");
    assert!(view["rules"].as_array().unwrap().len() > 1);
    assert_eq!(view["queue"][0]["key"], "odd-1::fail");
    let back = json!({"request_id": "b1", "step": 0});
    let done = desk.check("POST", "/api/learn/demo/rollback", Some(back.clone()), 200);
    assert_eq!(done["done"]["changed"], true, "{done}");
    drop(desk);
    let desk = Desk::start(&it.world, &[]);
    let again = desk.check("POST", "/api/learn/demo/rollback", Some(back), 200);
    assert_eq!((&again["deduplicated"], &again["done"]), (&json!(true), &done["done"]));
    let other = json!({"request_id": "b1", "step": 1});
    desk.check("POST", "/api/learn/demo/rollback", Some(other), 409);
    let word =
        json!({"request_id": "r1", "ticket_key": "odd-1::fail", "resolution": "label_wrong"});
    let done = desk.check("POST", "/api/learn/demo/resolve", Some(word), 200);
    assert_eq!(done["done"]["left_out"], true, "{done}");
    let unknown = json!({"request_id": "r2", "ticket_key": "no-1::fail", "resolution": "rule_gap"});
    desk.check("POST", "/api/learn/demo/resolve", Some(unknown), 422);
    // Each request is on record before its effect, also the one that was refused.
    assert_eq!(
        it.audited(),
        [
            "learn.adopt",
            "learn.rollback.requested",
            "learn.rollback",
            "learn.resolve.requested",
            "learn.resolve",
            "learn.resolve.requested",
        ]
    );
    let view = desk.get("/api/learn/demo");
    let steps = view["steps"].as_array().unwrap();
    assert_eq!(steps[0]["action"], "learn.resolve", "{view:#}");
    assert!(steps[1]["actor"].as_str().unwrap().starts_with("web:"), "{view:#}");
    assert_eq!(view["queue"][0]["resolution"], "label_wrong");
    desk.check("GET", "/api/learn/nothing", None, 404);
}

/// What the guard ruled, whether it is proven, and what it would say.
#[test]
fn a_page_shows_what_the_guard_ruled_and_asks_it() {
    let world = World::new();
    let call = |command: &str| {
        json!({"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": world.path("repo"),
            "tool_name": "Bash", "tool_input": {"command": command}})
        .to_string()
    };
    let desk = Desk::start(&world, &[]);
    assert_eq!(desk.get("/api/guard/rulings")["rulings"], json!([]));
    for command in ["ls", "git push --force"] {
        hook(&world, "claude", "pre-tool-use").input(call(command)).run();
    }
    let page = desk.get("/api/guard/rulings?effect=refused,asked");
    assert_eq!(page["rulings"].as_array().unwrap().len(), 1, "{page:#}");
    assert_eq!(page["rulings"][0]["rule"], "git.force-push");
    assert_eq!(page["rulings"][0]["about"], "git push --force");
    assert_eq!((&page["counts"]["calls"], &page["counts"]["refused"]), (&json!(2), &json!(1)));
    let clients = desk.get("/api/guard/clients");
    assert!(clients["clients"].as_array().unwrap().len() >= 4, "{clients:#}");
    assert_eq!(clients["clients"][0]["standing"], "not_verified");
    let asked = json!({"command": "ls && git branch -D main"});
    let ruling = desk.check("POST", "/api/guard/explain", Some(asked), 200);
    assert_eq!(ruling["effect"], "deny", "{ruling:#}");
    assert!(ruling["why"]["code"].is_string(), "{ruling:#}");
    desk.check("POST", "/api/guard/explain", Some(json!({"command": " "})), 400);
    desk.check("GET", "/api/guard/rulings?cursor=1", None, 400);
}

/// KEEP-1: what waits, with the command that permits it; what is permitted; how the guard is set.
#[test]
fn a_page_shows_the_ways_out_and_gives_none_itself() {
    let world = guarded();
    let local = "[guard]\nlevel = \"strict\"\npacks = { kubernetes = false }\n\n\
        [[guard.rules]]\neffect = \"deny\"\ncommand = [\"wget\"]\n\n\
        [[guard.rules]]\neffect = \"deny\"\ncommand = [\"curl\"]\nuntil = \"2020-01-01\"\n";
    world.write("repo/.provost/local.toml", local);
    let desk = Desk::start(&world, &[]);
    let state = desk.get("/api/guard/state");
    let policy = &state["policies"][0];
    assert_eq!(
        (&policy["level"], &policy["own_rules"]),
        (&json!("strict"), &json!(1)),
        "{state:#}"
    );
    let packs = policy["packs"].as_array().unwrap();
    let off: Vec<_> = packs.iter().filter(|it| it["is_on"] == false).collect();
    assert_eq!((packs.len(), off), (6, vec![&json!({"pack": "kubernetes", "is_on": false})]));

    refused(&ask(&world, "git reset --hard"));
    world.folder("plain");
    let call = json!({"session_id": "s1", "hook_event_name": "PreToolUse", "cwd": world.path("plain"),
        "tool_name": "Bash", "tool_input": {"command": "git push --force"}});
    let elsewhere = ["hook", "--client", "claude", "--type", "pre-tool-use", "--scope", "user"];
    world.provost().inside("plain").args(elsewhere).input(call.to_string()).run();
    let state = desk.get("/api/guard/state");
    let waits = &state["homes"][0]["refusals"][0];
    assert_eq!((&waits["subject"], &waits["tool"]), (&json!("git reset --hard"), &json!("Bash")));
    let code = waits["code"].as_str().unwrap();
    assert_eq!(waits["command"], format!("provost guard allow {code} --because \"…\""));
    assert_eq!(desk.get("/api/guard/rulings")["rulings"][0]["code"], code);

    // Each command does what it is shown for, also that of the person's own home.
    for home in [0, 1] {
        let command = state["homes"][home]["refusals"][0]["command"].as_str().unwrap().to_owned();
        let words = shlex::split(&command).unwrap();
        ordered(&world, &words.iter().skip(1).map(String::as_str).collect::<Vec<_>>());
    }
    let state = desk.get("/api/guard/state");
    for home in [0, 1] {
        let home = &state["homes"][home];
        assert_eq!((&home["refusals"], &home["permits"][0]["scope"]), (&json!([]), &json!("once")));
    }
    assert_eq!(
        desk.get("/api/guard/rulings")["rulings"][0]["code"],
        Value::Null,
        "it is permitted"
    );
    allowed(&ask(&world, "git reset --hard"));
    let page = desk.get("/api/guard/rulings");
    let permitted_by = json!({"scope": "once", "code": code});
    assert_eq!(page["rulings"][0]["permitted_by"], permitted_by, "{page:#}");
    assert_eq!(desk.get("/api/guard/state")["homes"][0]["permits"], json!([]));
    // The page itself permits nothing.
    for method in ["POST", "PUT", "DELETE"] {
        desk.check(method, "/api/guard/state", Some(json!({"code": code})), 405);
    }
}

/// The chain by page, by filter, and where it is broken.
#[test]
fn a_page_shows_the_audit_chain_and_where_it_is_broken() {
    let project = Project::started();
    project.declare("US-001", &["greet.sh"]);
    project.declare("US-002", &["tests/check.sh"]);
    let desk = Desk::start(&project.world, &[]);
    let first = desk.get("/api/audit?limit=1");
    assert_eq!(first["entries"].as_array().unwrap().len(), 1, "{first:#}");
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = desk.get(&format!("/api/audit?limit=1&cursor={cursor}"));
    let seq = |page: &Value| page["entries"][0]["seq"].as_u64().unwrap();
    assert_eq!(seq(&second) + 1, seq(&first));
    let started = desk.get("/api/audit?action=story.start&actor=cli");
    assert_eq!(started["entries"].as_array().unwrap().len(), 1, "{started:#}");
    assert_eq!(desk.get("/api/audit/state")["state"], "intact");
    let path = project.world.path("repo/.provost/out/_audit/audit.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    project.world.write(&path, text.replacen("story.start", "story.begin", 1));
    let state = desk.get("/api/audit/state");
    assert_eq!((&state["state"], &state["broken_at"]), (&json!("broken"), &json!(1)), "{state:#}");
    assert!(state["problems"][0]["text"]["code"].is_string(), "{state:#}");
    let page = desk.get("/api/audit?limit=200");
    assert_eq!(page["entries"].as_array().unwrap().last().unwrap()["standing"], "altered");
    desk.check("GET", "/api/audit?cursor=x", None, 400);
}

/// A server that is read-only takes none of these orders.
#[test]
fn a_read_only_page_takes_no_waiver() {
    let project = Project::started();
    let desk = Desk::start(&project.world, &["--read-only"]);
    let waiver = json!({"request_id": "w1", "criterion": "AC-2", "because": "x"});
    for (path, body) in [
        ("/api/stories/US-001/waivers", waiver),
        ("/api/learn/demo/rollback", json!({"request_id": "b", "step": 0})),
    ] {
        desk.check("POST", path, Some(body), 403);
    }
    assert!(entered(&project.world, "story.waive").is_empty());
    let ruling = desk.check("POST", "/api/guard/explain", Some(json!({"command": "ls"})), 200);
    assert_eq!(ruling["effect"], "allow");
}
