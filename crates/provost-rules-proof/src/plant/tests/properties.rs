//! What holds for every file: without plants it is unchanged, with plants it parses as well as before
//! and the lines before the first plant stay where they are.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const PLANTS: [Plant; 4] = [Plant::Expectation, Plant::Failure, Plant::Return, Plant::SecondLook];

/// Pieces of which test files are made, by language.
const PYTHON: &[&str] = &[
    "class A(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(f(), 1)\n\n",
    "@mark.parametrize('x', [1])\ndef test_b(x): assert f(x) == 'a'\n\n",
    "async def test_c():\n    \"\"\"Doc.\"\"\"\n    # why\n    with g():\n        assert await f() == [1]\n\n",
    "def test_d():\n    'Doc.'\n\n",
    "def helper():\n    return 1\n",
    "# comment\n",
    "if x:\n    def test_e():\n        for y in z: assert y == 1\n",
    "def test_broken(:\n    assert\n",
];
const JAVASCRIPT: &[&str] = &[
    "import assert from 'node:assert';\n",
    "import { expect } from 'chai';\n",
    "describe('a', () => {\n  it('b', () => expect(f()).toBe(1));\n});\n",
    "it.each([1])('c %i', (x) => {\n  if (x) assert.equal(f(x), 'y')\n});\n",
    "test(`d ${x}`, async function (t) { await t.test('e', () => {}); })\n",
    "test.failing('f', done => { done(); });\n",
    "it('g', helper);\n",
    "const x = 1 // no semicolon\n",
    "it('h', () => {\n",
];
const RUST: &[&str] = &[
    "#[test]\nfn a() { assert_eq!(f(), 1); }\n",
    "#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn b() -> Result<(), E> {\n        assert!(f() == 2);\n        Ok(())\n    }\n}\n",
    "#[test]\n#[PANICS]\nfn c() {}\n",
    "fn d<T: A + B>(x: T) { x.iter().for_each(|y| assert_eq!(y, 1)); }\n",
    "#[test]\nfn e() { match x { _ => assert_eq!(f(), Some(1)), } }\n",
    "#[test]\nfn broken( {\n",
];
const GO: &[&str] = &[
    "package a\n",
    "func TestA(t *testing.T) {\n\tif got := f(); got != 3 {\n\t\tt.Error(got)\n\t}\n}\n",
    "func TestB(_ *testing.T) {}\n",
    "func TestC(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) { assert.Equal(t, 1, f()) })\n}\n",
    "func helper() {}\n",
    "func TestBroken(t *testing.T) {\n\tif {\n",
];

fn file() -> impl Strategy<Value = (&'static str, String)> {
    let of = |path: &'static str, pieces: &'static [&'static str]| {
        prop::collection::vec(prop::sample::select(pieces), 0..6)
            .prop_map(move |it| (path, it.concat().replace("PANICS", crate::plant::rust::PANICS)))
    };
    prop_oneof![
        of("test_x.py", PYTHON),
        of("x.test.js", JAVASCRIPT),
        of("x.test.ts", JAVASCRIPT),
        of("x.test.tsx", JAVASCRIPT),
        of("src/x.rs", RUST),
        of("x_test.go", GO),
        (prop::sample::select(&["a.py", "a.js", "a.ts", "a.rs", "a.go"][..]), "\\PC{0,60}")
            .prop_map(|(path, text)| (path, text)),
    ]
}

/// How many nodes of a text the parser could not make sense of.
fn errors(path: &str, text: &str) -> usize {
    let tree = parse(Language::of(path).unwrap(), text).unwrap();
    let mut count = 0;
    tree::visit(tree.root_node(), (), |node, ()| {
        count += usize::from(node.is_error() || node.is_missing());
        std::ops::ControlFlow::Continue(())
    });
    count
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_plant_changes_what_it_must_and_nothing_else((path, text) in file(), seed in 0_usize..64) {
        prop_assert_eq!(&apply(path, &text, &[]).text, &text);
        let sites = sites(path, &text).unwrap();
        let chosen: BTreeMap<TestId, Plant> = sites
            .iter()
            .enumerate()
            .filter(|(at, _)| seed >> (at % 6) & 1 == 1)
            .map(|(at, site)| (site.id.clone(), PLANTS[(at + seed) % 4]))
            .collect();
        let chosen: Vec<_> = chosen.into_iter().collect();
        let planted = apply(path, &text, &chosen);
        let first = chosen
            .iter()
            .filter_map(|(id, _)| sites.iter().filter(|it| it.id == *id).map(|it| it.line).min())
            .min();
        let kept = first.map_or(usize::MAX, |it| usize::try_from(it).unwrap() - 1);
        let (old, new): (Vec<_>, Vec<_>) =
            (text.lines().take(kept).collect(), planted.text.lines().take(kept).collect());
        prop_assert_eq!(old, new);
        if errors(path, &text) == 0 {
            prop_assert_eq!(errors(path, &planted.text), 0, "{}", planted.text);
        }
        let accepted = chosen.iter().filter(|(id, _)| !planted.refused.iter().any(|it| it.0 == *id));
        prop_assert_eq!(accepted.count() > 0, planted.text != text);
        // The tests are still there, under their names.
        let after: Vec<_> = super::sites(path, &planted.text).unwrap();
        if errors(path, &text) == 0 {
            let names = |it: &[TestSite]| it.iter().map(|it| it.id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&sites), names(&after));
        }
    }
}

#[test]
fn a_deep_file_does_no_harm() {
    for (path, open) in [("a.py", "("), ("a.js", "["), ("a.rs", "{"), ("a.go", "(")] {
        let text = open.repeat(200_000);
        assert_eq!(sites(path, &text), Some(vec![]));
        let _ = mutants(path, &text, &[1..=1]);
    }
}
