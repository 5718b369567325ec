use proptest::prelude::*;
use provost_form::Problem;
use provost_kernel::{
    Exit, Lang, Message as _,
    learn::{
        Budget, Endpoint, GateMode, HypothesesMode, Label, Lifecycle, Mission, Pools, Price, Source,
    },
    model::Decode,
    task::TaskType,
};

use super::*;

/// What a mission has to say, without a section, so that other keys may follow.
const LEAST: &str = "\
mission = \"m\"
tickets = \"tickets.jsonl\"
guidance.path = \"guidance.json\"
endpoints = [{kind = \"recording\", path = \"calls.jsonl\"}]
";

/// A mission with these lines besides what it has to say.
pub(crate) fn mission(lines: &str) -> Mission {
    read(&format!("{LEAST}{lines}")).unwrap()
}

fn problems(text: &str) -> Vec<String> {
    // The line depends on what every mission has to say: it has a test of its own.
    let plain = |it: Problem<MissionProblem>| Problem { line: None, ..it }.to_string();
    match read(text) {
        Ok(_) => Vec::new(),
        Err(MissionError(invalid)) => invalid.problems.into_iter().map(plain).collect(),
    }
}

/// What is wrong with a mission that says this besides what it has to say.
#[track_caller]
fn check(lines: &str, expected: &[&str]) {
    assert_eq!(problems(&format!("{LEAST}{lines}")), expected, "{lines}");
}

#[test]
fn a_mission_needs_four_things() {
    assert_eq!(problems(LEAST), [] as [&str; 0]);
    assert_eq!(
        problems(""),
        [
            "`tickets`: missing, expected a string or a list of strings",
            "`endpoints`: missing, expected a list",
            "`mission`: missing, expected a string",
        ],
    );
    assert_eq!(
        problems(
            "mission = \"m\"\ntickets = \"t\"\n[[endpoints]]\nkind = \"recording\"\npath = \"c\"\n"
        ),
        ["`guidance.path`: missing, expected a string"],
    );
}

/// Ruling 58: where the original's missions have a value, it is the one that holds.
#[test]
fn what_is_not_written_has_the_value_of_the_original_missions() {
    let it = mission("");
    assert_eq!((it.seed, it.language, it.min_verdict_agreement), (17, Lang::En, 670));
    assert_eq!(it.source, Source::Files(vec!["tickets.jsonl".to_owned()]));
    let grid: Vec<_> = it.sampler.grid.iter().map(|it| (it.temperature, it.seed)).collect();
    assert_eq!(grid, [(0.1, Some(43)), (0.4, Some(43)), (0.7, None)]);
    assert_eq!(
        it.sampler.grid[0],
        Decode {
            temperature: 0.1,
            top_p: Some(0.9),
            max_new_tokens: Some(1024),
            seed: Some(43),
            repetition_penalty: 1.0,
            no_repeat_ngram_size: None,
            stop: Vec::new(),
        }
    );
    assert_eq!((it.sampler.samples_per_decode, it.candidates(), it.min_format_ok), (1, 3, 2));
    let settings = &it.guidance;
    assert_eq!((settings.retention, settings.reset_on_rerun), (5, true));
    assert_eq!((settings.max_rules, settings.rule_max_chars), (24, 160));
    assert_eq!((settings.rationale_max_chars, settings.falsifier_max_chars), (60, 80));
    assert_eq!(
        (&it.output.root, &it.output.run_name, it.output.group_report),
        (&None, &None, true)
    );
    let reflection = &it.reflection;
    assert_eq!((reflection.batch_size, reflection.max_operations), (16, Some(2)));
    assert_eq!((reflection.change_cap_per_epoch, reflection.max_calls_per_epoch), (None, None));
    assert_eq!(reflection.hypotheses_mode, HypothesesMode::Mixed);
    assert_eq!(reflection.hypothesis_min_support_cycles, 2);
    assert_eq!(reflection.hypothesis_min_unique_ticket_keys, 6);
    assert_eq!(reflection.max_promotions_per_epoch, 1);
    assert_eq!(reflection.retry_budget_per_group_per_epoch, 2);
    assert_eq!((reflection.max_reflection_length, reflection.token_budget), (24_000, 24_000));
    assert_eq!(
        (reflection.decode.temperature, reflection.decode.max_new_tokens),
        (0.1, Some(12_000))
    );
    assert!(reflection.polarity && reflection.model.is_none());
    assert_eq!(
        (it.runner.epochs, it.runner.rollout_batch_size, it.runner.logging_steps),
        (3, 64, 64)
    );
    assert_eq!((it.lifecycle, it.pools, it.feedback.window_tickets), (None, None, 256));
    assert_eq!((it.gate.mode, it.gate.alpha, it.gate.max_looks), (GateMode::Auto, 50, 50));
    assert_eq!((it.gate.min_tickets, it.gate.min_tickets_per_label), (30, 10));
    assert_eq!(
        (it.verdict_terms.pass, it.verdict_terms.fail),
        (vec!["pass".to_owned()], vec!["fail".to_owned()])
    );
    assert_eq!(it.forbidden_dimensions, ["brand", "品牌"]);
    assert_eq!((it.budget, it.price, it.concurrency), (Budget::default(), Price::default(), 1));
    assert!(it.resume && !it.allow_partial && it.distillation);
    let zh = mission("language = \"zh\"\n");
    assert_eq!(zh.verdict_terms.pass, ["通过", "pass"]);
    assert_eq!(zh.verdict_terms.fail, ["不通过", "未通过", "fail"]);
}

#[test]
fn every_key_can_be_written() {
    let text = r#"
mission = "rust-pr.acceptance_1"
language = "zh"
seed = 3
stage_a_paths = ["a.jsonl", "b.jsonl"]
min_format_ok = 5
max_promotions_per_epoch = 2
hypotheses_mode = "hypotheses_only"
max_rules = 30
rule_max_chars = 200
rationale_max_chars = 70
falsifier_max_chars = 90
forbidden_dimensions = []
identity_names = ["alice"]
render_meta = ["repo"]
exclude_ticket_keys = ["a::pass", "组::fail"]
feedback_window_tickets = 9
concurrency = 12
resume = false
allow_partial = true
allow_pass_override = true
strict_json = true

[guidance]
path = "g.json"
retention = 2
reset_on_rerun = false

[output]
root = "/tmp/x"
run_name = "run-1"
group_report = false

[sampler]
samples_per_decode = 2
grid = [{temperature = 0, top_p = 1.0, max_new_tokens = 5, seed = 1, repetition_penalty = 1, no_repeat_ngram_size = 3, stop = ["END"]}, {temperature = 1.5}, {temperature = 0.2}]

[selection]
policy = "top_label"
tie_break = "temperature"

[manual_review]
min_verdict_agreement = 0.75

[reflection]
decision_prompt_path = "d.md"
ops_prompt_path = "o.md"
batch_size = 4
max_operations = 5
change_cap_per_epoch = 6
hypothesis_min_support_cycles = 3
hypothesis_min_unique_ticket_keys = 12
retry_budget_per_group_per_epoch = 0
max_calls_per_epoch = 40
temperature = 1
top_p = 0.95
repetition_penalty = 1.0
max_new_tokens = 1024
seed = 5
model = "big"
max_reflection_length = 4096
allow_uncertain = false
eligibility_policy = "selected_mismatch_or_all_wrong"
all_wrong_strategy = "learn"
polarity = true

[runner]
epochs = 6
per_rank_rollout_batch_size = 4
logging_steps = 256

[guidance_lifecycle]
confidence_drop_threshold = 0.4
min_miss_before_drop = 5
enable_auto_cleanup = false

[stage_b_distillation]
enabled = false

[verdict_terms]
pass = ["accept"]
fail = ["reject", "拒绝"]

[pools]
learn = 50
gate = 30

[gate]
mode = "enforce"
alpha = 0.1
max_looks = 7
min_tickets = 20
min_tickets_per_label = 5

[budget]
max_model_calls = 1000
max_tokens = 2000000
max_usd = 12.5

[price]
prompt_usd_per_million = 0.15
completion_usd_per_million = 2

[[overrides]]
id = "exit"
item = "commands"
regex = 'exit [1-9]\d*'
unless_regex = "expected"
verdict = "pass"
reason = "x"

[[endpoints]]
kind = "chat"
base_url = "http://127.0.0.1:8080/v1"
model = "small"
key_variable = "MODEL_KEY"
concurrency = 8
timeout_seconds = 30

[[endpoints]]
kind = "command"
command = ["./judge", "--json"]
"#;
    let it = read(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(it.mission.as_str(), "rust-pr.acceptance_1");
    assert_eq!(it.source, Source::Files(vec!["a.jsonl".to_owned(), "b.jsonl".to_owned()]));
    assert_eq!((it.seed, it.language, it.min_format_ok), (3, Lang::Zh, 5));
    assert_eq!((it.guidance.max_rules, it.guidance.retention), (30, 2));
    assert!(!it.guidance.reset_on_rerun && !it.output.group_report && !it.distillation);
    assert_eq!(it.output.run_name.as_deref(), Some("run-1"));
    assert_eq!((it.candidates(), it.min_verdict_agreement), (6, 750));
    assert_eq!((it.sampler.grid[0].seed, it.sampler.grid[0].stop.len()), (Some(1), 1));
    assert_eq!(it.reflection.hypotheses_mode, HypothesesMode::HypothesesOnly);
    assert_eq!((it.reflection.max_promotions_per_epoch, it.reflection.token_budget), (2, 4096));
    assert_eq!(it.reflection.decode.seed, Some(5));
    assert!(it.reflection.polarity && it.allow_partial && !it.resume);
    assert_eq!(it.runner.rollout_batch_size, 4);
    let lifecycle = Lifecycle {
        confidence_drop_threshold: 400,
        min_miss_before_drop: 5,
        enable_auto_cleanup: false,
    };
    assert_eq!(it.lifecycle, Some(lifecycle));
    assert_eq!(it.verdict_terms.fail, ["reject", "拒绝"]);
    assert_eq!(it.pools, Some(Pools { learn: 50, gate: 30, audit: 20 }));
    assert_eq!((it.gate.mode, it.gate.alpha), (GateMode::Enforce, 100));
    assert_eq!(it.budget.max_micro_usd, Some(12_500_000));
    assert_eq!(it.price.prompt_micro_usd_per_million, 150_000);
    assert_eq!(it.price.completion_micro_usd_per_million, 2_000_000);
    assert_eq!((it.overrides[0].verdict, it.overrides.len()), (Label::Pass, 1));
    assert_eq!(it.exclude_ticket_keys[1].to_string(), "组::fail");
    assert_eq!(it.concurrency, 12);
    assert_eq!(
        it.endpoints,
        [
            Endpoint::Chat {
                base_url: "http://127.0.0.1:8080/v1".to_owned(),
                model: "small".to_owned(),
                key_variable: Some("MODEL_KEY".to_owned()),
                concurrency: 8,
                timeout_seconds: 30,
            },
            Endpoint::Command {
                command: vec!["./judge".to_owned(), "--json".to_owned()],
                model: None,
                concurrency: 1,
                timeout_seconds: 60,
            },
        ],
    );
    let without = text.replace("concurrency = 12\n", "");
    assert_eq!(read(&without).unwrap().concurrency, 9, "what the endpoints take");
}

#[test]
fn a_mission_can_learn_from_what_people_said_of_tasks() {
    let text = "mission = \"m\"\nreviews = \"engineering_impl\"\nendpoints = [{kind = \"recording\", path = \"c\"}]\n";
    let it = read(text).unwrap();
    assert_eq!((it.source, it.guidance.path), (Source::Reviews(TaskType::EngineeringImpl), None));
    check(
        "reviews = \"engineering_impl\"",
        &["`tickets`: tickets come from `tickets` or from `reviews`, not from both"],
    );
    assert_eq!(
        problems(&text.replace("engineering_impl", "cooking")),
        [
            "`reviews`: expected one of `requirements_doc`, `engineering_impl`, `douyin_script`, `storyboard`, `paid_mini_drama`, found `cooking`",
        ],
    );
}

#[test]
fn everything_that_is_wrong_is_listed_at_once() {
    check(
        "seed = -1\nlanguge = \"zh\"\n[reflection]\nbatch_size = 0\nbatchsize = 4\n[runner]\nepochs = \"3\"\n",
        &[
            "`seed`: expected a whole number of at least 0, found `-1`",
            "`reflection.batch_size`: expected a whole number of at least 1, found `0`",
            "`runner.epochs`: expected a whole number from 1 to 1000, found `\"3\"`",
            "`languge`: unknown key, did you mean `language`?",
            "`reflection.batchsize`: unknown key, did you mean `reflection.batch_size`?",
        ],
    );
}

#[test]
fn a_key_that_nobody_reads_is_refused_with_the_nearest() {
    for (lines, expected) in [
        ("batch_size = 4", "`batch_size`: unknown key, did you mean `reflection.batch_size`?"),
        ("[runner]\nepoch = 1", "`runner.epoch`: unknown key, did you mean `runner.epochs`?"),
        (
            "[reflections]\nbatch_size = 1",
            "`reflections.batch_size`: unknown key, did you mean `reflection.batch_size`?",
        ),
        ("[reflections]\nx = 1", "`reflections.x`: unknown key"),
        ("xyzzy = 1", "`xyzzy`: unknown key"),
        ("\"runner.epochs\" = 1", "`\"runner.epochs\"`: unknown key"),
        ("reflection = 1", "`reflection`: expected a table, found `1`"),
        (
            "[[overrides]]\nid = \"a\"\nregex = \"x\"\nreason = \"y\"\nregexp = \"z\"",
            "`overrides[0].regexp`: unknown key, did you mean `regex`?",
        ),
    ] {
        let actual = problems(&format!("{LEAST}{lines}\n"));
        assert_eq!(actual, [expected], "{lines}");
    }
}

#[test]
fn each_value_has_its_type_and_its_range() {
    for (lines, expected) in [
        ("seed = 1.5", "`seed`: expected a whole number of at least 0, found `1.5`"),
        ("seed = 2026-01-01", "`seed`: expected a whole number of at least 0, found `2026-01-01`"),
        ("resume = \"yes\"", "`resume`: expected `true` or `false`, found `\"yes\"`"),
        ("language = \"de\"", "`language`: expected one of `en`, `zh`, found `de`"),
        ("render_meta = \"x\"", "`render_meta`: expected a list of strings, found `\"x\"`"),
        ("render_meta = [\"\"]", "`render_meta[0]`: blank"),
        (
            "manual_review.min_verdict_agreement = 1.1",
            "`manual_review.min_verdict_agreement`: expected a number from 0 to 1 in steps of 0.001, found `1.1`",
        ),
        (
            "manual_review.min_verdict_agreement = 0.6667",
            "`manual_review.min_verdict_agreement`: expected a number from 0 to 1 in steps of 0.001, found `0.6667`",
        ),
        (
            "manual_review.min_verdict_agreement = nan",
            "`manual_review.min_verdict_agreement`: expected a number from 0 to 1 in steps of 0.001, found `nan`",
        ),
        (
            "budget.max_usd = -1",
            "`budget.max_usd`: expected a number of at least 0 in steps of 0.000001, found `-1`",
        ),
        (
            "budget.max_usd = 0.0000001",
            "`budget.max_usd`: expected a number of at least 0 in steps of 0.000001, found `1e-7`",
        ),
        ("min_format_ok = 4", "`min_format_ok`: expected a whole number from 1 to 3, found `4`"),
        (
            "output.run_name = \"../x\"",
            "`output.run_name`: expected letters, digits, `_`, `-` and `.`, starting with a letter or a digit, found `../x`",
        ),
        (
            "exclude_ticket_keys = [\"a\"]",
            "`exclude_ticket_keys[0]`: expected a key such as `GROUP::pass`, found `a`",
        ),
        (
            "reflection.hypotheses_mode = \"all\"",
            "`reflection.hypotheses_mode`: expected one of `mixed`, `hypotheses_only`, found `all`",
        ),
        (
            "gate.mode = \"on\"",
            "`gate.mode`: expected one of `auto`, `off`, `shadow`, `enforce`, found `on`",
        ),
        ("gate.alpha = 0", "`gate.alpha`: must be more than 0 and less than 1"),
        ("pools.learn = 0", "`pools.learn`: no ticket would be learned from: give it a share"),
        ("sampler.grid = []", "`sampler.grid`: needs at least one table"),
        ("sampler.grid = 3", "`sampler.grid`: expected a list, found `3`"),
        ("sampler.grid = [1]", "`sampler.grid[0]`: expected a table, found `1`"),
        (
            "sampler.grid = [{top_p = 0.5}]",
            "`sampler.grid[0].temperature`: missing, expected a number from 0 to 2",
        ),
        (
            "sampler.grid = [{temperature = 3}]",
            "`sampler.grid[0].temperature`: expected a number from 0 to 2, found `3`",
        ),
        (
            "sampler.grid = [{temperature = 1, tempurature = 1}]",
            "`sampler.grid[0].tempurature`: unknown key, did you mean `temperature`?",
        ),
        (
            "sampler.samples_per_decode = 100",
            "`sampler.samples_per_decode`: with `sampler.grid`, a ticket would have more than 256 answers",
        ),
        ("verdict_terms.pass = []", "`verdict_terms.pass`: needs at least one word"),
        (
            "verdict_terms.fail = [\"no\", \"P a s s\"]",
            "`verdict_terms.fail`: a word stands for both pass and fail, blanks and case aside",
        ),
        ("stage_a_paths = \"x\"", "`stage_a_paths`: another name of `tickets`, which is set too"),
    ] {
        check(&format!("{lines}\n"), &[expected]);
    }
}

/// A setting of the original that has one value here may be written, with that value.
#[test]
fn what_cannot_be_had_says_why() {
    for (lines, key) in [
        ("selection.policy = \"top_semantic\"", "selection.policy"),
        ("selection.tie_break = \"index\"", "selection.tie_break"),
        ("reflection.allow_uncertain = true", "reflection.allow_uncertain"),
        ("reflection.eligibility_policy = \"all\"", "reflection.eligibility_policy"),
        ("reflection.all_wrong_strategy = \"skip\"", "reflection.all_wrong_strategy"),
        ("strict_json = false", "strict_json"),
        ("model.path = \"/weights\"", "model"),
        ("model = \"x\"", "model"),
        ("[model]", "model"),
        ("stage_b_distillation.log_chatml_path = \"x\"", "stage_b_distillation.log_chatml_path"),
        ("exclude_ticket_keys_path = \"x\"", "exclude_ticket_keys_path"),
    ] {
        let error = read(&format!("{LEAST}{lines}\n")).unwrap_err();
        let [problem] = error.0.problems.as_slice() else { panic!("{error}") };
        assert_eq!(problem.path.to_string(), key);
        assert!(!matches!(problem.kind, MissionProblem::Form(_)), "{problem}");
        let zh = Lang::Zh.render(&problem.kind.text());
        assert!(!problem.kind.to_string().is_empty() && zh.chars().any(|it| it > '\u{2e80}'));
    }
}

#[test]
fn an_override_has_patterns_that_compile_and_fails_unless_it_may_pass() {
    let rule = |lines: &str| format!("[[overrides]]\nid = \"a\"\nreason = \"r\"\n{lines}\n");
    for (lines, expected) in [
        ("", "`overrides[0].regex`: missing, expected a string"),
        ("regex = 1", "`overrides[0].regex`: expected a string, found `1`"),
        (
            "regex = '('",
            "`overrides[0].regex`: not a regular expression; write it in single quotes, without look-around",
        ),
        (
            "regex = 'x'\nunless_regex = '['",
            "`overrides[0].unless_regex`: not a regular expression; write it in single quotes, without look-around",
        ),
        (
            "regex = 'x'\nverdict = \"pass\"",
            "`overrides[0].verdict`: a pass without a model is a risk: write `allow_pass_override = true` if it is intended",
        ),
        (
            "regex = 'x'\nverdict = \"maybe\"",
            "`overrides[0].verdict`: expected one of `pass`, `fail`, found `maybe`",
        ),
        (
            "regex = 'x'\n[[overrides]]\nid = \"a\"\nregex = \"y\"\nreason = \"z\"",
            "`overrides[1].id`: another override has this id",
        ),
    ] {
        check(&rule(lines), &[expected]);
    }
    check(&rule("regex = 'x'"), &[]);
}

#[test]
fn an_endpoint_has_the_keys_of_its_kind() {
    let with = |endpoint: &str| {
        problems(&LEAST.replace("{kind = \"recording\", path = \"calls.jsonl\"}", endpoint))
    };
    let missing = "expected a string";
    for (endpoint, expected) in [
        ("", vec!["`endpoints`: needs at least one endpoint".to_owned()]),
        ("1", vec![
            "`endpoints[0]`: expected a table, found `1`".to_owned(),
        ]),
        ("{path = \"c\"}", vec![
            "`endpoints[0].kind`: missing, expected one of `chat`, `command`, `recording`".to_owned(),
        ]),
        ("{kind = \"local\", path = \"c\"}", vec![
            "`endpoints[0].kind`: expected one of `chat`, `command`, `recording`, found `local`".to_owned(),
        ]),
        ("{kind = \"chat\"}", vec![
            format!("`endpoints[0].base_url`: missing, {missing}"),
            format!("`endpoints[0].model`: missing, {missing}"),
        ]),
        ("{kind = \"chat\", base_url = \"localhost\", model = \"m\", key_variable = \"A B\"}", vec![
            "`endpoints[0].base_url`: expected an address that starts with `http://` or `https://`, found `localhost`".to_owned(),
            "`endpoints[0].key_variable`: expected the name of an environment variable, found `A B`".to_owned(),
        ]),
        ("{kind = \"command\", command = \"x\", concurrency = 0}", vec![
            "`endpoints[0].command`: expected a list of strings, found `\"x\"`".to_owned(),
            "`endpoints[0].concurrency`: expected a whole number from 1 to 1024, found `0`".to_owned(),
        ]),
        ("{kind = \"command\", command = []}", vec![
            "`endpoints[0].command`: needs a program to start".to_owned(),
        ]),
        ("{kind = \"recording\", path = \"c\", model = \"m\"}", vec![]),
        ("{kind = \"recording\", path = \"c\", base_url = \"x\"}", vec![
            "`endpoints[0].base_url`: unknown key".to_owned(),
        ]),
        ("{kind = \"recording\", path = \"c\", model = \"m\"}, {kind = \"command\", command = [\"x\"], model = \"n\"}", vec![
            "`endpoints`: the endpoints name different models, and a verdict must not depend on which is free".to_owned(),
        ]),
    ] {
        assert_eq!(with(endpoint), expected, "{endpoint}");
    }
}

#[test]
fn an_error_speaks_both_languages() {
    let error = read("mission = \"m\"\nmission = \"n\"\n").unwrap_err();
    assert_eq!(error.to_string(), "invalid mission: line 2: not valid TOML");
    assert_eq!(Lang::Zh.render(&error.text()), "无效的任务目标：第 2 行：不是有效的 TOML");
    assert_eq!(error.causes()[0].to_string(), "duplicate key");
    let error = read(&format!("{LEAST}seed = -1\nsped = 2\n")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid mission: line 5: `seed`: expected a whole number of at least 0, found `-1`; line 6: `sped`: unknown key, did you mean `seed`?",
    );
    assert_eq!(
        Lang::Zh.render(&error.text()),
        "无效的任务目标：第 5 行：`seed`：应为不小于 0 的整数，实为 `-1`；第 6 行：`sped`：未知的键，是否想写 `seed`？",
    );
    assert_eq!(error.exit(), Exit::Unable);
    assert!(error.hints()[0].to_string().contains("provost learn run"));
    let long = read(&format!("{LEAST}x = \"{}\"\n", "y".repeat(2_000_000))).unwrap_err();
    assert_eq!(long.to_string(), "invalid mission: larger than 1048576 bytes");
    let error = read(&format!("{LEAST}seed = \"{}\"\n", "y".repeat(100_000))).unwrap_err();
    assert!(error.to_string().len() < 400);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in r#"[a-z_.= "\[\]{}0-9\n-]{0,60}"#) {
        if let Err(MissionError(invalid)) = read(&format!("{LEAST}{text}\n")) {
            prop_assert!(!invalid.problems.is_empty());
        }
    }
}
