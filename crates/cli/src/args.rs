//! What can be typed.

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "gateway")]
use crate::commands::gateway;
#[cfg(not(feature = "gateway"))]
use crate::commands::not_built as gateway;
use crate::commands::{
    access, anonymize, attack, audit, catalogue, compare, explore, generate, hierarchy, ledger,
    plan, profile, serve, stream, verify,
};

/// Publish data about people so that it stays useful and nobody in it can be found.
#[derive(Parser)]
#[command(
    name = "denym",
    version,
    after_help = "\
Examples:
  denym audit patients.csv --quasi zip,age,sex --sensitive diagnosis
  denym anonymize policy.toml -o out/patients
  denym verify out/patients/release

Exit codes: 0 done, 1 refused (a promise or bound is not met), 2 bad input or I/O, 3 a bug in denym."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags of every command.
#[derive(Args)]
pub(crate) struct Common {
    /// Print one JSON document on standard output and nothing else
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no progress and no summary
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Show the text of the cell that an error is about, on standard error; never do this where others can read it
    #[arg(long, global = true)]
    pub(crate) show_cells: bool,
    /// Threads to use; all cores when not given
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// The commands.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Measure every promise and every risk of a data set
    #[command(after_help = "\
Examples:
  denym audit patients.csv --quasi zip,age,sex --sensitive diagnosis
  denym audit adult.csv --quasi sex,age,race --levels sex=0,age=3,race=1 --hierarchies adult/ --json
  denym audit adult.csv --quasi age,education --sensitive occupation --suppress-below 5
  denym audit release.csv --policy policy.toml
  denym audit trips.csv --doublets 2 --k 5 --confidence status=On-welfare:0.5")]
    Audit(Box<audit::AuditArgs>),
    /// Find the best release under a policy, prove it, and write it as a bundle
    #[command(after_help = "\
Examples:
  denym anonymize policy.toml
  denym anonymize policy.toml -o out/patients --force
  denym anonymize policy.toml --json --threads 1
  denym anonymize q2.toml --ledger ledger -o out/q2

The bundle has two halves: `release/` may be handed out, `steward/` stays at home.")]
    Anonymize(anonymize::AnonymizeArgs),
    /// Check a release from its public half alone
    #[command(after_help = "\
Examples:
  denym verify out/patients
  denym verify received/release --json
  denym verify out/windows")]
    Verify(verify::VerifyArgs),
    /// Try what an adversary would: trails, linkage, inference, several releases, queries
    #[command(after_help = "\
Examples:
  denym attack out/patients
  denym attack out/patients --external voters.csv --id name
  denym attack paths out/trips --raw trips.csv
  denym attack trails --identified people.csv --anonymous samples.csv
  denym attack list")]
    Attack(attack::AttackArgs),
    /// Say what is in a data set and who stands out; draft a policy
    #[command(after_help = "\
Examples:
  denym profile patients.csv
  denym profile patients.csv --init policy.toml")]
    Profile(profile::ProfileArgs),
    /// Draft hierarchies, find what one does not cover, list those that are ready-made
    #[command(after_help = "\
Examples:
  denym hierarchy list
  denym hierarchy draft patients.csv --column age
  denym hierarchy check patients.csv --column zip --hierarchy zip.csv -o uncovered.csv")]
    Hierarchy(hierarchy::HierarchyArgs),
    /// Everything ever published about the same people: list it, check it, say what was spent
    #[command(after_help = "\
Examples:
  denym anonymize q2.toml --ledger ledger -o out/q2
  denym ledger show ledger
  denym ledger verify ledger
  denym ledger account ledger --delta 0.000001")]
    Ledger(ledger::LedgerArgs),
    /// Say how much of one data set is left in another
    #[command(after_help = "\
Examples:
  denym compare patients.csv out/patients
  denym compare patients.csv out/patients/release/patients.csv")]
    Compare(compare::CompareArgs),
    /// Say what a policy would do, at what cost, and what it cannot promise
    #[command(after_help = "\
Examples:
  denym plan policy.toml
  denym plan policy.toml --json")]
    Plan(plan::PlanArgs),
    /// Check a policy and its data without searching: every mistake, and what would be done (the same as `plan`)
    #[command(after_help = "\
Examples:
  denym check policy.toml
  denym check policy.toml --json

Exit codes: 0 the policy fits its data, 2 it has mistakes.")]
    Check(plan::PlanArgs),
    /// Show what each bound would cost, without releasing anything
    #[command(after_help = "\
Examples:
  denym explore policy.toml
  denym explore policy.toml --k 2..100 --suppress 0,0.01,0.05 --svg frontier.svg
  denym explore policy.toml --k 10,20,30,40,50 --doublets 1,2,3
  denym explore policy.toml --confidence 0.2,0.4,0.6,0.8,1 --json")]
    Explore(explore::ExploreArgs),
    /// Take events in and publish anonymous windows
    #[command(after_help = "\
Examples:
  denym stream policy.toml -o out/windows
  tail -F events.ndjson | denym stream policy.toml -o out/windows
  denym stream policy.toml --replay-speed 60x --metrics 9464
  denym verify out/windows

Events come from files, standard input, NATS JetStream or Kafka, windows go to files, standard output or a broker, as the policy says.
A run that was stopped, even without warning, goes on where its checkpoint in the directory says.")]
    Stream(stream::StreamArgs),
    /// Do all of it in a browser: the web application and the HTTP API
    #[command(after_help = "\
Examples:
  denym serve
  denym serve --dir projects --listen 127.0.0.1:8080

It prints an address with a token: whoever opens it works in the directory, and nowhere else.
Only this machine can reach it.")]
    Serve(serve::ServeArgs),
    /// Serve purpose-bound SQL over the PostgreSQL wire protocol
    #[command(after_help = "\
Examples:
  denym gateway --policy policy.toml --users users.txt --table customer_info=customers.csv --consent consent.csv
  denym gateway --policy policy.toml --users users.txt --postgres 'host=/run/postgresql dbname=crm' --postgres-passwords logins.pgpass
  denym gateway --policy policy.toml --users users.txt --listen 0.0.0.0:5433 --tls-cert chain.pem --tls-key key.pem

Then: psql -h 127.0.0.1 -p 5433 -U russell denym
  SET denym.purpose = 'marketing';
  SELECT name, income FROM customer_info;")]
    Gateway(Box<gateway::GatewayArgs>),
    /// Purposes, roles, consent and logins of the gateway: check, explain, change
    #[command(after_help = "\
Examples:
  denym access check policy.toml
  denym access explain --policy policy.toml --user russell --purpose marketing --table customer_info
  denym access user add russell --users users.txt
  denym access consent set --policy policy.toml --table customer_info --record 1 --column income --allowed general --prohibited marketing
  denym access audit verify audit.jsonl
  denym access ddl --policy policy.toml --passwords logins.pgpass | psql")]
    Access(access::AccessArgs),
    /// List every command with what it takes
    Commands(catalogue::CatalogueArgs),
    /// List the algorithms a policy can name, and say which one to take first
    Algorithms(catalogue::AlgorithmsArgs),
    /// List the promises a policy can make, with their parameters and sources
    Promises(catalogue::PromisesArgs),
    /// List what is looked for in a policy and its release before anything leaves, and what to do about each
    #[command(after_help = "\
Examples:
  denym findings
  denym findings --json")]
    Findings(catalogue::CatalogueArgs),
    /// List the metrics that are measured, with their ranges and sources
    Metrics(catalogue::CatalogueArgs),
    /// Make synthetic data
    #[command(after_help = "\
Examples:
  denym generate hospital --seed 1 --rows 1000 > patients.csv
  denym generate scalability --seed 7 --rows 1000000 > paths.csv")]
    Generate(generate::GenerateArgs),
}

