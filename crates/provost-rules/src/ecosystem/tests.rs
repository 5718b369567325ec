use std::collections::BTreeSet;

use super::*;

/// Every pattern, with the entry and the field that it stands in.
fn patterns() -> Vec<(String, &'static Pattern)> {
    let mut patterns = Vec::new();
    for it in all() {
        let mut note =
            |field: &str, pattern| patterns.push((format!("{}: {field}", it.name), pattern));
        for project in &it.projects {
            let cases = [&project.typecheck, &project.build, &project.test, &project.lint];
            for case in cases.into_iter().flatten() {
                case.text.values().for_each(|it| note("project.text", it));
                case.tests_say.iter().for_each(|it| note("project.tests_say", it));
            }
        }
        for file in &it.runner_files {
            note("runner_file.narrows", &file.narrows);
            if let Reads::IniSections(sections) = &file.reads {
                note("runner_file.reads", sections);
            }
        }
        it.runners.iter().for_each(|it| note("runner.summary", &it.summary));
        if let Some(tests) = &it.tests {
            for (field, pattern) in [
                ("attribute", &tests.attribute),
                ("test", &tests.test),
                ("group", &tests.group),
                ("function", &tests.function),
                ("mark", &tests.mark),
                ("skipped", &tests.skipped),
                ("conditional", &tests.conditional),
                ("focused", &tests.focused),
                ("assertion", &tests.assertion),
                ("vacuous", &tests.vacuous),
                ("sides", &tests.sides),
                ("weak", &tests.weak),
                ("table", &tests.table),
            ] {
                note(field, pattern);
            }
        }
    }
    for it in installs() {
        let mut note = |pattern| patterns.push((format!("install {}", it.name), pattern));
        if let Some(sources) = &it.sources {
            note(&sources.refused);
            note(&sources.always_refused);
        }
        [&it.only_if, &it.build_if].into_iter().flatten().for_each(|it| note(&it.text));
    }
    patterns
}

#[test]
fn every_pattern_compiles() {
    for (place, pattern) in patterns() {
        let compiled = regex::Regex::new(pattern.as_str());
        assert!(compiled.is_ok(), "{place}: {compiled:?}");
    }
}

/// What is looked up by one word has one answer.
#[test]
fn names_extensions_and_files_are_unique() {
    #[track_caller]
    fn unique<'a>(what: &str, words: impl Iterator<Item = &'a str>) {
        let mut known = BTreeSet::new();
        words.for_each(|it| assert!(!it.is_empty() && known.insert(it), "{what}: {it}"));
    }
    let words = |list: fn(&'static Ecosystem) -> &'static [String]| {
        all().iter().flat_map(list).map(String::as_str)
    };
    unique("name", all().iter().map(|it| it.name.as_str()));
    unique("extensions", words(|it| &it.extensions));
    unique("programs", words(|it| &it.programs));
    unique("lock_files", words(|it| &it.lock_files));
    unique("project", all().iter().flat_map(|it| &it.projects).map(|it| it.name.as_str()));
    unique("install", installs().iter().map(|it| it.name.as_str()));
    unique("runner", all().iter().flat_map(|it| &it.runners).map(|it| it.name.as_str()));
    let files = all().iter().flat_map(|it| &it.runner_files).flat_map(|it| &it.files);
    unique("runner_file", files.map(FilePattern::as_str));
    unique("home", home_files());
}

/// A case after one that always applies would never be used, and a word must have a meaning.
#[test]
fn every_command_can_be_reached_and_filled_in() {
    for project in all().iter().flat_map(|it| &it.projects) {
        assert!(!project.manifests.is_empty(), "{}", project.name);
        for cases in [&project.typecheck, &project.build, &project.test, &project.lint] {
            let before = cases.split_last().map_or(&[][..], |(_, before)| before);
            assert!(!before.iter().any(Case::is_unconditional), "{}", project.name);
            for case in cases {
                for run in [Some(&case.run), case.brief.as_ref()].into_iter().flatten() {
                    let (_, rest) = run.split_once('{').unwrap_or_default();
                    let word = rest.split('}').next().filter(|it| !it.is_empty());
                    let is_known =
                        |word| project.tools.iter().all(|it| it.words.contains_key(word));
                    assert!(
                        word.is_none_or(|it| !project.tools.is_empty() && is_known(it)),
                        "{case:?}"
                    );
                }
            }
        }
        let last = project.tools.last();
        assert!(last.is_none_or(|it| it.has.is_empty()), "{}", project.name);
    }
}

