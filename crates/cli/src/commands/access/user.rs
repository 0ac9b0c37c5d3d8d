//! `denym access user`: who may log in.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym_gateway::admin::{Error, PolicyFile, UsersFile};
use serde_json::json;

use super::{Outcome, password};
use crate::console::Console;

/// Arguments of `access user`.
#[derive(Args)]
pub(super) struct UserArgs {
    #[command(subcommand)]
    what: UserCommand,
}

#[derive(Subcommand)]
enum UserCommand {
    /// Add a login, or give it a new password with --replace
    Add(AddArgs),
    /// Remove a login; its open sessions end
    Remove(RemoveArgs),
    /// List the logins
    List(ListArgs),
}

#[derive(Args)]
struct AddArgs {
    /// The name to log in with, and of the user in the policy
    name: String,
    /// The users file; made when it is not there
    #[arg(long, value_name = "FILE")]
    users: PathBuf,
    /// Read the password from the first line of this file instead of standard input or the prompt
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// The user may be there: only the password is new
    #[arg(long)]
    replace: bool,
    /// Warn when this policy does not know the user
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

#[derive(Args)]
struct RemoveArgs {
    /// The name
    name: String,
    /// The users file
    #[arg(long, value_name = "FILE")]
    users: PathBuf,
}

#[derive(Args)]
struct ListArgs {
    /// The users file
    #[arg(long, value_name = "FILE")]
    users: PathBuf,
    /// Compare with the users of this policy
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

pub(super) fn run(args: &UserArgs, console: &Console) -> Outcome {
    match &args.what {
        UserCommand::Add(args) => add(args, console),
        UserCommand::Remove(args) => {
            UsersFile::new(&args.users).remove(&args.name)?;
            console.document(&json!({"user": args.name, "status": "removed"}));
            console.say(format!("removed    {}", args.name));
            Ok(ExitCode::SUCCESS)
        }
        UserCommand::List(args) => list(args, console),
    }
}

fn add(args: &AddArgs, console: &Console) -> Outcome {
    let policy = args.policy.as_deref().map(PolicyFile::read).transpose()?;
    let password = password::read(args.password_file.as_deref(), &args.name)?;
    if !password.is_ascii() {
        console.warn("the password has characters beyond ASCII: clients that normalize them differently cannot log in");
    }
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| Error::Password {
        why: "the operating system gives no randomness for its salt",
    })?;
    let new = UsersFile::new(&args.users).add(&args.name, &password, salt, args.replace)?;
    let status = if new { "added" } else { "replaced" };
    console.document(&json!({"user": args.name, "status": status}));
    console.say(format!("{status:10} {}", args.name));
    if policy.is_some_and(|file| !file.policy.users.contains_key(&args.name)) {
        console.warn("the policy does not know this user, who can log in and see nothing");
    }
    Ok(ExitCode::SUCCESS)
}

fn list(args: &ListArgs, console: &Console) -> Outcome {
    let names = UsersFile::new(&args.users).names()?;
    let policy = args.policy.as_deref().map(PolicyFile::read).transpose()?;
    let known: Option<BTreeSet<String>> =
        policy.map(|file| file.policy.users.keys().cloned().collect());
    let without: Vec<&String> = known
        .iter()
        .flatten()
        .filter(|user| !names.contains(user))
        .collect();
    let in_policy = |name: &String| known.as_ref().map(|known| known.contains(name));
    console.document(&json!({
        "users": names.iter().map(|name| json!({
            "user": name,
            "in_policy": in_policy(name),
        })).collect::<Vec<_>>(),
        "without_login": known.as_ref().map(|_| &without),
    }));
    for name in &names {
        console.say(match in_policy(name) {
            Some(false) => format!("{name}  (the policy does not know this user)"),
            _ => name.clone(),
        });
    }
    for name in without {
        console.say(format!("{name}  (in the policy, without a login)"));
    }
    Ok(ExitCode::SUCCESS)
}
