//! The names of the files of a mission and of a run.

/// A log of a run: one JSON object to a line, made again from the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactFile {
    /// Every question and its answer: what all other files follow from.
    Calls,
    GuidanceLog,
    Trajectories,
    Selections,
    Reflection,
    HypothesisEvents,
    StopGradientQueue,
    FailureMalformed,
    Metrics,
    GateRuns,
    IngestRejects,
    GroupReport,
    Census,
    Distillation,
    /// The only file with times in it: nothing is held against it.
    Timing,
}

/// A file of a run that is replaced as a whole. The scaffold is none of them: it is kept once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentFile {
    Guidance,
    Hypotheses,
    Report,
}

/// A log of a mission, over all its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissionLog {
    /// What was current, and when it became so.
    History,
    /// Tickets that provost collects itself.
    Tickets,
    /// Which finished tasks people are asked to review.
    Draws,
    /// What people said of tickets that reflection gave up on.
    Resolutions,
    /// What happened to rules: bets, stakes, promotions, adoptions.
    Accounts,
}

pub(super) const SCAFFOLD: &str = "scaffold.json";
pub(super) const RUN: &str = "run.json";
pub(super) const SNAPSHOTS: &str = "snapshots";
pub(super) const CURRENT: &str = "current.json";

impl ArtifactFile {
    /// Every log of a run.
    pub const ALL: [Self; 15] = [
        Self::Calls,
        Self::GuidanceLog,
        Self::Trajectories,
        Self::Selections,
        Self::Reflection,
        Self::HypothesisEvents,
        Self::StopGradientQueue,
        Self::FailureMalformed,
        Self::Metrics,
        Self::GateRuns,
        Self::IngestRejects,
        Self::GroupReport,
        Self::Census,
        Self::Distillation,
        Self::Timing,
    ];

    pub fn file_name(self) -> &'static str {
        match self {
            Self::Calls => "calls.jsonl",
            Self::GuidanceLog => "guidance_log.jsonl",
            Self::Trajectories => "trajectories.jsonl",
            Self::Selections => "selections.jsonl",
            Self::Reflection => "reflection.jsonl",
            Self::HypothesisEvents => "hypothesis_events.jsonl",
            Self::StopGradientQueue => "stop_gradient_queue.jsonl",
            Self::FailureMalformed => "failure_malformed.jsonl",
            Self::Metrics => "metrics.jsonl",
            Self::GateRuns => "gate_runs.jsonl",
            Self::IngestRejects => "ingest_rejects.jsonl",
            Self::GroupReport => "group_report.jsonl",
            Self::Census => "census.jsonl",
            Self::Distillation => "distill_chatml.jsonl",
            Self::Timing => "timing.jsonl",
        }
    }
}

impl DocumentFile {
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Guidance => "guidance.json",
            Self::Hypotheses => "hypotheses.json",
            Self::Report => "report.json",
        }
    }
}

impl MissionLog {
    pub fn file_name(self) -> &'static str {
        match self {
            Self::History => "history.jsonl",
            Self::Tickets => "tickets.jsonl",
            Self::Draws => "draws.jsonl",
            Self::Resolutions => "queue_resolutions.jsonl",
            Self::Accounts => "accounts.jsonl",
        }
    }
}

/// The name of the copy of the guidance at one step.
pub(super) fn snapshot_name(step: u64) -> String {
    format!("guidance-step-{step:06}.json")
}

/// The step that a copy is of; none for any other file.
pub(super) fn snapshot_step(name: &str) -> Option<u64> {
    let digits = name.strip_prefix("guidance-step-")?.strip_suffix(".json")?;
    let step = digits.parse().ok()?;
    (snapshot_name(step) == name).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_files_have_one_name_and_a_run_can_have_none_of_them() {
        let mut names: Vec<&str> = ArtifactFile::ALL.iter().map(|it| it.file_name()).collect();
        let documents = [DocumentFile::Guidance, DocumentFile::Hypotheses, DocumentFile::Report];
        names.extend(documents.iter().map(|it| it.file_name()));
        let logs = [
            MissionLog::History,
            MissionLog::Tickets,
            MissionLog::Draws,
            MissionLog::Resolutions,
            MissionLog::Accounts,
        ];
        names.extend(logs.iter().map(|it| it.file_name()));
        names.extend([SCAFFOLD, RUN, CURRENT]);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for name in names {
            assert!(name.parse::<provost_kernel::learn::RunName>().is_err(), "{name}");
        }
    }

    #[test]
    fn a_snapshot_is_known_by_its_step() {
        for (name, expected) in [
            ("guidance-step-000001.json", Some(1)),
            ("guidance-step-1234567.json", Some(1_234_567)),
            ("guidance-step-1.json", None),
            ("guidance-step-00000a.json", None),
            ("guidance-step-+00001.json", None),
            ("guidance.json", None),
            ("", None),
        ] {
            assert_eq!(snapshot_step(name), expected, "{name}");
        }
        assert_eq!(snapshot_step(&snapshot_name(u64::MAX)), Some(u64::MAX));
    }
}
