//! `denym attack trails`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use denym::attack::{
    Incomplete, LinkSpec, Model, Rates, Shape, TrailQuestions, TrailSource, TrailsFound,
    TrailsRequest, Treatment,
};
use denym::{Error, documents};

use super::super::audit::read_options;
use super::super::claims::number;
use super::searched;
use crate::args::ReadArgs;
use crate::console::Console;

/// Which side may lack entries.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IncompleteSide {
    /// An anonymous trail is a part of its owner's
    Anonymous,
    /// An identified trail is a part of the anonymous one
    Identified,
    /// Trails of one person are equal
    None,
}

/// Arguments of `attack trails`.
#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(super) struct TrailsArgs {
    /// Identified trails: a file with the columns id,institution, or a folder with one file per institution
    #[arg(long, value_name = "FILE|DIR")]
    identified: PathBuf,
    /// Anonymous trails, in the same form
    #[arg(long, value_name = "FILE|DIR")]
    anonymous: PathBuf,
    /// Which side may lack entries
    #[arg(long, value_enum, default_value = "anonymous")]
    incomplete: IncompleteSide,
    /// The columns that name an identified subject; `id` when not given
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    identified_id: Vec<String>,
    /// The columns that name an anonymous subject; `id` when not given
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    anonymous_id: Vec<String>,
    /// The column that names the institution; `institution` when not given, not needed for folders
    #[arg(long, value_name = "COLUMN")]
    institution: Option<String>,
    /// A pair of attributes that say something about each other: ANONYMOUS=IDENTIFIED:RELATION
    #[arg(long, value_name = "LINK")]
    link: Vec<String>,
    /// Also look for one person behind several trails
    #[arg(long)]
    find_multiple: bool,
    /// Also judge candidates when entries may be missing or false
    #[arg(long)]
    posterior: bool,
    /// Share of visits that left no anonymous entry
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    missing_rate: f64,
    /// Share of other institutions with a false anonymous entry
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    false_rate: f64,
    /// Share of visits that left no identified entry
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    identified_missing_rate: f64,
    /// Share of other institutions with a false identified entry
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    identified_false_rate: f64,
    /// Share of owners who are not among the identified
    #[arg(long, value_name = "RATE", default_value_t = 0.0)]
    absent_rate: f64,
    /// Candidates of each trail to keep
    #[arg(long, value_name = "N", default_value_t = 3)]
    keep: usize,
    /// Also print what theory expects: the bound, and uniqueness by institution
    #[arg(long)]
    theory: bool,
    /// Also print what protecting the source would change
    #[arg(long)]
    erosion: bool,
    /// Group sizes to try with --erosion
    #[arg(long, value_delimiter = ',', value_name = "K", default_values_t = [2, 5, 10])]
    erosion_k: Vec<usize>,
    /// Shares of entries to withhold or perturb with --erosion
    #[arg(long, value_delimiter = ',', value_name = "RATE", default_values_t = [0.05, 0.2])]
    erosion_rate: Vec<f64>,
    /// Seed of what is drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    read: ReadArgs,
}

/// Attacks the trails.
pub(super) fn run(args: &TrailsArgs, console: &Console) -> Result<ExitCode, Error> {
    let source = |path: &PathBuf, id: &[String]| TrailSource {
        path: path.clone(),
        id: id.to_vec(),
        institution: args.institution.clone(),
    };
    let mut erosion = Vec::new();
    if args.erosion {
        erosion.push(Treatment::None);
        erosion.extend(args.erosion_k.iter().map(|&k| Treatment::SharedKeys { k }));
        erosion.extend(
            args.erosion_k
                .iter()
                .map(|&k| Treatment::SmallInstitutions { k }),
        );
        erosion.extend(
            args.erosion_rate
                .iter()
                .map(|&rate| Treatment::Withhold { rate }),
        );
        erosion.extend(
            args.erosion_rate
                .iter()
                .map(|&rate| Treatment::Perturb { rate }),
        );
    }
    let request = TrailsRequest {
        identified: source(&args.identified, &args.identified_id),
        anonymous: source(&args.anonymous, &args.anonymous_id),
        links: args
            .link
            .iter()
            .map(|text| link(text))
            .collect::<Result<_, _>>()?,
        asked: TrailQuestions {
            incomplete: match args.incomplete {
                IncompleteSide::Anonymous => Incomplete::Anonymous,
                IncompleteSide::Identified => Incomplete::Identified,
                IncompleteSide::None => Incomplete::Neither,
            },
            find_multiple: args.find_multiple,
            posterior: args.posterior.then_some((
                Model {
                    anonymous: Rates {
                        missing: args.missing_rate,
                        false_positive: args.false_rate,
                    },
                    identified: Rates {
                        missing: args.identified_missing_rate,
                        false_positive: args.identified_false_rate,
                    },
                    absent: args.absent_rate,
                },
                args.keep,
            )),
            theory: args.theory,
            erosion,
            seed: args.seed,
        },
        read: read_options(&args.read)?,
        threads: console.threads,
    };
    let found = denym::attack::trails(&request, console)?;
    console.clear();
    for warning in &found.warnings {
        console.warn(warning);
    }
    console.document(&documents::attacked_trails(&found));
    print(&found, console);
    Ok(ExitCode::SUCCESS)
}

