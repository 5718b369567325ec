//! The `provost` command: arguments, wiring, printing and exit codes. It decides nothing itself.

mod agents;
mod ask;
mod audit;
mod bot;
mod calibrate;
#[cfg(test)]
mod catalogue;
mod check;
mod cli;
mod completions;
mod config;
mod demo;
mod doctor;
mod environment;
mod eval;
mod gc;
mod git;
mod guard;
mod help;
mod home;
mod hook;
mod identity;
mod ignored;
mod init;
mod input;
mod learn;
mod live;
mod man;
mod mcp;
mod notify;
mod output;
mod own;
mod paint;
mod regress;
mod regular;
mod rehearsal;
mod reindex;
mod report;
mod rows;
mod sarif;
mod selfcheck;
mod serve;
mod session;
mod start;
mod story;
mod table;
mod task;
mod tui;
mod view;
mod walk;
mod wiring;
mod wrap;
mod xml;

use std::process::ExitCode;

use provost_kernel::Exit;

use crate::{
    cli::Cli,
    environment::Environment,
    output::Output,
    session::{Session, language},
    start::Start,
};

fn main() -> ExitCode {
    let mut arguments = environment::arguments();
    // The guardian of a job is this program too. It comes before everything else: it must be
    // small and quick, and what it prints belongs to the job.
    if arguments.get(1).is_some_and(|it| it == environment::GUARDIAN) {
        return provost_exec::guardian::main();
    }

    // So must a hook: a client waits for it before every call of a tool.
    if let Some(asked) = hook::plain(&arguments) {
        return hook::main(asked);
    }

    let environment = Environment::read();
    // A scripted agent is a program like any other, and this one hosts it.
    if let [_, word, name, ..] = &*arguments
        && word == environment::SCRIPT_AGENT
    {
        return environment::script_agent(name);
    }
    if arguments.get(1).is_some_and(|it| it == environment::DETACHED) {
        provost_exec::detached::leave_session();
        arguments.remove(1);
    }
    let mut output = Output::new(language(None, None, &environment)).on_screens(&environment);
    if let Some(flags) = cli::bare(&arguments).filter(|_| Start::is_wanted()) {
        output.configure(&flags);
        let mut session = Session::new(environment, flags, output);
        let exit = match session.run(&Start) {
            Ok(exit) => exit,
            Err(fault) => report::print(&mut session.output, fault.0.as_ref()),
        };
        let exit = session.output.finish().map_or_else(|_| Exit::Unable, |()| exit);
        return ExitCode::from(exit.code());
    }
    let exit = match Cli::read(arguments) {
        Ok(cli) => {
            output.configure(&cli.flags);
            let mut session = Session::new(environment, cli.flags, output);
            let exit = match session.run(cli.command.as_run()) {
                Ok(exit) => exit,
                Err(fault) => report::print(&mut session.output, fault.0.as_ref()),
            };
            output = session.output;
            exit
        }
        Err(refusal) => refusal.print(&mut output),
    };
    let exit = output.finish().map_or_else(|_| Exit::Unable, |()| exit);
    ExitCode::from(exit.code())
}
