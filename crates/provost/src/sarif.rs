//! SARIF 2.1.0, the form in which code scanning reads findings.

use std::collections::BTreeMap;

use provost_kernel::Severity;
use serde::Serialize;

/// A whole document: one run of one tool.
#[derive(Debug, Serialize)]
pub(crate) struct Sarif {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run; 1],
}

#[derive(Debug, Serialize)]
struct Run {
    tool: Tool,
    invocations: [Invocation; 1],
    results: Vec<SarifResult>,
}

#[derive(Debug, Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Debug, Serialize)]
struct Driver {
    name: &'static str,
    version: String,
    rules: Vec<Rule>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Rule {
    id: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    exit_code: u8,
}

/// One finding.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SarifResult {
    rule_id: String,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
    partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressions: Vec<Suppression>,
}

#[derive(Debug, Serialize)]
struct Message {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Debug, Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
}

#[derive(Debug, Serialize)]
struct Suppression {
    kind: &'static str,
    justification: String,
}

/// What a finding is, and what makes it the same one in the next run.
#[derive(Debug)]
pub(crate) struct SarifFinding<'a> {
    pub(crate) rule: &'a str,
    pub(crate) severity: Severity,
    pub(crate) text: String,
    pub(crate) fingerprint: (&'static str, String),
}

impl SarifResult {
    pub(crate) fn new(finding: SarifFinding<'_>) -> Self {
        let SarifFinding { rule, severity, text, fingerprint } = finding;
        Self {
            rule_id: rule.to_owned(),
            level: match severity {
                Severity::P0 | Severity::P1 => "error",
                Severity::P2 => "warning",
            },
            message: Message { text },
            locations: Vec::new(),
            partial_fingerprints: BTreeMap::from([fingerprint]),
            suppressions: Vec::new(),
        }
    }

    /// The same in a file of the repository; its first line, where the line is not known.
    pub(crate) fn at(mut self, path: &str, line: Option<u32>) -> Self {
        let artifact_location = ArtifactLocation { uri: uri(path) };
        let region = Region { start_line: line.unwrap_or(1).max(1) };
        let physical_location = PhysicalLocation { artifact_location, region };
        self.locations.push(Location { physical_location });
        self
    }

    /// The same, not counted for this reason.
    pub(crate) fn suppressed(mut self, justification: String) -> Self {
        self.suppressions.push(Suppression { kind: "external", justification });
        self
    }
}

impl Sarif {
    pub(crate) fn new(
        name: &'static str,
        version: &str,
        exit_code: u8,
        results: Vec<SarifResult>,
    ) -> Self {
        let mut rules: Vec<Rule> =
            results.iter().map(|it| Rule { id: it.rule_id.clone() }).collect();
        rules.sort();
        rules.dedup();
        let driver = Driver { name, version: version.to_owned(), rules };
        let invocations = [Invocation { execution_successful: exit_code != 2, exit_code }];
        Self {
            schema: "https://json.schemastore.org/sarif-2.1.0.json",
            version: "2.1.0",
            runs: [Run { tool: Tool { driver }, invocations, results }],
        }
    }

    /// The document as text.
    pub(crate) fn text(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// A path as a relative reference: what is not plain is written as an escape.
fn uri(path: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._~/+@,=".contains(&it);
    path.bytes()
        .map(|it| if is_plain(it) { char::from(it).to_string() } else { format!("%{it:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_reference() {
        for (path, expected) in [
            ("src/main.rs", "src/main.rs"),
            ("a b/100%.md", "a%20b/100%25.md"),
            ("c:d#e?f", "c%3Ad%23e%3Ff"),
            ("文.md", "%E6%96%87.md"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }

    #[test]
    fn a_document_names_each_rule_once() {
        let result = |rule| {
            let fingerprint = ("x/v1", "f".to_owned());
            let text = "t".to_owned();
            SarifResult::new(SarifFinding { rule, severity: Severity::P2, text, fingerprint })
        };
        let results = vec![result("b"), result("a").at("x.py", Some(3)), result("b")];
        let sarif = Sarif::new("provost verify", "1", 1, results);
        let json: serde_json::Value = serde_json::from_str(&sarif.text().unwrap()).unwrap();
        let run = &json["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
        let place = &run["results"][1]["locations"][0]["physicalLocation"];
        assert_eq!(
            (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
            (&"x.py".into(), &3.into())
        );
        assert!(run["results"][0].get("locations").is_none());
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    }
}
