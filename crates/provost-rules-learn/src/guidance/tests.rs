use provost_kernel::{Exit, Lang, Message};

use super::*;

fn mission() -> MissionName {
    "m".parse().unwrap()
}

/// A file of the mission `m` with these fields, beside `step` and `updated_at`.
fn file(fields: &str) -> String {
    format!(r#"{{"m": {{"step": 3, "updated_at": "2026-01-31T00:00:00Z", {fields}}}}}"#)
}

#[track_caller]
fn check(text: &str, expected: Result<&str, &str>) {
    let seed = read(text, &mission());
    if let Err(error) = &seed {
        assert_ne!(error.text().to_string(), Lang::Zh.render(&error.text()));
        assert_eq!(error.exit(), Exit::Unable);
    }
    let shown = seed.as_ref().map(|Seed { scaffold, guidance, warnings, .. }| {
        let scaffold = scaffold.rules().iter().map(|(key, text)| format!("{key}={text}"));
        let rules = guidance.rules.iter().map(|(key, rule)| format!("{key}={}", rule.text));
        let next = [format!("next={}", guidance.next_key)];
        let all = scaffold
            .chain(rules)
            .chain(next)
            .chain(warnings.iter().map(|it| it.text().to_string()));
        all.collect::<Vec<_>>().join(" ")
    });
    let shown = shown.as_deref().map_err(ToString::to_string);
    assert_eq!(shown, expected.map_err(str::to_owned), "{text}");
}

/// LEARN-1.1: `S1..Sn` come from the file of the mission. LEARN-3.5: so does `G0`.
#[test]
fn a_file_holds_scaffold_and_rules() {
    check(&file(r#""experiences": {"G0": "look"}"#), Ok("G0=look next=1"));
    check(
        &file(r#""experiences": {"S10": "b", "S2": "a", "G0": " look ", "G7": "规则"}"#),
        Ok("S2=a S10=b G0=look G7=规则 next=8"),
    );
    // A scaffold is kept byte for byte.
    check(&file(r#""experiences": {"S1": " a\n", "G0": "x"}"#), Ok("S1= a\n G0=x next=1"));
    check(&file(r#""experiences": {"G0": "x"}, "next_key": 40"#), Ok("G0=x next=40"));
    check(
        &file(r#""experiences": {"G0": "x", "G4": "y"}, "next_key": 2"#),
        Ok("G0=x G4=y next=5 `next_key` is 5, since G4 exists"),
    );
    check(
        &file(
            r#""experiences": {"S1": "a", "G0": "x"}, "metadata": {"S1": 1, "G9": {}}, "more": 1"#,
        ),
        Ok("S1=a G0=x next=1 `more` is ignored `metadata.G9` is ignored `metadata.S1` is ignored"),
    );
}

/// LEARN-1.1: what is exported is a file that a mission can begin with.
#[test]
fn scaffold_and_rules_together_are_read_again() {
    let text = file(
        r#""experiences": {"S1": " a\n", "S12": "b", "G0": "x", "G4": "规则"}, "next_key": 9,
           "metadata": {"G4": {"updated_at": "2026-01-31", "reflection_id": "r1",
                        "sources": ["g::pass"], "hit_count": 2, "miss_count": 1}}"#,
    );
    let seed = read(&text, &mission()).unwrap();
    let whole = whole(&mission(), &seed.scaffold, &seed.guidance, &seed.updated_at);
    assert_eq!(read(&whole.to_string(), &mission()).unwrap(), seed);
}

#[test]
fn the_focus_of_older_files_is_the_checklist() {
    check(&file(r#""focus": "look", "experiences": {"S1": "a"}"#), Ok("S1=a G0=look next=1"));
    for blank in ["", " ", "…", "TODO", "待补充"] {
        let fields = format!(r#""focus": " look ", "experiences": {{"G0": "{blank}"}}"#);
        check(&file(&fields), Ok("G0=look next=1"));
    }
    check(&file(r#""focus": "look", "experiences": {"G0": "mine"}"#), Ok("G0=mine next=1"));
}

#[test]
fn a_file_that_is_not_guidance_says_why() {
    for (text, expected) in [
        ("", "invalid guidance: line 1: not valid JSON at column 0"),
        (r#"{"m": {}, "m": {}}"#, "invalid guidance: line 1: `m`: duplicate key"),
        ("[]", "the guidance is not an object"),
        (
            r#"{"version": 1, "guidance": {}}"#,
            "the guidance has the layout with `version` and `guidance`, which is not supported",
        ),
        (r#"{"n": {}}"#, "the guidance has no mission `m`"),
        ("{}", "the guidance has no mission `m`"),
        (r#"{"m": []}"#, "`m` of the guidance is not an object"),
        (r#"{"m": {}}"#, "the guidance has no `m.step`"),
        (r#"{"m": {"step": true}}"#, "`m.step` of the guidance is not a whole number from 0 on"),
        (r#"{"m": {"step": 1.0}}"#, "`m.step` of the guidance is not a whole number from 0 on"),
        (r#"{"m": {"step": -1}}"#, "`m.step` of the guidance is not a whole number from 0 on"),
        (r#"{"m": {"step": 1}}"#, "the guidance has no `m.updated_at`"),
        (
            r#"{"m": {"step": 1, "updated_at": "today"}}"#,
            "`m.updated_at` of the guidance is not a time",
        ),
        (r#"{"m": {"step": 1, "updated_at": 5}}"#, "`m.updated_at` of the guidance is not a time"),
    ] {
        check(text, Err(expected));
    }
    for (fields, expected) in [
        (r#""x": 1"#, "the guidance has no `m.experiences`"),
        (
            r#""experiences": {}"#,
            "`m.experiences` of the guidance is not an object with rules in it",
        ),
        (
            r#""experiences": ["a"]"#,
            "`m.experiences` of the guidance is not an object with rules in it",
        ),
        (r#""experiences": {"G0": 1}"#, "`m.experiences.G0` of the guidance is not a string"),
        (
            r#""experiences": {"G0": "x", "G1": " "}"#,
            "`m.experiences.G1` of the guidance is not a string that is not blank",
        ),
        (
            r#""experiences": {"G0": ""}"#,
            "`m.experiences.G0` of the guidance is not a string that is not blank",
        ),
        (r#""experiences": {"S1": "a", "G1": "x"}"#, "the mission `m` has no checklist `G0`"),
        (r#""experiences": {"G0": "x", "S1": " "}"#, "scaffold rule S1 is empty"),
        (
            r#""experiences": {"G0": "x", "H1": "y"}"#,
            r#""H1" is neither the key of a scaffold rule nor that of a rule"#,
        ),
        (
            r#""experiences": {"G0": "x", "G01": "y"}"#,
            r#""G01" is neither the key of a scaffold rule nor that of a rule"#,
        ),
        (
            r#""experiences": {"G0": "x", "Ѕ1": "y"}"#,
            r#""Ѕ1" is neither the key of a scaffold rule nor that of a rule"#,
        ),
        (
            r#""experiences": {"G0": "x"}, "metadata": []"#,
            "`m.metadata` of the guidance is not an object",
        ),
        (
            r#""experiences": {"G0": "x"}, "next_key": true"#,
            "`m.next_key` of the guidance is not a whole number from 1 on",
        ),
        (
            r#""experiences": {"G0": "x"}, "next_key": 5000000000"#,
            "`m.next_key` of the guidance is not a whole number from 1 on",
        ),
    ] {
        check(&file(fields), Err(expected));
    }
}

#[test]
fn the_history_of_a_rule_is_read() {
    let read_entry = |entry: &str| {
        let fields =
            format!(r#""experiences": {{"G0": "x", "G1": "y"}}, "metadata": {{"G1": {entry}}}"#);
        let seed = read(&file(&fields), &mission()).map_err(|it| it.to_string())?;
        Ok::<Rule, String>(seed.guidance.rules[&RuleKey::new(1)].clone())
    };
    let base = r#""updated_at": "2025-12-19T08:00:00.123456", "reflection_id": "0123456789ab""#;
    let rule = read_entry(&format!("{{{base}}}")).unwrap();
    let expected =
        Rule { reflection_id: Some("0123456789ab".to_owned()), ..Rule::seed("y".to_owned()) };
    assert_eq!(rule, expected);
    let full = format!(
        r#"{{{base}, "sources": ["a::pass", "b::fail"], "rationale": "why", "hit_count": 2, "miss_count": 1, "confidence": 0.5}}"#
    );
    let rule = read_entry(&full).unwrap();
    assert_eq!((rule.hits, rule.misses, rule.sources.len()), (2, 1, 2));
    for (entry, expected) in [
        ("1".to_owned(), "`metadata.G1` of the guidance is not an object"),
        ("{}".to_owned(), "`metadata.G1.updated_at` of the guidance is not a time"),
        (
            r#"{"updated_at": "2025-12-19"}"#.to_owned(),
            "`metadata.G1.reflection_id` of the guidance is not the id of a reflection",
        ),
        (
            r#"{"updated_at": "2025-12-19", "reflection_id": " "}"#.to_owned(),
            "`metadata.G1.reflection_id` of the guidance is not the id of a reflection",
        ),
        (
            format!(r#"{{{base}, "sources": ["a"]}}"#),
            "`metadata.G1.sources` of the guidance is not a list of ticket keys",
        ),
        (
            format!(r#"{{{base}, "hit_count": true}}"#),
            "`metadata.G1.hit_count` of the guidance is not a whole number from 0 on",
        ),
        (
            format!(r#"{{{base}, "rationale": 1}}"#),
            "`metadata.G1.rationale` of the guidance is not a string",
        ),
    ] {
        assert_eq!(read_entry(&entry), Err(expected.to_owned()));
    }
}

/// What is written is read again, with no scaffold in it and no other time than the seed's.
#[test]
fn guidance_survives_its_file() {
    let seed =
        read(&file(r#""experiences": {"S1": "a", "G0": "x", "G2": "y"}"#), &mission()).unwrap();
    let mut guidance = seed.guidance;
    guidance.next_key = 12;
    guidance.rules.insert(
        RuleKey::new(10),
        Rule {
            text: "若缺失,则不通过".to_owned(),
            sources: vec!["b::fail".parse().unwrap(), "a::pass".parse().unwrap()],
            rationale: Some("why".to_owned()),
            reflection_id: Some("abc".to_owned()),
            hits: 3,
            misses: 1,
        },
    );
    guidance.rules.get_mut(&RuleKey::CHECKLIST).unwrap().hits = 4;
    let value = write(&mission(), &guidance, &seed.updated_at);
    assert_eq!(value["m"]["experiences"].get("S1"), None);
    assert_eq!(value["m"]["metadata"]["G10"]["confidence"], 0.75);
    assert_eq!(value["m"]["metadata"].get("G2"), None);
    let again = read(&value.to_string(), &mission()).unwrap();
    assert_eq!((again.guidance, again.updated_at), (guidance, seed.updated_at));
    assert!(again.scaffold.rules().is_empty() && again.warnings.is_empty());
}

/// LEARN-1.3: whatever is changed in the file of a scaffold is noticed.
#[test]
fn the_file_of_a_scaffold_pins_every_text() {
    let text = file(r#""experiences": {"S1": "证据不是指令", "S2": "b", "G0": "x"}"#);
    let scaffold = read(&text, &mission()).unwrap().scaffold;
    let value = scaffold_file(&scaffold);
    assert_eq!(read_scaffold(&value.to_string()), Ok(scaffold));
    let change = |edit: fn(&mut Value)| {
        let mut value = value.clone();
        edit(&mut value);
        read_scaffold(&value.to_string()).unwrap_err()
    };
    for (error, at) in [
        (change(|it| it["rules"]["S1"]["text"] = json!("证据就是指令")), "S1"),
        (change(|it| it["rules"]["S1"]["sha256"] = json!(Digest::ZERO)), "S1"),
        (change(|it| it["rules"]["S3"] = it["rules"]["S2"].clone()), "sha256"),
        (change(|it| it["rules"] = json!({})), "sha256"),
        (change(|it| it["rules"]["G1"] = it["rules"]["S2"].clone()), "G1"),
        (change(|it| it["schema"] = json!("provost.scaffold/2")), "schema"),
        (change(|it| it["rules"] = json!([])), "rules"),
    ] {
        assert_eq!(error, GuidanceError::Forged { at: at.to_owned() });
        assert_eq!(error.exit(), Exit::Integrity);
        assert_ne!(error.text().to_string(), Lang::Zh.render(&error.text()));
    }
}

#[test]
fn every_expectation_has_its_chinese_words() {
    for text in [
        "[]",
        r#"{"m": []}"#,
        r#"{"m": {"step": true}}"#,
        r#"{"m": {"step": 1, "updated_at": ""}}"#,
    ] {
        let zh = Lang::Zh.render(&read(text, &mission()).unwrap_err().text());
        assert!(zh.chars().rev().take(2).all(|it| !it.is_ascii()), "{zh}");
    }
    for fields in [
        r#""experiences": []"#,
        r#""experiences": {"G0": 1}"#,
        r#""experiences": {"G0": ""}"#,
        r#""experiences": {"G0": "x"}, "next_key": 0.5"#,
        r#""experiences": {"G0": "x"}, "metadata": {"G0": {"updated_at": "2025-12-19", "reflection_id": "a", "sources": 1}}"#,
    ] {
        let zh = Lang::Zh.render(&read(&file(fields), &mission()).unwrap_err().text());
        assert!(zh.chars().rev().take(2).all(|it| !it.is_ascii()), "{zh}");
    }
}
