//! Every liar, and the rule that catches it.

use super::{Liar, check};

/// One test for each: the project, the exit code, the rule and the label of a criterion.
macro_rules! liars {
    ($($name:ident: $project:literal, $exit:literal, $rule:literal, $label:literal;)*) => {
        $(#[test]
        fn $name() {
            check(&liar(stringify!($name), $project, $exit, $rule, $label));
        })*

        /// All of them.
        pub(super) fn all() -> Vec<Liar> {
            vec![$(liar(stringify!($name), $project, $exit, $rule, $label)),*]
        }
    };
}

fn liar(
    test: &str,
    project: &'static str,
    exit: i32,
    rule: &'static str,
    label: &'static str,
) -> Liar {
    Liar { name: test.replace('_', "-"), project, exit, rule, label }
}

// STORY-1.1 to STORY-1.5, STORY-3.1 to STORY-3.6, STORY-4.2 to STORY-4.5, STORY-5.2, STORY-6.1 and
// STORY-6.2: no word, command, file, name or place stands for work that was not done.
liars! {
    forged_output: "greet", 1, "EVIDENCE_MISMATCH", "AC-1 CONTRADICTED";
    stale_output: "greet", 1, "EVIDENCE_MISMATCH", "AC-1 CONTRADICTED";
    counter_outside: "greet", 1, "EVIDENCE_MISMATCH", "AC-1 CONTRADICTED";
    own_environment: "greet", 1, "EVIDENCE_MISMATCH", "AC-1 CONTRADICTED";
    left_for_the_next: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    own_package: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    own_git: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    left_beside_lock_file: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    left_in_dependencies: "node", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    list_goes_on: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    network: "greet", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    fake_runner_in_path: "python", 1, "EVIDENCE_MISMATCH", "AC-2 CONTRADICTED";
    linked_file: "greet", 1, "EVIDENCE_MISMATCH", "AC-1 CONTRADICTED";
    words_only: "greet", 1, "EVIDENCE_UNVERIFIED", "AC-2 NOT_RUN";
    unchanged_file: "greet", 1, "EVIDENCE_UNVERIFIED", "AC-1 NOT_RUN";
    unknown_test: "python", 1, "EVIDENCE_UNVERIFIED", "AC-1 NOT_RUN";
    no_tests: "python", 1, "EVIDENCE_UNVERIFIED", "AC-2 REPRODUCED";
    side_effect_script: "greet", 1, "EVIDENCE_UNVERIFIED", "AC-1 NOT_RUN";
    make_folder: "greet", 1, "EVIDENCE_UNVERIFIED", "AC-2 NOT_RUN";
    missing_criterion: "greet", 1, "EVIDENCE_MISSING", "AC-2 NOT_RUN";
    dropped_criterion: "greet-open", 1, "EVIDENCE_MISSING", "AC-2 NOT_RUN";
    unknown_criterion: "greet", 1, "UNKNOWN_AC", "";
    two_stories_told: "greet", 1, "UPDATE_ALIAS_CONFLICT", "";
    outside_folder: "greet", 1, "UPDATE_OUTSIDE_PATH", "";
    skip_flag: "greet", 1, "WAIVER_REFUSED", "";
    broken_build: "greet", 1, "GATE_FAILED", "AC-1 REPRODUCED";
    removed_gate: "gated", 1, "GATE_FAILED", "AC-1 REPRODUCED";
    forged_gate: "greet", 1, "GATE_FAILED", "AC-1 REPRODUCED";
    wrong_directory: "greet", 1, "COMMAND_LEADS_OUT", "AC-2 NOT_RUN";
    side_effect: "greet", 1, "COMMAND_WRITES", "AC-2 NOT_RUN";
    commit_in_check: "greet", 1, "COMMAND_WRITES", "AC-2 NOT_RUN";
    or_true: "greet", 1, "COMMAND_MASKED", "AC-2 REPRODUCED";
    exit_zero: "greet", 1, "COMMAND_MASKED", "AC-2 CONTRADICTED";
    or_test: "greet", 1, "COMMAND_MASKED", "AC-2 REPRODUCED";
    pipe: "greet", 1, "COMMAND_MASKED", "AC-2 REPRODUCED";
    negation: "greet", 1, "COMMAND_MASKED", "AC-2 REPRODUCED";
    or_file: "greet", 1, "COMMAND_MASKED", "AC-2 REPRODUCED";
    make_old_file: "greet", 1, "COMMAND_LENIENT", "AC-2 NOT_RUN";
    empty_list: "greet", 1, "COMMAND_LENIENT", "AC-2 REPRODUCED";
    in_the_background: "greet", 1, "COMMAND_LENIENT", "AC-2 REPRODUCED";
    make_ignore: "greet", 1, "COMMAND_LENIENT", "AC-2 NOT_RUN";
    make_dry_run: "greet", 1, "COMMAND_LENIENT", "AC-2 NOT_RUN";
    pass_without_tests: "node", 1, "COMMAND_LENIENT", "AC-1 CONTRADICTED";
    shows_only: "greet", 1, "COMMAND_VACUOUS", "AC-2 REPRODUCED";
    version_only: "python", 1, "COMMAND_VACUOUS", "AC-2 REPRODUCED";
    echo_passed: "greet", 1, "COMMAND_VACUOUS", "AC-2 REPRODUCED";
    print_passed: "greet", 1, "COMMAND_VACUOUS", "AC-2 REPRODUCED";
    edited_test: "python", 1, "ASSERTION_WEAKENED", "AC-1 REPRODUCED";
    edited_script: "greet", 1, "ASSERTION_WEAKENED", "AC-2 REPRODUCED";
    deleted_test: "python", 1, "TEST_DELETED", "AC-2 REPRODUCED";
    renamed_test: "python", 1, "TEST_DELETED", "AC-2 REPRODUCED";
    skipped_test: "python", 1, "TEST_SKIPPED", "AC-2 REPRODUCED";
    fewer_tests: "python", 1, "TESTS_GONE", "AC-2 REPRODUCED";
    edited_makefile: "greet", 1, "RUNNER_CONFIG_EDITED", "AC-2 REPRODUCED";
    makefile_shell: "greet", 1, "RUNNER_CONFIG_EDITED", "AC-2 REPRODUCED";
    edited_package_script: "node", 1, "RUNNER_CONFIG_EDITED", "AC-2 REPRODUCED";
    startup_module: "python", 1, "RUNNER_CONFIG_EDITED", "AC-2 REPRODUCED";
    npm_configuration: "node", 1, "RUNNER_CONFIG_EDITED", "AC-2 CONTRADICTED";
    edited_configuration: "gated", 1, "RUNNER_CONFIG_EDITED", "AC-2 REPRODUCED";
    shadowed_makefile: "greet", 1, "RUNNER_REPLACED", "AC-2 REPRODUCED";
    shadowed_module: "python", 1, "RUNNER_REPLACED", "AC-2 REPRODUCED";
    fake_dependency: "node", 1, "RUNNER_REPLACED", "AC-2 REPRODUCED";
    linked_program: "greet", 1, "LINK_LEADS_OUT", "AC-1 REPRODUCED";
    knows_the_checker: "greet", 1, "CHECKER_NAMED", "AC-1 REPRODUCED";
    changed_meanwhile: "greet", 1, "TREE_CHANGED_DURING_CHECK", "AC-1 REPRODUCED";
    many_commits: "greet", 1, "SCOPE_HARD", "";
    generated_header: "greet", 1, "SCOPE_HARD", "";
    new_ignore_rule: "greet", 1, "SCOPE_HARD", "";
    new_attributes: "greet", 1, "SCOPE_HARD", "";
    replaced_base: "greet", 1, "SCOPE_HARD", "";
    amended_base: "greet", 1, "SCOPE_HARD", "";
    excluded_for_git: "greet", 1, "SCOPE_HARD", "";
    moved_base: "greet", 1, "SCOPE_UNVERIFIABLE", "";
    lock_file_name: "greet", 1, "EXPLANATION_INCOMPLETE", "";
    explained_phantom: "greet", 1, "EXPLANATION_PHANTOM", "";
    explained_lines: "greet", 1, "EXPLANATION_LINES_MISMATCH", "";
    explained_vacuously: "greet", 1, "EXPLANATION_VACUOUS", "";
    explained_by_copy: "greet", 1, "EXPLANATION_DUPLICATED", "";
    declared_after_work: "greet", 1, "UNDECLARED_NEW_FILE", "";
    nested_repository: "greet", 1, "UNDECLARED_NEW_FILE", "";
    ignored_file: "greet", 1, "UNDECLARED_NEW_FILE", "";
    skip_worktree: "greet", 1, "UNDECLARED_FILE", "";
    clean_filter: "greet", 1, "UNDECLARED_FILE", "";
    plan_substitution: "greet-open", 2, "invalid branch name", "";
    forged_index: "greet", 6, "the index and the claims log disagree", "";
    cut_log: "greet", 6, "events were applied", "";
}
