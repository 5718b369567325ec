//! What a test binary of Rust printed.

use super::{TestName, TestOutcome, TestRecord};

/// Reads the output of one binary. Its first line is written by the hook: `# unit PACKAGE/BINARY`.
pub(super) fn read(text: &str, record: &mut TestRecord) {
    let mut place = String::new();
    let mut is_finished = false;
    for line in text.lines() {
        if let Some(unit) = line.strip_prefix("# unit ") {
            unit.clone_into(&mut place);
        } else if line.starts_with("test result: ") {
            is_finished = true;
        } else if let Some((name, outcome)) = test(line) {
            let path = name.split("::").map(str::to_owned).collect();
            record.add(TestName { place: place.clone(), path }, outcome);
        }
    }
    record.unfinished += u32::from(!is_finished);
}

/// `test a::b ... ok`. What a test prints itself may follow the dots.
fn test(line: &str) -> Option<(&str, TestOutcome)> {
    let (name, rest) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    let outcome = if rest.starts_with("ignored") {
        TestOutcome::Skipped
    } else if rest.ends_with("ok") {
        TestOutcome::Passed
    } else if rest.ends_with("FAILED") {
        TestOutcome::Failed
    } else {
        return None;
    };
    Some((name, outcome))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn a_binary_names_its_tests() {
        let text = "# unit shop/it\n\nrunning 4 tests\ntest cart::adds ... ok\n\
                    test cart::panics - should panic ... ok\ntest slow ... ignored, takes long\n\
                    test sum ... FAILED\n\nfailures:\n";
        let names = [
            "shop/it::cart::adds Passed",
            "shop/it::cart::panics Passed",
            "shop/it::slow Skipped",
            "shop/it::sum Failed",
        ];
        check("1.libtest", text, &names, 1);
        check("1.libtest", &format!("{text}\ntest result: FAILED. 2 passed"), &names, 0);
    }
}
