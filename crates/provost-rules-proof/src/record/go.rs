//! What a test binary of Go printed with `-test.v`.

use super::{TestName, TestOutcome, TestRecord};

/// Reads the output of one package. Its first line is written by the hook: `# unit FOLDER`.
pub(super) fn read(text: &str, record: &mut TestRecord) {
    let mut place = String::new();
    let mut is_finished = false;
    for line in text.lines() {
        if let Some(unit) = line.strip_prefix("# unit ") {
            unit.clone_into(&mut place);
        } else if matches!(line, "PASS" | "FAIL") {
            is_finished = true;
        } else if let Some((name, outcome)) = test(line.trim_start()) {
            let path = name.split('/').map(str::to_owned).collect();
            record.add(TestName { place: place.clone(), path }, outcome);
        }
    }
    record.unfinished += u32::from(!is_finished);
}

fn test(line: &str) -> Option<(&str, TestOutcome)> {
    let (word, rest) = line.strip_prefix("--- ")?.split_once(": ")?;
    let outcome = match word {
        "PASS" => TestOutcome::Passed,
        "FAIL" => TestOutcome::Failed,
        "SKIP" => TestOutcome::Skipped,
        _ => return None,
    };
    Some((rest.rsplit_once(" (").map_or(rest, |it| it.0), outcome))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn a_package_names_its_tests() {
        let text = "# unit cart\n=== RUN   TestAdd\n=== RUN   TestAdd/zero\n--- FAIL: TestAdd (0.00s)\n    \
                    --- FAIL: TestAdd/zero (0.00s)\n--- SKIP: TestSlow (0.00s)\n--- PASS: TestSum (0.01s)\n";
        let names = [
            "cart::TestAdd Failed",
            "cart::TestAdd::zero Failed",
            "cart::TestSlow Skipped",
            "cart::TestSum Passed",
        ];
        check("1.gotest", text, &names, 1);
        check("1.gotest", &format!("{text}FAIL\n"), &names, 0);
    }
}
