//! A world in which one task runs: a repository, a home, a scripted coder, and a judge that says
//! PASS to everything. It is thrown away; it lies outside this checkout, where no manifest of ours
//! is found above it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    failure::Failure,
    ground::cannot,
    liars::outcome::TaskEnd,
    process::{Ended, Process},
    project, python,
};

/// What every script of a case can use.
const FIX: &str = "fixtures/cheats/projects/fix.sh";
/// The task of a world.
const TASK: &str = "t1";
/// How long a command of a case may take outside provost.
const SECONDS: &str = "300";
pub(crate) const VERDICT: &str = r#"{"schema":"provost.adapter/1","role":"judge","text":"{\"decision\":\"PASS\",\"reasons\":[\"as the evidence shows\"],\"next_instructions\":\"\",\"questions_for_user\":[]}"}"#;
pub(crate) const REPLY: &str =
    r#"printf '{"schema":"provost.adapter/1","role":"coder","text":"done"}' >"$PROVOST_REPLY""#;

/// A task, and the repository that it works on.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Play {
    /// Folders whose files the base has, from the root of this checkout.
    pub(crate) sources: Vec<String>,
    /// A shell that runs before the base is committed.
    pub(crate) base: String,
    /// What `provost.toml` has besides the agents.
    pub(crate) config: String,
    pub(crate) test: String,
    /// What the coder does.
    pub(crate) shell: String,
    pub(crate) tests_may_change: Vec<String>,
    /// Files that programs obey, and that the task permits by name.
    pub(crate) permits: Vec<String>,
}

/// The programs of a run.
#[derive(Clone, Debug)]
pub(crate) struct Cast {
    pub(crate) provost: PathBuf,
    /// `PATH`, and whatever else decides where programs and packages come from.
    pub(crate) variables: Vec<(String, String)>,
    /// Whether the worlds stay.
    pub(crate) keep: bool,
}

#[derive(Debug, Deserialize)]
struct Answer {
    state: String,
    #[serde(default)]
    message: String,
}

#[derive(Debug, Deserialize)]
struct Proof {
    label: String,
    findings: Vec<Finding>,
}

#[derive(Debug, Deserialize)]
struct Finding {
    code: String,
}

/// A folder with a repository in it.
pub(crate) struct World {
    pub(crate) folder: PathBuf,
    // Removes it at the end; none where it stays.
    _guard: Option<tempfile::TempDir>,
}

impl Play {
    /// Runs the task with provost, once.
    pub(crate) fn run(&self, cast: &Cast, name: &str) -> Result<TaskEnd, Failure> {
        let world = self.world(cast, name)?;
        let start = Instant::now();
        let spec = world.text("spec.json");
        let process = Process::new(&cast.provost, &["--json", "run", &spec]);
        let ended = world.dressed(process, cast).capture()?;
        let mut end = world.read(&ended, TASK)?;
        end.seconds = start.elapsed().as_secs();
        if cast.keep {
            println!("  {name}: {}", world.folder.display());
        }
        Ok(end)
    }

    /// A world in which the task can be run.
    pub(crate) fn world(&self, cast: &Cast, name: &str) -> Result<World, Failure> {
        let world = World::new(cast, name)?;
        world.fill(self, cast)?;
        world.agents(self)?;
        world.commit(cast)?;
        Ok(world)
    }

    /// Whether the command is green after the shell, by its exit code and without provost. What is
    /// installed already lies in `packages`.
    pub(crate) fn is_green(&self, cast: &Cast, packages: Option<&Path>) -> Result<bool, Failure> {
        let world = World::new(cast, "plain")?;
        world.fill(self, cast)?;
        world.commit(cast)?;
        if let Some(packages) = packages {
            let from = packages.display();
            world.shell(cast, &format!("cp -R '{from}'/. ."))?;
        }
        world.write("coder.sh", &coder(&self.shell, "true"))?;
        world.shell(cast, "sh -eu ../coder.sh")?;
        let path = world.folder.join("repo/.venv/bin");
        let inherited = cast.variables.iter().find(|it| it.0 == "PATH").map(|it| it.1.as_str());
        let path = format!("{}:{}", path.display(), inherited.unwrap_or_default());
        let process = Process::new("timeout", &[SECONDS, "sh", "-c", &self.test]);
        let process = world.dressed(process, cast).environment("PATH", &path);
        Ok(process.capture()?.is_success)
    }

