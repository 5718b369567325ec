use super::*;

fn keys(pairs: &[(&str, &str)]) -> TaskKeys {
    pairs.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect()
}

fn wanted() -> TaskKeys {
    keys(&[("test", "python3 -m pytest -q"), ("coder", "claude-code"), ("judge", "tests")])
}

#[track_caller]
fn check(text: Option<&str>, expected: &str) {
    let addition = add(text, &wanted()).unwrap();
    assert_eq!(addition.text, expected);
    // What was added can be taken out again, and leaves what was there.
    let removal = take_out(&addition.text, &addition.added).unwrap();
    assert_eq!(
        removal.text.as_deref().map(str::trim),
        text.map(str::trim).filter(|it| !it.is_empty())
    );
    assert_eq!(removal.removed, addition.added);
    // Adding twice changes nothing.
    let again = add(Some(&addition.text), &wanted()).unwrap();
    assert_eq!((again.text, again.added), (addition.text, TaskKeys::new()));
}

#[test]
fn a_new_file_has_the_keys_in_order() {
    check(
        None,
        "# Written by `provost init`; `provost init --remove` takes it out.\n\
         [task]\ncoder = \"claude-code\"\njudge = \"tests\"\ntest = \"python3 -m pytest -q\"\n",
    );
}

#[test]
fn a_file_that_is_there_keeps_its_own() {
    check(
        Some("# 我的设置\nlang = \"zh\" # 中文\n"),
        "# 我的设置\nlang = \"zh\" # 中文\n\n[task]\ncoder = \"claude-code\"\njudge = \"tests\"\ntest = \"python3 -m pytest -q\"\n",
    );
    check(
        Some(
            "[task]\n# mine\ncoder = \"codex\"   # not another one\n\n[proof]\nlevel = \"strict\"\n",
        ),
        "[task]\n# mine\ncoder = \"codex\"   # not another one\njudge = \"tests\"\ntest = \"python3 -m pytest -q\"\n\n[proof]\nlevel = \"strict\"\n",
    );
    check(
        Some("task.coder = \"codex\"\n"),
        "task.coder = \"codex\"\ntask.judge = \"tests\"\ntask.test = \"python3 -m pytest -q\"\n",
    );
    check(
        Some("task = { coder = \"codex\" }\n"),
        "task = { coder = \"codex\" , judge = \"tests\", test = \"python3 -m pytest -q\" }\n",
    );
}

#[test]
fn a_value_is_quoted_whatever_it_holds() {
    let test = r#"sh -c "echo '\t'" && ./运行"#;
    let addition = add(None, &keys(&[("test", test)])).unwrap();
    let read: toml::Table = addition.text.parse().unwrap();
    assert_eq!(read["task"]["test"].as_str(), Some(test));
}

#[test]
fn what_somebody_changed_stays() {
    let addition = add(None, &wanted()).unwrap();
    let changed = addition.text.replace("python3 -m pytest -q", "make check");
    let removal = take_out(&changed, &addition.added).unwrap();
    assert_eq!(removal.kept, ["test"]);
    assert_eq!(removal.text.as_deref(), Some("[task]\ntest = \"make check\"\n"));
    assert!(add(Some("not = = toml"), &wanted()).is_err());
}
