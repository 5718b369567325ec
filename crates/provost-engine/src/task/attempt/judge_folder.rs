//! The folder that a judge starts in: outside every tree, with the evidence as text files.
//!
//! A client that starts in a tree obeys what lies there: hooks, servers, plugins, instructions. Here
//! lies nothing but what provost wrote, under names that no client takes for its own.

use std::{collections::BTreeMap, path::PathBuf};

use provost_exec::git::{FileChange, Git, GitError, PrivateClone, tree::TreeFiles};
use provost_kernel::task::Excerpt;
use provost_rules_task::evidence::file_name;
use provost_vault::{
    FileError, RealDisk, Scratch, WorkPlace, make_work_folder, remove, write_record,
};

use super::{
    Agent, Attempt, Stop,
    evidence::Bundle,
    policy::Change,
    step::{has_process, json},
    test::Tested,
};
use crate::context::redact_text;

/// The folder of the evidence, below the one of the judge.
const EVIDENCE: &str = "evidence";
/// The list of everything in the evidence.
const INDEX: &str = "files.txt";

/// The largest file that is copied whole.
const FILE: u64 = 512 << 10;
/// How much is copied of all files together.
const TOTAL: usize = 16 << 20;
/// How much of a list is kept.
const LIST: usize = 1 << 20;
/// How many files are read at once.
const BATCH: usize = 64;

/// Where a judge starts.
pub(super) struct JudgeFolder {
    pub(super) path: PathBuf,
    /// The list of the evidence, for a judge that is a program.
    pub(super) index: Option<PathBuf>,
}

/// One version of the files of a change.
struct Side {
    name: &'static str,
    files: TreeFiles,
}

impl Attempt<'_, '_, '_> {
    /// Makes the folder that the judge starts in. A judge that is not a program needs none.
    pub(super) fn judge_folder(
        &self,
        agent: &Agent,
        clone: &PrivateClone,
        change: &Change,
        tested: &Tested,
        bundle: &Bundle,
    ) -> Result<JudgeFolder, Stop> {
        if !has_process(&agent.selected.config) {
            return Ok(JudgeFolder { path: self.scratch(Scratch::Judge(1))?, index: None });
        }
        let layout = self.engine.desk.layout();
        let at = layout.work_place(self.open.task(), self.number, WorkPlace::JudgeFolder);
        remove(&at)?;
        let path = make_work_folder(&at)?;
        let git = self.engine.git();
        let after = TreeFiles::of(&git, clone, &change.commit)?;
        let tree: Vec<String> = after.paths().map(|it| format!("{it}\n")).collect();
        let before = TreeFiles::of(&git, clone, &clone.base)?;
        let sides = [Side { name: "base", files: before }, Side { name: "result", files: after }];
        let mut index = vec![
            "diff.txt: the whole change\n".to_owned(),
            "tree.txt: every path of the result\n".to_owned(),
            "coder.txt: what the coder said\n".to_owned(),
        ];
        let list = |lines: &[String]| Excerpt::head(&redact_text(&lines.concat()), LIST).text;
        self.lay("diff.txt", &change.patch)?;
        self.lay("tree.txt", &list(&tree))?;
        self.lay("coder.txt", &bundle.coder_output)?;
        if let Some(rc) = tested.rc {
            index.push(format!("test.txt: what the test printed; its exit code was {rc}\n"));
            self.lay("test.txt", &tested.log)?;
        }
        if let Some(proofs) = &self.proofs {
            index.push("proofs.txt: what was proven of the plan\n".to_owned());
            self.lay("proofs.txt", &redact_text(&String::from_utf8_lossy(&json(proofs))))?;
        }
        index.push(
            "\nChanged files, with their versions in the base and in the result:\n".to_owned(),
        );
        index.extend(self.lay_files(&git, clone, &change.files, &sides)?);
        self.lay(INDEX, &list(&index))?;
        let index = Some(path.join(EVIDENCE).join(INDEX));
        Ok(JudgeFolder { path, index })
    }

    /// Copies both versions of the changed files, and returns a line for each file.
    fn lay_files(
        &self,
        git: &Git,
        clone: &PrivateClone,
        files: &[FileChange],
        sides: &[Side],
    ) -> Result<Vec<String>, Stop> {
        let mut left = TOTAL;
        let mut lines = Vec::new();
        for batch in files.chunks(BATCH) {
            let mut texts = Vec::new();
            for side in sides {
                let of_side = if left == 0 {
                    BTreeMap::new()
                } else {
                    contents(git, clone, &side.files, batch)?
                };
                texts.push((side.name, of_side));
            }
            for file in batch {
                let mut copies = Vec::new();
                for (side, texts) in &texts {
                    let Some(text) = texts.get(&file.path) else { continue };
                    let text = redact_text(text);
                    let parts: Vec<String> =
                        std::iter::once((*side).to_owned()).chain(file_name(&file.path)).collect();
                    if text.len() > left {
                        left = 0;
                    } else if self.lay_at(&parts, &text)? {
                        left -= text.len();
                        copies.push(parts.join("/"));
                    }
                }
                lines.push(line(file, &copies));
            }
        }
        Ok(lines)
    }

    fn lay(&self, name: &str, text: &str) -> Result<(), FileError> {
        self.lay_at(&[name.to_owned()], text).map(|_| ())
    }

    /// Writes a file of the evidence; says whether its name allows that.
    fn lay_at(&self, parts: &[String], text: &str) -> Result<bool, FileError> {
        let parts: Vec<&str> =
            std::iter::once(EVIDENCE).chain(parts.iter().map(String::as_str)).collect();
        let layout = self.engine.desk.layout();
        match layout.judge_file(self.open.task(), self.number, &parts) {
            Some(at) => write_record(&RealDisk, &at, text.as_bytes()).map(|()| true),
            None => Ok(false),
        }
    }
}

/// One version of these files, as text; a link is where it leads.
fn contents(
    git: &Git,
    clone: &PrivateClone,
    tree: &TreeFiles,
    files: &[FileChange],
) -> Result<BTreeMap<String, String>, GitError> {
    let paths = || files.iter().filter(|it| !it.is_binary).map(|it| it.path.as_str());
    let mut texts = tree.texts(git, clone, paths(), FILE)?;
    texts.append(&mut tree.targets(git, clone, paths(), FILE)?);
    Ok(texts)
}

fn line(file: &FileChange, copies: &[String]) -> String {
    let counts = if file.is_binary {
        "binary".to_owned()
    } else {
        format!("+{} -{}", file.added, file.removed)
    };
    let copies = match copies {
        [] => "no copy here".to_owned(),
        some => some.join("; "),
    };
    format!("{} ({counts}): {}\n", file.path.escape_debug(), copies.escape_debug())
}
