//! Plants under `cargo test`.

use crate::world::{Report, World};

const SOURCE: &str = r#"
#![deny(warnings)]

pub fn double(x: u8) -> u8 {
    x + x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal() {
        let x = double(2); // why
        assert_eq!(x, 4);
    }

    #[test]
    fn last_of_its_type() { assert_eq!(double(127) + 1, 255) }

    #[test]
    fn option() {
        let found: Option<String> = Some(double(1).to_string());
        assert_eq!(found, Some("2".to_owned()), "why");
    }

    #[test]
    fn no_literal() -> Result<(), std::num::ParseIntError> {
        let x: u8 = "2".parse()?;
        assert_eq!(double(1), x);
        Ok(())
    }

    #[test]
    fn result() -> Result<(), std::num::ParseIntError> {
        "2".parse::<u8>().map(|x| assert!(double(x) == 4))
    }

    #[test]
    #[PANICS]
    fn panics() {
        assert_eq!(double(1), 3);
    }

    #[test]
    fn arms() {
        match double(1) {
            2 => assert_eq!(b"ab", b"ab"),
            _ => {}
        }
    }

    #[test]
    fn empty() {}

    mod inner {
        #[test]
        fn loops() {
            for x in [1, 2] {
                assert_eq!(-i16::from(super::double(x)) / i16::from(x), -2);
            }
        }
    }
}
"#;

const MANIFEST: &str =
    "[package]\nname = \"product\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";

#[test]
fn each_planted_test_fails_and_each_other_passes() {
    let source = SOURCE.replace("PANICS", concat!("should", "_panic"));
    let world = World::new(&[("Cargo.toml", MANIFEST)]);
    world.check("src/lib.rs", &source, |world| {
        let output =
            world.run("cargo", &["test", "--offline", "--quiet", "--lib", "--", "--format=pretty"]);
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains("test result"), "{errors}");
        text.lines().filter_map(report).collect()
    });
}

/// `test tests::name ... ok`.
fn report(line: &str) -> Option<Report> {
    let (head, word) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let name = head.split(" - ").next().unwrap();
    let names = name.split("::").map(str::to_owned).collect();
    Some(Report { names, is_passed: word == "ok" })
}
