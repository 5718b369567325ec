use super::{Plant::*, Refusal, TestId, apply, check, check_refused, check_sites};

const PATH: &str = "a/b_test.go";

#[test]
fn functions_and_subtests_are_found() {
    let text = "\
package a

func TestMain(m *testing.M) { os.Exit(m.Run()) }
func Testify(t *testing.T) {}
func TestHelper(t *testing.T, x int) {}
func ExampleA() {}
func TestA(t *testing.T) {
	t.Run(\"has a space\", func(t *testing.T) {
		t.Run(\"in/side\", func(tt *testing.T) {})
	})
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := f(); got != 3 { t.Error(got) }
		})
	}
}
func FuzzA(f *testing.F) {}
func (s *Suite) TestB(c *check.C) {}
";
    check_sites(
        PATH,
        text,
        &[
            "TestA:7",
            "TestA > has_a_space:8",
            "TestA > has_a_space > in > side:9",
            "TestA > *:12 =",
            "FuzzA:17",
            "TestB:18",
        ],
    );
    let suite = "package a\nimport \"github.com/stretchr/testify/suite\"\nfunc (s *S) TestA() {}\nfunc (s *S) TestB(x int) {}\n";
    check_sites(PATH, suite, &["* > TestA:3"]);
}

#[test]
fn the_first_statement_fails() {
    let table = [
        (
            "func TestA(t *testing.T) {\n\tf()\n}\n",
            "func TestA(t *testing.T) { t.Fatal(\"unexpected result\");\n\tf()\n}\n",
        ),
        (
            "func TestA(tt *testing.T) {}",
            "func TestA(tt *testing.T) { tt.Fatal(\"unexpected result\");}",
        ),
        (
            "func TestA(_ *testing.T) { f() }",
            "func TestA(t *testing.T) { t.Fatal(\"unexpected result\"); f() }",
        ),
        (
            "func TestA(*testing.T) { f() }",
            "func TestA(t *testing.T) { t.Fatal(\"unexpected result\"); f() }",
        ),
        (
            "import \"github.com/stretchr/testify/suite\"\nfunc (s *S) TestA() {}",
            "import \"github.com/stretchr/testify/suite\"\nfunc (s *S) TestA() { s.T().Fatal(\"unexpected result\");}",
        ),
    ];
    for (text, expected) in table {
        let whole = |it: &str| format!("package a\n{it}");
        check(PATH, Failure, &whole(text), &whole(expected));
    }
}

#[test]
fn the_expected_literal_becomes_another() {
    let table = [
        ("if got != 3 { t.Errorf(\"x\") }", "if got != 4 { t.Errorf(\"x\") }"),
        ("if got := f(); got != \"a\" { t.Fatal() }", "if got := f(); got != \"za\" { t.Fatal() }"),
        ("if err != nil || got != -1 { t.Fail() }", "if err != nil || got != -0 { t.Fail() }"),
        ("if f() != true { t.Fatal() }", "if f() != false { t.Fatal() }"),
        (
            "want := 3; if got := f(); got != want { t.Errorf(\"%d\", want) }",
            "want := 4; if got := f(); got != want { t.Errorf(\"%d\", want) }",
        ),
        (
            "for _, tc := range []c{{in: 1, want: 2}, {in: 3, want: 4}} { if f(tc.in) != tc.want { t.Error() } }",
            "for _, tc := range []c{{in: 1, want: 3}, {in: 3, want: 5}} { if f(tc.in) != tc.want { t.Error() } }",
        ),
        (
            "for _, tc := range []struct{ in, want int }{{1, 20}, {3, 4}} { if f(tc.in) != tc.want { t.Error() } }",
            "for _, tc := range []struct{ in, want int }{{1, 10}, {3, 5}} { if f(tc.in) != tc.want { t.Error() } }",
        ),
        (
            "type c struct { in int; want string }; for _, tc := range map[string]*c{\"a\": &c{1, \"b\"}, \"d\": {2, \"e\"}} { if f(tc.in) != tc.want { t.Error() } }",
            "type c struct { in int; want string }; for _, tc := range map[string]*c{\"a\": &c{1, \"zb\"}, \"d\": {2, \"ze\"}} { if f(tc.in) != tc.want { t.Error() } }",
        ),
        (
            "for _, tc := range []c{{in: 1, want: 2}, {in: 3}} { if f(tc.in) != tc.want { t.Error() } }",
            "",
        ),
        ("assert.Equal(t, 3, f(1))", "assert.Equal(t, 4, f(1))"),
        ("require.Equal(t, []int{1}, f())", "require.Equal(t, []int{2}, f())"),
        ("want := 3; if f(want) != want { t.Error() }", ""),
        ("if got == 3 { t.Error() }", ""),
        ("if got != 3 { return }", ""),
        ("if c { f() } else if got != 3 { t.Error() }", ""),
        ("assert.NotEqual(t, 3, f())", ""),
        ("limit := 3; if got != limit { t.Error() }", ""),
    ];
    for (body, expected) in table {
        let whole = |it: &str| format!("package a\nfunc TestA(t *testing.T) {{ {it} }}\n");
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
        "package a\nfunc TestA(t *testing.T) {\n\tgot := f()\n\tif got != 3 {\n\t\tt.Error()\n\t}\n}\n",
        "package a\nfunc TestA(t *testing.T) {\n\tgot := f()\n\tt.Fatal(\"unexpected result\"); if got != 3 {\n\t\tt.Error()\n\t}\n}\n",
    );
    check(
        PATH,
        SecondLook,
        "package a\nfunc TestA(t *testing.T) {\n\tassert.Equal(t, 3, f(1))\n}\n",
        "package a\nfunc TestA(t *testing.T) {\n\tt.Fatal(\"unexpected result\"); assert.Equal(t, 3, f(1))\n}\n",
    );
}

/// The table of a subtest stands outside of it, and every row is a test.
#[test]
fn every_row_of_a_table_is_falsified() {
    let whole = |rows: &str| {
        format!(
            "package a\nfunc TestA(t *testing.T) {{ for _, tc := range []struct{{ name string; want int }}{{{rows}}} {{ t.Run(tc.name, func(t *testing.T) {{ if f() != tc.want {{ t.Error() }} }}) }} }}\n"
        )
    };
    let id = TestId(vec!["TestA".to_owned(), "*".to_owned()]);
    let text = whole("{\"a\", 20}, {\"b\", 3}");
    let planted = apply(PATH, &text, &[(id, Expectation)]);
    assert_eq!((planted.text, planted.refused), (whole("{\"a\", 10}, {\"b\", 4}"), vec![]));
}
