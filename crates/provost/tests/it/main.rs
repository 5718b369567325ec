//! The commands as a person runs them: what they print, what they exit with, what they leave.

#![expect(clippy::unwrap_used, reason = "a test that cannot make its world has nothing to say")]

#[macro_use]
mod world;

mod calibrate;
mod check_case;
mod check_claim;
mod check_decision;
mod check_proposal;
mod check_scope;
mod check_verdict;
mod command_line;
mod config;
mod demo;
mod doctor;
mod ecosystems;
mod eval;
mod eval_engines;
mod eval_planted;
mod eval_runs;
mod eval_world;
mod guard_install;
mod guard_live;
mod guard_plugin;
mod guard_state;
mod hook;
mod hook_crowd;
mod learn;
mod learn_input;
mod learn_integrity;
mod learn_judge;
mod learn_world;
mod legacy;
mod loop_adapters;
mod loop_budget;
mod loop_defects;
mod loop_evidence;
mod loop_hostile;
mod loop_input;
mod loop_judge;
mod loop_live;
mod loop_places;
mod loop_policy;
mod loop_proof;
mod loop_run;
mod loop_story;
mod loop_trust;
mod loop_world;
mod mcp;
mod mcp_raw;
mod mcp_world;
mod regress;
mod secrets;
mod selfcheck;
mod story_forged;
mod story_honest;
mod story_hostile;
mod story_liars;
mod story_plan;
mod story_tools;
mod story_upkeep;
mod story_world;
mod task;
mod task_page;
mod upkeep;
