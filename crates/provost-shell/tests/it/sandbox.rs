//! Real bash, and what it started.
//!
//! The lines run in a root of their own: the programs of the system are mounted read-only, `PATH`
//! names stubs that note their arguments and a few programs that only start others, and there is
//! no network. Nothing that a line does can reach a file outside.

#![expect(
    clippy::disallowed_methods,
    reason = "the shell that judges is started by the test, in a root of its own"
)]

use std::{
    fs::File,
    io::{Seek as _, Write as _},
    process::{Command, Stdio},
};

/// Programs that are real: they start others, or print what they read.
const REAL: &[&str] = &["bash", "cat", "env", "find", "nice", "nohup", "sh", "timeout", "xargs"];

/// A program that a line started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    pub(crate) directory: String,
    /// Its name without the folder, and its arguments.
    pub(crate) words: Vec<String>,
}

/// Builds the root and enters it; standard input has the lines, each ended by a NUL.
const SETUP: &str = r#"
root=$1; stubs=$2; real=$3; driver=$4
mount -t tmpfs -o size=64m,mode=755 tmpfs "$root"
for it in usr proc dev stubs srv home; do mkdir "$root/$it"; done
for it in bin sbin lib lib32 lib64; do
  if [ -L "/$it" ]; then cp -P "/$it" "$root/$it"
  elif [ -d "/$it" ]; then
    mkdir "$root/$it"; mount --rbind "/$it" "$root/$it"; mount -o remount,bind,ro "$root/$it"
  fi
done
mount --rbind /usr "$root/usr"; mount -o remount,bind,ro "$root/usr"
mount --rbind /proc "$root/proc"
: >"$root/dev/null"; mount --bind /dev/null "$root/dev/null"
ln -s /proc/self/fd "$root/dev/fd"; ln -s /proc/self/fd/0 "$root/dev/stdin"
for it in $stubs; do
  printf '%s\n' '#!/bin/sh' "printf '%s\0' R \"\$#\" \"\$PWD\" $it \"\$@\" >>/log" >"$root/stubs/$it"
  chmod 755 "$root/stubs/$it"
done
for it in $real; do ln -s "$(command -v "$it")" "$root/stubs/$it"; done
exec chroot "$root" "$(command -v env)" -i PATH=/stubs HOME=/home/u LC_ALL=C.UTF-8 FUNCNEST=20 \
  "$(command -v bash)" --norc -c "$driver"
"#;

/// Runs each line, and waits until everything that it started in the background has ended: all of
/// it holds descriptor 9.
const DRIVER: &str = r#"
ulimit -f 1000 -c 0
exec 3<&0 </dev/null
shopt -s dotglob nullglob
while IFS= read -r -d '' -u 3 line; do
  left=(/srv/* /home/*)
  (( ${#left[@]} )) && /usr/bin/rm -rf "${left[@]}"
  /usr/bin/mkdir -p /srv/project /srv/other /home/u/docs
  : >/log
  (cd /srv/project && exec 3<&- /usr/bin/timeout -k 1 3 /usr/bin/bash --norc -c "$line") \
    9>&1 >/dev/null 2>&1 </dev/null | /usr/bin/cat
  /usr/bin/cat /log
  printf 'E\0'
done
"#;

/// What each of the lines started.
pub(crate) fn run(lines: &[String], stubs: &[&str]) -> Vec<Vec<Started>> {
    let root = tempfile::tempdir().unwrap();
    let mut input = tempfile::tempfile().unwrap();
    for line in lines {
        assert!(!line.contains('\0'));
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\0").unwrap();
    }
    input.rewind().unwrap();
    let output = sandboxed(root.path(), &stubs.join(" "), input);
    let text = String::from_utf8_lossy(&output);
    let started = read(&text);
    assert_eq!(started.len(), lines.len(), "{text:?}");
    started
}

fn sandboxed(root: &std::path::Path, stubs: &str, input: File) -> Vec<u8> {
    let root = root.to_str().unwrap();
    let output = Command::new("unshare")
        .args(["-Urmn", "sh", "-eu", "-c", SETUP, "sh", root, stubs, &REAL.join(" "), DRIVER])
        .stdin(Stdio::from(input))
        .output()
        .unwrap();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{messages}");
    output.stdout
}

/// Reads what the stubs noted: `R`, how many arguments, the folder, the name, the arguments; after
/// each line an `E`.
fn read(text: &str) -> Vec<Vec<Started>> {
    let mut all = Vec::new();
    let mut line = Vec::new();
    let mut fields = text.split_terminator('\0');
    while let Some(sign) = fields.next() {
        if sign == "E" {
            all.push(std::mem::take(&mut line));
            continue;
        }
        assert_eq!(sign, "R", "{text:?}");
        let n_arguments: usize = fields.next().unwrap().parse().unwrap();
        let directory = fields.next().unwrap().to_owned();
        let words = fields.by_ref().take(n_arguments + 1).map(str::to_owned).collect();
        line.push(Started { directory, words });
    }
    all
}
