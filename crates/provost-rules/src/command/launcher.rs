//! The programs that start other programs, as a table.
//!
//! A row says where the other program stands among the words. Options matter only as far as they
//! take a value of their own, or carry code. Lists of names are texts with blanks between them.

use std::{collections::BTreeMap, sync::LazyLock};

/// A program that starts another.
#[derive(Debug)]
pub(super) struct Launcher {
    pub(super) names: &'static str,
    /// The letters of the short options that take a value.
    pub(super) short: &'static str,
    /// The long options; those that take a value end in `=`.
    pub(super) long: &'static str,
    /// The options whose value is shell code, written `-c` or `--command`.
    pub(super) code: &'static str,
    pub(super) kind: Kind,
}

/// Where the other program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// After the options, some operands, and assignments if there are any.
    Command {
        operands: usize,
    },
    /// After the options and some operands, joined with blanks and read by a shell.
    Joined {
        operands: usize,
    },
    /// Each operand is shell code.
    Each,
    /// The first operand is shell code.
    First,
    /// Only in the options that carry code.
    Options,
    /// In the code on standard input.
    Input,
    /// Somewhere after one of these words, or anywhere if there are none: there are too many
    /// options to know where.
    Loose {
        after: &'static str,
    },
    /// In a way of its own.
    Shell,
    Source,
    Ssh,
    Find,
    Fd,
    Xargs,
    Parallel,
    Git,
    CommandBuiltin,
    Sed,
    Awk,
    Interpreter {
        code: &'static str,
        attached: &'static str,
    },
}

const PLAIN: Launcher =
    Launcher { names: "", short: "", long: "", code: "", kind: Kind::Command { operands: 0 } };

const LOOSE: Launcher = Launcher { kind: Kind::Loose { after: "" }, ..PLAIN };

