//! What a database is told to do.

use provost_shell::{Family, Hole, Invocation, Part as Piece, Word};

use super::{
    super::{
        action::Action,
        arguments::{Arguments, known, lead, program as program_of},
        builtin::BuiltIn::{DataBulk, DataDrop},
        path_zones::{Tail, Zone},
    },
    Part, ShellAnalyzer, stdin,
};

/// Tools that keep a database for a program, with the words that empty it.
const TOOLS: [(&str, &str); 41] = [
    ("alembic", "downgrade base"),
    ("artisan", "db:wipe"),
    ("artisan", "migrate:fresh"),
    ("artisan", "migrate:refresh"),
    ("artisan", "migrate:reset"),
    ("console", "doctrine:database:drop"),
    ("console", "doctrine:schema:drop"),
    ("diesel", "database drop"),
    ("diesel", "database reset"),
    ("dotnet", "ef database drop"),
    ("dotnet-ef", "database drop"),
    ("drush", "sql-drop"),
    ("drush", "sql:drop"),
    ("flyway", "clean"),
    ("liquibase", "dropall"),
    ("liquibase", "drop-all"),
    ("manage.py", "flush"),
    ("manage.py", "reset_db"),
    ("django-admin", "flush"),
    ("mix", "ecto.drop"),
    ("mix", "ecto.reset"),
    ("mikro-orm", "schema:drop"),
    ("mikro-orm", "schema:fresh"),
    ("prisma", "db push --force-reset"),
    ("prisma", "migrate reset"),
    ("rails", "db:drop"),
    ("rails", "db:drop:all"),
    ("rails", "db:migrate:reset"),
    ("rails", "db:purge"),
    ("rails", "db:reset"),
    ("rake", "db:drop"),
    ("rake", "db:drop:all"),
    ("rake", "db:migrate:reset"),
    ("rake", "db:reset"),
    ("sequelize", "db:drop"),
    ("sequelize-cli", "db:drop"),
    ("sqlx", "database drop"),
    ("sqlx", "database reset"),
    ("supabase", "db reset"),
    ("typeorm", "schema:drop"),
    ("wp", "db reset"),
];

/// Judges a tool that keeps a database, named by one of the words.
pub(super) fn tools(words: &[Word], action: &mut Action) {
    let texts: Vec<String> = words.iter().map(|it| lead(it).to_ascii_lowercase()).collect();
    // A test's own database is made to be thrown away.
    let is_test =
        |it: &String| matches!(it.as_str(), "rails_env=test" | "mix_env=test" | "--env=testing");
    let empties = texts.iter().enumerate().any(|(at, text)| {
        let name = text.rsplit('/').next().unwrap_or_default();
        let rest = texts.get(at + 1..).unwrap_or_default();
        TOOLS.iter().filter(|(tool, _)| *tool == name).any(|(_, told)| follows(told, rest))
    });
    if empties && !texts.iter().any(is_test) && !texts.iter().any(|it| it == "--help") {
        action.meet(DataDrop);
    }
}

/// Whether all words stand there in their order, options and their values among them.
fn follows(told: &str, rest: &[String]) -> bool {
    let mut rest = rest.iter();
    told.split(' ').all(|word| rest.any(|it| it == word))
}

impl ShellAnalyzer<'_> {
    /// Looks at statements that a tool hands to a database.
    pub(in super::super) fn statements(&mut self, text: &str) {
        let mut action = Action::on(text);
        statements(text, &mut action);
        self.actions.push(action);
    }
}

/// Judges a client of a database by the statements on its words and on its input.
pub(super) fn judge(part: &Part<'_>, program: &str, action: &mut Action) {
    let arguments = Arguments::of(part.invocation);
    let words = arguments.words().iter().map(ToString::to_string);
    match program {
        "dropdb" => {
            let is_test = |it: &Word| it.text().is_some_and(is_for_tests) || is_made_here(part, it);
            let hosts: Vec<String> = arguments.values(&["-h", "--host"]).collect();
            let is_here = hosts.iter().all(|it| matches!(it.as_str(), "127.0.0.1" | "localhost"));
            if !(is_here && arguments.operands().last().is_some_and(is_test)) {
                action.meet(DataDrop);
            }
            return;
        }
        "redis-cli" => {
            if words
                .into_iter()
                .any(|it| matches!(it.to_ascii_lowercase().as_str(), "flushall" | "flushdb"))
            {
                action.meet(DataDrop);
            }
            let is_fed = |it: &Word| {
                let is_input = |it: &Piece| matches!(it, Piece::Hole { hole: Hole::Input, .. });
                it.parts().iter().any(is_input)
            };
            if (arguments.has("del") || arguments.has("unlink"))
                && arguments.words().iter().any(is_fed)
            {
                action.meet(DataBulk);
            }
            return;
        }
        "mysqladmin" => {
            if arguments.has("drop") {
                action.meet(DataDrop);
            }
            return;
        }
        _ => {}
    }
    let feed = stdin::of(part.script, part.index);
    let is_file = matches!(program, "duckdb" | "sqlite" | "sqlite3");
    let is_passing = |it: &Word| {
        let target = part.zones.target(it, Some(&part.zones.directory));
        it.text() == Some(":memory:")
            || (target.tail == Tail::Exact
                && match part.zones.zone(&target.path) {
                    Zone::Temporary => true,
                    Zone::Inside => is_for_tests_by_path(&target.path, &part.zones.root),
                    Zone::Whole | Zone::Pseudo | Zone::Device | Zone::System | Zone::Outside => {
                        false
                    }
                })
    };
    if is_file && arguments.operands().next().is_some_and(is_passing) {
        return;
    }
    let is_client = |it: &&Invocation| known(it).family == Family::Database;
    let feeders = feed.programs.iter().filter_map(|it| part.script.invocations.get(*it));
    // Statements that one query makes, and another runs.
    for it in feeders.filter(is_client).flat_map(Invocation::arguments) {
        statements(&unquoted(&it.to_string()), action);
    }
    for text in words.chain(feed.texts) {
        if text.contains("\\gexec") {
            statements(&unquoted(&text), action);
        }
        let lowered = text.to_ascii_lowercase();
        if ["dropdatabase(", ".drop(", "deletemany({})", "remove({})"]
            .iter()
            .any(|it| lowered.contains(it))
        {
            action.meet(DataDrop);
        }
        statements(&text, action);
    }
}