    pub(crate) fn spec(&self, repository: &str, task: &str) -> serde_json::Value {
        let mut spec = serde_json::json!({
            "task_id": task,
            "repo_path": repository,
            "goal": "give a discount of a tenth from 100 on",
            "acceptance": "the tests pass",
            "test_cmd": self.test,
            "coder": "c",
            "judge": "j",
            "max_attempts": 1,
            "coder_timeout_seconds": 300,
            "test_timeout_seconds": 300,
            "judge_timeout_seconds": 60,
        });
        if !self.tests_may_change.is_empty() {
            spec["tests_may_change"] = self.tests_may_change.clone().into();
        }
        if !self.permits.is_empty() {
            let all = [".".to_owned()];
            spec["allowed_paths"] = all.iter().chain(&self.permits).cloned().collect();
        }
        spec
    }
}

impl World {
    pub(crate) fn new(cast: &Cast, name: &str) -> Result<Self, Failure> {
        let prefix = format!("{}-", name.replace('/', "-"));
        let guard = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir()
            .map_err(|error| cannot("make a folder for", name, &error))?;
        let folder = guard
            .path()
            .canonicalize()
            .map_err(|error| cannot("find", &guard.path().to_string_lossy(), &error))?;
        let world = if cast.keep {
            Self { folder: guard.keep().canonicalize().unwrap_or(folder), _guard: None }
        } else {
            Self { folder, _guard: Some(guard) }
        };
        world.write("home/.keep", "")?;
        world.write("fix.sh", &project::read(FIX)?)?;
        Ok(world)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        self.folder.join(path).to_string_lossy().into_owned()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> Result<(), Failure> {
        // An absolute path stays what it is.
        project::write(&self.text(path), text)
    }

    /// Puts the files of the base into the repository.
    fn fill(&self, play: &Play, cast: &Cast) -> Result<(), Failure> {
        self.write("repo/.keep", "")?;
        self.shell(cast, "rm .keep")?;
        for source in &play.sources {
            let from = project::root().join(source);
            self.shell(cast, &format!("cp -R '{}'/. .", from.display()))?;
        }
        self.shell(cast, "rm -f task.toml; printf '.provost/\\n' >>.gitignore")?;
        if !play.base.is_empty() {
            self.write("base.sh", &coder(&play.base, "true"))?;
            self.shell(cast, "sh -eu ../base.sh")?;
        }
        Ok(())
    }

    /// Makes the files a repository.
    pub(crate) fn commit(&self, cast: &Cast) -> Result<(), Failure> {
        for line in [
            "git init --quiet --initial-branch=main .",
            "git add --all",
            "git -c user.name=a -c user.email=a@localhost commit --quiet --message=base",
        ] {
            self.shell(cast, line)?;
        }
        Ok(())
    }

    fn agents(&self, play: &Play) -> Result<(), Failure> {
        self.write("c.sh", &coder(&play.shell, REPLY))?;
        self.write("verdict.json", VERDICT)?;
        self.write("j.sh", &format!("cat '{}' >\"$PROVOST_REPLY\"\n", self.text("verdict.json")))?;
        let adapter = |name: &str| {
            let script = self.text(&format!("{name}.sh"));
            format!(
                "[adapter.{name}]\nkind = \"command\"\nargv = [\"sh\", \"-eu\", \"{script}\"]\n"
            )
        };
        let config = format!("{}\n{}{}", play.config, adapter("c"), adapter("j"));
        self.write("repo/provost.toml", &config)?;
        self.write("spec.json", &play.spec(&self.text("repo"), TASK).to_string())
    }

    /// A file of this world, read as JSON; none where that is not possible.
    pub(crate) fn json<T: DeserializeOwned>(&self, path: &str) -> Option<T> {
        json(&self.folder.join(path))
    }

    /// Runs a line of shell in the repository, which must succeed.
    pub(crate) fn shell(&self, cast: &Cast, line: &str) -> Result<(), Failure> {
        let process = Process::new("timeout", &[SECONDS, "sh", "-c", line]);
        let ended = self.dressed(process, cast).capture()?;
        if ended.is_success {
            return Ok(());
        }
        Err(Failure::Unable(format!("{}\n{}{}", ended.text, ended.stdout, ended.stderr)))
    }

    /// A process in the repository, with the home of this world.
    pub(crate) fn dressed(&self, process: Process, cast: &Cast) -> Process {
        let world = self.text("");
        let world = world.trim_end_matches('/');
        let of_world =
            |(name, value): &(String, String)| (name.clone(), value.replace("{world}", world));
        let variables: Vec<(String, String)> = cast.variables.iter().map(of_world).collect();
        process
            .bare()
            .variables(&variables)
            .environment("HOME", &self.text("home"))
            .environment("FIX", &self.text("fix.sh"))
            .within(&self.folder.join("repo"))
    }

    /// What the run left.
    pub(crate) fn read(&self, ended: &Ended, task: &str) -> Result<TaskEnd, Failure> {
        let answer: Answer = serde_json::from_str(&ended.stdout).map_err(|error| {
            Failure::Unable(format!(
                "{}: cannot read its answer: {error}\n{}",
                ended.text, ended.stderr
            ))
        })?;
        let attempt = self.folder.join(format!("repo/.provost/out/{task}/attempt_001"));
        let proof: Option<Proof> = json(&attempt.join("test_proof.json"));
        let rc = fs::read_to_string(attempt.join("test/rc.txt")).ok();
        let codes = |it: &Proof| it.findings.iter().map(|it| it.code.clone()).collect();
        Ok(TaskEnd {
            state: answer.state,
            message: answer.message,
            codes: proof.as_ref().map(codes).unwrap_or_default(),
            label: proof.map(|it| it.label),
            test_rc: rc.and_then(|it| it.trim().parse().ok()),
            seconds: 0,
        })
    }
}

/// A script that can do the work of a project.
fn coder(shell: &str, end: &str) -> String {
    format!("here=${{0%/*}}\n. \"$here/fix.sh\"\n{shell}\n{end}\n")
}

fn json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// The variables by which programs and packages are found; the home is the world's own.
pub(crate) fn variables() -> Result<Vec<(String, String)>, Failure> {
    let mut variables: Vec<(String, String)> = std::env::vars_os()
        .map(|(name, value)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        })
        .filter(|(name, _)| is_lent(name))
        .collect();
    let home = std::env::vars_os().find(|it| it.0 == "HOME").map(|it| PathBuf::from(it.1));
    for (name, folder) in
        [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo"), ("PYENV_ROOT", ".pyenv")]
    {
        let folder = home.as_ref().map(|it| it.join(folder)).filter(|it| it.is_dir());
        if let Some(folder) = folder
            && !variables.iter().any(|it| it.0 == name)
        {
            variables.push((name.to_owned(), folder.to_string_lossy().into_owned()));
        }
    }
    variables.push(("PATH".to_owned(), python::path()?));
    Ok(variables)
}

/// Whether a world gets a variable of this process: what leads to toolchains and registries.
fn is_lent(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let begins = ["npm_config_", "pip_", "uv_", "yarn_npm_", "goproxy", "gosumdb", "goroot"];
    let is_certificate =
        lower.contains("_ca_") || lower.contains("cainfo") || lower.starts_with("ssl_cert");
    let exact = ["RUSTUP_HOME", "CARGO_HOME", "PYENV_ROOT", "LANG", "TMPDIR"];
    begins.iter().any(|it| lower.starts_with(it))
        || lower.ends_with("_proxy")
        || is_certificate
        || exact.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_gets_what_leads_to_packages_alone() {
        for name in ["HTTPS_PROXY", "no_proxy", "npm_config_registry", "PIP_CERT", "SSL_CERT_FILE"]
        {
            assert!(is_lent(name), "{name}");
        }
        for name in ["HOME", "CARGO", "CARGO_MANIFEST_DIR", "RUSTFLAGS", "NODE_OPTIONS", "CI"] {
            assert!(!is_lent(name), "{name}");
        }
    }

    #[test]
    fn leave_is_said_only_where_it_is_given() {
        let play = Play { test: "make test".to_owned(), ..Play::default() };
        assert_eq!(play.spec("/r", TASK)["test_cmd"], "make test");
        assert_eq!(play.spec("/r", TASK).get("tests_may_change"), None);
        let play = Play { tests_may_change: vec!["tests/a.py".to_owned()], ..play };
        assert_eq!(play.spec("/r", TASK)["tests_may_change"][0], "tests/a.py");
        assert_eq!(play.spec("/r", TASK).get("allowed_paths"), None);
        let play = Play { permits: vec![".npmrc".to_owned()], ..play };
        assert_eq!(play.spec("/r", TASK)["allowed_paths"], serde_json::json!([".", ".npmrc"]));
    }
}
