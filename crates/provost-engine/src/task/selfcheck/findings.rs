//! Findings in the making.

use provost_kernel::{Finding, Severity, Text};
use provost_vault::{Corruption, Stored};

/// What was found so far.
pub(super) struct Findings {
    pub(super) list: Vec<Finding>,
}

impl Findings {
    pub(super) fn new() -> Self {
        Self { list: Vec::new() }
    }

    pub(super) fn add(&mut self, severity: Severity, subject: &str, en: &str, zh: &str) {
        self.list.push(Finding {
            rule: "task.selfcheck".into(),
            severity,
            subject: subject.to_owned(),
            message: Text::pair(en, zh),
            hint: None,
        });
    }

    /// Says what to do about the newest finding.
    pub(super) fn hint(&mut self, en: String, zh: String) {
        if let Some(newest) = self.list.last_mut() {
            newest.hint = Some(Text::pair(en, zh));
        }
    }

    /// What a file holds; one that cannot be understood is a finding.
    pub(super) fn present<T>(&mut self, stored: Stored<T>, name: &str) -> Option<T> {
        match stored {
            Stored::Present(value) => Some(value),
            Stored::Absent => None,
            Stored::Corrupt(Corruption { why, .. }) => {
                let (en, zh) = (format!("it cannot be read: {why}"), format!("无法读取:{why}"));
                self.add(Severity::P0, name, &en, &zh);
                None
            }
        }
    }
}
