//! A small project in a folder of its own, and the rounds in which its tests get their plants.

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use provost_rules_proof::plant::{
    Plant, Rewording, TestId, TestSite, apply, reworded, site, sites,
};
use tempfile::TempDir;

pub(crate) struct World {
    folder: TempDir,
}

/// A test as a runner reports it.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) names: Vec<String>,
    pub(crate) is_passed: bool,
}

impl World {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { folder: TempDir::new().unwrap() };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Runs a program in the folder, with nothing of the environment but where programs are.
    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.folder.path()).env_clear();
        for name in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.env("CI", "1").env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap()
    }

    /// Gives each test each plant once and leaves it alone once, in four rounds, and insists that
    /// exactly those with a plant fail; in other words all of them pass.
    #[track_caller]
    pub(crate) fn check(&self, path: &str, text: &str, run: impl Fn(&Self) -> Vec<Report>) {
        let sites = sites(path, text).unwrap();
        for rewording in [Rewording::Comment, Rewording::Values] {
            let other = reworded(path, text, rewording).unwrap();
            self.write(path, &other);
            let reports = run(self);
            for site in &sites {
                verify(site, &sites, &[], &reports, &other);
            }
        }
        for round in 0..4 {
            let plants: Vec<(TestId, Plant)> = sites
                .iter()
                .enumerate()
                .filter_map(|(at, it)| Some((it.id.clone(), plant(it, (at + round) % 4)?)))
                .collect();
            let planted = apply(path, text, &plants);
            assert_eq!(planted.refused, []);
            self.write(path, &planted.text);
            let reports = run(self);
            for site in &sites {
                verify(site, &sites, &plants, &reports, &planted.text);
            }
        }
    }
}

fn plant(site: &TestSite, turn: usize) -> Option<Plant> {
    match turn {
        0 => Some(if site.is_inverted { Plant::Return } else { Plant::Failure }),
        1 => site.has_literal.then_some(Plant::Expectation),
        2 => site.has_literal.then_some(Plant::SecondLook),
        _ => None,
    }
}

#[track_caller]
fn verify(
    it: &TestSite,
    sites: &[TestSite],
    plants: &[(TestId, Plant)],
    reports: &[Report],
    text: &str,
) {
    // A test fails with one of its subtests, and those do not run where it fails first.
    let is_related = |other: &TestId| {
        let (one, two) = (&it.id.0, &other.0);
        one != two && (one.starts_with(two) || two.starts_with(one))
    };
    if plants.iter().any(|(id, _)| is_related(id)) {
        return;
    }
    let is_planted = plants.iter().any(|(id, _)| *id == it.id);
    let mut count = 0;
    for report in reports {
        let names: Vec<&str> = report.names.iter().map(String::as_str).collect();
        if site(sites, &names).is_some_and(|found| found.id == it.id) {
            count += 1;
            assert_eq!(report.is_passed, !is_planted, "{}\n{text}\n{reports:?}", it.id);
        }
    }
    assert!(count > 0, "{} did not run\n{text}\n{reports:?}", it.id);
}
