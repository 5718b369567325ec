use super::super::python::OTHER;
use super::{Plant::*, Refusal, check, check_refused, check_sites};

const PATH: &str = "tests/test_x.py";

#[test]
fn functions_and_methods_are_found() {
    let text = "\
import pytest, unittest

@pytest.fixture
def test_data():
    return 1

def helper():
    def test_inner(): pass

@pytest.mark.parametrize('x', [1, 2])
@other
# A comment.
def test_a(x): assert f(x) == 1

async def test_b(): ...

class Base(unittest.TestCase):
    def setUp(self): pass
    class TestInner:
        def test_c(self): pass

@pytest.mark.xfail(strict=True)
class TestD:
    def test_e(self): assert 1 == 2

if x:
    def test_f(): pass

@pytest.mark.xfail
def test_g(): pass

@pytest.mark.xfail(sys.platform == 'x', strict=True)
def test_h(): pass

@unittest.expectedFailure
def test_i(): pass

@parameterized.expand([1])
def test_j(): pass
";
    check_sites(
        PATH,
        text,
        &[
            "test_a:13 =",
            "test_b:15",
            "Base > TestInner > test_c:20",
            "TestD > test_e:24 !",
            "test_f:27",
            "test_g:30",
            "test_h:33",
            "test_i:36 !",
            "test_j_*:39",
        ],
    );
}

#[test]
fn the_first_statement_fails() {
    let table = [
        ("def test_a():\n    f()\n", "def test_a():\n    assert 1 == 2\n    f()\n"),
        ("def test_a():\n\tf()\n", "def test_a():\n\tassert 1 == 2\n\tf()\n"),
        ("def test_a():\r\n  f()\r\n", "def test_a():\r\n  assert 1 == 2\r\n  f()\r\n"),
        ("def test_a(): assert f() == 1\n", "def test_a(): assert 1 == 2; assert f() == 1\n"),
        ("def test_a(): f(); g()", "def test_a(): assert 1 == 2; f(); g()"),
        (
            "def test_a():  # why\n    # more\n    with f():\n        g()\n",
            "def test_a():  # why\n    # more\n    assert 1 == 2\n    with f():\n        g()\n",
        ),
        (
            "def test_a():\n    \"\"\"Says\n    what.\"\"\"\n    f()\n",
            "def test_a():\n    \"\"\"Says\n    what.\"\"\"\n    assert 1 == 2\n    f()\n",
        ),
        (
            "def test_a():\n    'Only words.'\n",
            "def test_a():\n    'Only words.'\n    assert 1 == 2\n",
        ),
        ("def test_a(): 'Only words.'\n", "def test_a(): 'Only words.'; assert 1 == 2\n"),
        (
            "@mark.parametrize('x', [\n  1,\n])\nasync def test_a(\n  x,\n) -> None:\n    await f(x)\n",
            "@mark.parametrize('x', [\n  1,\n])\nasync def test_a(\n  x,\n) -> None:\n    assert 1 == 2\n    await f(x)\n",
        ),
        (
            "class A(TestCase):\n    def test_a(self):\n        f()\n",
            "class A(TestCase):\n    def test_a(self):\n        self.assertEqual(1, 2)\n        f()\n",
        ),
        (
            "class A(unittest.TestCase): pass\nclass B(A):\n  def test_a(me): f()\n",
            "class A(unittest.TestCase): pass\nclass B(A):\n  def test_a(me): me.assertEqual(1, 2); f()\n",
        ),
        (
            "class B(base.Case):\n  def test_a(self): self.assertEqual(f(), 1)\n",
            "class B(base.Case):\n  def test_a(self): self.assertEqual(1, 2); self.assertEqual(f(), 1)\n",
        ),
        (
            "class TestA:\n  def test_a(self): f()\n",
            "class TestA:\n  def test_a(self): assert 1 == 2; f()\n",
        ),
        (
            "class A(TestCase):\n  @staticmethod\n  def test_a(): f()\n",
            "class A(TestCase):\n  @staticmethod\n  def test_a(): assert 1 == 2; f()\n",
        ),
        (
            "def test_a():\n    f()\ndef test_a():\n    g()\n",
            "def test_a():\n    assert 1 == 2\n    f()\ndef test_a():\n    assert 1 == 2\n    g()\n",
        ),
    ];
    for (text, expected) in table {
        check(PATH, Failure, text, expected);
    }
    check(PATH, Return, "def test_a():\n    f()\n", "def test_a():\n    return\n    f()\n");
}

