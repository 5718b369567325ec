//! Plants under Python's `unittest`.

use crate::world::{Report, World};

const TESTS: &str = r#"
import asyncio
import unittest

from product import double


class Plain(unittest.TestCase):
    """Says what."""

    def setUp(self):
        self.two = 2

    def test_literal(self):
        # A comment.
        self.assertEqual(double(self.two), 4)

    def test_no_literal(self):
        """Says what."""
        with self.subTest("a"):
            self.assertTrue(double(1) == self.two)

    def test_one_line(self): self.assertEqual("aa", double("a"), "why")

    def test_loop(self):
        for x in [1, 2]: self.assertEqual(double(x) - 2 * x, 0)

    def test_collection(self):
        self.assertEqual([double(1), double("a")], [2, "aa"])

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(double(1), 3)

    def test_raises(self):
        with self.assertRaises(AssertionError):
            self.assertEqual(double(1), 3)

    def test_only_words(self):
        "Nothing is done."


class Derived(Plain):
    def test_derived(self):
        assert double(2) == 4 and double(3) == 6


class Waiting(unittest.IsolatedAsyncioTestCase):
    async def test_waits(self):
        await asyncio.sleep(0)
        self.assertIs(double(1) == 2, True)
"#;

/// Prints what each test comes to.
const RUN: &str = r#"
import unittest


class Result(unittest.TestResult):
    def say(self, word, test):
        print(word, test.id())

    def addSuccess(self, test): self.say("ok", test)
    def addExpectedFailure(self, test, error): self.say("ok", test)
    def addFailure(self, test, error): self.say("bad", test)
    def addError(self, test, error): self.say("bad", test)
    def addUnexpectedSuccess(self, test): self.say("bad", test)


unittest.defaultTestLoader.discover(".").run(Result())
"#;

#[test]
fn each_planted_test_fails_and_each_other_passes() {
    let world =
        World::new(&[("product.py", "def double(x):\n    return x + x\n"), ("run.py", RUN)]);
    world.check("test_product.py", TESTS, |world| {
        let output = world.run("python3", &["run.py"]);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(report).collect()
    });
    let plain = world.run("python3", &["-m", "unittest"]);
    assert_eq!(plain.status.code(), Some(1), "the last round has plants");
    world.write("test_product.py", TESTS);
    assert_eq!(world.run("python3", &["-m", "unittest"]).status.code(), Some(0));
}

fn report(line: &str) -> Report {
    let (word, id) = line.split_once(' ').unwrap();
    let names = id.split('.').skip(1).map(str::to_owned).collect();
    Report { names, is_passed: word == "ok" }
}
