//! What a run needs, made from what was typed.

use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use provost_adapter::Keys;
use provost_engine::eval::{
    self, ChatOrder, ChatPlan, CommandMode, CommandPlan, Engine, EvalError, Generator, JudgeOrder,
    JudgePlan, Listing, Others, Plan, Reach, Sources, read_report,
};
use provost_exec::{
    environment as allowed,
    sandbox::{Network, Requirement},
};
use provost_kernel::{Clock as _, eval::BaselineGate};
use provost_rules_eval::{
    baseline::{Earlier, Seal},
    case::Strictness,
    check::{Kind, Rubric},
    gate::{ErrorsAs, GatePolicy},
    lexicon::Lexicon,
    prompt::{PromptText, Prompts},
    suite::{SchemaTexts, Suite},
    waiver::Waivers,
};
use provost_vault::SystemClock;

use super::{bless, error::OptionError, options::Args, render::Outputs};
use crate::{
    environment,
    session::{AnyFault, Session},
};

/// What does not change between two runs of a watch, unless its files do.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) root: Utf8PathBuf,
    /// Where relative paths that are not of the repository start.
    folder: Utf8PathBuf,
    pub(super) suite: Suite,
    schemas: SchemaTexts,
    /// Where the files are that the suite names.
    beside: Utf8PathBuf,
    prompts: Option<Prompts>,
    pattern: String,
    filters: Vec<String>,
    shard: Option<provost_engine::eval::Shard>,
    strictness: Strictness,
    /// Files besides cases that results depend on.
    pub(super) parts: Vec<Utf8PathBuf>,
}

/// Waivers that are there without being named.
const WAIVERS: &str = "docs/evals/waivers.toml";
/// The cases of a suite that names none.
const CASES: &str = "docs/evals/cases/*.json";
const HTTP_JOBS: usize = 4;
const HTTP_RETRIES: u32 = 2;

impl Setup {
    pub(super) fn new(args: &Args, session: &Session) -> Result<Self, AnyFault> {
        let folder = environment::current_folder()?;
        let root = match &args.root {
            Some(root) => folder.join(root),
            None => eval::find_root(&folder),
        };
        let mut parts = Vec::new();
        let lexicon = match &args.lexicon {
            Some(path) => {
                let path = folder.join(path);
                let lexicon = Lexicon::read(&read(&path)?)?;
                parts.push(path);
                lexicon
            }
            None => Lexicon::embedded()?,
        };
        let own = args.schemas.as_ref().map(|it| folder.join(it));
        let mut beside = folder.clone();
        let (suite, schemas) = match args.suite.as_str() {
            "read-do" => {
                let schemas = match &own {
                    Some(folder) => read_schemas(folder, &mut parts)?,
                    None => Suite::embedded_schemas(),
                };
                (Suite::read_do_with(&schemas, lexicon)?, schemas)
            }
            "calibration" => (Suite::calibration()?, SchemaTexts::new()),
            file => {
                let path = folder.join(file);
                path.parent().unwrap_or(&folder).clone_into(&mut beside);
                let schemas = read_schemas(own.as_ref().unwrap_or(&beside), &mut parts)?;
                let bytes = read(&path)?;
                parts.push(path);
                (Suite::read(&bytes, &schemas, lexicon)?, schemas)
            }
        };
        let prompts = read_prompts(&suite, args, &folder, &beside, &mut parts)?;
        let pattern = match (&args.cases, &suite.cases) {
            (Some(pattern), _) => pattern.clone(),
            (None, Some(beside_suite)) => beside.join(beside_suite).into_string(),
            (None, None) => CASES.to_owned(),
        };
        if let Some(program) = program(args, session, &folder) {
            parts.push(program);
        }
        let strictness = match (args.strict_cases, args.lenient_cases) {
            (true, _) => Strictness::Strict,
            (false, true) => Strictness::Lenient,
            (false, false) => Strictness::Normal,
        };
        Ok(Self {
            root,
            folder,
            suite,
            schemas,
            beside,
            prompts,
            pattern,
            filters: args.filter.clone(),
            shard: args.shard,
            strictness,
            parts,
        })
    }

