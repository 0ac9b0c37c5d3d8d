//! The `denym` command: parse, call, render. The only crate that prints.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this crate is where output belongs"
)]

mod args;
mod commands;
mod console;
mod render;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command};
use crate::console::Console;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return render::usage(&error),
    };
    let console = Console::new(&cli.common);
    let outcome = match &cli.command {
        Command::Audit(args) => commands::audit::run(args, &console),
        Command::Anonymize(args) => commands::anonymize::run(args, &console),
        Command::Verify(args) => commands::verify::run(args, &console),
        Command::Attack(args) => commands::attack::run(args, &console),
        Command::Profile(args) => commands::profile::run(args, &console),
        Command::Compare(args) => commands::compare::run(args, &console),
        Command::Promises(args) => Ok(commands::catalogue::promises(args, &console)),
        Command::Metrics(args) => Ok(commands::catalogue::metrics(args, &console)),
        Command::Explore(args) => commands::explore::run(args, &console),
        Command::Stream(args) => commands::stream::run(args, &console),
        #[cfg(feature = "gateway")]
        Command::Gateway(args) => Ok(commands::gateway::run(args, &console)),
        #[cfg(feature = "gateway")]
        Command::Access(args) => Ok(commands::access::run(args, &console)),
        Command::Algorithms => Ok(commands::algorithms::run(&console)),
        Command::Generate(args) => commands::generate::run(args, &console),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => render::error(&error, &console),
    }
}
