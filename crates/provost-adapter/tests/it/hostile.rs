//! Programs that do not keep to the protocol: what they leave is no answer.

use std::fs;

use provost_adapter::{AdapterError, CallError, ExchangeAction, Failure, REPLY_CAP, ReplyProblem};
use provost_kernel::{Exit, Message};

use crate::{
    command::{CODER, shell},
    world::{World, coder},
};

#[track_caller]
fn check(script: &str, expected: ReplyProblem) {
    let world = World::new();
    world.write("outside/good.json", &format!(r#"{CODER},"text":"forged"}}"#));
    let script = script.replace("GOOD", &world.at("outside/good.json"));
    let called = world.call(&shell(&script), &coder()).unwrap();
    assert_eq!(called.rc, 0, "{script}");
    match (called.outcome, expected) {
        (
            Err(CallError::Failed(Failure::Reply(ReplyProblem::Malformed(_)))),
            ReplyProblem::Malformed(_),
        ) => {}
        (actual, expected) => {
            assert_eq!(actual, Err(CallError::Failed(Failure::Reply(expected))), "{script}");
        }
    }
    assert_eq!(world.living(), [0; 0]);
}

#[test]
fn nothing_but_a_plain_file_is_a_reply() {
    check("true", ReplyProblem::Absent);
    check("ln -s GOOD \"$PROVOST_REPLY\"", ReplyProblem::NotAFile);
    check("ln -s nowhere \"$PROVOST_REPLY\"", ReplyProblem::NotAFile);
    check("mkdir \"$PROVOST_REPLY\"", ReplyProblem::NotAFile);
    check("ln GOOD \"$PROVOST_REPLY\"", ReplyProblem::SecondName);
}

/// A pipe, with and without a writer: nobody waits for it.
#[test]
fn a_pipe_is_no_reply() {
    check("mkfifo \"$PROVOST_REPLY\"", ReplyProblem::NotAFile);
    check("mkfifo \"$PROVOST_REPLY\"; cat GOOD > \"$PROVOST_REPLY\" &", ReplyProblem::NotAFile);
}

#[test]
fn a_reply_has_its_limits() {
    let size = REPLY_CAP + 1;
    check(&format!("head -c {size} /dev/zero > \"$PROVOST_REPLY\""), ReplyProblem::TooLarge);
    // A file with a hole takes no space on the disk.
    check(&format!("truncate -s {} \"$PROVOST_REPLY\"", 1_u64 << 40), ReplyProblem::TooLarge);
    check("printf '\\377' > \"$PROVOST_REPLY\"", ReplyProblem::NotText);
    let malformed = || ReplyProblem::Malformed(String::new());
    check("head -c 30 GOOD > \"$PROVOST_REPLY\"", malformed());
    check("cat GOOD GOOD > \"$PROVOST_REPLY\"", malformed());
    check(": > \"$PROVOST_REPLY\"", malformed());
}

/// What a program prints is never read, whatever it looks like.
#[test]
fn what_is_printed_is_no_reply() {
    check("cat GOOD; cat GOOD >&2", ReplyProblem::Absent);
}

/// A process that stays behind to write the reply is gone before anybody looks.
#[test]
fn a_reply_that_is_written_late_comes_too_late() {
    let world = World::new();
    world.write("outside/good.json", &format!(r#"{CODER},"text":"forged"}}"#));
    let good = world.at("outside/good.json");
    // It waits for its parent's end, in a session of its own.
    let script = format!(
        "setsid sh -c 'while [ -d /proc/'$$' ]; do :; done; sleep 0.2; cp {good} {}' &",
        world.at("exchange/reply.json")
    );
    let called = world.call(&shell(&script), &coder()).unwrap();
    let absent = Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent)));
    assert_eq!(called.outcome, absent);
    assert!(called.log.to_string().contains("\nleftovers_ended="), "{}", called.log);
    assert_eq!(world.living(), [0; 0]);
}

/// A program that puts another folder in the place of the exchange folder changes nothing: the
/// one that provost opened is the one that is read.
#[test]
fn a_folder_that_was_exchanged_is_not_looked_at() {
    let world = World::new();
    let exchange = world.at("exchange");
    let script = format!(
        "mv {exchange} {exchange}.old; mkdir {exchange}; \
        printf '{CODER},\"text\":\"forged\"}}' > {exchange}/reply.json"
    );
    let called = world.call(&shell(&script), &coder()).unwrap();
    assert_eq!(called.outcome, Err(CallError::Failed(Failure::Reply(ReplyProblem::Absent))));
    assert!(world.has("exchange/reply.json") && world.has("exchange.old"));
}

/// An answer that is there before the question could be anybody's.
#[test]
fn an_answer_before_the_question_is_refused() {
    for name in ["exchange/reply.json", "exchange/answer.txt"] {
        let world = World::new();
        world.write(name, &format!(r#"{CODER},"text":"old"}}"#));
        let error = world.call(&shell("touch started"), &coder()).unwrap_err();
        assert!(matches!(error, AdapterError::Answered { .. }), "{error:?}");
        assert_eq!(error.exit(), Exit::Integrity);
        assert!(!world.has("tree/started"));
    }
}

#[test]
fn an_exchange_folder_behind_a_link_is_refused() {
    let world = World::new();
    fs::remove_dir(world.path.join("exchange")).unwrap();
    std::os::unix::fs::symlink(world.path.join("outside"), world.path.join("exchange")).unwrap();
    let error = world.call(&shell("true"), &coder()).unwrap_err();
    assert!(
        matches!(error, AdapterError::Exchange { action: ExchangeAction::Open, .. }),
        "{error:?}"
    );
}
