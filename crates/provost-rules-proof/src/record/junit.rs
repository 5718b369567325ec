//! Reports of pytest in the format of `JUnit`.

use roxmltree::{Document, Node};

use super::{TestName, TestOutcome, TestRecord};

/// Reads a report. One that cannot be read was cut off.
pub(super) fn read(text: &str, record: &mut TestRecord) {
    let Ok(document) = Document::parse(text) else {
        record.unfinished += 1;
        return;
    };
    let cases = document.descendants().filter(|it| it.has_tag_name("testcase"));
    for case in cases.filter(|it| !is_uncollected(*it)) {
        record.add(name(case), outcome(case));
    }
}

/// Whether a case stands for a module whose tests could not be loaded.
fn is_uncollected(case: Node<'_, '_>) -> bool {
    let is_so = |it: Node<'_, '_>| {
        it.has_tag_name("error") && it.attribute("message") == Some("collection failure")
    };
    case.children().any(is_so)
}

/// `tests.test_a.TestX` in `tests/test_a.py` is the class `TestX`.
fn name(case: Node<'_, '_>) -> TestName {
    let attribute = |name| case.attribute(name).unwrap_or_default();
    let file = attribute("file").replace('\\', "/");
    let module = file.strip_suffix(".py").unwrap_or(&file).replace('/', ".");
    let class = attribute("classname");
    let groups = class.strip_prefix(&module).unwrap_or(class).trim_start_matches('.');
    let groups = groups.split('.').filter(|it| !it.is_empty()).map(str::to_owned);
    let path = groups.chain([attribute("name").to_owned()]).collect();
    TestName { place: file, path }
}

fn outcome(case: Node<'_, '_>) -> TestOutcome {
    let has = |name| case.children().any(|it| it.has_tag_name(name));
    if has("failure") || has("error") {
        TestOutcome::Failed
    } else if has("skipped") {
        TestOutcome::Skipped
    } else {
        TestOutcome::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn a_report_names_files_classes_and_tests() {
        check(
            "1.xml",
            r#"<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="4">
            <testcase classname="tests.test_a" name="test_one" file="tests/test_a.py" line="1" time="0"/>
            <testcase classname="tests.test_a.TestX" name="test_two[1-&lt;a&gt;]" file="tests/test_a.py"><failure message="x">x</failure></testcase>
            <testcase classname="test_b" name="test_three" file="test_b.py"><skipped/></testcase>
            <testcase classname="" name="tests.test_broken"><error message="collection failure"/></testcase>
            </testsuite></testsuites>"#,
            &[
                "test_b.py::test_three Skipped",
                "tests/test_a.py::TestX::test_two[1-<a>] Failed",
                "tests/test_a.py::test_one Passed",
            ],
            0,
        );
        check("1.xml", "<testsuites><testsuite>", &[], 1);
    }
}
