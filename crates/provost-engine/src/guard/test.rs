//! The proof that an installed guard refuses: exactly what the client would start is started, and
//! its answer is read with the client's eyes (ruling 41).
//!
//! What is proven holds for one program, one configuration and one policy. Their digests stand in
//! the record, so that a test which was not repeated after a change counts for nothing.

mod call;

use std::collections::{BTreeMap, BTreeSet, btree_map};

use camino::{Utf8Path, Utf8PathBuf};
use provost_exec::Guardian;
use provost_kernel::{
    Digest, Message, RecordFile, Text,
    guard::{Circumstances, Harness, Proof, ProofCheck, Proofs, Scope, client::HookShell},
};
use provost_rules_guard::install::{
    self, CommandLine, Entry, Hook,
    client_semantics::{Obeyed, obeys},
    proof::{Worth, worth},
    trial::{Trial, trials},
    trust,
};
use provost_vault::{ForeignFile, Layout, RealDisk, Stored, read_record, write_json};

use super::install::{Configuration, Setup, SetupError, recorded, spelled, unusable};

/// What a test needs of the program that holds it.
#[derive(Clone, Copy, Debug)]
pub struct Tester<'a> {
    pub setup: Setup<'a>,
    pub guardian: &'a Guardian,
    /// The person's environment, from which the client's shell is taken.
    pub variables: &'a BTreeMap<String, String>,
    /// The folder that the calls are about.
    pub folder: &'a Utf8Path,
}

/// One installation, as it is in the client's configuration now.
struct Installed {
    scope: Scope,
    place: Configuration,
    text: String,
    entries: Vec<Entry>,
}