static LAUNCHERS: [Launcher; 49] = [
    Launcher {
        names: "- and begin builtin busybox catchsegv dbus-run-session eatmydata entr fakeroot \
            nocorrect noglob nohup not or proxychains proxychains4 setsid toybox torify \
            torsocks unbuffer",
        long: "ctty fork wait",
        ..PLAIN
    },
    Launcher {
        names: "env",
        short: "uCS",
        long: "block-signal chdir= debug default-signal ignore-environment ignore-signal null \
            split-string= unset=",
        code: "-S --split-string",
        ..PLAIN
    },
    Launcher { names: "exec", short: "a", ..PLAIN },
    Launcher { names: "command", kind: Kind::CommandBuiltin, ..PLAIN },
    Launcher { names: "nice", short: "n", long: "adjustment=", ..PLAIN },
    Launcher {
        names: "ionice",
        short: "cnpPu",
        long: "class= classdata= ignore pid= pgid= uid=",
        ..PLAIN
    },
    Launcher {
        names: "time gtime",
        short: "fo",
        long: "append format= output= portability quiet verbose",
        ..PLAIN
    },
    Launcher {
        names: "timeout gtimeout",
        short: "ks",
        long: "foreground kill-after= preserve-status signal= verbose",
        kind: Kind::Command { operands: 1 },
        ..PLAIN
    },
    Launcher { names: "stdbuf", short: "ioe", long: "error= input= output=", ..PLAIN },
    Launcher {
        names: "chrt",
        short: "TPDp",
        long: "all-tasks batch fifo idle other pid= reset-on-fork rr",
        kind: Kind::Command { operands: 1 },
        ..PLAIN
    },
    Launcher {
        names: "taskset",
        long: "all-tasks cpu-list pid",
        kind: Kind::Command { operands: 1 },
        ..PLAIN
    },
    Launcher {
        names: "chroot",
        long: "groups= skip-chdir userspec=",
        kind: Kind::Command { operands: 1 },
        ..PLAIN
    },
    Launcher { names: "gosu setuidgid su-exec", kind: Kind::Command { operands: 1 }, ..PLAIN },
    Launcher { names: "caffeinate", short: "tw", ..PLAIN },
    Launcher {
        names: "sudo sudo-rs gsudo dzdo kdesudo gksudo",
        short: "CDghpRrTtUua",
        long: "askpass background chdir= chroot= close-from= command-timeout= edit group= host= \
            list login non-interactive preserve-env prompt= remove-timestamp role= shell stdin \
            type= user= validate",
        ..PLAIN
    },
    Launcher { names: "doas pfexec", short: "uC", ..PLAIN },
    Launcher { names: "pkexec", long: "disable-internal-agent user=", ..PLAIN },
    Launcher {
        names: "su su-rs runuser ksu kdesu gksu",
        short: "cgGsuTw",
        long: "command= group= login pty session-command= shell= user=",
        code: "-c --command --session-command",
        kind: Kind::Options,
    },
    Launcher {
        names: "script",
        short: "cEIOBTmot",
        long: "append command= flush quiet return",
        code: "-c --command",
        kind: Kind::Command { operands: 1 },
    },
    Launcher {
        names: "flock",
        short: "cwE",
        long: "close command= exclusive nonblock shared timeout= verbose",
        code: "-c --command",
        kind: Kind::Command { operands: 1 },
    },
    Launcher { names: "sg", short: "c", code: "-c", kind: Kind::Joined { operands: 1 }, ..PLAIN },
    Launcher {
        names: "nix-shell",
        short: "pIA",
        long: "command= pure run=",
        code: "--run --command",
        kind: Kind::Options,
    },
    Launcher {
        names: "watch",
        short: "nq",
        long: "beep chgexit color differences errexit exec interval= no-title",
        kind: Kind::Joined { operands: 0 },
        ..PLAIN
    },
    Launcher { names: "eval", kind: Kind::Joined { operands: 0 }, ..PLAIN },
    Launcher { names: "trap", kind: Kind::First, ..PLAIN },
    Launcher {
        names: "hyperfine",
        short: "wmMrpscSNiunCL",
        long: "cleanup= export-json= prepare= runs= setup= warmup=",
        code: "-p -s -c --prepare --setup --cleanup",
        kind: Kind::Each,
    },
    Launcher { names: "concurrently", kind: Kind::Each, ..PLAIN },
    Launcher { names: "at batch crontab", kind: Kind::Input, ..PLAIN },
    Launcher {
        names: "sh ash bash dash fish ksh ksh93 mksh rbash yash zsh",
        kind: Kind::Shell,
        ..PLAIN
    },
    Launcher { names: ". source", kind: Kind::Source, ..PLAIN },
    Launcher {
        names: "ssh autossh mosh",
        short: "BbcDEeFIiJLlMmOoPpQRSWw",
        kind: Kind::Ssh,
        ..PLAIN
    },
    Launcher { names: "find gfind", kind: Kind::Find, ..PLAIN },
    Launcher { names: "fd fdfind", kind: Kind::Fd, ..PLAIN },
    Launcher {
        names: "xargs gxargs",
        short: "adEILnPsR",
        long: "arg-file= delimiter= eof exit interactive max-args= max-chars= max-lines \
            max-procs= no-run-if-empty null open-tty process-slot-var= replace show-limits \
            verbose",
        kind: Kind::Xargs,
        ..PLAIN
    },
    Launcher {
        names: "parallel",
        short: "aCdEIijlLmnNPsSU",
        long: "arg-file= bar colsep= delay= dry-run eta halt= jobs= joblog= keep-order \
            line-buffer max-args= no-notice null pipe progress quote results= retries= \
            sshlogin= tag timeout= verbose will-cite",
        kind: Kind::Parallel,
        ..PLAIN
    },
    Launcher { names: "git", kind: Kind::Git, ..PLAIN },
    Launcher {
        names: "tar gtar bsdtar",
        short: "IF",
        long: "checkpoint-action= info-script= new-volume-script= rsh-command= to-command= \
            use-compress-program=",
        code: "-I -F --checkpoint-action --info-script --new-volume-script --rsh-command \
            --to-command --use-compress-program",
        kind: Kind::Options,
    },
    Launcher {
        names: "rsync",
        short: "efBTM",
        long: "rsh= rsync-path=",
        code: "-e --rsh --rsync-path",
        kind: Kind::Options,
    },
    Launcher {
        names: "scp sftp",
        short: "cDFiJloPSX",
        code: "-S -o",
        kind: Kind::Options,
        ..PLAIN
    },
    Launcher {
        names: "man split sort",
        short: "PabClntkST",
        long: "compress-program= filter= pager=",
        code: "-P --pager --filter --compress-program",
        kind: Kind::Options,
    },
    Launcher {
        names: "bunx bwrap chpst cross-env daemonize dotenv faketime firejail gdb linux32 linux64 \
            ltrace machinectl npx nsenter numactl pnpx prlimit proot rlwrap run0 runas screen \
            setarch setpriv start-stop-daemon strace systemd-inhibit systemd-run tmux uvx \
            unshare valgrind xvfb-run",
        ..LOOSE
    },
    Launcher {
        names: "bun bundle devbox direnv docker docker-compose doppler hatch incus kubectl lxc \
            mise nerdctl nix npm oc op perf pipenv pixi pnpm podman poetry rye ssh-agent uv \
            vagrant yarn",
        kind: Kind::Loose { after: "develop dlx exec record run shell ssh stat x" },
        ..PLAIN
    },
    Launcher { names: "sed gsed", kind: Kind::Sed, ..PLAIN },
    Launcher { names: "awk gawk mawk nawk", short: "Fvf", kind: Kind::Awk, ..PLAIN },
    Launcher {
        names: "python pypy",
        kind: Kind::Interpreter { code: "c", attached: "mWX" },
        ..PLAIN
    },
    Launcher {
        names: "perl ruby lua luajit osascript elixir tclsh groovy julia Rscript R guile",
        kind: Kind::Interpreter { code: "eE", attached: "CDFIMmrx" },
        ..PLAIN
    },
    Launcher {
        names: "node nodejs deno tsx ts-node",
        kind: Kind::Interpreter { code: "ep", attached: "Cr" },
        ..PLAIN
    },
    Launcher { names: "php", kind: Kind::Interpreter { code: "rBRE", attached: "cdfSt" }, ..PLAIN },
    Launcher {
        names: "expect pwsh powershell vim vi nvim ex",
        kind: Kind::Interpreter { code: "c", attached: "fCIjo" },
        ..PLAIN
    },
];

