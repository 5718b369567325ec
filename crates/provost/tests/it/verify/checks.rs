//! Types, lint and build of a branch.

use std::fs;

use serde_json::Value;

use super::{CART, CONFIG, FIXED, Project, RED, TEST, rules, standings, verify_snapshot};

/// VERIFY: the other checks of the base's configuration: green, broken, red before, not there.
#[test]
fn the_other_checks_are_held_against_the_base() {
    let types = "import sys\nbad = '->' not in open('cart.py').read()\nprint('cart.py: no type' * bad)\nsys.exit(bad)\n";
    let typed = FIXED.replace("discount=0)", "discount=0) -> int");
    let config = format!(
        "{CONFIG}types = \"python3 tools/types.py\"\nlint = \"exit 127\"\nbuild = \"false\"\n"
    );
    let project = |config: &str| {
        Project::new(&[
            ("cart.py", &CART.replace("discount=0)", "discount=0) -> int")),
            ("test_cart.py", &format!("{TEST}{RED}")),
            ("tools/types.py", types),
            ("provost.toml", config),
        ])
    };
    let green = project(&config).with(&[("cart.py", &typed)]);
    let answer = green.check(&[], 0, "PROVEN");
    let standings = standings(&answer);
    assert_eq!(
        ["lint", "types", "build"].map(|it| standings[it]),
        ["not_verified", "verified", "not_verified"],
        "{answer:#}"
    );
    assert_eq!(answer["gaps"].as_array().unwrap().len(), 2, "{answer:#}");
    green.check(&["--strict"], 1, "PROVEN");
    verify_snapshot!(green.provost(&[]), @"
    exit: 0
    ----- stdout -----
    work@[COMMIT] against main@[COMMIT]
      paths      1 file changed, none forbidden                      ✓
      secrets    none, earlier commits included                      ✓
      config     no file that programs obey                          ✓
      base       1 failed, 1 passed  [TIME]
      tests      `python3 -m unittest` is green                      ✓  [TIME]
      proof      PROVEN: 1 test passes only with the change          ✓  [TIME]
      lint       `exit 127` cannot be run here: exit code 127        !  [TIME]
      types      `python3 tools/types.py` is green                   ✓  [TIME]
      build      `false` exited with 1, and is red on the base as …  !  [TIME]
    ✓ PROVEN: `exit 127` cannot be run here: exit code 127; `false` exited with 1, and is red on the base as well: it does not count · 1 file, +1 -1 · refused with --strict
    ----- stderr -----
    ");

    let only = config.lines().filter(|it| !it.starts_with("lint") && !it.starts_with("build"));
    let only: String = only.flat_map(|it| [it, "\n"]).collect();
    let broken = project(&only).with(&[("cart.py", FIXED)]);
    let (junit, sarif) = (broken.world.path("out/v.xml"), broken.world.path("out/v.sarif"));
    let reports = ["--junit", junit.to_str().unwrap(), "--sarif", sarif.to_str().unwrap()];
    let answer = broken.check(&reports, 1, "PROVEN");
    assert_eq!(rules(&answer), ["task.verify.types"]);
    assert_eq!(answer["findings"][0]["subject"], "cart.py: no type");
    let xml = fs::read_to_string(junit).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let case = document.descendants().find(|it| it.attribute("name") == Some("types")).unwrap();
    assert!(case.first_element_child().unwrap().text().unwrap().contains("no type"), "{xml}");
    let sarif: Value = serde_json::from_slice(&fs::read(sarif).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "task.verify.types");
    let strict = project(&only).with(&[("cart.py", &typed)]);
    strict.check(&["--strict"], 0, "PROVEN");
}
