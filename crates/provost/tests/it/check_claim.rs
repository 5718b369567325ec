//! `provost check claim`: an update as a script and a person have it checked.

use serde_json::{Value, json};

use crate::world::World;

const CLAIM: [&str; 4] = ["check", "claim", "update.json", "--story"];

/// The seed's own sample, with a real entry in the place of its `{ ... }`.
const SEED: &str = r#"{
  "storyId": "US-001",
  "passes": true,
  "acStatus": {
    "AC-1": {
      "passes": true,
      "evidence": "typecheck passed",
      "command": "pnpm check-types",
      "output": "✓ No type errors"
    },
    "AC-2": {
      "passes": true,
      "evidence": "build passed",
      "command": "pnpm --filter api build",
      "output": "done"
    }
  },
  "expectedFiles": ["apps/api/src/modules/auth/auth.service.ts"],
  "scopeExplanation": {
    "apps/api/src/modules/auth/auth.service.ts": {
      "reason": "Implementing login logic as per US-001",
      "lines": 45
    }
  }
}"#;

const STORY: &str = r#"{"id": "US-001", "acceptanceCriteria": ["types hold", "it builds"]}"#;

fn world(update: &str) -> World {
    World::new().with("repo/update.json", update).with("repo/story.json", STORY)
}

/// STORY-5.2, STORY-1.4: the seed's sample is accepted in shape, and nothing is more than claimed.
#[test]
fn the_seed_s_sample_is_accepted_in_shape() {
    let world = world(SEED);
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json"]), @r"
    exit: 0
    ----- stdout -----
    result: accepted
    claimed: US-001 2/2 AC
      AC-1: claimed, not verified (pnpm check-types)
      AC-2: claimed, not verified (pnpm --filter api build)
    ----- stderr -----
    ");
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json", "--json"]), @r#"
    exit: 0
    ----- stdout -----
    {
      "result": "accept",
      "passes": true,
      "acStatus": {
        "AC-1": {
          "passes": true,
          "label": "NOT_RUN",
          "evidence": "typecheck passed",
          "command": "pnpm check-types",
          "claimedOutput": "✓ No type errors"
        },
        "AC-2": {
          "passes": true,
          "label": "NOT_RUN",
          "evidence": "build passed",
          "command": "pnpm --filter api build",
          "claimedOutput": "done"
        }
      },
      "findings": []
    }
    ----- stderr -----
    "#);
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json", "--lang", "zh"]), @r"
    exit: 0
    ----- stdout -----
    结果：接受
    声称：US-001 完成 2/2 AC
      AC-1：已声称，未验证（pnpm check-types）
      AC-2：已声称，未验证（pnpm --filter api build）
    ----- stderr -----
    ");
}

/// STORY-1.3, STORY-1.5, STORY-6.1: the call is taken, and words pass nothing.
#[test]
fn words_pass_nothing() {
    let update = json!({
        "storyId": "US-001",
        "passes": true,
        "acStatus": {"AC-1": {"passes": true, "evidence": "I think it is done"}},
    });
    let world = world(&update.to_string());
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json"]), @r"
    exit: 0
    ----- stdout -----
    result: accepted
    claimed: US-001 0/2 AC
      AC-1: not passed
      AC-2: not passed
      P1 EVIDENCE_UNVERIFIED: AC-1 is claimed in words alone (AC-1)
        give a command, files or tests that provost can check itself
      P1 EVIDENCE_MISSING: AC-2 has no evidence (AC-2)
        give a command, files or tests that provost can check itself
    ----- stderr -----
    ");
    let ran = world.provost().args(CLAIM).args(["story.json", "--json"]).run();
    let answer = ran.json();
    assert_eq!((ran.exit(), &answer["result"]), (Some(0), &json!("accept")));
    assert_eq!(answer["passes"], false);
    assert_eq!(answer["acStatus"]["AC-1"]["passes"], false);
    assert_eq!(answer["acStatus"]["AC-2"], json!({"passes": false, "label": "NOT_RUN"}));
}