#[test]
fn the_expected_literal_becomes_another() {
    let table = [
        ("assert f(3) == 3", "assert f(3) == 4"),
        ("assert 3 == f(3), 'why'", "assert 4 == f(3), 'why'"),
        ("assert (f() == 'a')", "assert (f() == 'za')"),
        ("assert f() == -1", "assert f() == -0"),
        ("assert f() == \"a\" \"b\"", "assert f() == \"za\" \"b\""),
        ("assert g() and f() == 2.5", "assert g() and f() == 3.5"),
        ("assert f() is True", "assert f() is False"),
        ("assert f() == [g(), 2]", "assert f() == [g(), 3]"),
        ("assert f() == []", "assert f() == [0]"),
        ("assert f() == {'a': g(), 'b': (1, 2)}", "assert f() == {'a': g(), 'b': (2, 2)}"),
        ("self.assertEqual(f(), 3)", "self.assertEqual(f(), 4)"),
        ("self.assertEqual('a', f())", "self.assertEqual('za', f())"),
        ("self.assertListEqual(f(), [True])", "self.assertListEqual(f(), [False])"),
        (
            "x = 1\n    assert x == y\n    assert x == 1",
            "x = 1\n    assert x == y\n    assert x == 2",
        ),
        (
            "if c:\n        assert f() == 1\n    assert g() == 2",
            "if c:\n        assert f() == 1\n    assert g() == 3",
        ),
        ("for x in y:\n        assert f(x) == 1", "for x in y:\n        assert f(x) == 2"),
        (
            "with pytest.raises(E):\n        assert f() == 1\n    assert g() == 2",
            "with pytest.raises(E):\n        assert f() == 1\n    assert g() == 3",
        ),
        (
            "try:\n        assert f() == 1\n    except E: pass\n    with open(x) as y:\n        assert g(y) == b'a'",
            "try:\n        assert f() == 1\n    except E: pass\n    with open(x) as y:\n        assert g(y) == b'z'",
        ),
    ];
    let wrapped = [
        ("assert f() == approx(3)", "assert f() == OTHER(approx(3))"),
        ("assert f() == {'a': 1, **b}", "assert f() == OTHER({'a': 1, **b})"),
        ("assert f() == None", "assert f() == OTHER(None)"),
        ("assert x == f(x)", "assert OTHER(x) == f(x)"),
        ("self.assertEqual(f(), x)", "self.assertEqual(f(), OTHER(x))"),
        ("assert f() == x\n    assert g() == 3", "assert f() == x\n    assert g() == 4"),
    ];
    for (body, expected) in table.into_iter().chain(wrapped) {
        let whole = |it: &str| format!("def test_a(self):\n    {it}\n").replace("OTHER", OTHER);
        check(PATH, Expectation, &whole(body), &whole(expected));
    }
    for (body, expected) in [
        // A parameter that nothing else uses: the product may look at it.
        ("assert f(x) == want", "want = OTHER(want)\n    assert f(x) == want"),
        ("assert f(want) == want", "assert f(want) == OTHER(want)"),
        ("self.assertEqual(f(), want)", "want = OTHER(want)\n    self.assertEqual(f(), want)"),
    ] {
        let whole =
            |it: &str| format!("def test_a(self, x, want):\n    {it}\n").replace("OTHER", OTHER);
        check(PATH, Expectation, &whole(body), &whole(expected));
    }
    let without = [
        "assert f() != 3",
        "assert not f() == 3",
        "assert f() == 3 or g()",
        "assert f() == 3 == g()",
        "assert f(3)",
        "self.assertNotEqual(f(), 3)",
        "self.assertAlmostEqual(f(), 3)",
        "self.assertTrue(f())",
        "lambda: f() == 3",
        "def g():\n        assert f() == 3",
    ];
    for body in without {
        let text = format!("def test_a(self):\n    {body}\n");
        check_refused(PATH, Expectation, &text, &[Refusal::NoLiteral]);
        check_refused(PATH, SecondLook, &text, &[Refusal::NoLiteral]);
    }
}

#[test]
fn the_second_look_fails_at_the_same_statement() {
    let table = [
        (
            "def test_a():\n    x = f()\n    assert x == 3\n",
            "def test_a():\n    x = f()\n    assert 1 == 2\n    assert x == 3\n",
        ),
        (
            "def test_a(): x = f(); assert x == 3\n",
            "def test_a(): x = f(); assert 1 == 2; assert x == 3\n",
        ),
        (
            "class A(TestCase):\n  def test_a(self):\n    for x in y: self.assertEqual(x, 3)\n",
            "class A(TestCase):\n  def test_a(self):\n    for x in y: self.assertEqual(1, 2); self.assertEqual(x, 3)\n",
        ),
    ];
    for (text, expected) in table {
        check(PATH, SecondLook, text, expected);
    }
}

/// Every row is a test, and a product may look at the values before the test does.
#[test]
fn every_row_of_a_table_is_falsified() {
    let table = [
        (
            "\"x, want\", [([150, 50], 180), ([1], 90)]",
            "\"x, want\", [([150, 50], 170), ([1], 80)]",
        ),
        ("('x', 'want'), [param(1, 'a', id='b')]", "('x', 'want'), [param(1, 'za', id='b')]"),
        ("'want', [1, True]", "'want', [2, False]"),
    ];
    for (rows, expected) in table {
        let whole = |it: &str| {
            format!("@mark.parametrize({it})\ndef test_a(x, want):\n    assert f(x) == want\n")
        };
        check(PATH, Expectation, &whole(rows), &whole(expected));
    }
    let unknown = "@mark.parametrize('x, want', [(1, 2), (3, g())])\ndef test_a(x, want):\n    ";
    check(
        PATH,
        Expectation,
        &format!("{unknown}assert f(x) == want\n"),
        &format!("{unknown}want = {OTHER}(want)\n    assert f(x) == want\n"),
    );
}
