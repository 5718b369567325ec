//! The programs that start other programs, as a table.
//!
//! A row says where the other program stands among the words. Options matter only as far as they
//! take a value of their own, or carry code. Lists of names are texts with blanks between them.

/// A program that starts another.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// The letters of the short options that take a value.
    pub(crate) short: &'static str,
    /// The long options; those that take a value end in `=`.
    pub(crate) long: &'static str,
    /// The options whose value is shell code, written `-c` or `--command`.
    pub(crate) code: &'static str,
    pub(crate) kind: Kind,
}

/// Where the other program stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    /// In the options that carry code, which gets further arguments.
    Callback,
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
    Launcher { short: "", long: "", code: "", kind: Kind::Command { operands: 0 } };

/// Makes a `match` of rows, so that nothing has to be built before the first look.
macro_rules! launchers {
    ($subject:expr; $($($name:literal)|+ => { $($field:ident: $value:expr),* $(,)? })+) => {
        match $subject {
            $($($name)|+ => {
                static ROW: Launcher = Launcher { $($field: $value,)* ..PLAIN };
                Some(&ROW)
            })+
            _ => None,
        }
    };
}

/// The row of a program, by its name without folder and version.
pub(crate) fn find(name: &str) -> Option<&'static Launcher> {
    let bare = name.trim_end_matches(".exe");
    // `python3.12`, `lua5.4`: the version is not part of the name.
    row(bare).or_else(|| row(bare.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.')))
}

#[expect(clippy::needless_update, reason = "some rows name every field")]
fn row(name: &str) -> Option<&'static Launcher> {
    launchers! { name;
        "-" | "and" | "begin" | "builtin" | "busybox" | "catchsegv" | "chronic" |
            "dbus-run-session" | "eatmydata" | "entr" | "fakeroot" | "ifne" | "nocorrect" | "noglob" | "nohup" | "not" | "or"
            | "proxychains" | "proxychains4" | "setsid" | "toybox" | "torify" | "torsocks" |
            "unbuffer" => {
            long: "ctty fork wait",
        }
        "env" => {
            short: "uCS",
            long: "block-signal chdir= debug default-signal ignore-environment ignore-signal \
                null split-string= unset=",
            code: "-S --split-string",
        }
        "exec" => { short: "a" }
        "flatpak-spawn" => {
            long: "clear-env directory= env= forward-fd= host latest-version no-network sandbox \
                unset-env= watch-bus",
        }
        "command" => { kind: Kind::CommandBuiltin }
        "nice" => { short: "n", long: "adjustment=" }
        "ionice" => { short: "cnpPu", long: "class= classdata= ignore pid= pgid= uid=" }
        "time" | "gtime" => {
            short: "fo",
            long: "append format= output= portability quiet verbose",
        }
        "timeout" | "gtimeout" => {
            short: "ks",
            long: "foreground kill-after= preserve-status signal= verbose",
            kind: Kind::Command { operands: 1 },
        }
        "stdbuf" => { short: "ioe", long: "error= input= output=" }
        "chrt" => {
            short: "TPDp",
            long: "all-tasks batch fifo idle other pid= reset-on-fork rr",
            kind: Kind::Command { operands: 1 },
        }
        "taskset" => { long: "all-tasks cpu-list pid", kind: Kind::Command { operands: 1 } }
        "chroot" => { long: "groups= skip-chdir userspec=", kind: Kind::Command { operands: 1 } }
        "gosu" | "setuidgid" | "su-exec" => { kind: Kind::Command { operands: 1 } }
        "caffeinate" => { short: "tw" }
        "sudo" | "sudo-rs" | "gsudo" | "dzdo" | "kdesudo" | "gksudo" => {
            short: "CDghpRrTtUua",
            long: "askpass background chdir= chroot= close-from= command-timeout= edit group= \
                host= list login non-interactive preserve-env prompt= remove-timestamp \
                role= shell stdin type= user= validate",
        }
        "doas" | "pfexec" => { short: "uC" }
        "pkexec" => { long: "disable-internal-agent user=" }
        "su" | "su-rs" | "runuser" | "ksu" | "kdesu" | "gksu" => {
            short: "cgGsuTw",
            long: "command= group= login pty session-command= shell= user=",
            code: "-c --command --session-command",
            kind: Kind::Options,
        }
        "script" => {
            short: "cEIOBTmot",
            long: "append command= flush quiet return",
            code: "-c --command",
            kind: Kind::Command { operands: 1 },
        }
        "flock" => {
            short: "cwE",
            long: "close command= exclusive nonblock shared timeout= verbose",
            code: "-c --command",
            kind: Kind::Command { operands: 1 },
        }
        "sg" => { short: "c", code: "-c", kind: Kind::Joined { operands: 1 } }
        "nix-shell" => {
            short: "pIA",
            long: "command= pure run=",
            code: "--run --command",
            kind: Kind::Options,
        }
        "watch" => {
            short: "nq",
            long: "beep chgexit color differences errexit exec interval= no-title",
            kind: Kind::Joined { operands: 0 },
        }
        "eval" => { kind: Kind::Joined { operands: 0 } }
        "trap" => { kind: Kind::First }
        "mapfile" | "readarray" => { short: "CcdnOsu", code: "-C", kind: Kind::Callback }
        "hyperfine" => {
            short: "wmMrpscSNiunCL",
            long: "cleanup= export-json= prepare= runs= setup= warmup=",
            code: "-p -s -c --prepare --setup --cleanup",
            kind: Kind::Each,
        }
        "concurrently" | "mispipe" | "pee" => { kind: Kind::Each }
        "at" | "batch" | "crontab" => { kind: Kind::Input }
        "sh" | "ash" | "bash" | "csh" | "dash" | "fish" | "hush" | "ksh" | "ksh93" | "mksh" |
            "oksh" | "osh" | "pdksh" | "posh" | "rbash" | "tcsh" | "yash" | "zsh" => {
            kind: Kind::Shell,
        }
        "." | "source" => { kind: Kind::Source }
        "ssh" | "autossh" | "mosh" => { short: "BbcDEeFIiJLlMmOoPpQRSWw", kind: Kind::Ssh }
        "find" | "gfind" => { kind: Kind::Find }
        "fd" | "fdfind" => { kind: Kind::Fd }
        "xargs" | "gxargs" => {
            short: "adEILnPsR",
            long: "arg-file= delimiter= eof exit interactive max-args= max-chars= max-lines \
                max-procs= no-run-if-empty null open-tty process-slot-var= replace \
                show-limits verbose",
            kind: Kind::Xargs,
        }
        "parallel" => {
            short: "aCdEIijlLmnNPsSU",
            long: "arg-file= bar colsep= delay= dry-run eta halt= jobs= joblog= keep-order \
                line-buffer max-args= no-notice null pipe progress quote results= retries= \
                sshlogin= tag timeout= verbose will-cite",
            kind: Kind::Parallel,
        }
        "git" => { kind: Kind::Git }
        "tar" | "gtar" | "bsdtar" => {
            short: "IF",
            long: "checkpoint-action= info-script= new-volume-script= rsh-command= \
                to-command= use-compress-program=",
            code: "-I -F --checkpoint-action --info-script --new-volume-script --rsh-command \
                --to-command --use-compress-program",
            kind: Kind::Options,
        }
        "rsync" => {
            short: "efBTM",
            long: "rsh= rsync-path=",
            code: "-e --rsh --rsync-path",
            kind: Kind::Options,
        }
        "scp" | "sftp" => { short: "cDFiJloPSX", code: "-S -o", kind: Kind::Options }
        "man" | "split" | "sort" => {
            short: "PabClntkST",
            long: "compress-program= filter= pager=",
            code: "-P --pager --filter --compress-program",
            kind: Kind::Options,
        }
        "aa-exec" | "arch" | "bunx" | "bwrap" | "capsh" | "cgexec" | "choom" | "chpst" |
            "cpulimit" | "cross-env" | "daemonize" | "dotenv" | "dumb-init" | "envdir" |
            "faketime" | "firejail" | "gdb" | "linux32" | "linux64" | "ltrace" | "machinectl" |
            "npx" | "nsenter" | "numactl" | "onchange" | "pnpx" | "prlimit" | "proot" |
            "reflex" | "rlwrap" | "run0" | "runas" | "s6-setuidgid" | "screen" |
            "setarch" | "setlock" | "setpriv" | "softlimit" | "start-stop-daemon" | "strace" |
            "systemd-inhibit" | "systemd-run" | "tini" | "tmux" | "tsp" | "uvx" | "unshare" |
            "valgrind" | "watchexec" | "xcrun" | "xvfb-run" => {
            kind: Kind::Loose { after: "" },
        }
        "apptainer" | "asdf" | "aws-vault" | "bun" | "bundle" | "cabal" | "chamber" | "conda" |
            "devbox" | "direnv" | "docker" | "docker-compose" | "doppler" | "dotenvx" | "fnm" |
            "hatch" | "incus" | "kubectl" | "lerna" | "lxc" | "mamba" | "micromamba" | "mise" |
            "nerdctl" | "nix" | "nodenv" | "npm" | "nvm" | "oc" | "opam" |
            "op" | "perf" | "pipenv" | "pixi" | "pnpm" | "podman" | "poetry" |
            "pyenv" | "rbenv" | "rtx" | "rustup" | "rye" | "singularity" | "ssh-agent" | "stack" |
            "uv" | "vagrant" | "volta" | "yarn" => {
            kind: Kind::Loose { after: "develop dlx exec record run shell ssh stat x" },
        }
        "sed" | "gsed" => { kind: Kind::Sed }
        "awk" | "gawk" | "mawk" | "nawk" => {
            short: "Fefilv",
            long: "assign= exec= field-separator= file= include= load= source=",
            kind: Kind::Awk,
        }
        "python" | "pypy" | "ipython" | "sage" | "hy" => { kind: Kind::Interpreter { code: "c", attached: "mWX" } }
        "perl" | "ruby" | "lua" | "luajit" | "osascript" | "elixir" | "tclsh" | "groovy" |
            "julia" | "Rscript" | "R" | "raku" | "racket" | "scala" | "iex" | "janet" | "fennel" |
            "csi" | "ghc" | "qjs" | "gjs" | "erl" | "sbcl" | "octave" | "bb" | "clj" | "clojure" |
            "crystal" | "gnuplot" | "jshell" | "kotlin" | "m4" | "ocaml" | "pike" | "swift" => {
            kind: Kind::Interpreter { code: "eE", attached: "CDFIMmrx" },
        }
        "node" | "nodejs" | "deno" | "tsx" | "ts-node" => {
            kind: Kind::Interpreter { code: "ep", attached: "Cr" },
        }
        "php" => { kind: Kind::Interpreter { code: "rBRE", attached: "cdfSt" } }
        "expect" | "pwsh" | "powershell" | "vim" | "vi" | "nvim" | "ex" | "guile" | "nu" | "xonsh" |
            "elvish" => {
            kind: Kind::Interpreter { code: "c", attached: "fCIjo" },
        }
    }
}

impl Launcher {
    /// Whether the value of this option is shell code.
    pub(crate) fn is_code(&self, option: &str) -> bool {
        self.code.split(' ').any(|it| it == option && !it.is_empty())
    }

    /// The long options.
    pub(crate) fn long(&self) -> impl Iterator<Item = &'static str> {
        self.long.split(' ').filter(|it| !it.is_empty())
    }
}

/// The variables that name a file which a shell reads before its code.
pub(crate) const STARTUP_FILES: [&str; 2] = ["BASH_ENV", "ENV"];

/// The variables whose value some program runs as a command.
pub(crate) const CODE_VARIABLES: [&str; 18] = [
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