/// STORY-1.1: everything that is wrong is said at once, with its place and what to write.
#[test]
fn a_malformed_update_is_rejected_with_every_reason() {
    let update = json!({
        "storyId": "US-001",
        "passes": true,
        "acStats": {},
        "acStatus": {"AC-1": {"command": ["make"]}, "AC-x": {}},
        "skipHardGates": true,
    });
    let world = world(&update.to_string());
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json"]), @r#"
    exit: 1
    ----- stdout -----
    result: rejected
      P0 UPDATE_UNKNOWN_KEY: line 1: unknown key (/acStats)
        did you mean `acStatus`?
      P0 UPDATE_WRONG_TYPE: line 1: expected a string, found `["make"]` (/acStatus/AC-1/command)
      P0 UNKNOWN_AC: line 1: not a criterion id (/acStatus/AC-x)
        write it as `AC-1`, `AC-2` and so on
      P0 WAIVER_REFUSED: line 1: asks to skip a check; only a person can waive one (/skipHardGates)
        remove the key
    ----- stderr -----
    "#);
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json", "--lang", "zh"]), @r#"
    exit: 1
    ----- stdout -----
    结果：拒绝
      P0 UPDATE_UNKNOWN_KEY：第 1 行：未知的键（/acStats）
        是否想写 `acStatus`？
      P0 UPDATE_WRONG_TYPE：第 1 行：应为字符串，实为 `["make"]`（/acStatus/AC-1/command）
      P0 UNKNOWN_AC：第 1 行：不是验收标准 id（/acStatus/AC-x）
        请写作 `AC-1`、`AC-2` 等
      P0 WAIVER_REFUSED：第 1 行：要求跳过检查，而只有人可以豁免检查（/skipHardGates）
        请删去此键
    ----- stderr -----
    "#);
    for text in ["", "[]", "{\"storyId\": \"US-001\"", "{} {}", "done!"] {
        world.write("repo/update.json", text);
        let ran = world.provost().args(CLAIM).args(["story.json", "--json"]).run();
        assert_eq!((ran.exit(), &ran.json()["result"]), (Some(1), &json!("reject")), "{text}");
    }
}

#[test]
fn a_criterion_that_the_story_does_not_have_is_rejected() {
    let update = json!({
        "storyId": "US-001",
        "passes": true,
        "acStatus": {"AC-1": {"command": "make"}, "AC-3": {"command": "make"}},
    });
    let world = world(&update.to_string());
    provost_snapshot!(world.provost().args(CLAIM).args(["story.json"]), @r"
    exit: 1
    ----- stdout -----
    result: rejected
      P0 UNKNOWN_AC: US-001 has no criterion AC-3 (AC-3)
        its criteria are AC-1 to AC-2
    ----- stderr -----
    ");
}

/// The keys that scripts rely on are there, accepted or not.
#[test]
fn the_answer_has_its_keys() {
    for update in [SEED, "{}"] {
        let world = world(update);
        let answer = world.provost().args(CLAIM).args(["story.json", "--json"]).run().json();
        for key in ["result", "acStatus", "findings"] {
            assert!(answer.get(key).is_some_and(|it| !it.is_null()), "{key}: {answer}");
        }
        let criteria: Vec<_> = answer["acStatus"].as_object().unwrap().keys().collect();
        assert_eq!(criteria, ["AC-1", "AC-2"]);
    }
}

#[test]
fn what_cannot_be_judged_is_an_error() {
    let world = world(SEED);
    provost_snapshot!(world.provost().args(CLAIM).args(["missing.json"]), @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: cannot read `missing.json`
    cause: No such file or directory (os error 2)
    ");
    world.write("repo/bad.json", r#"{"id": "login", "acceptanceCriteria": []}"#);
    provost_snapshot!(world.provost().args(CLAIM).args(["bad.json"]), @r#"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: `bad.json`: line 1: `id`: `login` is not a story id; line 1: `acceptanceCriteria`: expected 1 to 100 entries, found 0
    hint: write it as `{"id": "US-001", "acceptanceCriteria": ["…", "…"]}`
    "#);
    let asked = world.provost().args(["check", "claim", "-", "--story", "-"]);
    provost_snapshot!(asked, @r"
    exit: 2
    ----- stdout -----
    ----- stderr -----
    error: standard input cannot be two files at once
    hint: put one of the two in a file
    ");
    let ran = world.provost().args(["check", "claim", "update.json"]).run();
    assert_eq!(ran.exit(), Some(2), "a story is needed");
}

/// The update may come through a pipe, and a plan's story carries more than is needed.
#[test]
fn standard_input_and_a_story_of_a_plan_are_read() {
    let story = json!({
        "id": "US-001",
        "title": "t",
        "description": "d",
        "acceptanceCriteria": ["types hold", "it builds"],
        "priority": 1,
        "passes": false,
        "notes": "",
    });
    let world = World::new().with("repo/story.json", &story.to_string());
    let asked = ["check", "claim", "-", "--story", "story.json", "--json"];
    let ran = world.provost().args(asked).input(SEED).run();
    assert_eq!((ran.exit(), &ran.json()["passes"]), (Some(0), &Value::Bool(true)));
}
