//! A program of the person's own.

use std::{fmt, sync::Arc, time::Duration};

use crate::{Channel, Delivery, DeliveryError, DeliveryFailure, Payload, account};

/// How long a program may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A program to start.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// The program and its arguments; no shell reads them.
    pub argv: &'a [String],
    pub stdin: &'a [u8],
    pub limit: Duration,
}

/// Starts programs: the binary does, because nothing here may (ruling 92).
pub trait Launch: Send + Sync {
    /// Runs a program to its end, and says its exit code; none when its time ran out.
    fn launch(&self, program: &Program<'_>) -> Result<Option<i32>, String>;
}

/// A program that gets each message as JSON on its stdin.
pub struct Command {
    argv: Vec<String>,
    launch: Arc<dyn Launch>,
}

impl Command {
    pub fn new(argv: Vec<String>, launch: Arc<dyn Launch>) -> Self {
        Self { argv, launch }
    }
}

impl Channel for Command {
    fn target(&self) -> &'static str {
        "command"
    }

    fn account(&self) -> String {
        account(self.target(), &self.argv.join("\0"))
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let mut stdin = Payload::of(delivery).to_bytes();
        stdin.push(b'\n');
        run(&*self.launch, &self.argv, &stdin)
    }
}

/// Runs a program that has to end with 0.
pub(crate) fn run(launch: &dyn Launch, argv: &[String], stdin: &[u8]) -> Result<(), DeliveryError> {
    let program = || argv.first().cloned().unwrap_or_default();
    match launch.launch(&Program { argv, stdin, limit: PATIENCE }) {
        Ok(Some(0)) => Ok(()),
        Ok(Some(code)) => Err(DeliveryFailure::Program { program: program(), code }.into()),
        Ok(None) => Err(DeliveryFailure::ProgramTimedOut { program: program() }.into()),
        Err(why) => Err(DeliveryFailure::NotStarted { program: program(), why }.into()),
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command").field("argv", &self.argv).finish_non_exhaustive()
    }
}
