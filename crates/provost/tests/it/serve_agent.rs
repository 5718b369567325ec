//! An agent that has read a person's token or key gives no orders with it (LOOP-A13).

use serde_json::{Value, json};

use crate::{
    loop_world::{Loop, plain},
    serve_world::Served,
};

/// Sends the requests of `requests.json` and prints `STATUS CODE` of each, as itself, from a session of
/// its own, and as a process whose open files may not be seen.
const THIEF: &str = r#"
import ctypes, json, os, sys, urllib.error, urllib.request

address, requests = json.load(open(sys.argv[1]))

def send(path, headers, body):
    headers = {**headers, "Content-Type": "application/json"}
    request = urllib.request.Request(f"http://{address}{path}", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return f"{answer.status} {answer.read()[:200]}"
    except urllib.error.HTTPError as refused:
        return f"{refused.code} {json.load(refused)['code']}"

def all(name):
    for request in requests:
        print("said", name, send(*request), flush=True)

all("plain")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
        all("hidden")
    else:
        os.wait()
    os._exit(0)
os.wait()
"#;

/// LOOP-A13: the key is right, the process is not.
#[test]
fn an_agent_with_a_persons_key_gives_no_orders() {
    let it = Loop::new();
    it.check("ready", json!({}), 0, "READY_FOR_REVIEW");
    let served = Served::start(&it, &[]);
    let seen = it.seen("ready");
    let order = |request: &str| json!({"request_id": request, "action": "APPROVE", "payload": {}, "seen": seen});
    let bearer = json!({"Authorization": format!("Bearer {}", served.key)});
    let requests = json!([
        ["/api/tasks/ready/orders", bearer, order("thief")],
        ["/api/session", {}, {"token": served.token}],
    ]);
    it.world.write("agents/thief.py", THIEF);
    it.world.write("agents/requests.json", json!([served.address, requests]).to_string());
    let agents = it.world.path("agents");
    let agents = agents.display();
    it.coder(&format!("python3 '{agents}/thief.py' '{agents}/requests.json'\necho 42 >answer.txt"));
    it.judge(&plain("PASS"));
    it.check("thief", json!({}), 0, "READY_FOR_REVIEW");

    let printed = it.text("thief/attempt_001/coder/stdout.log");
    let said: Vec<&str> = printed.lines().filter_map(|it| it.strip_prefix("said ")).collect();
    let refused = ["plain", "plain", "hidden", "hidden"].map(|it| format!("{it} 403 from_agent"));
    assert_eq!(said, refused, "{printed}");
    let audit = it.text("_audit/gui_actions.jsonl");
    let entries = audit.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    let refused = entries.filter(|it| it["payload"]["refused"] == "from_agent").count();
    assert_eq!(refused, 4, "{audit}");

    let approved = served.post("/api/tasks/ready/orders", &order("person"));
    assert_eq!(approved.status, 200, "{approved:?}");
}
