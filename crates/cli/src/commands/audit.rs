//! `denym audit`: every promise's measured value and every risk, for any data set.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use denym::{Audit, AuditRequest, Elements, Error, ReadOptions, WhatIf, documents};

use super::claims::{self, counted, number, percent};
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `audit`.
#[derive(Args)]
pub(crate) struct AuditArgs {
    /// File, directory or glob, `-` for standard input; the policy's own when there is a policy and nothing is given
    #[arg(
        value_parser = crate::stdin::data_text,
        required_unless_present = "policy",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) data: String,
    /// Judge every promise of this policy on the data as it stands; exit 1 when one fails
    #[arg(long, value_name = "FILE", conflicts_with_all = ["quasi", "sensitive", "subject", "paths", "doublets"])]
    pub(crate) policy: Option<PathBuf>,
    /// Quasi-identifiers: what an adversary may know, separated by commas
    #[arg(
        long,
        value_delimiter = ',',
        required_unless_present_any = ["paths", "doublets", "transactions", "items", "policy"],
        value_name = "COLUMNS"
    )]
    pub(crate) quasi: Vec<String>,
    /// Sensitive attributes: what an adversary must not learn
    #[arg(long, value_delimiter = ',', value_name = "COLUMNS")]
    pub(crate) sensitive: Vec<String>,
    /// The column that tells which records belong to one person
    #[arg(long, value_name = "COLUMN")]
    pub(crate) subject: Option<String>,
    /// Look at a generalized view: a level for some quasi-identifiers, such as sex=0,age=2
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COLUMN=LEVEL",
        requires = "hierarchies"
    )]
    pub(crate) levels: Vec<String>,
    /// Directory of hierarchies: <attribute>.csv or *hierarchy_<attribute>.csv
    #[arg(long, value_name = "DIR")]
    pub(crate) hierarchies: Option<PathBuf>,
    /// Leave out classes with fewer subjects first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) suppress_below: u64,
    /// People in the population the data was drawn from: estimates how many are unique there
    #[arg(long, value_name = "N")]
    pub(crate) population: Option<u64>,
    /// A register that an adversary may link with: measures k-map and delta-presence
    #[arg(long, value_name = "FILE")]
    pub(crate) population_file: Option<PathBuf>,
    /// A mark, such as '*', that may stand for any value: measures groups with it and missing cells as wildcards
    #[arg(long, value_name = "MARK")]
    pub(crate) wildcard: Option<String>,
    /// The k you need: what-if says which further columns would break it; for paths, fewest people in a group
    #[arg(long, value_name = "K")]
    pub(crate) k: Option<u64>,
    /// Ask what happens when the adversary knows pairs of further columns, however long it takes
    #[arg(long, conflicts_with = "no_what_if")]
    pub(crate) what_if: bool,
    /// Do not ask what happens when the adversary knows further columns
    #[arg(long)]
    pub(crate) no_what_if: bool,
    /// Also the worst case when an adversary knows up to N facts about others
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) background: usize,
    /// Also records that are unique on up to N columns, and what each column contributes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) special_uniques: usize,
    /// The data are paths: `path`, or `subject`, `location` and `time`
    #[arg(long, conflicts_with_all = ["sensitive", "levels", "suppress_below"])]
    pub(crate) paths: bool,
    /// Paths: most doublets (place, time) the adversary knows
    #[arg(long, value_name = "L", conflicts_with_all = ["sensitive", "levels", "suppress_below"])]
    pub(crate) doublets: Option<usize>,
    /// Paths: a sensitive value and how sure one may become of it, such as status=On-welfare:0.5
    #[arg(long, value_name = "COLUMN=VALUE:BOUND")]
    pub(crate) confidence: Vec<String>,
    /// Paths: a sensitive place and how sure one may become of a visit, such as Clinic:0.2
    #[arg(long, value_name = "PLACE:BOUND")]
    pub(crate) sensitive_place: Vec<String>,
    /// Paths: the column of whole paths
    #[arg(long, value_name = "COLUMN")]
    pub(crate) path: Option<String>,
    /// Paths: the column of places
    #[arg(long, value_name = "COLUMN")]
    pub(crate) location: Option<String>,
    /// Paths: the column of times
    #[arg(long, value_name = "COLUMN")]
    pub(crate) time: Option<String>,
    /// Paths: staying at a place is more than one event
    #[arg(long)]
    pub(crate) keep_repeats: bool,
    /// Paths: somebody may be at several places at one time, as when times are whole hours
    #[arg(long)]
    pub(crate) several_places: bool,
    /// The data are transactions: `items`, or `subject` and `item`
    #[arg(long, conflicts_with_all = ["sensitive", "levels", "suppress_below", "paths", "doublets"])]
    pub(crate) transactions: bool,
    /// Transactions: most items the adversary knows
    #[arg(long, value_name = "M", conflicts_with_all = ["sensitive", "levels", "suppress_below", "paths", "doublets"])]
    pub(crate) items: Option<usize>,
    /// Transactions: a sensitive item and how sure one may become of it, such as 'pregnancy test:0.4'
    #[arg(long, value_name = "ITEM:BOUND")]
    pub(crate) sensitive_item: Vec<String>,
    /// Transactions: the column of one item each
    #[arg(long, value_name = "COLUMN")]
    pub(crate) item: Option<String>,
    /// Transactions: the column of all items of a person
    #[arg(long, value_name = "COLUMN")]
    pub(crate) items_column: Option<String>,
    /// Transactions: what stands between the items of a cell; a semicolon when not given
    #[arg(long, value_name = "CHARACTER")]
    pub(crate) separator: Option<char>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// A decimal between 0 and 1, read exactly.