#[test]
fn tests_belong_to_an_extension_and_have_a_header() {
    for it in all() {
        let Some(tests) = &it.tests else { continue };
        assert!(!it.extensions.is_empty() && !tests.files.is_empty(), "{}", it.name);
        let has_header = [&tests.test, &tests.mark].iter().any(|it| it.captures_len() > 0);
        assert!(has_header && !tests.line_comment.is_empty(), "{}", it.name);
        for header in [&tests.test, &tests.group, &tests.function] {
            let is_given = header.as_str() != Pattern::default().as_str();
            assert!(!is_given || header.captures_len() > 1, "{}: {header:?}", it.name);
        }
        assert!(!tests.assertion.is_match("x = 1") && !tests.skipped.is_match("x = 1"));
    }
}

#[test]
fn a_summary_has_known_groups() {
    for runner in all().iter().flat_map(|it| &it.runners) {
        let groups: Vec<&str> = runner.summary.capture_names().flatten().collect();
        assert!(!groups.is_empty(), "{}", runner.name);
        assert!(groups.iter().all(|it| Runner::GROUPS.contains(it)), "{}: {groups:?}", runner.name);
        assert_eq!(groups.contains(&"parts"), !runner.counted.is_empty(), "{}", runner.name);
    }
}

/// Words that refine other lists of an entry are in them.
#[test]
fn an_entry_agrees_with_itself() {
    for it in all() {
        assert!(it.forwards_arguments.iter().all(|word| it.programs.contains(word)), "{}", it.name);
        assert!(it.runs_product.is_empty() || !it.programs.is_empty(), "{}", it.name);
        for file in &it.runner_files {
            let narrows = file.narrows.as_str() != Pattern::default().as_str();
            assert!(narrows || (!file.when_new && file.home.is_empty()), "{file:?}");
        }
        let own = installs().iter().filter(|row| row.ecosystem == it.name);
        for folder in own.flat_map(|it| &it.brings) {
            assert!(it.dependency_folders.contains(folder), "{folder}");
        }
    }
}

/// What a row names exists: its file, its program, its environment among what it brings.
#[test]
fn an_installation_agrees_with_itself() {
    for it in installs() {
        assert!(!it.found_by.is_empty() && !it.fetch.is_empty(), "{}", it.name);
        let starts = |command: &String| command.split(' ').next().unwrap_or_default().to_owned();
        assert_eq!(starts(&it.fetch[0]), it.program, "{}", it.name);
        assert!(it.environment.iter().all(|folder| it.brings.contains(folder)), "{}", it.name);
        let asks = it.fetch.iter().any(|it| it.contains("{requirements}"));
        assert_eq!(asks, it.requirements.is_some(), "{}", it.name);
        assert!(it.build_if.is_none() || !it.build.is_empty(), "{}", it.name);
    }
}

#[test]
fn an_entry_is_found_by_program_file_and_runner() {
    let name = |it: Option<&'static Ecosystem>| it.map(|it| it.name.as_str());
    assert_eq!(name(of_program("src/a.tsx")), Some("javascript"));
    assert_eq!(name(of_program("README.md")), None);
    assert_eq!(name(of_runner("py.test")), Some("python"));
    assert!(runner_file("app/.cargo/config.toml").is_some() && runner_file("x.toml").is_none());
    assert!(home_file(".yarnrc").is_some() && home_file(".mavenrc").is_none());
}
