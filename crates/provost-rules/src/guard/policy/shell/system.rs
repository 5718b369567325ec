//! Programs that change the machine itself.

use super::{
    super::{
        act::Act,
        arguments::{Arguments, lead},
        builtin::{
            GIT_REWRITE, NETWORK_RAW, SYSTEM_CRONTAB, SYSTEM_DISK, SYSTEM_HISTORY,
            SYSTEM_PERMISSIONS, SYSTEM_POWER, SYSTEM_SCHEDULE,
        },
        world::{Tail, Zone},
    },
    Part,
};

/// Programs that format, wipe or partition.
const DISK: [&str; 22] = [
    "badblocks",
    "blkdiscard",
    "cfdisk",
    "cryptsetup",
    "debugfs",
    "fdisk",
    "format",
    "gdisk",
    "hdparm",
    "lvremove",
    "mke2fs",
    "mkswap",
    "newfs",
    "nvme",
    "parted",
    "pvremove",
    "sfdisk",
    "sgdisk",
    "shred",
    "vgremove",
    "wipe",
    "wipefs",
];

const POWER: [&str; 7] =
    ["halt", "kexec", "poweroff", "reboot", "shutdown", "telinit", "pm-suspend"];

/// Judges a program that no other table knows.
pub(super) fn judge(part: &Part<'_>, program: &str, act: &mut Act) {
    let arguments = Arguments::of(part.invocation);
    match program {
        _ if DISK.contains(&program) || program.starts_with("mkfs") => {
            let only_asks =
                arguments.has("--help") || arguments.has("--version") || arguments.has("-l");
            if !only_asks {
                act.meet(&SYSTEM_DISK);
            }
        }
        _ if POWER.contains(&program) => act.meet(&SYSTEM_POWER),
        "init" if matches!(arguments.first(), Some("0" | "6")) => act.meet(&SYSTEM_POWER),
        "diskutil" => {
            let is_harmless = matches!(arguments.first(), Some("list" | "info") | None);
            if !is_harmless {
                act.meet(&SYSTEM_DISK);
            }
        }
        "zpool" | "zfs" if matches!(arguments.first(), Some("destroy" | "labelclear")) => {
            act.meet(&SYSTEM_DISK);
        }
        "crontab" => crontab(arguments, act),
        "at" | "batch" | "systemd-run" => act.meet(&SYSTEM_SCHEDULE),
        "history" if arguments.has_letter("cdw") => act.meet(&SYSTEM_HISTORY),
        "unset" | "export" | "set" => {
            let is_history = |it: &str| it.split('=').next() == Some("HISTFILE");
            if arguments.words().iter().any(|it| is_history(lead(it))) {
                act.meet(&SYSTEM_HISTORY);
            }
        }
        "chmod" | "chown" | "chgrp" | "setfacl" | "xattr" => permissions(part, arguments, act),
        "nc" | "ncat" | "netcat" | "socat" => {
            let starts = arguments.has_letter("ec") || arguments.has_long("--exec");
            let is_address = |it: &str| it.to_ascii_lowercase().starts_with("exec:");
            if starts || arguments.words().iter().any(|it| is_address(lead(it))) {
                act.meet(&NETWORK_RAW);
            }
        }
        "git-filter-repo" | "bfg" => act.meet(&GIT_REWRITE),
        _ => {}
    }
}

fn crontab(arguments: Arguments<'_>, act: &mut Act) {
    if arguments.has_letter("r") {
        act.meet(&SYSTEM_CRONTAB);
    } else if !arguments.has_letter("l") {
        act.meet(&SYSTEM_SCHEDULE);
    }
}

/// Changes of owner or permission that reach beyond the project.
fn permissions(part: &Part<'_>, arguments: Arguments<'_>, act: &mut Act) {
    let is_recursive = arguments.has_letter("R") || arguments.has_long("--recursive");
    for word in arguments.operands().skip(1) {
        for folder in part.area.folders() {
            let target = part.world.target(word, folder);
            if target.tail == Tail::Anything {
                continue;
            }
            let is_own = target.path == part.world.root || target.path == part.world.directory;
            let reaches = match part.world.reach(&target) {
                Zone::Whole => is_recursive && !is_own,
                Zone::System | Zone::Device => true,
                Zone::Inside | Zone::Temporary | Zone::Pseudo | Zone::Outside => false,
            };
            if reaches {
                act.meet(&SYSTEM_PERMISSIONS);
            }
        }
    }
}