    /// The cases, or everything that is wrong with them.
    pub(super) fn list(&self) -> Result<Listing, AnyFault> {
        let sources = Sources {
            root: &self.root,
            pattern: &self.pattern,
            filters: &self.filters,
            shard: self.shard,
            strictness: self.strictness,
        };
        Ok(eval::list(&sources, &self.suite.case)?)
    }

    /// The files that are cases, good or bad.
    pub(super) fn case_files(&self) -> Vec<Utf8PathBuf> {
        eval::find_files(&self.root, &self.pattern).unwrap_or_default()
    }

    /// What is run.
    pub(super) fn plan(&self, args: &Args, session: &Session) -> Result<Plan<'_>, AnyFault> {
        args.generator.check().map_err(EvalError::from)?;
        let is_http = matches!(args.generator, Generator::Http(_));
        let retries = args.retries.unwrap_or(if is_http { HTTP_RETRIES } else { 0 });
        let replay = match &args.generator {
            Generator::Replay(path) => Some(self.folder.join(path)),
            Generator::Stub(_) | Generator::Command(_) | Generator::Http(_) => {
                args.replay.as_ref().map(|it| self.folder.join(it))
            }
        };
        // Without this, every case would be missing, and the report would say so case by case.
        if let Some(path) = replay.as_ref().filter(|it| !it.is_dir()) {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(OptionError::Unreadable { path: path.clone(), source }.into());
        }
        // Known before an engine is asked, because asking it may take long.
        let Outputs { report, junit, sarif, html } = self.outputs(args, &self.root.join(&args.out));
        let files = [Some(report), junit, sarif, html].into_iter().flatten();
        if let Some(path) = files.into_iter().find(|it| it.is_dir()) {
            return Err(OptionError::Folder { path: self.shown(&path) }.into());
        }
        let usual = if is_http && replay.is_none() {
            HTTP_JOBS
        } else {
            std::thread::available_parallelism().map_or(1, Into::into)
        };
        let jobs = args.jobs.map_or(usual, Into::into);
        Ok(Plan {
            suite: &self.suite,
            engine: self.engine(args, session, retries)?,
            engine_name: name(args),
            record: args.record.as_ref().map(|it| self.folder.join(it)),
            replay,
            profile: args.profile,
            engine_version: args.engine_version.clone(),
            rubric: if args.strict_rubric { Rubric::Strict } else { Rubric::Standard },
            epochs: args.epochs.get(),
            jobs,
            retries,
            others: self.others(args, session)?,
            prices: args.price,
            policy: GatePolicy {
                fail_on: args.fail_on,
                p2_budget: args.p2_budget,
                errors_as: match args.errors_as.as_str() {
                    "fail" => ErrorsAs::Fail,
                    _ => ErrorsAs::Error,
                },
                baseline: args.baseline_gate,
            },
            waivers: self.waivers(args)?,
            baseline: self.baseline(args)?,
            report: self.root.join(&args.out),
            is_resumed: args.resume,
            now: SystemClock.now(),
            runner_version: env!("CARGO_PKG_VERSION"),
        })
    }

    fn engine(&self, args: &Args, session: &Session, retries: u32) -> Result<Engine, AnyFault> {
        let timeout = timeout(args);
        Ok(match &args.generator {
            Generator::Stub(options) => Engine::Stub(options.clone()),
            Generator::Replay(_) => Engine::Replay,
            Generator::Command(argv) => {
                let mut plan = program_plan(args, session, absolute(argv, &self.folder))?;
                plan.cwd = args.cmd_cwd.as_ref().map(|it| self.folder.join(it).into());
                if args.cmd_mode == "jsonl" {
                    plan.mode = CommandMode::Lines;
                }
                if args.allow_net {
                    plan.network = Network::On;
                }
                Engine::Command(Box::new(plan))
            }
            Generator::Http(base) => {
                let variable = args.api_key_env.as_deref();
                let keys = Keys::read(variable, |name| session.environment.text(name))?;
                Engine::Chat(Box::new(ChatPlan::new(ChatOrder {
                    base,
                    model: args.model.as_deref(),
                    key: keys.api_key(variable),
                    reach: if args.allow_net { Reach::Anywhere } else { Reach::ThisMachine },
                    retries,
                    timeout,
                    repairs: u32::from(args.repair == "1"),
                    schemas: self.schemas.clone(),
                    prompts: self.prompts.clone(),
                })?))
            }
        })
    }

    /// What the run is compared with. A gate that compares has to have something.
    fn baseline(&self, args: &Args) -> Result<Option<Earlier>, AnyFault> {
        let named = match (&args.baseline, args.baseline_gate) {
            (Some(path), _) => path.clone(),
            (None, BaselineGate::Show) => return Ok(None),
            (None, BaselineGate::Worse | BaselineGate::Significant | BaselineGate::New) => {
                let path = bless::place(&self.suite.name);
                if !self.root.join(&path).exists() {
                    return Err(OptionError::NoBaseline { path }.into());
                }
                path
            }
        };
        let (path, out) = (self.root.join(&named), self.root.join(&args.out));
        let is_same = |one: &Utf8Path| one.canonicalize_utf8().ok();
        if path == out || (is_same(&path).is_some() && is_same(&path) == is_same(&out)) {
            return Err(OptionError::OverBaseline { path: named }.into());
        }
        let (earlier, _) = read_report(&path)?;
        // What forgives failures has to be what a person blessed.
        if earlier.seal == Seal::Unknown && args.baseline_gate == BaselineGate::New {
            return Err(EvalError::Forged { path }.into());
        }
        Ok(Some(earlier))
    }

    /// Whom the checks of the suite may ask: what the command line allows.
    fn others(&self, args: &Args, session: &Session) -> Result<Others, AnyFault> {
        let mut others = Others::default();
        let checks = self.suite.checks.iter().filter(|_| args.run_checks);
        for check in checks {
            let Kind::Command { run } = &check.kind else { continue };
            let generator: Generator = format!("cmd:{run}").parse().map_err(EvalError::from)?;
            generator.check().map_err(EvalError::from)?;
            let Generator::Command(argv) = generator else { continue };
            let plan = program_plan(args, session, absolute(&argv, &self.beside))?;
            others.programs.insert(check.name.clone(), plan);
        }
        if let Some(base) = &args.judge {
            let variable = args.judge_key_env.as_deref();
            let keys = Keys::read(variable, |name| session.environment.text(name))?;
            others.judge = Some(JudgePlan::new(JudgeOrder {
                base,
                model: args.judge_model.as_deref(),
                key: keys.api_key(variable),
                reach: if args.allow_net { Reach::Anywhere } else { Reach::ThisMachine },
                retries: args.retries.unwrap_or(HTTP_RETRIES),
                timeout: timeout(args),
            })?);
        }
        Ok(others)
    }

    fn waivers(&self, args: &Args) -> Result<Waivers, AnyFault> {
        let path = match &args.waivers {
            Some(path) => self.folder.join(path),
            None => self.root.join(WAIVERS),
        };
        if args.waivers.is_none() && !path.exists() {
            return Ok(Waivers::default());
        }
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        let waivers: Waivers = toml::from_str(&text)
            .map_err(|source| OptionError::Waivers { path, source: Box::new(source) })?;
        waivers.validate()?;
        Ok(waivers.of_suite(&self.suite)?)
    }

    /// The files that a run writes.
    pub(super) fn outputs(&self, args: &Args, report: &Utf8Path) -> Outputs {
        let at = |path: &Option<Utf8PathBuf>| path.as_ref().map(|it| self.folder.join(it));
        Outputs {
            report: report.to_owned(),
            junit: at(&args.junit),
            sarif: at(&args.sarif),
            html: at(&args.html),
        }
    }

    /// The file of a case, relative to the repository.
    pub(super) fn file_of(&self, listing: &Listing, id: &str) -> Option<String> {
        let at = listing.cases.binary_search_by(|it| it.id.as_str().cmp(id)).ok()?;
        Some(self.shown(&listing.cases.get(at)?.path).into_string())
    }

    /// A path as people know it.
    pub(super) fn shown(&self, path: &Utf8Path) -> Utf8PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