/// The clients in which the guard is installed.
pub fn installed(setup: Setup<'_>) -> Result<Vec<Harness>, SetupError> {
    let mut found = Vec::new();
    for &harness in Harness::ALL {
        match look(setup, harness) {
            Ok(installed) if installed.is_empty() => {}
            Ok(_) => found.push(harness),
            // What cannot be read and was never ours is none of our business.
            Err(_) if recorded(setup, harness)?.installations.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Tries the guard that is installed in a client. Nothing is recorded yet.
pub fn prove(tester: Tester<'_>, harness: Harness) -> Result<Proof, SetupError> {
    let installed = look(tester.setup, harness)?;
    if installed.is_empty() {
        return Err(SetupError::NotInstalled { harness });
    }
    let mut checks = Vec::new();
    for it in &installed {
        checks.extend(configured(harness, it)?);
        for trial in trials(harness, tester.folder.as_str()) {
            checks.push(tester.attempt(harness, it, &trial));
        }
    }
    Ok(Proof {
        at: tester.setup.clock.now(),
        passed: checks.iter().all(|it| it.passed),
        live: false,
        // After the calls: the first of them may have compiled the policy.
        circumstances: circumstances(tester.setup, harness)?,
        checks,
    })
}

/// Writes down what a test has shown.
pub fn record(setup: Setup<'_>, harness: Harness, proof: Proof) -> Result<(), SetupError> {
    let is_of_user = look(setup, harness)?.iter().any(|it| it.scope == Scope::User);
    let home = setup.project.filter(|_| !is_of_user).unwrap_or(setup.user);
    provost_vault::prepare_home(&RealDisk, home)?;
    let mut proofs = proofs_of(home)?;
    proofs.tests.insert(harness, proof);
    let at = home.guard_test();
    Ok(write_json(&RealDisk, &at, &RecordFile::new(proofs)).map(drop)?)
}

/// What every client's last test has shown; one that cannot be read has shown nothing.
pub fn proofs(setup: Setup<'_>) -> Result<Proofs, SetupError> {
    let mut proofs = proofs_of(setup.user)?;
    for (harness, proof) in setup.project.map(proofs_of).transpose()?.unwrap_or_default().tests {
        let is_newer = proofs.tests.get(&harness).is_none_or(|it| it.at < proof.at);
        if is_newer {
            proofs.tests.insert(harness, proof);
        }
    }
    Ok(proofs)
}

fn proofs_of(home: &Layout) -> Result<Proofs, SetupError> {
    let stored = read_record::<_, Proofs>(&RealDisk, &home.guard_test())?;
    Ok(match stored {
        Stored::Present(kept) => kept.value,
        Stored::Absent | Stored::Corrupt(_) => Proofs::default(),
    })
}

/// What the last test of a client is worth now.
pub fn worth_now(setup: Setup<'_>, harness: Harness) -> Result<Worth, SetupError> {
    let proofs = proofs(setup)?;
    if !proofs.tests.contains_key(&harness) {
        return Ok(Worth::Absent);
    }
    Ok(worth(&proofs, harness, &circumstances(setup, harness)?))
}

/// What a test stands on, as it is now.
fn circumstances(setup: Setup<'_>, harness: Harness) -> Result<Circumstances, SetupError> {
    let mut it = Circumstances { programs: BTreeMap::new(), files: BTreeMap::new(), policy: None };
    let all = look(setup, harness)?;
    it.policy = policy_of(setup, &all);
    for installed in all {
        let Configuration { hooks, trust } = &installed.place;
        for path in [Some(hooks), trust.as_ref()].into_iter().flatten() {
            it.files.insert(path.to_string(), digest(path));
        }
        for program in installed.entries.iter().filter_map(|it| it.command.program()) {
            // All entries of an installation start the same one, and it is not small.
            let found = || digest(Utf8Path::new(&program));
            if let btree_map::Entry::Vacant(free) = it.programs.entry(program.clone()) {
                free.insert(found());
            }
        }
    }
    Ok(it)
}

/// The digest of the policy that the installed command lines use.
fn policy_of(setup: Setup<'_>, installed: &[Installed]) -> Option<Digest> {
    let entries = installed.iter().flat_map(|it| &it.entries);
    let homes: BTreeSet<Option<String>> =
        entries.filter_map(|it| Hook::of(&it.command)).map(|it| it.home).collect();
    let policy = |home: &Option<String>| match home {
        Some(home) => digest(&Utf8Path::new(home).join("guard/policy.json")),
        None => setup.policy,
    };
    let digests: Vec<Option<Digest>> = homes.iter().map(policy).collect();
    match digests.as_slice() {
        [only] => *only,
        several => Digest::of_json(&several).ok(),
    }
}

/// What an installed command line would use, for each client: the home that it names, or none where
/// each call finds its own.
pub fn targets(setup: Setup<'_>) -> Result<Vec<(Harness, Scope, Option<Utf8PathBuf>)>, SetupError> {
    let mut found = Vec::new();
    for &harness in Harness::ALL {
        for it in look(setup, harness).unwrap_or_default() {
            let hook = it.entries.iter().find_map(|it| Hook::of(&it.command));
            if let Some(hook) = hook {
                found.push((harness, it.scope, hook.home.map(Utf8PathBuf::from)));
            }
        }
    }
    Ok(found)
}

/// What is wrong with an installation, as far as it can be seen without starting anything.
pub fn changed(setup: Setup<'_>, harness: Harness) -> Result<Vec<ProofCheck>, SetupError> {
    let mut failed = Vec::new();
    for it in look(setup, harness)? {
        failed.extend(configured(harness, &it)?.into_iter().filter(|it| !it.passed));
    }
    Ok(failed)
}

/// The installations that are in a client's configuration now: where they were recorded, and where
/// they would be.
fn look(setup: Setup<'_>, harness: Harness) -> Result<Vec<Installed>, SetupError> {
    let known = recorded(setup, harness)?;
    let mut installed: Vec<Installed> = Vec::new();
    for &scope in Scope::ALL {
        let recorded = known.of(scope).and_then(|it| it.files.last());
        let mut place = match setup.folders.configuration(harness, scope) {
            Ok(place) => place,
            Err(SetupError::NoProject) => continue,
            Err(error) => return Err(error),
        };
        if let Some(file) = recorded {
            place.hooks = Utf8PathBuf::from(&file.path);
        }
        let file = ForeignFile::read(&place.hooks)?;
        let Some(text) = file.text()?.filter(|it| !it.trim().is_empty()) else { continue };
        let entries = install::entries(harness, text).map_err(unusable(&place.hooks))?;
        if !entries.is_empty() {
            installed.push(Installed { scope, text: text.to_owned(), entries, place });
        }
    }
    Ok(installed)
}

/// What can be seen without starting anything.
fn configured(harness: Harness, installed: &Installed) -> Result<Vec<ProofCheck>, SetupError> {
    let path = &installed.place.hooks;
    let unusable = || unusable(path);
    let mut checks = Vec::new();
    let mut add = |name: &str, passed: bool, good: Observation, bad: Observation| {
        let name = format!("{}.{name}", installed.scope);
        checks.push(ProofCheck { name, passed, what: if passed { good } else { bad }.text() });
    };
    add(
        "entries",
        install::is_exact(harness, &installed.text).map_err(unusable())?,
        Observation::Exact { path: path.clone() },
        Observation::Changed { path: path.clone() },
    );
    let programs = installed.entries.iter().filter_map(|it| it.command.program());
    let unusable_program = programs.map(Utf8PathBuf::from).find(|it| !is_executable(it));
    let program = unusable_program.clone().unwrap_or_default();
    add(
        "program",
        unusable_program.is_none(),
        Observation::Program,
        Observation::NoProgram { path: program },
    );
    let off = install::switched_off(harness, &installed.text).map_err(unusable())?;
    let off_in_trust = match &installed.place.trust {
        Some(path) => trust::is_switched_off(read(path)?.as_deref())
            .map_err(super::install::unusable(path))?
            .then_some("features.hooks"),
        None => None,
    };
    let key = off.or(off_in_trust).unwrap_or_default();
    add("switched_on", key.is_empty(), Observation::SwitchedOn, Observation::SwitchedOff { key });
    if let Some(trusted_in) = &installed.place.trust {
        let needed = trust::of(Some(&installed.text), spelled(path).as_str()).map_err(unusable())?;
        let config = read(trusted_in)?;
        let missing = trust::missing(config.as_deref(), &needed)
            .map_err(super::install::unusable(trusted_in))?;
        let key = missing.map(|it| it.key.clone()).unwrap_or_default();
        add(
            "trusted",
            missing.is_none(),
            Observation::Trusted { path: trusted_in.clone() },
            Observation::Untrusted { path: trusted_in.clone(), key },
        );
    }
    Ok(checks)
}

/// What a check of a test observed.
#[derive(Message)]
#[message(code = "guard.test")]
enum Observation {
    #[message(en = "`{path}` holds what was installed", zh = "`{path}` 与安装内容一致")]
    Exact { path: Utf8PathBuf },
    #[message(
        en = "the entries in `{path}` were changed: run `provost guard install` again",
        zh = "`{path}` 中的条目已被更改：请重新执行 `provost guard install`"
    )]
    Changed { path: Utf8PathBuf },
    #[message(en = "the program can be started", zh = "程序可以启动")]
    Program,
    #[message(
        en = "`{path}` cannot be started, so the client decides without the guard",
        zh = "`{path}` 无法启动，因此由客户端自行决定"
    )]
    NoProgram { path: Utf8PathBuf },
    #[message(en = "hooks are enabled", zh = "钩子已启用")]
    SwitchedOn,
    #[message(en = "`{key}` disables every hook", zh = "`{key}` 禁用了所有钩子")]
    SwitchedOff { key: &'static str },
    #[message(en = "`{path}` trusts every entry", zh = "`{path}` 信任所有条目")]
    Trusted { path: Utf8PathBuf },
    #[message(
        en = "`{path}` does not trust `{key}`, so it does not run",
        zh = "`{path}` 未信任 `{key}`，因此它不会运行"
    )]
    Untrusted { path: Utf8PathBuf, key: String },
    #[message(en = "no entry for this event", zh = "此事件没有条目")]
    NoEntry,
    #[message(en = "refused", zh = "已拒绝")]
    Refused,
    #[message(en = "passed", zh = "已放行")]
    Passed,
    #[message(
        en = "the client cannot use the answer, and goes on",
        zh = "客户端无法使用该回答，会继续"
    )]
    Ignored,
    #[message(en = "{what}: {output}", zh = "{what}：{output}")]
    WithOutput { what: Text, output: String },
}

