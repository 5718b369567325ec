//! Where a judge is asked: a private folder that is gone afterwards.
//!
//! A judge that is a program finds the document in its work tree, as in the loop, and its request
//! beside it. It can write nowhere else. Without a sandbox it does not run.

use std::{
    collections::BTreeMap,
    fmt, io,
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use provost_adapter::{Adapter, Call, CallResult, Cancel, Exchange, Request, Workplace};
use provost_exec::{
    Capture, Check, Guardian, Limits, Streams,
    sandbox::{Network, Requirement, Sandbox},
};
use provost_rules::secret;
use tempfile::NamedTempFile;

use super::{RunError, request::DOCUMENT};

/// How the program of a judge is kept, if it is one.
pub struct Place<'a> {
    pub guardian: &'a Guardian,
    /// The environment, without what the adapter itself adds.
    pub env: BTreeMap<String, String>,
    /// Folders that it must be able to write besides its own, such as those of its login.
    pub writable: Vec<PathBuf>,
    /// What it may not even read.
    pub hidden: Vec<PathBuf>,
    pub network: Network,
    /// The command rules (LOOP-A3).
    pub check: &'a Check<'a>,
}

/// How long a program has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
const OUTPUT_CAP: u64 = 16 << 20;

impl Place<'_> {
    /// Asks a judge once about a document, in a folder of its own.
    pub(super) fn ask(
        &self,
        judge: &dyn Adapter,
        request: &Request,
        document: &str,
    ) -> Result<CallResult, RunError> {
        let folder =
            tempfile::Builder::new().prefix("provost-judge-").tempdir().map_err(RunError::Place)?;
        // The sandbox refuses a path that leads through a link, as a temporary folder may.
        let root = folder.path().canonicalize().map_err(RunError::Place)?;
        let make = |name: &str| tempfile::Builder::new().prefix(name).tempdir_in(&root);
        let tree = make("tree-").map_err(RunError::Place)?;
        let exchange_folder = make("exchange-").map_err(RunError::Place)?;
        let exchange = Exchange::open(exchange_folder.path()).map_err(RunError::Adapter)?;
        put(tree.path(), DOCUMENT, document.as_bytes()).map_err(RunError::Place)?;
        for file in judge.files(request, &exchange) {
            put(exchange.path(), file.name, &file.bytes).map_err(RunError::Place)?;
        }
        let mut env = self.env.clone();
        env.insert("TMPDIR".to_owned(), tree.path().to_string_lossy().into_owned());
        let workplace = Workplace {
            tree: tree.path(),
            guardian: self.guardian,
            streams: streams(&root).map_err(RunError::Place)?,
            env,
            sandbox: Some(self.sandbox(tree.path(), exchange.path())),
            grace: GRACE,
            output_cap: OUTPUT_CAP,
            check: self.check,
            redact: &|bytes| secret::redact(bytes),
        };
        let cancel = Cancel::new();
        let call = Call {
            request,
            exchange: &exchange,
            workplace,
            cancel: &cancel,
            seen: &|_| {},
            resumed: None,
        };
        judge.call(call).map_err(RunError::Adapter)
    }

    fn sandbox(&self, tree: &Path, exchange: &Path) -> Sandbox {
        let own = [tree.to_owned(), exchange.to_owned()];
        Sandbox {
            writable: own.into_iter().chain(self.writable.iter().cloned()).collect(),
            hidden: self.hidden.clone(),
            network: self.network,
            files: Requirement::Must,
            limits: Limits::of_machine(),
        }
    }
}

/// Puts a file into a folder, whole.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(folder.join(name))?;
    Ok(())
}

/// Files without a name: what a judge prints is looked at by its adapter and not kept.
fn streams(folder: &Path) -> io::Result<Streams> {
    let open = || -> io::Result<_> {
        let file = tempfile::Builder::new().append(true).tempfile_in(folder)?;
        Ok(file.into_file())
    };
    let capture = || -> io::Result<_> { Ok(Capture { raw: open()?, clean: open()? }) };
    Ok(Streams { stdout: capture()?, stderr: capture()? })
}

impl fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment may hold keys.
        f.debug_struct("Place")
            .field("writable", &self.writable)
            .field("hidden", &self.hidden)
            .field("network", &self.network)
            .finish_non_exhaustive()
    }
}