/// How to read a file; what is not given is detected.
#[derive(Args, Clone, Default)]
pub(crate) struct ReadArgs {
    /// csv, parquet, json or xlsx; by the file's extension when not given
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// The character between CSV cells; one of , ; tab | is detected
    #[arg(long, value_name = "CHAR")]
    pub(crate) delimiter: Option<char>,
    /// The character around CSV cells
    #[arg(long, value_name = "CHAR")]
    pub(crate) quote: Option<char>,
    /// The CSV file has no row of names: columns are called column-1, column-2, ...
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Such as utf-8, latin1, windows-1252, utf-16le: any label that browsers know
    #[arg(long, value_name = "NAME")]
    pub(crate) encoding: Option<String>,
    /// Rows before the header that are no records; clear titles are found
    #[arg(long, value_name = "NUMBER")]
    pub(crate) skip_rows: Option<usize>,
    /// The sheet of a workbook, by its name or its number from 1; the first when not given
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// The decimal mark of numbers, . or , ; found for each column when not given
    #[arg(long, value_name = "CHAR")]
    pub(crate) decimal: Option<char>,
    /// The mark between thousands; found for each column when not given
    #[arg(long, value_name = "CHAR")]
    pub(crate) thousands: Option<char>,
    /// Texts that mean "missing" beside the empty one, separated by commas
    #[arg(long, value_name = "TEXTS", value_delimiter = ',')]
    pub(crate) missing: Option<Vec<String>>,
}
