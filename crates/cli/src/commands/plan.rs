//! `denym plan`: what a policy would do, at what cost, and what it cannot promise; nothing is searched or written.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::{Error, RunOptions, documents};

use super::findings;
use crate::console::Console;

/// Arguments of `plan`.
#[derive(Args)]
pub(crate) struct PlanArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
}

/// Says what would be done.
pub(crate) fn run(args: &PlanArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = crate::stdin::policy(&args.policy)?;
    let options = RunOptions {
        threads: console.threads,
        patience: Some(denym::USUAL_PATIENCE),
        environment: Some(|name| std::env::var(name).ok()),
        ..RunOptions::default()
    };
    let plan = denym::plan(&policy, &options, console)?;
    let outline = plan.outline();
    console.clear();
    for warning in &outline.warnings {
        console.warn(warning);
    }
    findings::show(&outline.findings, console);
    console.document(&documents::plan(outline));
    for (at, step) in outline.steps.iter().enumerate() {
        console.say(format!("{:>2}  {step}", at + 1));
    }
    for cost in &outline.costs {
        console.say(format!("cost    {} {}", cost.value, cost.words));
    }
    console.say(format!("time    {}", outline.time.name()));
    for limit in &outline.limits {
        console.say(format!("limit   {limit}"));
    }
    Ok(ExitCode::SUCCESS)
}
