//! The result with tests that must fail.

use std::collections::{BTreeMap, BTreeSet};

use provost_exec::git::{
    Kind, ObjectId,
    compose::{self, Edit, Replacement},
    tree::TreeFiles,
};
use provost_kernel::task::{ProofCorner, ProofFinding, ProofLevel};
use provost_rules_proof::{
    class::Class,
    plant::{self, Planted},
    planted::{self, FailedScripts, LateFailure, PlantedTest, Sites},
    record::TestRecord,
    square::Square,
};

use super::Prover;
use crate::{Engine, story::StoryError};

/// The largest source in which tests are looked for.
pub(super) const SOURCE: u64 = 1 << 20;

/// How often tests are planted again that the runner did not come to.
const UNREACHED: u8 = 3;

impl Prover<'_> {
    /// Runs the result with plants in its tests, and again where one was not reached or did not
    /// notice.
    pub(super) fn plant(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
        square: &Square,
        level: ProofLevel,
    ) -> Result<Vec<ProofFinding>, StoryError> {
        let Some(record) = &square.result.record else { return Ok(Vec::new()) };
        let (texts, plan) = self.plan(delivered, square, record, level)?;
        if plan.is_empty() {
            return Ok(planted::findings(&plan, &square.result).0);
        }
        let (commit, plan) = self.with_plants(result, delivered, &texts, plan)?;
        let ran = self.run(ProofCorner::Planted, &commit)?;
        let (mut findings, mut again) = planted::findings(&plan, &ran.corner);
        let mut left = planted::unreached(&plan, &ran.corner);
        for _ in 0..UNREACHED {
            if left.is_empty() {
                break;
            }
            let (commit, plan) = self.with_plants(result, delivered, &texts, left)?;
            let ran = self.run(ProofCorner::Planted, &commit)?;
            let (more, blind) = planted::findings(&plan, &ran.corner);
            findings.extend(more);
            again.extend(blind);
            left = planted::unreached(&plan, &ran.corner);
        }
        if !again.is_empty() {
            let (commit, again) = self.with_plants(result, delivered, &texts, again)?;
            let ran = self.run(ProofCorner::Planted, &commit)?;
            findings.extend(planted::second_findings(&again, &ran.corner));
        }
        Ok(findings)
    }

    /// The sources of tests, and what is planted in them.
    pub(super) fn plan(
        &self,
        delivered: &TreeFiles,
        square: &Square,
        record: &TestRecord,
        level: ProofLevel,
    ) -> Result<(BTreeMap<String, String>, Vec<PlantedTest>), StoryError> {
        let places: BTreeSet<&str> = record.tests.keys().map(|it| it.place.as_str()).collect();
        // Tests of Rust may stand in any file, and its runner names none.
        let may_hold_tests = |path: &&str| {
            path.rsplit_once('.').is_some_and(|it| it.1 == "rs")
                || places.contains(path)
                || self.classes.of(path) == Class::Test
        };
        let paths = delivered.plain().filter(may_hold_tests);
        let texts = delivered.texts(&self.git, self.clone, paths, SOURCE)?;
        let sites: Sites = texts
            .iter()
            .filter_map(|(path, text)| Some((path.clone(), plant::sites(path, text)?)))
            .filter(|(_, sites)| !sites.is_empty())
            .collect();
        let plan = planted::plan(square, &sites, level);
        Ok((texts, plan))
    }

    /// Runs a command without a known runner with its scripts made to fail, each leaving a mark.
    ///
    /// Where the command begins with a build, they are planted after the build of the result: a script that
    /// ends there at its first line would have done so in the very run that was green. One that does not
    /// may have been run or copied by the build, so the planted version is built then, too.
    pub(super) fn plant_scripts(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<Vec<ProofFinding>, StoryError> {
        if square.result.record.is_some() || square.base.record.is_some() {
            return Ok(Vec::new());
        }
        if self.builds.is_some_and(|it| it.split(&self.command, &self.cwd).is_some()) {
            self.planted_onto = Some(result.clone());
            let found = self.fail_scripts(result, delivered, square);
            self.planted_onto = None;
            let found = found?;
            if found.is_empty() {
                return Ok(found);
            }
        }
        self.fail_scripts(result, delivered, square)
    }

    /// Makes the scripts fail at their end, where the product has done what it can; where that is not
    /// noticed, at their beginning. What is noticed there and not at the end is masked by the product.
    fn fail_scripts(
        &mut self,
        result: &ObjectId,
        delivered: &TreeFiles,
        square: &Square,
    ) -> Result<Vec<ProofFinding>, StoryError> {
        let texts = delivered.texts(&self.git, self.clone, self.classes.scripts(), SOURCE)?;
        let version = (result, delivered);
        let leaves_early = texts.values().any(|it| plant::leaves_early(it));
        let fail_late = |prover: &mut Self| {
            let ran = prover.run_failing(version, &texts, plant::late_script)?;
            Ok::<_, StoryError>(
                ran.map_or(LateFailure::Unknown, |(_, ran)| LateFailure::of(ran, leaves_early)),
            )
        };
        // Behind a pipe, what scripts print decides, and not how they end.
        let late = if is_piped(&self.command) { LateFailure::Unknown } else { fail_late(self)? };
        if late == LateFailure::Noticed {
            return Ok(Vec::new());
        }
        let Some((scripts, ran)) = self.run_failing(version, &texts, plant::script)? else {
            return Ok(Vec::new());
        };
        let finding = planted::script_finding(&scripts, ran, square.base.rc != 0);
        if finding.is_some() || late == LateFailure::Unknown || fail_late(self)? != late {
            return Ok(finding.into_iter().collect());
        }
        Ok(late.finding(scripts).into_iter().collect())
    }

    /// Runs the command with scripts that fail; none if none of them can be made to.
    fn run_failing(
        &mut self,
        (result, delivered): (&ObjectId, &TreeFiles),
        texts: &BTreeMap<String, String>,
        fail: impl Fn(&str, &str, &str) -> Option<String>,
    ) -> Result<Option<(Vec<String>, FailedScripts)>, StoryError> {
        let mark = self.next_mark();
        let planted = texts
            .iter()
            .filter_map(|(path, text)| Some(edit(delivered, path, fail(path, text, &mark)?)));
        let edits: Vec<Edit> = planted.collect();
        if edits.is_empty() {
            return Ok(None);
        }
        let identity = Engine::identity();
        let commit = compose::compose(&self.git, self.clone, result, &edits, &identity)?;
        let ran = self.run(ProofCorner::Planted, &commit)?;
        let scripts = edits.into_iter().map(|it| it.path).collect();
        Ok(Some((scripts, FailedScripts { rc: ran.corner.rc, is_marked: ran.is_marked })))
    }

    /// The commit with the plants, and those that could be planted.
    fn with_plants(
        &self,
        result: &ObjectId,
        delivered: &TreeFiles,
        texts: &BTreeMap<String, String>,
        mut plan: Vec<PlantedTest>,
    ) -> Result<(ObjectId, Vec<PlantedTest>), StoryError> {
        let mut edits = Vec::new();
        let paths: BTreeSet<String> = plan.iter().map(|it| it.path.clone()).collect();
        for path in paths {
            let Some(text) = texts.get(&path) else { continue };
            let here = plan.iter().filter(|it| it.path == path);
            let plants: Vec<_> = here.map(|it| (it.id.clone(), it.plant)).collect();
            let Planted { text, refused } = plant::apply(&path, text, &plants);
            plan.retain(|it| it.path != path || !refused.iter().any(|(id, _)| *id == it.id));
            edits.push(edit(delivered, &path, text));
        }
        let identity = Engine::identity();
        Ok((compose::compose(&self.git, self.clone, result, &edits, &identity)?, plan))
    }
}

/// Whether what a part of a command prints goes to another one.
fn is_piped(command: &str) -> bool {
    !provost_shell::parse(command).pipes.is_empty()
}

/// Another text for a file, which keeps its mode.
pub(super) fn edit(delivered: &TreeFiles, path: &str, text: String) -> Edit {
    let is_executable = delivered.entry(path).is_some_and(|it| it.0 == Kind::Executable);
    Edit { path: path.to_owned(), content: Replacement::Text { text, is_executable } }
}