pub(crate) fn bound(text: &str) -> Result<denym::Fraction, Error> {
    denym::Fraction::parse(text)
        .filter(|bound| *bound <= denym::Fraction::ONE)
        .ok_or_else(|| Error::Argument {
            what: format!("`{text}` is no share"),
            help: "write a decimal from 0 to 1, such as 0.5".into(),
        })
}

/// Measures the data.
pub(crate) fn run(args: &AuditArgs, console: &Console) -> Result<ExitCode, Error> {
    if args.paths || args.doublets.is_some() {
        return super::audit_sequences::run(args, Elements::Doublets, console);
    }
    if args.transactions || args.items.is_some() {
        return super::audit_sequences::run(args, Elements::Items, console);
    }
    if let Some(file) = &args.policy {
        return against(args, file, console);
    }
    let found = denym::audit(
        &request(
            args,
            AuditRequest {
                data: PathBuf::from(&args.data),
                read: read_options(&args.read)?,
                quasi: args.quasi.clone(),
                sensitive: args.sensitive.clone(),
                subject: args.subject.clone(),
                ..AuditRequest::default()
            },
            console,
        )?,
        console,
    )?;
    console.clear();
    console.document(&documents::audit(&found));
    print(&found, console);
    Ok(ExitCode::SUCCESS)
}

/// Judges the promises of a policy, and measures everything else with its roles.
fn against(args: &AuditArgs, file: &Path, console: &Console) -> Result<ExitCode, Error> {
    let policy = crate::stdin::policy(file)?;
    let data = (!args.data.is_empty()).then(|| Path::new(&args.data));
    let judged = denym::audit_policy(&policy, data, console.threads, console)?;
    let found = AuditRequest::of_policy(&policy, data)?
        .map(|roles| denym::audit(&request(args, roles, console)?, console))
        .transpose()?;
    console.clear();
    console.document(&documents::judged(&judged, found.as_ref()));
    if let Some(found) = &found {
        print(found, console);
    }
    console.say("\nthe policy's promises on this data");
    for (line, claim) in claims::lines(&judged.claims).iter().zip(&judged.claims) {
        let violating = match claim.violating_records {
            0 => String::new(),
            records => format!(" ({records} records)"),
        };
        console.say(format!("  {line}{violating}"));
    }
    for reason in &judged.left_out {
        console.say(format!("  not judged {reason}"));
    }
    Ok(if judged.holds() {
        ExitCode::SUCCESS
    } else {
        Console::refused()
    })
}

/// What is to be measured, with the roles of `roles`.
fn request(
    args: &AuditArgs,
    roles: AuditRequest,
    console: &Console,
) -> Result<AuditRequest, Error> {
    Ok(AuditRequest {
        levels: levels(&args.levels)?,
        hierarchies: args.hierarchies.clone(),
        suppress_below: args.suppress_below,
        population: args.population,
        population_file: args.population_file.clone(),
        wildcard: args.wildcard.clone(),
        k: args.k,
        what_if: match (args.what_if, args.no_what_if) {
            (true, _) => WhatIf::Always,
            (_, true) => WhatIf::Never,
            _ => WhatIf::Affordable,
        },
        background: args.background,
        special_uniques: args.special_uniques,
        threads: console.threads,
        ..roles
    })
}

/// `sex=0` as a column and a level.
fn levels(texts: &[String]) -> Result<Vec<(String, usize)>, Error> {
    texts
        .iter()
        .map(|text| {
            text.rsplit_once('=')
                .and_then(|(name, level)| Some((name.to_owned(), level.parse().ok()?)))
                .ok_or_else(|| Error::Argument {
                    what: format!("`{text}` is no level"),
                    help: "write COLUMN=LEVEL, such as age=2".into(),
                })
        })
        .collect()
}

