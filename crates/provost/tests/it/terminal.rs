//! The real binary in a real pseudo-terminal: a person's keys go in, a screen comes out.

use std::{
    io::{Read as _, Write as _},
    process::{Child, ChildStdin, Stdio},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{loop_world::Loop, world::World};

/// Longer than any machine takes; what is waited for ends the wait.
const PATIENCE: Duration = Duration::from_mins(1);

/// What runs in the terminal: the modes before and behind, the process, how it ended. It outlives
/// the terminal, to tell of the end in a file too.
const SESSION: &str = r#"
trap '' HUP
stty rows 24 cols 100; echo "modes=$(stty -g)"
sh -c 'echo "pid=$$"; exec "$PROVOST" "$@"' sh "$@"
code=$?; echo "$code" >"$0.exit"
echo "exit=$code"; echo "modes=$(stty -g)"
"#;

/// A program in a pseudo-terminal of `script`.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Arc<Mutex<Vec<u8>>>,
    /// How much of the screen was waited for.
    seen: usize,
}

impl Terminal {
    fn start(world: &World, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        world.write("session.sh", SESSION);
        let session = world.path("session.sh");
        let session = format!("sh {} {}", session.display(), arguments.join(" "));
        let mut script = world.program("script");
        script.args(["-q", "-c", &session, "/dev/null"]);
        script.env("PROVOST", env!("CARGO_BIN_EXE_provost")).env("SHELL", "/bin/sh");
        script.env("TERM", "xterm-256color").env("LC_ALL", "C.UTF-8");
        script.envs(variables.iter().copied());
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = script.spawn().unwrap();
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut reader, seen) = (child.stdout.take().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                seen.lock().unwrap().extend_from_slice(&bytes[..count]);
            }
        });
        Self { keys: child.stdin.take().unwrap(), child, screen, seen: 0 }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.screen.lock().unwrap()).into_owned()
    }

    /// Waits until this is written, behind everything that was waited for before.
    fn wait_for(&mut self, needle: &str) -> String {
        let end = Instant::now() + PATIENCE;
        loop {
            let bytes = self.screen.lock().unwrap().clone();
            let text = visible(&String::from_utf8_lossy(&bytes[self.seen..]));
            if tight(&text).contains(&tight(needle)) {
                self.seen = bytes.len();
                return text;
            }
            assert!(Instant::now() < end, "no {needle:?} in:\n{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// The process in the terminal.
    fn pid(&self) -> String {
        said(&self.text(), "pid=").remove(0)
    }

    /// Waits for the end, and says how it came. The modes of the terminal are what they were.
    fn end(mut self) -> (String, String) {
        let end = Instant::now() + PATIENCE;
        while said(&self.text(), "modes=").len() < 2 {
            assert!(Instant::now() < end, "still there:\n{}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(self.keys);
        self.child.wait().unwrap();
        let text = self.screen.lock().unwrap().clone();
        let text = String::from_utf8_lossy(&text).into_owned();
        let modes = said(&text, "modes=");
        assert_eq!(modes[0], modes[1], "{text}");
        (said(&text, "exit=").remove(0), text)
    }
}

/// What the session says behind each such word.
fn said(text: &str, word: &str) -> Vec<String> {
    // A line that is complete.
    let parts = text.split(word).skip(1).filter_map(|it| it.split_once('\n'));
    parts.map(|it| it.0.trim().to_owned()).collect()
}

/// What is written, without what only moves or colours it.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\u{1b}' {
            shown.push(letter);
            continue;
        }
        if letters.next() == Some('[') {
            // Cells that stay as they are are jumped over.
            let end = letters.by_ref().find(|it| it.is_ascii_alphabetic() || *it == '~');
            shown.push_str(if end == Some('m') { "" } else { " " });
        }
    }
    shown
}

/// The same without spaces: a wide letter is followed by a move of the cursor.
fn tight(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The screen, the cursor and the paste mode were given back.
#[track_caller]
fn check_given_back(text: &str) {
    for (given, back) in [("\u{1b}[?1049h", "\u{1b}[?1049l"), ("\u{1b}[?2004h", "\u{1b}[?2004l")] {
        let last = text.rfind(back).unwrap_or_else(|| panic!("no {back:?} in {text:?}"));
        assert!(text.rfind(given).is_none_or(|it| it < last), "{text:?}");
    }
    assert!(text.contains("\u{1b}[?25h"), "{text:?}");
}

fn world_with_result() -> Loop {
    let world = Loop::new();
    world.check("first", json!({}), 0, "READY_FOR_REVIEW");
    world.check("second", json!({}), 0, "READY_FOR_REVIEW");
    world
}

fn audited(world: &Loop, action: &str) -> Vec<serde_json::Value> {
    let text = world.text("_audit/audit.jsonl");
    let lines = text.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
    let bodies = lines.map(|it| it["body"].clone());
    bodies.filter(|it| it["action"] == action).collect()
}

#[test]
fn a_person_moves_approves_and_leaves() {
    let world = world_with_result();
    let mut terminal = Terminal::start(&world.world, &["tui"], &[]);
    // The newest stands first and is read.
    terminal.wait_for("commit");
    terminal.press("j");
    terminal.wait_for("commit");
    terminal.press("a");
    let asked = terminal.wait_for("Esc");
    assert!(tight(&asked).contains("attempt1,commit"), "{asked}");
    assert_eq!(world.status("first")["review"], json!(null));
    terminal.press("y");
    terminal.wait_for("done:");
    terminal.press("q");
    let (exit, text) = terminal.end();
    assert_eq!(exit, "0", "{text}");
    check_given_back(&text);
    let review = &world.status("first")["review"];
    assert_eq!((&review["outcome"], &review["attempt"]), (&json!("approved"), &json!(1)));
    assert_eq!(world.status("second")["review"], json!(null));
    let entries = audited(&world, "task.approve");
    assert_eq!(entries.len(), 1, "{entries:?}");
    assert_eq!(entries[0]["subject"], "task:first");
    assert!(entries[0]["request_id"].as_str().unwrap().starts_with("tui-"), "{entries:?}");
}

#[test]
fn a_rejection_carries_what_was_typed_and_pasted() {
    let world = world_with_result();
    let mut terminal = Terminal::start(&world.world, &["tui"], &[("PROVOST_LANG", "zh")]);
    terminal.wait_for("提交");
    terminal.press("x");
    terminal.wait_for("Ctrl-J");
    terminal.press("请改用");
    // A paste with a newline and an escape sequence neither sends nor moves anything.
    terminal.press("\u{1b}[200~端口\r\n8080 y\u{1b}[201~");
    terminal.wait_for("8080");
    terminal.press("\r");
    terminal.wait_for("取消");
    terminal.press("y");
    terminal.wait_for("已完成");
    terminal.press("q");
    let (exit, text) = terminal.end();
    assert_eq!(exit, "0", "{text}");
    check_given_back(&text);
    let review = &world.status("second")["review"];
    assert_eq!(review["because"], "请改用端口\n8080 y");
}

#[test]
fn a_signal_leaves_a_sane_terminal() {
    let world = world_with_result();
    let mut terminal = Terminal::start(&world.world, &["tui"], &[]);
    terminal.wait_for("commit");
    let kill = world.world.program("kill").args(["-TERM", &terminal.pid()]).status().unwrap();
    assert!(kill.success());
    let (exit, text) = terminal.end();
    assert_eq!(exit, "143", "{text}");
    check_given_back(&text);
}

/// A window that is closed ends the program as a signal does, not as a fault of its own.
#[test]
fn a_terminal_that_is_closed_ends_it() {
    let world = world_with_result();
    let mut terminal = Terminal::start(&world.world, &["tui"], &[]);
    terminal.wait_for("commit");
    terminal.child.kill().unwrap();
    terminal.child.wait().unwrap();
    let said = world.world.path("session.sh.exit");
    let end = Instant::now() + PATIENCE;
    let exit = loop {
        match std::fs::read_to_string(&said) {
            Ok(text) if text.ends_with('\n') => break text,
            Ok(_) | Err(_) => assert!(Instant::now() < end, "still there"),
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(exit, "129\n");
}

/// Ruling 70: what an agent started gives no orders.
#[test]
fn an_agent_gives_no_orders() {
    let world = world_with_result();
    let mut terminal = Terminal::start(&world.world, &["tui"], &[("PROVOST_CLAIM", "x")]);
    terminal.wait_for("commit");
    terminal.press("a");
    terminal.wait_for("Esc");
    terminal.press("y");
    terminal.wait_for("only a person may do this");
    terminal.press("q");
    terminal.end();
    assert_eq!(world.status("second")["review"], json!(null));
    assert!(audited(&world, "task.approve").is_empty());
}

#[test]
fn a_terminal_without_unicode_gets_ascii() {
    let world = world_with_result();
    let mut terminal =
        Terminal::start(&world.world, &["tui"], &[("LC_ALL", "C"), ("NO_COLOR", "1")]);
    let text = terminal.wait_for("commit");
    assert!(text.is_ascii() && text.contains("#===="), "{text}");
    terminal.press("q");
    let (_, text) = terminal.end();
    check_given_back(&text);
    assert!(!text.contains("\u{1b}[32m") && !text.contains("\u{1b}[38"), "{text:?}");
}

#[test]
fn without_a_terminal_it_says_what_to_type() {
    let world = World::new();
    provost_snapshot!(world.provost().args(["tui"]), @"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `provost tui` needs a terminal
    hint: `provost ls` lists the tasks, `provost inbox` what waits for you
    ");
}

/// `provost` alone shows what waits to a person, and the help to a script.
#[test]
fn provost_alone_says_what_waits() {
    let world = world_with_result();
    let (exit, text) = Terminal::start(&world.world, &[], &[]).end();
    assert_eq!(exit, "0", "{text}");
    let text = visible(&text);
    for expected in [
        "waits for you: 2",
        "second  ready  provost approve second",
        "> provost do",
        "> provost tui",
        "> provost serve",
        "> provost help",
    ] {
        assert!(text.contains(expected), "no {expected:?} in:\n{text}");
    }
    let (_, text) = Terminal::start(&world.world, &["--lang", "zh"], &[]).end();
    assert!(visible(&text).contains("等你处理：2"), "{text}");
    let script = world.world.provost().run();
    assert_eq!(script.exit(), Some(2));
    assert!(script.stderr().contains("Usage: provost"), "{}", script.stderr());
}

#[test]
fn provost_alone_says_how_to_begin() {
    let world = World::new();
    let (exit, text) = Terminal::start(&world, &[], &[]).end();
    assert_eq!(exit, "0", "{text}");
    let text = visible(&text);
    assert!(text.contains("no tasks here yet") && text.contains("> provost init"), "{text}");
    assert!(!world.path("repo/.provost").exists());
}
