//! What the commands that prove provost itself need of this program.

use provost_engine::task::rehearsal::Host;

use crate::{
    environment::{self, EnvironmentError},
    session::Session,
};

/// This program as the host of its own proofs.
pub(crate) fn host(session: &Session) -> Result<Host, EnvironmentError> {
    let path = session.environment.text("PATH")?;
    Ok(Host {
        guardian: environment::guardian()?,
        script_host: environment::script_host()?,
        path: path.unwrap_or("/usr/local/bin:/usr/bin:/bin").to_owned(),
    })
}
