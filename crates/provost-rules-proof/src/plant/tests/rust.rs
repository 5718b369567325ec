use super::{Plant::*, Refusal, check, check_refused, check_sites};
use crate::plant::rust::PANICS;

const PATH: &str = "src/a/b.rs";

#[test]
fn functions_with_the_attribute_are_found() {
    let text = "\
fn product() {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says what.
    #[test]
    #[cfg_attr(x, ignore)]
    // A comment.
    fn plain() { assert_eq!(f(), 1); }

    #[tokio::test(flavor = \"multi_thread\")]
    async fn waits() {}

    #[test]
    #[PANICS(expected = \"x\")]
    fn panics() { assert_eq!(f(), 1); }

    #[test_case(1; \"one\")]
    fn cases(x: u8) {}

    #[rstest]
    #[case(1)]
    fn table(#[case] x: u8) {}

    #[test]
    fn fails() -> Result<(), E> { Ok(()) }

    fn helper() {}

    #[cfg(test)]
    fn not_one() {}

    mod inner {
        #[test]
        fn deep() {}
    }

    proptest! {
        #[test]
        fn generated(x in 0..1) {}
    }
}
";
    check_sites(
        PATH,
        &text.replace("PANICS", PANICS),
        &[
            "a > b > tests > plain:11 =",
            "a > b > tests > waits:14",
            "a > b > tests > panics:18 !",
            "a > b > tests > cases > *:21",
            "a > b > tests > table > *:25",
            "a > b > tests > fails:28",
            "a > b > tests > inner > deep:37",
        ],
    );
}

#[test]
fn the_first_statement_fails() {
    let table = [
        ("#[test]\nfn a() {}", "#[test]\nfn a() { assert_eq!(1, 2);}"),
        ("#[test] fn a() { f(); }", "#[test] fn a() { assert_eq!(1, 2); f(); }"),
        (
            "#[test]\nfn a() -> Result<(), E> { // why\n    f()?;\n}\n",
            "#[test]\nfn a() -> Result<(), E> { assert_eq!(1, 2); // why\n    f()?;\n}\n",
        ),
        (
            "#[test]\nfn a() {\n    #![expect(x)]\n    f();\n}\n",
            "#[test]\nfn a() {\n    #![expect(x)] assert_eq!(1, 2);\n    f();\n}\n",
        ),
    ];
    for (text, expected) in table {
        check(PATH, Failure, text, expected);
    }
    let panics = |body: &str| format!("#[test]\n#[{PANICS}]\nfn a() {{ {body} }}");
    check(PATH, Return, &panics("f();"), &panics("if true { return; } f();"));
    check_refused(PATH, Return, "#[test] fn a() -> E { f() }", &[Refusal::NoReturn]);
}

#[test]
fn the_expected_literal_becomes_another() {
    let table = [
        ("assert_eq!(f(3), 3);", "assert_eq!(f(3), 4);"),
        ("assert_eq!(3, f(3), \"why\");", "assert_eq!(4, f(3), \"why\");"),
        ("assert_eq!(f(), 255);", "assert_eq!(f(), 254);"),
        ("assert_eq!(f(), -128);", "assert_eq!(f(), -127);"),
        ("assert_eq!(f(), \"a\");", "assert_eq!(f(), \"za\");"),
        ("assert_eq!(f(), r#\"a\"#);", "assert_eq!(f(), r#\"za\"#);"),
        ("assert_eq!(f(), b\"ab\");", "assert_eq!(f(), b\"zb\");"),
        ("assert_eq!(f(), 'a');", "assert_eq!(f(), 'z');"),
        ("assert_eq!(f(), true,);", "assert_eq!(f(), false,);"),
        ("assert_eq!(f(), Some(1));", "assert_eq!(f(), Some(2));"),
        ("assert_eq!(f(), vec![1, 2]);", "assert_eq!(f(), vec![2, 2]);"),
        ("assert_eq!(f(), [(1, \"a\".to_owned())]);", "assert_eq!(f(), [(2, \"a\".to_owned())]);"),
        ("assert_eq!(f(), Ok(&[\"a\"][..]));", ""),
        ("assert_eq!(f(), String::from(\"a\"));", "assert_eq!(f(), String::from(\"za\"));"),
        ("assert!(f() == 3);", "assert!(f() == 4);"),
        ("std::assert_eq!(f::<A, B>(), 3);", ""),
        (
            "if c { assert_eq!(f(), 1); } assert_eq!(g(), 2);",
            "if c { assert_eq!(f(), 1); } assert_eq!(g(), 3);",
        ),
        ("x.for_each(|y| assert_eq!(y, 1));", "x.for_each(|y| assert_eq!(y, 2));"),
        ("assert_ne!(f(), 3);", ""),
        ("assert!(f() == 3 || g());", ""),
        ("assert_eq!(f(), g());", ""),
        ("assert_eq!(f(), vec![0; 3]);", ""),
        ("assert_eq!(f(), N + 1);", ""),
        ("fn g() { assert_eq!(f(), 1); }", ""),
        ("let r = std::panic::catch_unwind(|| { assert_eq!(f(), 1); });", ""),
    ];
    for (body, expected) in table {
        let whole = |it: &str| format!("#[test]\nfn a() {{ {it} }}\n");
        if expected.is_empty() {
            check_refused(PATH, Expectation, &whole(body), &[Refusal::NoLiteral]);
        } else {
            check(PATH, Expectation, &whole(body), &whole(expected));
        }
    }
}

#[test]
fn the_second_look_fails_at_the_same_statement() {
    check(
        PATH,
        SecondLook,
        "#[test]\nfn a() { let x = f(); assert_eq!(x, 3); g(); }\n",
        "#[test]\nfn a() { let x = f(); { assert_eq!(1, 2); assert_eq!(x, 3) }; g(); }\n",
    );
    check(
        PATH,
        SecondLook,
        "#[test]\nfn a() { match x { _ => assert_eq!(x, 3), } }\n",
        "#[test]\nfn a() { match x { _ => { assert_eq!(1, 2); assert_eq!(x, 3) }, } }\n",
    );
}
