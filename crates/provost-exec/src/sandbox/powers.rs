//! What a job of root keeps of root's powers.
//!
//! Landlock restricts root as anyone, but root has ways around files altogether: tracing other
//! processes, reading their memory, opening a file by its number, making a device for the raw
//! disk. A sandboxed job gives these up for good; it keeps what installing and unpacking need.

use std::io;

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// Powers over files that Landlock has the last word on, and over the job's own processes.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SETUID);

/// Gives up every other power of the calling thread and of whatever it starts.
///
/// Starting a program as root would bring them back, if the guardian had not declared that no
/// program may gain rights.
pub(super) fn give_up() -> io::Result<()> {
    let CapabilitySets { effective, permitted, inheritable } = capabilities(None)?;
    if KEPT.contains(permitted | inheritable) {
        return Ok(());
    }
    set_capabilities(
        None,
        CapabilitySets {
            effective: effective & KEPT,
            permitted: permitted & KEPT,
            inheritable: inheritable & KEPT,
        },
    )?;
    Ok(())
}