static BY_NAME: LazyLock<BTreeMap<&str, &Launcher>> = LazyLock::new(|| {
    let rows = LAUNCHERS.iter().rev();
    rows.flat_map(|row| row.names.split(' ').map(move |name| (name, row))).collect()
});

impl Launcher {
    /// Whether the value of this option is shell code.
    pub(super) fn is_code(&self, option: &str) -> bool {
        self.code.split(' ').any(|it| it == option && !it.is_empty())
    }

    /// The long options.
    pub(super) fn long(&self) -> impl Iterator<Item = &'static str> {
        self.long.split(' ').filter(|it| !it.is_empty())
    }
}

/// The row of a program, by its name without folder and version.
pub(super) fn find(name: &str) -> Option<&'static Launcher> {
    let exact = |wanted: &str| BY_NAME.get(wanted).copied();
    let bare = name.trim_end_matches(".exe");
    // `python3.12`, `lua5.4`: the version is no part of the name.
    exact(bare)
        .or_else(|| exact(bare.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')))
}

/// The variables whose value some program runs as a command.
pub(super) const CODE_VARIABLES: [&str; 18] = [
    "BROWSER",
    "EDITOR",
    "GIT_ASKPASS",
    "GIT_EDITOR",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LESSOPEN",
    "MANPAGER",
    "PAGER",
    "PROMPT_COMMAND",
    "RUSTC_WRAPPER",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "VISUAL",
];