/// `birthyear=birthdate:year-of`.
fn link(text: &str) -> Result<LinkSpec, Error> {
    text.split_once('=')
        .and_then(|(anonymous, rest)| {
            let (identified, relation) = rest.split_once(':').unwrap_or((rest, "equal"));
            (!anonymous.is_empty() && !identified.is_empty()).then(|| LinkSpec {
                anonymous: anonymous.to_owned(),
                identified: identified.to_owned(),
                relation: relation.to_owned(),
            })
        })
        .ok_or_else(|| Error::Argument {
            what: format!("`{text}` is no link"),
            help: "write ANONYMOUS=IDENTIFIED:RELATION, such as birthyear=birthdate:year-of".into(),
        })
}

/// How many trails have so many possible owners.
fn histogram(sizes: &[u32]) -> BTreeMap<u32, u64> {
    let mut histogram = BTreeMap::new();
    for &size in sizes {
        *histogram.entry(size).or_insert(0) += 1;
    }
    histogram
}

fn print(found: &TrailsFound, console: &Console) {
    let (anonymous, identified, institutions) = found.sizes;
    console.say(format!(
        "trails     {anonymous} anonymous, {identified} identified, {institutions} institutions"
    ));
    if let Some(first) = found.team.findings.first() {
        console.say(format!("knows      {}", first.knows));
    }
    for (method, pairs) in &found.pairs {
        let text = match pairs {
            _ if anonymous == 0 => "was not tried: there was nobody to try it on".to_owned(),
            Some(pairs) => {
                let share = pairs.len() as f64 / anonymous as f64 * 100.0;
                format!("names {} ({} %)", pairs.len(), number(share))
            }
            None => "has no answer: the assumption does not hold".to_owned(),
        };
        console.say(format!("{method:10} {text}"));
    }
    if let Some(sizes) = &found.allowed_set_sizes {
        let shown: Vec<String> = histogram(sizes)
            .iter()
            .take(8)
            .map(|(size, count)| format!("{size}: {count}"))
            .collect();
        console.say(format!(
            "owners     possible owners: trails = {}",
            shown.join(", ")
        ));
    }
    searched::print_not_run(&found.team.not_run, Shape::Trails, console);
    console.say("Every pair is conditional: each incomplete trail's owner must be among the complete ones, and no two may share an owner.");
    for (id, identities) in found.multiple.iter().flatten() {
        console.say(format!("one person {id} is {}", identities.join(", ")));
    }
    for posterior in found.posteriors.iter().flatten() {
        let list: Vec<String> = posterior
            .candidates
            .iter()
            .map(|(id, p)| format!("{id} {} %", number(p * 100.0)))
            .collect();
        console.say(format!("posterior  {}: {}", posterior.id, list.join(", ")));
    }
    if let Some(theory) = &found.theory {
        console.say(format!(
            "\ntheory     at most {} people can have a trail of their own; {} expected if visits were independent, {} have one",
            theory.bound,
            number(theory.expected_unique),
            theory.unique
        ));
        console.say(format!(
            "{:30} {:>9} {:>22}",
            "institution", "visitors", "expected unique"
        ));
        for (name, rate, unique) in &theory.institutions {
            console.say(format!(
                "{name:30} {:>7} % {:>20} %",
                number(rate * 100.0),
                number(unique * 100.0)
            ));
        }
    }
    if !found.erosion.is_empty() {
        console.say(format!(
            "\n{:36} {:>20} {:>20} {:>20} {:>20}",
            "what is done to the source", "reidit-c", "reidit-i", "reidit-m", "forced"
        ));
        for row in &found.erosion {
            let cell = |method: &str| {
                row.methods
                    .iter()
                    .find(|fared| fared.method == method)
                    .map_or_else(
                        || "-".to_owned(),
                        |fared| format!("{} of {}", number(fared.expected), fared.named),
                    )
            };
            console.say(format!(
                "{:36} {:>20} {:>20} {:>20} {:>20}",
                documents::treatment(row.treatment),
                cell("reidit-c"),
                cell("reidit-i"),
                cell("reidit-m"),
                cell("forced")
            ));
        }
        console.say("Expected right names of all that are named; one in k where k share a key.");
    }
}
