//! Projects with real dependencies, from the first command to a result: npm, pip and cargo as
//! they are installed here, with packages that `cargo xtask tools` has fetched.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::{Path, PathBuf},
    thread,
};

use serde_json::json;

use crate::loop_world::{Loop, ended};

/// The checksum of the package, as every lock file of npm has it.
const IS_NUMBER: &str = "sha512-41Cifkg6e8TylSpdtTpeLVMqvSBEVzTttHvERD741+pnZ8ANv0004MRL43QKPDlK9cGvNp6NZWZUBlbGXYxxng==";
/// A coder that is wrong once, and uses the dependency to see whether it is there.
const WRONG_FIRST: &str =
    "[ \"$attempt\" = 1 ] && echo none >answer.txt || echo 42 >answer.txt; reply done";

/// A file that `cargo xtask tools` has fetched.
fn package(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let file = root.join("target/packages").join(name);
    assert!(file.is_file(), "`{}` is missing: run `cargo xtask tools`", file.display());
    file
}

/// Serves one file for every request, and returns the address.
fn serve(file: &Path) -> String {
    let bytes = fs::read(file).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let length = bytes.len();
            let head =
                format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n");
            let _ = stream.write_all(&[head.as_bytes(), &bytes].concat());
        }
    });
    format!("http://{address}")
}

/// The commands that an attempt ran to make a checkout ready.
fn prepared(it: &Loop, attempt: &str) -> Vec<String> {
    let log = it.text(&format!("{attempt}/commands.log"));
    let commands = log.lines().map(|it| serde_json::from_str::<serde_json::Value>(it).unwrap());
    let commands = commands.map(|it| it["cmd"].as_str().unwrap().to_owned());
    commands.filter(|it| it.starts_with("prepare:")).collect()
}

/// A project of npm, whose only dependency comes from this address.
fn npm(it: &Loop, address: &str) {
    let manifest = json!({
        "name": "shop", "version": "1.0.0", "dependencies": { "is-number": "7.0.0" },
    });
    let lock = json!({
        "name": "shop", "version": "1.0.0", "lockfileVersion": 3, "requires": true,
        "packages": {
            "": manifest,
            "node_modules/is-number": {
                "version": "7.0.0",
                "resolved": format!("{address}/is-number-7.0.0.tgz"),
                "integrity": IS_NUMBER,
            },
        },
    });
    it.world.write("repo/package.json", manifest.to_string());
    it.world.write("repo/package-lock.json", lock.to_string());
    it.world.write("repo/.gitignore", ".provost/\nnode_modules/\n");
    it.world.write(
        "repo/check.js",
        "const text = require('fs').readFileSync('answer.txt', 'utf8').trim();\n\
         process.exit(require('is-number')(text) ? 0 : 1);\n",
    );
    it.commit();
}

/// Coder and test find the dependency; the second attempt does not install it again; a private home
/// is writable, and what the registry was told by is not in it.
#[test]
fn a_project_of_npm_is_tested_with_its_dependencies() {
    let it = Loop::new();
    npm(&it, &serve(&package("is-number-7.0.0.tgz")));
    it.world.write("home/.npmrc", "//127.0.0.1/:_authToken=none\n");
    it.coder(&format!("node -e \"require('is-number')\" || exit 9; {WRONG_FIRST}"));
    let test = "node check.js && touch \"$HOME/written\" && test ! -e \"$HOME/.npmrc\" \
                && test \"$npm_config_cache\" != \"\"";
    it.check("t1", json!({ "test_cmd": test, "max_attempts": 2 }), 0, "READY_FOR_REVIEW");
    let first = prepared(&it, "t1/attempt_001");
    let npm = ["prepare:npm ci --ignore-scripts --no-audit --no-fund", "prepare:npm rebuild"];
    assert_eq!(first, npm);
    assert_eq!(prepared(&it, "t1/attempt_002"), Vec::<String>::new());
    let head = it.text("t1/attempt_002/head_commit.txt");
    assert!(!it.git(&format!("ls-tree -r {}", head.trim())).contains("node_modules"));
    assert_eq!(it.work("t1"), Vec::<PathBuf>::new());
}

/// The file of the package in each layer that is kept.
fn layers(it: &Loop) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for home in fs::read_dir(it.world.path("home/.local/state/provost/work")).unwrap() {
        let layers = home.unwrap().path().join("_layers");
        let layers = fs::read_dir(layers).unwrap().map(|it| it.unwrap().path());
        let file = |it: PathBuf| it.join("kept/node_modules/is-number/index.js");
        found.extend(layers.map(file).filter(|it| it.is_file()));
    }
    found
}

