//! The evidence of an attempt: bounded, without secrets, and marked as data.

use provost_exec::git::FileChange;
use provost_kernel::{
    Message as _, RecordFile,
    task::{EventKind, Evidence, Excerpt, GitEvidence, Standing, TestEvidence},
};
use provost_rules_task::{
    evidence::{Arrangement, ListedFile, arrange},
    prompt::limit,
};
use provost_vault::{AttemptFile, RealDisk, write_record};

use super::{Attempt, Note, Stop, coder::Said, policy::Change, step::json, test::Tested};

/// What a judge is shown.
pub(super) struct Bundle {
    pub(super) changed_paths: Vec<String>,
    pub(super) coder_output: String,
    /// The change, with what could bend a verdict first.
    pub(super) change: Arrangement,
    /// `evidence.json`, as bytes.
    pub(super) file: Vec<u8>,
}

impl Attempt<'_, '_, '_> {
    /// Packs the evidence and keeps it.
    pub(super) fn pack(
        &mut self,
        change: &Change,
        tested: &Tested,
        said: &Said,
    ) -> Result<Bundle, Stop> {
        let task = self.open.task();
        let relative = |name: &str| format!("{task}/attempt_{}/{name}", self.number);
        let changed_paths: Vec<String> = change.files.iter().map(|it| it.path.clone()).collect();
        let listed: Vec<ListedFile<'_>> = change
            .files
            .iter()
            .map(|it| ListedFile {
                path: &it.path,
                added: it.added,
                removed: it.removed,
                is_binary: it.is_binary,
            })
            .collect();
        let arranged = arrange(&change.patch, &listed, change.is_cut);
        let artifact = |it: &&FileChange| it.path.starts_with("artifacts/") && it.new.is_some();
        let evidence = Evidence {
            schema_version: "v1".to_owned(),
            task_id: task.clone(),
            attempt: self.number.get(),
            task_code: self.spec.task_code.clone(),
            worktree_path: String::new(),
            created_at: self.engine.desk.clock().now(),
            git: GitEvidence {
                diff_stat_path: relative("diff.stat"),
                diff_patch_path: relative("diff.patch"),
                head_commit: Some(change.commit.to_string()),
                changed_paths: changed_paths.clone(),
                diff: arranged.excerpt(),
            },
            commands: self.commands.clone(),
            test: TestEvidence {
                cmd: self.spec.test_cmd.clone(),
                rc: tested.rc,
                wall_ms: tested.rc.and(self.metrics.step_ms.get("test").copied()),
                network: tested.network,
                log_tail: Excerpt::last_lines(&tested.log, limit::TEST_LOG_LINES, limit::TEST_LOG),
            },
            artifacts: change.files.iter().filter(artifact).map(|it| it.path.clone()).collect(),
            metrics_path: Some(relative("metrics.json")),
            coder_output: Excerpt::tail(&said.text, limit::CODER_OUTPUT),
            findings: self.findings.clone(),
        };
        let layout = self.engine.desk.layout();
        let at = layout.attempt_file(task, self.number, AttemptFile::Evidence);
        let evidence = RecordFile::new(evidence);
        let file = json(&evidence);
        write_record(&RealDisk, &at, &file)?;
        self.note(EventKind::EvidencePacked, format!("{} files", changed_paths.len()))?;
        if arranged.partial() > 0 {
            let note = Note::PartialEvidence { files: arranged.partial() };
            self.checked("evidence", Standing::NotVerified, note.text());
        }
        let coder_output = said.text.clone();
        Ok(Bundle { changed_paths, coder_output, change: arranged, file })
    }
}