/// A text whose inner texts stand there as statements.
fn unquoted(text: &str) -> String {
    text.replace(['\'', '"', '(', ')', '|'], " ")
}

/// Whether a file of the project is a database for tests, by its name or by a folder it lies in.
fn is_for_tests_by_path(path: &str, root: &str) -> bool {
    let inner = path.strip_prefix(root).unwrap_or(path);
    inner.split('/').any(|it| is_for_tests(it.split('.').next().unwrap_or_default()))
}

/// Whether a database is called one for tests.
fn is_for_tests(name: &str) -> bool {
    name.split(['_', '-']).any(|it| matches!(it, "test" | "tests" | "testing" | "pytest" | "ci"))
}

/// Whether the line itself has made a database before.
fn is_made_here(part: &Part<'_>, name: &Word) -> bool {
    let before = part.script.invocations.iter().take(part.index);
    name.text().is_some()
        && before.into_iter().any(|it| {
            program_of(it).as_deref() == Some("createdb")
                && Arguments::of(it).operands().any(|it| it.text() == name.text())
        })
}

/// Judges statements of SQL.
pub(super) fn statements(text: &str, action: &mut Action) {
    for statement in without_comments(text).split(';') {
        let words: Vec<String> =
            statement.split_whitespace().map(str::to_ascii_uppercase).collect();
        let words: Vec<&str> = words.iter().map(|it| it.trim_start_matches('(')).collect();
        let has = |word: &str| words.iter().any(|it| it.trim_matches(['(', ')']) == word);
        let next_to = |word: &str| {
            let at = words.iter().position(|it| *it == word)?;
            words.get(at + 1).copied()
        };
        let is_drop = matches!(
            next_to("DROP"),
            Some(
                "TABLE"
                    | "DATABASE"
                    | "SCHEMA"
                    | "KEYSPACE"
                    | "TABLESPACE"
                    | "OWNED"
                    | "COLLECTION"
            )
        );
        let is_truncate = words.first() == Some(&"TRUNCATE");
        let is_delete = next_to("DELETE") == Some("FROM") && !has("WHERE");
        let is_where_always = next_to("DELETE") == Some("FROM")
            && matches!(next_to("WHERE"), Some("1=1" | "TRUE" | "1" | "'1'='1'"));
        let is_update = next_to("UPDATE").is_some() && has("SET") && !has("WHERE");
        if is_drop || is_truncate || is_delete || is_where_always {
            action.meet(DataDrop);
        } else if is_update {
            action.meet(DataBulk);
        }
    }
}

/// A text without `/* … */` and `-- …`, which may stand in the middle of a statement.
fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let block = rest.find("/*");
        let line = rest.find("--").filter(|it| block.is_none_or(|block| *it < block));
        let (begin, end) = match (line, block) {
            (Some(at), _) => (at, rest.get(at..).and_then(|it| it.find('\n')).map(|it| at + it)),
            (None, Some(at)) => {
                // What stands in `/*! … */` is run by some databases.
                let runs = rest.get(at + 2..).is_some_and(|it| it.starts_with('!'));
                let end = rest.get(at..).and_then(|it| it.find("*/")).map(|it| at + it + 2);
                let inner = rest.get(at + 3..end.map_or(rest.len(), |it| it - 2)).filter(|_| runs);
                clean.push_str(rest.get(..at).unwrap_or_default());
                clean.push(' ');
                clean.push_str(
                    inner.unwrap_or_default().trim_start_matches(|it: char| it.is_ascii_digit()),
                );
                clean.push(' ');
                rest = end.and_then(|it| rest.get(it..)).unwrap_or_default();
                continue;
            }
            (None, None) => {
                clean.push_str(rest);
                return clean;
            }
        };
        clean.push_str(rest.get(..begin).unwrap_or_default());
        clean.push(' ');
        rest = end.and_then(|it| rest.get(it..)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_judged_by_what_they_delete() {
        for (text, expected) in [
            ("DROP TABLE users", Some("data.drop")),
            ("drop /* x */ table users", Some("data.drop")),
            ("select 1; DROP\nDATABASE x", Some("data.drop")),
            ("DELETE FROM users", Some("data.drop")),
            ("DELETE FROM users WHERE 1=1", Some("data.drop")),
            ("DELETE FROM users -- WHERE id = 1", Some("data.drop")),
            ("/*!50000 DROP TABLE x */", Some("data.drop")),
            ("TRUNCATE users", Some("data.drop")),
            ("UPDATE users SET a = 1", Some("data.bulk")),
            ("UPDATE users SET a = 1 WHERE id = 2", None),
            ("DELETE FROM users WHERE id = 1", None),
            ("SELECT 'x' FROM drops", None),
            ("DROP INDEX i", None),
            ("ALTER TABLE t DROP COLUMN c", None),
            ("/*", None),
            ("--", None),
            ("", None),
        ] {
            let mut action = Action::default();
            statements(text, &mut action);
            assert_eq!(action.found.first().map(|it| it.rule.id()), expected, "{text}");
        }
    }
}
