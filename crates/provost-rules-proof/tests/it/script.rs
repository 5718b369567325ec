//! Scripts that leave a mark, and errors that a build notices.

use provost_rules_proof::plant::{GateKind, gate_error, script};

use crate::world::World;

#[test]
fn a_script_leaves_its_mark_and_exits_with_97() {
    let table = [
        ("sh", "check.sh", "#!/bin/sh\nexit 0\n"),
        ("sh", "check", "exit 0\n"),
        ("python3", "check.py", "from __future__ import annotations\nprint(1)\n"),
        ("node", "check.cjs", "require('fs');\n"),
        ("node", "check.mjs", "import 'fs';\n"),
    ];
    for (program, path, text) in table {
        let world = World::new(&[(path, text)]);
        assert_eq!(world.run(program, &[path]).status.code(), Some(0), "{path}");
        let mark = world.path("it's a mark");
        let planted = script(path, text, mark.to_str().unwrap()).unwrap();
        world.write(path, &planted);
        let output = world.run(program, &[path]);
        assert_eq!(output.status.code(), Some(97), "{path}: {output:?}");
        assert!(mark.exists(), "{path}");
    }
}

#[test]
fn a_gate_notices_its_error() {
    let lint = ["-c", "import ast; ast.parse(open('a.py').read())"];
    let rustc = ["--crate-type=lib", "--emit=metadata", "a.rs"];
    let table: [(&str, &str, &[&str], GateKind); 5] = [
        ("a.py", "python3", &lint, GateKind::Syntax),
        ("a.cjs", "node", &["--check", "a.cjs"], GateKind::Syntax),
        ("a.mjs", "node", &["--check", "a.mjs"], GateKind::Syntax),
        ("a.rs", "rustc", &rustc, GateKind::Syntax),
        ("a.rs", "rustc", &rustc, GateKind::Type),
    ];
    for (path, program, arguments, kind) in table {
        let world = World::new(&[(path, "")]);
        assert!(world.run(program, arguments).status.success(), "{path}");
        world.write(path, &gate_error(path, "", kind).unwrap());
        assert!(!world.run(program, arguments).status.success(), "{path} {kind:?}");
    }
}