fn timeout(args: &Args) -> std::time::Duration {
    std::time::Duration::from_secs(args.timeout.get().into())
}

/// A program as every program of an eval is kept: in an empty folder, without a network.
fn program_plan(
    args: &Args,
    session: &Session,
    argv: Vec<String>,
) -> Result<CommandPlan, AnyFault> {
    // It has no business in the home; without one there is nothing to hide.
    let home = session.home().ok().and_then(|it| it.path.canonicalize().ok());
    Ok(CommandPlan {
        argv,
        mode: CommandMode::OneShot,
        cwd: None,
        guardian: environment::guardian()?,
        env: allowed::inherited(allowed::PLAIN, session.environment.texts()),
        hidden: home.into_iter().collect(),
        network: Network::Off(Requirement::Accept),
        timeout: timeout(args),
    })
}

/// A command, with the files of a folder named so that they are found from elsewhere.
fn absolute(argv: &[String], folder: &Utf8Path) -> Vec<String> {
    let absolute = |(at, word): (usize, &String)| {
        let is_path = word.contains('/') || at > 0;
        let path = folder.join(word);
        if is_path && !word.starts_with('-') && path.is_file() {
            path.into_string()
        } else {
            word.clone()
        }
    };
    argv.iter().enumerate().map(absolute).collect()
}