/// What the flags say of how data is read.
pub(crate) fn read_options(args: &ReadArgs) -> Result<ReadOptions, Error> {
    let words = denym::ReadingWords {
        format: args.format.clone(),
        delimiter: args.delimiter,
        quote: args.quote,
        no_header: args.no_header,
        encoding: args.encoding.clone(),
        skip_rows: args.skip_rows,
        sheet: args.sheet.clone(),
        decimal: args.decimal,
        thousands: args.thousands,
        missing: args.missing.clone().unwrap_or_default(),
    };
    words.options()
}

fn print(found: &Audit, console: &Console) {
    let survey = &found.survey;
    let risk = &survey.risk;
    console.say(format!(
        "records    {} in {} of {} to {} (mean {})",
        survey.records,
        counted(survey.classes, "class"),
        survey.min_class,
        counted(survey.max_class, "record"),
        number(survey.avg_class)
    ));
    console.say(format!("k          {}", survey.k));
    console.say(format!(
        "uniques    {} ({} of the records)",
        risk.uniques,
        percent(risk.sample_uniqueness)
    ));
    console.say(format!(
        "risk       highest {} (prosecutor), {} (journalist), average {} (marketer)",
        percent(risk.prosecutor_highest),
        percent(risk.journalist_highest),
        percent(risk.marketer)
    ));
    for found in &survey.sensitive {
        console.say(format!("\n{}", found.attribute));
        let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), number);
        let recursive: Vec<String> = found
            .recursive_c_infimum_by_l
            .iter()
            .map(|(l, c)| {
                format!(
                    "l={l}: {}",
                    c.map_or_else(|| "none".to_owned(), |c| format!("c > {}", number(c)))
                )
            })
            .collect();
        for (name, value) in [
            ("distinct l", found.distinct_l.to_string()),
            ("entropy l", number(found.entropy_l_real)),
            ("recursive (c,l)", recursive.join(", ")),
            ("highest confidence", percent(found.alpha)),
            ("t, equal distance", number(found.t_equal_distance)),
            ("t, ordered", optional(found.t_ordered_emd)),
            ("t, hierarchical", optional(found.t_hierarchical)),
            ("beta-likeness", number(found.basic_beta)),
            (
                "delta-disclosure",
                format!(
                    "{} (values present)",
                    number(found.delta_ln_present_values_only)
                ),
            ),
        ] {
            console.say(format!("  {name:20} {value}"));
        }
    }
    if let Some(estimate) = &found.population {
        let optional = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), percent);
        console.say(format!(
            "\nunique in the population of {}: {} (Dankar's rule; Zayatz {}, Pitman {}, SNB {})",
            estimate.population,
            optional(estimate.dankar),
            optional(estimate.zayatz),
            optional(estimate.pitman),
            optional(estimate.snb)
        ));
    }
    if let Some(presence) = &found.presence {
        console.say(format!(
            "\nbeside {} people: at least {} look like each group (k-map); presence {} to {}; {} people look like no group",
            presence.people,
            presence.k_map,
            percent(presence.least),
            percent(presence.most),
            presence.outside
        ));
    }
    if let Some(wildcards) = &found.wildcards {
        console.say(format!(
            "\nwith wildcards: k {}, {} uniques, {} records below k",
            wildcards.k, wildcards.uniques, wildcards.below
        ));
    }
    if let Some(below) = found.below_k {
        console.say(format!(
            "\nrecords in groups below the k asked for: {below}"
        ));
    }
    for (attribute, chances) in survey.sensitive.iter().zip(&found.worst_case) {
        let list: Vec<String> = chances.iter().map(|&chance| percent(chance)).collect();
        console.say(format!(
            "\nworst case for {} with 0, 1, ... facts about others: {}",
            attribute.attribute,
            list.join(", ")
        ));
    }
    if let Some(special) = &found.special_uniques {
        let sizes: Vec<String> = (1..)
            .zip(&special.by_size)
            .map(|(size, count)| format!("{count} on {size}"))
            .collect();
        console.say(format!(
            "\nspecial uniques: {} records ({} columns)",
            special.records,
            sizes.join(", ")
        ));
        for (name, uniques, share) in &special.contributions {
            console.say(format!(
                "  without {name:20} {uniques} fewer uniques; {} of the risk",
                percent(*share)
            ));
        }
    }
    let Some(asked) = &found.what_if else { return };
    if !asked.pairs {
        console
            .say("\nnot asked on so much data: what pairs of further columns would tell (--what-if asks)");
    }
    let breaking: Vec<_> = asked
        .found
        .iter()
        .filter(|dilemma| dilemma.breaks && dilemma.added.len() == 1)
        .collect();
    if !breaking.is_empty() {
        console.say("\nif the adversary also knew");
        for dilemma in breaking {
            console.say(format!(
                "  {:20} k would be {}",
                dilemma.added.join(" + "),
                dilemma.k
            ));
        }
    }
}
