//! Whether a green test proves anything: the same command with the tests of the base and with its
//! product, each in a checkout of its own, recorded.

mod apart;
mod built;
mod check;
mod corner;
mod gate;
mod hooks;
#[cfg(feature = "proof-off")]
mod off;
mod planted;
mod probe;
mod reworded;
mod run;
mod support;

use std::{collections::BTreeSet, time::Duration};

use provost_exec::git::{Git, ObjectId, PrivateClone, tree::TreeFiles};
use provost_kernel::{
    Digest,
    story::BaseRun,
    task::{
        BaseTest, ProofCode, ProofCorner, ProofFinding, ProofLabel, ProofLevel, ProofRun,
        TestOutcome, TestProof,
    },
};
use provost_rules_proof::{
    class::{Class, Classes},
    paths::PathPatterns,
    plant,
    record::TestRecord,
    runnable::{Unrunnable, is_to_be_written, unrunnable},
    square::{Corner, Square, accuses, label},
};
use provost_vault::{Location, work_apart};

use self::hooks::Languages;
pub(crate) use self::{
    built::{Build, BuiltHere, BuiltTree, BuiltTrees, Version},
    corner::without_artefacts,
    gate::Noticed,
    run::start,
};
use crate::{
    Engine,
    preparation::{Layer, NotReady},
    story::StoryError,
};

/// The largest script that is read.
const SCRIPT: u64 = 1 << 20;

/// Proves the test of one delivery.
pub(crate) struct Prover<'a> {
    engine: &'a Engine<'a>,
    git: Git,
    clone: &'a PrivateClone,
    /// What was installed for the base.
    layer: Option<&'a Layer>,
    /// Where its checkouts lie.
    folder: Location,
    command: String,
    /// Where it starts, in the repository.
    cwd: String,
    /// Whether it ends at the first part that fails.
    is_strict: bool,
    deadline: Duration,
    languages: Languages,
    base: TreeFiles,
    classes: Classes,
    /// Changed files of the product that hold tests as well.
    inline: BTreeSet<String>,
    /// Where the next run takes place.
    next: Location,
    runs: Vec<ProofRun>,
    /// A run whose checkout could not be prepared: it says nothing.
    not_ready: Option<(ProofCorner, NotReady)>,
    /// The last line that the newest run printed, without secrets.
    last_line: String,
    /// The end of what it printed, without secrets.
    said: String,
    /// Builds that the command may begin with; none where it has a build of its own in every run.
    builds: Option<&'a BuiltTrees>,
    /// Files of tests and of the product that the run of what was delivered has changed.
    rewritten: Vec<String>,
    touched: Vec<String>,
    /// What the planted version is made from, where its build is that one's.
    planted_onto: Option<ObjectId>,
}

/// What is proven, with which settings.
pub(crate) struct ProofRequest<'a> {
    pub(crate) level: ProofLevel,
    /// Files of tests that the task may change: paths, folders or globs.
    pub(crate) leave: &'a [String],
}

/// One run, as far as the square looks at it.
struct Ran {
    corner: Corner,
    /// Files of the product that the run itself has changed.
    touched: Vec<String>,
    /// Whether a planted script left its mark.
    is_marked: bool,
    /// Whether it started where a build had ended.
    is_after_build: bool,
}

impl<'a> Prover<'a> {
    /// Gets ready to run a command on versions of a repository. The folder is removed by its owner.
    pub(crate) fn new(
        engine: &'a Engine<'a>,
        (clone, layer): (&'a PrivateClone, Option<&'a Layer>),
        folder: Location,
        command: &str,
        deadline: Duration,
    ) -> Result<Self, StoryError> {
        let git = engine.git();
        let base = TreeFiles::of(&git, clone, &clone.base)?;
        let mut prover = Self {
            engine,
            git,
            clone,
            layer,
            next: work_apart(&folder),
            folder,
            command: command.to_owned(),
            cwd: String::new(),
            is_strict: false,
            deadline,
            languages: Languages::default(),
            base,
            classes: Classes::default(),
            inline: BTreeSet::new(),
            runs: Vec::new(),
            not_ready: None,
            last_line: String::new(),
            said: String::new(),
            builds: None,
            rewritten: Vec::new(),
            touched: Vec::new(),
            planted_onto: None,
        };
        prover.classes = prover.classes_of(&prover.base);
        prover.languages = prover.find_languages()?;
        Ok(prover)
    }