/// The prompts of the suite, if a model is asked with them.
fn read_prompts(
    suite: &Suite,
    args: &Args,
    folder: &Utf8Path,
    beside: &Utf8Path,
    parts: &mut Vec<Utf8PathBuf>,
) -> Result<Option<Prompts>, AnyFault> {
    if suite.prompts.is_empty() || !matches!(args.generator, Generator::Http(_)) {
        return Ok(None);
    }
    let mut texts = std::collections::BTreeMap::new();
    for (artifact, file) in &suite.prompts {
        let name = Utf8Path::new(file).file_name().unwrap_or(file);
        // Other prompts have the same names in another folder, which tells them apart.
        let (path, name) = match &args.prompts {
            Some(other) => {
                let of = other.file_name().unwrap_or_default();
                (folder.join(other).join(name), format!("{of}/{name}"))
            }
            None => (beside.join(file), name.to_owned()),
        };
        let text = String::from_utf8_lossy(&read(&path)?).into_owned();
        parts.push(path);
        texts.insert(artifact.clone(), PromptText { name, text });
    }
    Ok(Some(Prompts::read(suite, &texts)?))
}

/// How the report names the engine.
fn name(args: &Args) -> String {
    match &args.generator {
        Generator::Stub(_) => "stub".to_owned(),
        Generator::Command(argv) => format!("cmd:{}", argv.join(" ")),
        Generator::Http(base) => format!("http:{base}"),
        Generator::Replay(path) => format!("replay:{path}"),
    }
}

/// The program of an engine, if it is a file that can be watched.
fn program(args: &Args, session: &Session, folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let Generator::Command(argv) = &args.generator else { return None };
    let named = argv.iter().rev().map(|it| folder.join(it)).find(|it| it.is_file());
    named.or_else(|| {
        let paths = session.environment.text("PATH").ok()??;
        let name = argv.first()?;
        paths.split(':').map(|it| Utf8Path::new(it).join(name)).find(|it| it.is_file())
    })
}

fn read(path: &Utf8Path) -> Result<Vec<u8>, OptionError> {
    fs::read(path).map_err(|source| OptionError::Unreadable { path: path.to_owned(), source })
}

/// The schemas of a folder, by the names of their artifacts.
fn read_schemas(
    folder: &Utf8Path,
    parts: &mut Vec<Utf8PathBuf>,
) -> Result<SchemaTexts, OptionError> {
    let fail = |source| OptionError::Unreadable { path: folder.to_owned(), source };
    let mut texts = SchemaTexts::new();
    for entry in folder.read_dir_utf8().map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let Some(name) = entry.file_name().strip_suffix(".schema.json") else { continue };
        let bytes = read(entry.path())?;
        texts.insert(name.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
        parts.push(entry.path().to_owned());
    }
    Ok(texts)
}
