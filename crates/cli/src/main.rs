//! The `denym` command: parse, call, render. The only crate that prints.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this crate is where output belongs"
)]

mod args;
mod commands;
mod console;
mod crash;
mod plain;
mod render;
mod stdin;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::console::Console;

fn main() -> ExitCode {
    crash::watch();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return render::usage(&error),
    };
    let console = Console::new(&cli.common);
    if cli.common.show_cells {
        denym::offending::ask();
    }
    crash::answer_as(console.json);
    let outcome = match &cli.command {
        Command::Audit(args) => commands::audit::run(args, &console),
        Command::Anonymize(args) => commands::anonymize::run(args, &console),
        Command::Verify(args) => commands::verify::run(args, &console),
        Command::Attack(args) => commands::attack::run(args, &console),
        Command::Profile(args) => commands::profile::run(args, &console),
        Command::Compare(args) => commands::compare::run(args, &console),
        Command::Promises(args) => Ok(commands::catalogue::promises(args, &console)),
        Command::Findings(args) => Ok(commands::findings::run(args, &console)),
        Command::Metrics(args) => Ok(commands::catalogue::metrics(args, &console)),
        Command::Plan(args) | Command::Check(args) => commands::plan::run(args, &console),
        Command::Explore(args) => commands::explore::run(args, &console),
        Command::Stream(args) => commands::stream::run(args, &console),
        Command::Serve(args) => {
            crash::go_on();
            commands::serve::run(args, &console)
        }
        #[cfg(feature = "gateway")]
        Command::Gateway(args) => {
            crash::go_on();
            Ok(commands::gateway::run(args, &console))
        }
        #[cfg(not(feature = "gateway"))]
        Command::Gateway(_) => Err(commands::not_built::gateway()),
        Command::Access(args) => Ok(commands::access::run(args, &console)),
        Command::Commands(args) => Ok(commands::listing::run(args, &console)),
        Command::Algorithms(args) => Ok(commands::algorithms::run(args, &console)),
        Command::Generate(args) => commands::generate::run(args, &console),
        Command::Ledger(args) => commands::ledger::run(args, &console),
        Command::Hierarchy(args) => commands::hierarchy::run(args, &console),
    };
    stdin::remove();
    match outcome {
        Ok(code) => code,
        Err(error) => render::error(&error, &console),
    }
}