    /// Lets the command start in a folder of the repository.
    #[must_use]
    pub(crate) fn starting_in(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.cwd);
        self.classes = self.classes_of(&self.base);
        self
    }

    /// Lets the command start where a build has ended, if it begins with it.
    #[must_use]
    pub(crate) fn with_builds(mut self, builds: &'a BuiltTrees) -> Self {
        self.builds = Some(builds);
        self
    }

    /// Lets the command end at the first part that fails.
    #[must_use]
    pub(crate) fn strict(mut self) -> Self {
        self.is_strict = true;
        self
    }

    /// Runs the command on the base.
    pub(crate) fn base(&mut self) -> Result<BaseTest, StoryError> {
        let commit = self.clone.base.clone();
        let ran = self.run(ProofCorner::Base, &commit)?;
        // Versions are compared: the others do not start where this one could not.
        self.builds = self.builds.filter(|_| ran.is_after_build);
        Ok(self.tested(&commit, ran))
    }

    /// Runs the command on a version that is red: which of its tests fail?
    pub(crate) fn recorded(&mut self, commit: &ObjectId) -> Result<BaseTest, StoryError> {
        let commit = without_artefacts(self.engine, self.clone, commit)?.commit;
        let ran = self.run(ProofCorner::Result, &commit)?;
        Ok(self.tested(&commit, ran))
    }

    fn tested(&self, commit: &ObjectId, ran: Ran) -> BaseTest {
        let Ran { corner: Corner { rc, record }, touched: rewritten, .. } = ran;
        let (tests, unfinished) = match record {
            Some(TestRecord { tests, unfinished }) => (Some(tests), unfinished),
            None => (None, 0),
        };
        let test = BaseTest::new(&self.command, commit.as_str(), rc, tests, unfinished);
        BaseTest { rewritten, ..test }
    }

    /// Takes how the command came out on the base from an earlier run there.
    pub(crate) fn known_base(&mut self, known: &BaseRun) {
        self.builds = self.builds.filter(|_| known.is_after_build);
        let count = |outcome| {
            let n = known.test.count(outcome);
            known.test.tests.is_some().then(|| n.try_into().unwrap_or(u32::MAX))
        };
        self.runs.push(ProofRun {
            corner: ProofCorner::Base,
            rc: known.test.rc,
            wall_ms: 0,
            passed: count(TestOutcome::Passed),
            failed: count(TestOutcome::Failed),
            skipped: count(TestOutcome::Skipped),
        });
    }

    /// Whether the newest run on the base started where a build had ended.
    pub(crate) fn is_after_build(&self) -> bool {
        self.builds.is_some()
    }

    /// The last line that the newest run printed, without secrets.
    pub(crate) fn last_line(&self) -> &str {
        &self.last_line
    }

    /// The end of what the newest run printed, without secrets.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// Why a checkout could not be prepared, if one could not.
    pub(crate) fn not_ready(&self) -> Option<&NotReady> {
        self.not_ready.as_ref().map(|it| &it.1)
    }

    /// What keeps the command from running on the base, after a run there.
    pub(crate) fn unrunnable(&self, base: &BaseTest) -> Option<Unrunnable> {
        let n_tests = base.tests.as_ref().map_or(0, Vec::len);
        let text = |path: &str| text(&self.git, self.clone, &self.base, path);
        unrunnable(&base.command, base.rc, n_tests, &self.last_line, &text)
    }

    /// Whether the command names a script or tests that the base does not have.
    pub(crate) fn is_to_be_written(&self) -> bool {
        let text = |path: &str| text(&self.git, self.clone, &self.base, path);
        is_to_be_written(&self.command, &text)
    }

    /// Finds out what a green result proves.
    pub(crate) fn prove(
        mut self,
        request: &ProofRequest<'_>,
        result: &ObjectId,
        base: &BaseTest,
    ) -> Result<TestProof, StoryError> {
        let result = &without_artefacts(self.engine, self.clone, result)?.commit;
        let delivered = TreeFiles::of(&self.git, self.clone, result)?;
        self.find_support(&delivered)?;
        let changed = self.changed_tests(&delivered)?;
        let mut square = self.square(request, result, &delivered, base, &changed)?;
        let mut findings = square.findings();
        if accuses(&findings) && self.not_ready.is_none() {
            // The second run owes nothing to the first, the build included.
            let builds = self.builds.take();
            let mut again = self.square(request, result, &delivered, base, &changed)?;
            self.builds = builds;
            findings = square.repeated_findings(&mut again);
        }
        #[cfg(feature = "proof-off")]
        {
            findings = self.without_off(findings);
        }
        let digest = self.digest(&delivered, &changed);
        if let Some((corner, why)) = self.not_ready.take() {
            let proof = self.not_run(request.level, changed, corner, &why);
            return Ok(TestProof { digest, ..proof });
        }
        if request.level >= ProofLevel::Standard && !accuses(&findings) {
            findings.extend(self.plant(result, &delivered, &square, request.level)?);
            findings.extend(self.plant_scripts(result, &delivered, &square)?);
            if !accuses(&findings) {
                findings.extend(self.reword(result, &delivered, &square)?);
            }
            let is_opaque = square.result.record.is_none() && square.base.record.is_none();
            if is_opaque && square.rewritten.is_empty() && !self.rewritten.is_empty() {
                let rewritten = self.rewritten.clone();
                findings.push(ProofFinding::new(ProofCode::TestsRewritten, rewritten));
            }
        }
        #[cfg(feature = "proof-off")]
        {
            findings = self.without_off(findings);
        }
        let is_new = label(&square, &findings).shows();
        if request.level >= ProofLevel::Strict && is_new {
            findings.extend(self.probe(result, &delivered)?);
        }
        let mut label = label(&square, &findings);
        // A test of the base may look for a comment: a person wrote it.
        if label == ProofLabel::Shown
            && let Some(finding) = self.comments(&delivered)?
        {
            label = ProofLabel::Present;
            findings.push(finding);
        }
        if label.shows() {
            findings.extend(self.data(&delivered));
        }
        if !accuses(&findings) {
            findings.extend(self.doubts(&delivered)?);
        }
        let is_known = |it: &String| base.rewritten.contains(it);
        let touched = self.touched.iter().filter(|it| !is_known(it)).cloned();
        let touched = ProofFinding::new(ProofCode::FilesRewritten, touched);
        findings.extend(Some(touched).filter(|it| !it.subjects.is_empty()));
        let is_said = findings.iter().any(|it| it.code == ProofCode::NothingNew);
        if label == ProofLabel::Holds && !is_said {
            findings.push(ProofFinding::whole(ProofCode::NothingNew));
        }
        let Self { command, runs, .. } = self;
        Ok(TestProof {
            level: request.level,
            command,
            label,
            runs,
            new_tests: square.new_tests(),
            findings,
            changed_tests: changed,
            digest,
        })
    }

    /// A proof of which a run is missing: what the others show is not known to be true.
    fn not_run(
        self,
        level: ProofLevel,
        changed_tests: Vec<String>,
        corner: ProofCorner,
        why: &NotReady,
    ) -> TestProof {
        let subject = format!("{corner}: {}", why.text());
        TestProof {
            level,
            command: self.command,
            label: ProofLabel::NotRun,
            runs: self.runs,
            findings: vec![ProofFinding::new(ProofCode::NotPrepared, [subject])],
            changed_tests,
            digest: None,
            new_tests: None,
        }
    }

    /// Every changed path that belongs to the tests.
    fn changed_tests(&mut self, delivered: &TreeFiles) -> Result<Vec<String>, StoryError> {
        let changed = self.changed(delivered);
        // A script that the command runs and the base lacks is a test of the agent's.
        let now = self.classes_of(delivered);
        let is_new_script = |path: &str| now.runs(path) && self.base.entry(path).is_none();
        let (product, mut tests): (Vec<String>, Vec<String>) = changed
            .into_iter()
            .partition(|it| self.classes.of(it) == Class::Product && !is_new_script(it));
        self.inline = self.changed_test_modules(&product, delivered)?;
        tests.extend(self.inline.iter().cloned());
        Ok(tests)
    }

    /// The digest of changed tests as they were delivered; of all that changed if there are none.
    fn digest(&self, delivered: &TreeFiles, changed: &[String]) -> Option<Digest> {
        let all;
        let paths = if changed.is_empty() {
            all = self.changed(delivered);
            &all
        } else {
            changed
        };
        let of = |path: &String| {
            let entry =
                delivered.entry(path).map(|(kind, id)| (format!("{kind:?}"), id.to_string()));
            (path.clone(), entry)
        };
        Digest::of_json(&paths.iter().map(of).collect::<Vec<_>>()).ok()
    }

    /// Every path that differs.
    fn changed(&self, delivered: &TreeFiles) -> Vec<String> {
        let paths: BTreeSet<&str> = self.base.paths().chain(delivered.paths()).collect();
        let is_changed = |path: &&str| !self.base.agrees_with(delivered, path);
        paths.into_iter().filter(is_changed).map(str::to_owned).collect()
    }

    /// Runs the corners that are needed.
    fn square(
        &mut self,
        request: &ProofRequest<'_>,
        result: &ObjectId,
        delivered: &TreeFiles,
        base: &BaseTest,
        changed: &[String],
    ) -> Result<Square, StoryError> {
        let is_opaque = base.tests.is_none();
        let base = Corner { rc: base.rc, record: record_of(base) };
        let is_whole = request.level >= ProofLevel::Standard;
        let leave = PathPatterns::new(request.leave.iter().map(String::as_str));
        let has_leave = changed.iter().any(|it| leave.matches(it));
        // New data comes along with the tests that read it: no test of the base can.
        let is_new_data = |path: &String| {
            self.base.entry(path).is_none()
                && self.classes.of(path) == Class::Test
                && plant::is_data(path)
        };
        let (left, kept): (Vec<String>, Vec<String>) = changed
            .iter()
            .cloned()
            .partition(|it| leave.matches(it) || (has_leave && is_new_data(it)));
        let mut square = Square {
            base,
            changed_tests: changed.to_vec(),
            left: left.iter().cloned().collect(),
            is_new_command: self.is_new_command(delivered),
            ..Square::default()
        };
        // A command that records nothing on the base needs no second run on the result.
        if !is_opaque || !changed.is_empty() || square.is_new_command {
            square.result = self.run(ProofCorner::Result, result)?.corner;
            square.rewritten.clone_from(&self.rewritten);
        }
        if is_whole && !changed.is_empty() {
            let old_tests = self.old_tests(result, delivered, &kept)?;
            square.old_tests = Some(self.run(ProofCorner::OldTests, &old_tests)?.corner);
            let old_product = self.old_product(delivered, changed)?;
            square.old_product = Some(self.run(ProofCorner::OldProduct, &old_product)?.corner);
        }
        Ok(square)
    }

    /// Whether the command runs a script that only the result has.
    fn is_new_command(&self, delivered: &TreeFiles) -> bool {
        self.classes_of(delivered).scripts().any(|it| self.base.entry(it).is_none())
    }

    /// The classes as the files of a version would have them.
    fn classes_of(&self, files: &TreeFiles) -> Classes {
        let text = |path: &str| text(&self.git, self.clone, files, path);
        let settings = self.engine.settings;
        Classes::of_command(&self.command, &self.cwd, &text)
            .configured(&settings.proof_tests, &settings.proof_product)
    }

    /// Whether the command runs something of the base that decides: a script, or a test runner, even
    /// one that cannot load its tests there.
    pub(crate) fn runs_base(&self, base: &BaseTest) -> bool {
        self.classes.scripts().next().is_some() || base.tests.is_some()
    }
}

/// The text of a file of a version; none if it cannot be read.
fn text(git: &Git, clone: &PrivateClone, files: &TreeFiles, path: &str) -> Option<String> {
    files.entry(path)?;
    files.texts(git, clone, [path], SCRIPT).ok()?.into_values().next()
}

/// The tests of an earlier run on the base.
fn record_of(base: &BaseTest) -> Option<TestRecord> {
    let tests = base.outcomes()?;
    Some(TestRecord { tests, unfinished: base.unfinished })
}