impl Tester<'_> {
    /// Makes one call, and says what the client would do with the answer.
    fn attempt(self, harness: Harness, installed: &Installed, trial: &Trial) -> ProofCheck {
        let name = format!("{}.{}.{}", installed.scope, trial.event, trial.name);
        let failed = |what: Text| ProofCheck { name: name.clone(), passed: false, what };
        let entry = installed.entries.iter().find(|it| it.event == trial.event);
        let Some(Entry { command, .. }) = entry else {
            return failed(Observation::NoEntry.text());
        };
        let argv = argv(harness, command, self.variables);
        let called =
            match call::call(self.guardian, self.variables, &argv, self.folder, &trial.input) {
                Ok(called) => called,
                Err(error) => return failed(error.text()),
            };
        let seen = obeys(harness, trial.gate, called.answered());
        let mut what = describe(seen).text();
        if let Some(output) = called.said().filter(|_| seen != Obeyed::Passed) {
            what = Observation::WithOutput { what, output }.text();
        }
        ProofCheck { name, passed: seen == trial.expected, what }
    }
}

/// The process that a client starts for a command line.
fn argv(
    harness: Harness,
    command: &CommandLine,
    variables: &BTreeMap<String, String>,
) -> Vec<String> {
    let shell =
        |words: [&str; 2], line: &str| words.into_iter().chain([line]).map(str::to_owned).collect();
    let line = match command {
        CommandLine::Exec(words) => return words.clone(),
        CommandLine::Shell(line) => line,
    };
    match harness.entry().install.shell {
        HookShell::Login => {
            let own = variables.get("SHELL").map_or("/bin/sh", String::as_str);
            shell([own, "-lc"], line)
        }
        HookShell::Bash => shell(["bash", "-c"], line),
        HookShell::Posix => shell(["/bin/sh", "-c"], line),
    }
}

fn describe(seen: Obeyed) -> Observation {
    match seen {
        Obeyed::Refused => Observation::Refused,
        Obeyed::Passed => Observation::Passed,
        Obeyed::Ignored => Observation::Ignored,
    }
}

fn is_executable(path: &Utf8Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

fn read(path: &Utf8Path) -> Result<Option<String>, SetupError> {
    Ok(ForeignFile::read(path)?.text()?.map(str::to_owned))
}

fn digest(path: &Utf8Path) -> Option<Digest> {
    std::fs::read(path).ok().map(|it| Digest::of_bytes(&it))
}