/// What was installed for the base of one task is there for the next, no agent can change it, and
/// what was changed all the same is not used.
#[test]
fn the_next_task_has_what_was_installed_for_the_first() {
    let it = Loop::new();
    npm(&it, &serve(&package("is-number-7.0.0.tgz")));
    let spec = || json!({ "test_cmd": "node check.js" });
    it.coder("echo 42 >answer.txt; reply done");
    it.check("t1", spec(), 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t1/attempt_001").len(), 2);
    let [file] = layers(&it).try_into().unwrap();

    let at = file.display();
    it.coder(&format!("echo bad >'{at}' && exit 9; echo 42 >answer.txt; reply done"));
    let path = it.spec("t2", spec());
    let run = it.provost(&["run", path.to_str().unwrap()]).run();
    ended(&run, 0, "READY_FOR_REVIEW");
    assert!(run.stderr().contains("environment reused, 1 MB"), "{}", run.stderr());
    assert_eq!(prepared(&it, "t2/attempt_001"), Vec::<String>::new());

    it.world.write(&file, "module.exports = () => false;\n");
    it.coder("echo 42 >answer.txt; reply done");
    it.check("t3", spec(), 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t3/attempt_001").len(), 2);
    assert_eq!(layers(&it), [file]);
}

/// Other dependency files are another layer; `gc` keeps the limit, by what was used last.
#[test]
fn gc_removes_what_was_installed_and_not_used_for_longest() {
    let it = Loop::new();
    npm(&it, &serve(&package("is-number-7.0.0.tgz")));
    it.coder("echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "test_cmd": "node check.js" }), 0, "READY_FOR_REVIEW");
    it.world.write("repo/.npmrc", "fund=false\n");
    it.commit();
    it.check("t2", json!({ "test_cmd": "node check.js" }), 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t2/attempt_001").len(), 2);
    assert_eq!(layers(&it).len(), 2);
    let gc = |limit: &str| {
        let gc = it.world.provost().args(["--json", "gc"]);
        gc.variable("PROVOST_RETENTION_ENVIRONMENTS_MB", limit).run().json()
    };
    let answer = gc("100");
    assert_eq!(answer["environments"]["count"], 2, "{answer}");
    assert_eq!(answer["removed"], json!([]));
    let answer = gc("0");
    assert_eq!((&answer["environments"]["count"], layers(&it).len()), (&json!(0), 0), "{answer}");
    let is_installed = |it: &serde_json::Value| it["why"] == "environment";
    assert!(answer["removed"].as_array().unwrap().iter().all(is_installed), "{answer}");
    it.check("t3", json!({ "test_cmd": "node check.js" }), 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t3/attempt_001").len(), 2);
}

/// Ruling 87: neither coder nor judge reads a key of the person that has nothing to do with its own
/// login.
#[test]
fn credentials_are_hidden_from_agents() {
    let it = Loop::new();
    let files = [".ssh/id", ".aws/credentials", ".npmrc", ".netrc", ".config/gh/hosts.yml"];
    for file in files {
        it.world.write(format!("home/{file}"), "_authToken=key");
    }
    it.world.write("home/.config/other", "readable");
    it.world.write("repo/.git/info/exclude", ".env\n");
    it.world.write("repo/.env", "TOKEN=key");
    let home = it.world.path("home").display().to_string();
    let files = files.map(|it| format!("{home}/{it}"));
    let environment = it.world.path("repo/.env").display().to_string();
    let files: Vec<String> = files.into_iter().chain([environment]).collect();
    let reads = format!(
        "set -e; cat {home}/.config/other >&2; for it in {}; do if cat $it; then exit 9; fi; done",
        files.join(" "),
    );
    it.coder(&format!("{reads}\necho 42 >answer.txt; reply done"));
    it.judge_script(&format!("{reads}\ngive verdict"));
    it.check("t1", json!({}), 0, "READY_FOR_REVIEW");
    for step in ["coder", "judge"] {
        let printed = it.text(&format!("t1/attempt_001/{step}/stderr.log"));
        assert_eq!(printed.matches("Permission denied").count(), files.len(), "{step}: {printed}");
    }
}

/// Ruling 87: neither the test nor what makes its checkout ready reads a key of the person.
#[test]
fn credentials_are_hidden_from_tests_and_from_what_prepares_them() {
    let it =
        Loop::with_config("[[prepare]]\ncommand = \"cat @WORLD/home/.ssh/id && exit 9; true\"\n");
    for file in [".ssh/id", ".aws/credentials", ".npmrc", ".config/gh/hosts.yml"] {
        it.world.write(format!("home/{file}"), "_authToken=key");
    }
    it.world.write("home/.config/other", "readable");
    let home = it.world.path("home").display().to_string();
    let test = format!(
        "set -e; sh check.sh; cat {home}/.config/other; for it in .ssh/id .aws/credentials .npmrc \
         .config/gh/hosts.yml; do if cat {home}/$it; then exit 9; fi; done"
    );
    it.check("t1", json!({ "test_cmd": test }), 0, "READY_FOR_REVIEW");
    let printed = it.text("t1/attempt_001/prepare/stdout.log");
    assert!(printed.contains("Permission denied"), "{printed}");
}

/// Ruling 75: what the base cannot do either is not the agent's fault, and nothing is paid for.
#[test]
fn a_base_that_cannot_be_prepared_pauses_before_the_coder_works() {
    let it = Loop::new();
    npm(&it, "http://127.0.0.1:1");
    it.world.write("home/.npmrc", "fetch-retries=0\n");
    let answer = it.check("t1", json!({}), 3, "PAUSED_PREPARE_FAILED");
    let text = answer.to_string();
    assert!(text.contains("npm ci --ignore-scripts") && text.contains("exited with"), "{text}");
    assert_eq!(it.status("t1")["attempts_consumed"], 0);
    assert_eq!(it.count("t1", "CODER_STARTED"), 0);
    let printed = it.text("t1/attempt_001/prepare/stdout.log");
    assert!(printed.contains("$ npm ci") && printed.contains("ECONNREFUSED"), "{printed}");
}

/// Ruling 75: what only the delivered tree cannot do, the agent has broken: a failed test, which
/// counts.
#[test]
fn a_delivery_that_cannot_be_prepared_is_a_failed_test() {
    let it = Loop::new();
    npm(&it, &serve(&package("is-number-7.0.0.tgz")));
    it.coder("sed -i s/7.0.0/6.0.0/ package.json; echo 42 >answer.txt; reply done");
    it.check("t1", json!({ "max_attempts": 1 }), 1, "FAILED");
    assert_eq!(it.status("t1")["attempts_consumed"], 1);
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("not run: the preparation command `npm ci"), "{shown}");
    let printed = it.text("t1/attempt_001/prepare/stdout.log");
    assert!(printed.contains("EUSAGE"), "{printed}");
    assert!(it.text("t1/attempt_001/test/stdout.log").contains("EUSAGE"));
}

/// A project of Python whose dependency is installed into an environment of its own.
fn python(it: &Loop) {
    let folder = package("idna-3.10-py3-none-any.whl");
    let folder = folder.parent().unwrap().display().to_string();
    let config = format!("[global]\nno-index = true\nfind-links = {folder}\n");
    it.world.write("home/.config/pip/pip.conf", config);
    it.world.write("repo/requirements.txt", "idna==3.10\n");
    it.world.write("repo/.gitignore", ".provost/\n.venv/\n");
    it.world.write(
        "repo/check.py",
        "import idna, os, sys\n\
         assert sys.prefix == os.environ['VIRTUAL_ENV'], sys.prefix\n\
         sys.exit(open('answer.txt').read() != '42\\n')\n",
    );
    it.commit();
}

#[test]
fn a_project_of_python_is_tested_in_a_virtual_environment() {
    let it = Loop::new();
    python(&it);
    it.coder(&format!("python -c 'import idna' || exit 9; {WRONG_FIRST}"));
    let spec = json!({ "test_cmd": "python check.py", "max_attempts": 2 });
    it.check("t1", spec, 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t1/attempt_001").len(), 2);
    assert_eq!(prepared(&it, "t1/attempt_002"), Vec::<String>::new());
}

/// A crate of this workspace, from a folder that stands for the registry.
fn cargo(it: &Loop) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let locks = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    let (_, rest) = locks.split_once("name = \"itoa\"\n").unwrap();
    let value = |key: &str| rest.split(&format!("{key} = \"")).nth(1).unwrap().split('"').next();
    let (version, checksum) = (value("version").unwrap(), value("checksum").unwrap());
    let sources = cargo_home().join("registry/src");
    let registry = fs::read_dir(sources).unwrap().map(|it| it.unwrap().path());
    let of = |it: PathBuf| it.join(format!("itoa-{version}"));
    let source = registry.map(of).find(|it| it.is_dir()).unwrap();
    for file in ["Cargo.toml", "src/lib.rs", "src/u128_ext.rs", "src/udiv128.rs"] {
        if let Ok(text) = fs::read(source.join(file)) {
            it.world.write(format!("crates/itoa/{file}"), text);
        }
    }
    let sums = json!({ "files": {}, "package": checksum });
    it.world.write("crates/itoa/.cargo-checksum.json", sums.to_string());
    let config = format!(
        "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"{}\"\n",
        it.world.path("crates").display()
    );
    it.world.write("home/.cargo/config.toml", config);
    let manifest = format!(
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nitoa = \"={version}\"\n"
    );
    it.world.write("repo/Cargo.toml", manifest);
    let lock = format!(
        "version = 4\n\n[[package]]\nname = \"itoa\"\nversion = \"{version}\"\n\
         source = \"registry+https://github.com/rust-lang/crates.io-index\"\n\
         checksum = \"{checksum}\"\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n\
         dependencies = [\n \"itoa\",\n]\n"
    );
    it.world.write("repo/Cargo.lock", lock);
    it.world.write("repo/.gitignore", ".provost/\ntarget/\n");
    it.world.write("repo/src/lib.rs", "");
    it.world.write(
        "repo/tests/answer.rs",
        "#[test]\nfn it_is_right() {\n    let text = include_str!(\"../answer.txt\");\n    \
         assert_eq!(itoa::Buffer::new().format(42), text.trim());\n}\n",
    );
    it.commit();
}

#[expect(clippy::disallowed_methods, reason = "a test knows where the toolchain is")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn cargo_home() -> PathBuf {
    let usual = || Path::new(&variable("HOME").unwrap()).join(".cargo");
    variable("CARGO_HOME").map_or_else(usual, PathBuf::from)
}

#[test]
fn a_project_of_cargo_is_tested_with_its_dependencies() {
    let it = Loop::new();
    cargo(&it);
    let toolchains =
        variable("RUSTUP_HOME").unwrap_or_else(|| format!("{}/.rustup", variable("HOME").unwrap()));
    it.coder(
        "cargo metadata --offline --locked --format-version 1 >/dev/null || exit 9\n\
              echo 42 >answer.txt; reply done",
    );
    let test = "cargo test --offline --locked && test ! -e \"$CARGO_HOME/credentials.toml\"";
    let spec = it.spec("t1", json!({ "test_cmd": test, "test_timeout_seconds": 300 }));
    let run = it.provost(&["run", spec.to_str().unwrap()]);
    ended(&run.variable("RUSTUP_HOME", toolchains).run(), 0, "READY_FOR_REVIEW");
    assert_eq!(prepared(&it, "t1/attempt_001"), ["prepare:cargo fetch --locked"]);
}

/// A named ecosystem is installed where it would not be found, and beside another lock file; one that
/// is not there pauses the task by name, and is the agent's fault if the agent removed it.
#[test]
fn a_named_ecosystem_is_installed_in_its_folder() {
    let it = Loop::new();
    npm(&it, &serve(&package("is-number-7.0.0.tgz")));
    for file in ["package.json", "package-lock.json", "check.js"] {
        it.git(&format!("mv {file} examples-{file}"));
    }
    it.world.folder("repo/examples/shop");
    for file in ["package.json", "package-lock.json", "check.js"] {
        it.git(&format!("mv examples-{file} examples/shop/{file}"));
    }
    it.world.write("repo/examples/shop/pnpm-lock.yaml", "lockfileVersion: '9.0'\n");
    let config = fs::read_to_string(it.world.path("repo/provost.toml")).unwrap();
    let prepare = |folder: &str| {
        let named = format!("[[prepare]]\necosystem = \"npm\"\nfolder = \"{folder}\"\n");
        it.world.write("repo/provost.toml", format!("{config}{named}"));
        it.commit();
    };
    let spec = || json!({ "test_cmd": "node examples/shop/check.js", "max_attempts": 1 });
    prepare("examples");
    it.check("t1", spec(), 3, "PAUSED_PREPARE_FAILED");
    let shown = it.world.provost().args(["show", "t1"]).run().stdout();
    assert!(shown.contains("`examples/package-lock.json` is missing"), "{shown}");
    prepare("examples/shop/");
    it.coder("echo 42 >answer.txt; reply done");
    it.check("t2", spec(), 0, "READY_FOR_REVIEW");
    let commands = ["prepare:npm ci --ignore-scripts --no-audit --no-fund", "prepare:npm rebuild"];
    assert_eq!(prepared(&it, "t2/attempt_001"), commands);
    it.coder("rm examples/shop/package-lock.json; echo 42 >answer.txt; reply done");
    it.check("t3", spec(), 1, "FAILED");
    it.world.write("repo/provost.toml", format!("{config}[[prepare]]\necosystem = \"npmm\"\n"));
    it.commit();
    let ran = it.run("t4", spec());
    assert_eq!(ran.exit(), Some(2), "{}", ran.text());
    assert!(ran.stderr().contains("did you mean `npm`?"), "{}", ran.stderr());
}
