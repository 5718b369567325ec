//! `provost check decision`: the decision table alone, asked with JSON.

use provost_kernel::{
    Exit, Lang,
    task::{State, VerdictDecision},
};
use provost_rules_task::decision::{self, CheckedDecision};
use serde::Serialize;

use crate::input::Source;
use crate::{
    session::{AnyFault, Preparation, Run, Session},
    view::{Page, View},
};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The input is one JSON object; what is absent takes its default:\n  role                       coder, test, judge or coordinator   judge\n  rc                         exit code of the step               0\n  error_class                what went wrong                     \"\"\n  verdict_decision           PASS, FAIL or NEED_USER_INPUT       unknown\n  verdict_gated              true or false                       false\n  thresholds_pass            true or false                       true\n  current_attempt            attempts consumed, and this one     1\n  effective_max_attempts     how many may be consumed            3\n  consecutive_timeout_count  timeouts in a row, with this one    0\n  consecutive_timeout_key    of which kind they were             that of the role\n  questions_for_user         what the judge asks                 []\n\nExamples:\n  provost check decision facts.json\n  echo '{\"verdict_decision\": \"FAIL\"}' | provost check decision - --json\n\nExits with 0 whatever the resulting state, and with 2 if the input is invalid."
)]
pub(super) struct Args {
    /// A JSON file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: String,
}

impl Run for Args {
    fn preparation(&self) -> Preparation {
        Preparation::Configuration
    }

    fn run(&self, session: &mut Session) -> Result<Exit, AnyFault> {
        let source = Source::from(self.file.as_str());
        let checked =
            decision::check(&source.read()?).map_err(|error| source.content_error(error))?;
        session.output.show(&Answer::new(checked, session.output.lang));
        Ok(Exit::Success)
    }
}

/// The answer, with the keys that scripts read.
#[derive(Debug, Serialize)]
struct Answer {
    next_state: State,
    /// Empty when the task is not paused.
    pause_reason_code: &'static str,
    consume_attempt: bool,
    last_decision: VerdictDecision,
    questions_for_user: Vec<String>,
    message: String,
    row: &'static str,
}

impl Answer {
    fn new(checked: CheckedDecision, lang: Lang) -> Self {
        Self {
            next_state: checked.next_state,
            pause_reason_code: checked.pause_reason_code,
            consume_attempt: checked.consume_attempt,
            last_decision: checked.last_decision,
            questions_for_user: checked
                .questions_for_user
                .iter()
                .map(|it| lang.render(it))
                .collect(),
            message: lang.render(&checked.message),
            row: checked.row,
        }
    }
}

impl View for Answer {
    fn page(&self, page: &mut Page<'_>) {
        let lang = page.lang;
        let state = match self.pause_reason_code {
            "" => self.next_state.to_string(),
            code => format!("{} ({code})", self.next_state),
        };
        let attempt = if self.consume_attempt {
            lang.pick("consumed", "计入次数")
        } else {
            lang.pick("not consumed", "不计入次数")
        };
        page.row("row", "规则行", self.row);
        page.row("next state", "下一状态", state);
        page.row("why", "原因", &self.message);
        page.row("attempt", "本次尝试", attempt);
        page.row("decision on record", "记录的裁决", self.last_decision.as_str());
        for question in &self.questions_for_user {
            page.row("question", "问题", question);
        }
    }
}
