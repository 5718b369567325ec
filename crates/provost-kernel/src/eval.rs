//! The words of `eval`: a case, what an engine is asked and answers, what checks said, a report.
//!
//! A suite is data, so a check is known by its name and a case by its fields; what the names of
//! the first suite, Read→Do, mean is judged in `provost-rules-eval`.

mod case;
mod exchange;
mod report;

pub use self::{
    case::{Case, Expect, Profile, SourceType},
    exchange::{Artifacts, ErrorCode, ErrorEffect, Meta, Request, Response, Step, StepError},
    report::{
        Baseline, BaselineGate, CaseResult, CaseRuns, CaseStatus, Change, CheckResult, CheckStatus,
        Difference, Epochs, Excuse, FlakyCheck, Gate, OfK, Preview, REPORT_SCHEMA, Report, Run,
        Shown, Totals,
    },
};
