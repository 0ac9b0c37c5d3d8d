//! `denym audit`: every promise's measured value and every risk, for any data set.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use denym::{
    Audit, AuditRequest, Elements, Encoding, Error, Format, ReadOptions, WhatIf, read_policy,
};
use serde_json::{Value, json};

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
    console.document(&document(&found));
    print(&found, console);
    Ok(ExitCode::SUCCESS)
}

/// Judges the promises of a policy, and measures everything else with its roles.
fn against(args: &AuditArgs, file: &Path, console: &Console) -> Result<ExitCode, Error> {
    let policy = read_policy(file)?;
    let data = (!args.data.is_empty()).then(|| Path::new(&args.data));
    let judged = denym::audit_policy(&policy, data, console.threads, console)?;
    let found = AuditRequest::of_policy(&policy, data)?
        .map(|roles| denym::audit(&request(args, roles, console)?, console))
        .transpose()?;
    console.clear();
    let holds = judged.claims.iter().all(|claim| claim.holds != Some(false));
    let mut all = found.as_ref().map_or_else(|| json!({}), document);
    all["status"] = json!(if holds { "holds" } else { "fails" });
    all["claims"] = claims::document(&judged.claims);
    all["left_out"] = json!(judged.left_out);
    console.document(&all);
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
    Ok(if holds {
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

/// How to read, as the flags say.
pub(crate) fn read_options(args: &ReadArgs) -> Result<ReadOptions, Error> {
    let mut options = ReadOptions::default();
    let unknown = |what: &str, known: String| Error::Argument {
        what: what.to_owned(),
        help: format!("known here: {known}"),
    };
    if let Some(name) = &args.format {
        let known = || Format::ALL.map(|entry| entry.0).join(", ");
        options.format =
            Some(Format::parse(name).ok_or_else(|| unknown("the format is not known", known()))?);
    }
    if let Some(name) = &args.encoding {
        let known = || Encoding::KNOWN.join(", ") + ", and every other label of the WHATWG list";
        let parsed = Encoding::parse(name);
        options.encoding =
            Some(parsed.ok_or_else(|| unknown("the encoding is not known", known()))?);
    }
    let ascii = |letter: char| {
        u8::try_from(letter)
            .ok()
            .filter(u8::is_ascii)
            .ok_or_else(|| Error::Argument {
                what: "delimiter and quote must be ASCII characters".into(),
                help: "write for example --delimiter ';'".into(),
            })
    };
    options.delimiter = args.delimiter.map(ascii).transpose()?;
    if let Some(quote) = args.quote {
        options.quote = ascii(quote)?;
    }
    options.header = args.no_header.then_some(false);
    if let Some(missing) = &args.missing {
        options.missing.extend(missing.iter().cloned());
    }
    options.skip_rows = args.skip_rows;
    options.sheet.clone_from(&args.sheet);
    let marks = ['.', ',', ' ', '\''];
    let is_mark = |mark: &char| marks.contains(mark);
    (options.decimal, options.thousands) = (args.decimal, args.thousands);
    let given = args.decimal.into_iter().chain(args.thousands);
    if given.clone().any(|mark| !is_mark(&mark))
        || args.decimal.is_some_and(|mark| mark == ' ' || mark == '\'')
        || args.decimal.is_some() && args.decimal == args.thousands
    {
        return Err(Error::Argument {
            what: "these are no marks of numbers".into(),
            help: "write for example --decimal ',' --thousands '.'".into(),
        });
    }
    Ok(options)
}

fn document(found: &Audit) -> Value {
    let survey = &found.survey;
    let sensitive: serde_json::Map<String, Value> = survey
        .sensitive
        .iter()
        .map(|found| {
            let recursive: serde_json::Map<String, Value> =
                found.recursive_c_infimum_by_l.iter().map(|(l, c)| (l.to_string(), json!(c))).collect();
            let value = json!({
                "k": found.k,
                "alpha": found.alpha,
                "distinct_l": found.distinct_l,
                "entropy_l_real": found.entropy_l_real,
                "recursive_c_infimum_by_l": recursive,
                "t_equal_distance": found.t_equal_distance,
                "t_ordered_emd": found.t_ordered_emd,
                "t_hierarchical": found.t_hierarchical,
                "basic_beta": found.basic_beta,
                "enhanced_beta_bound_holds_at_beta_max": found.enhanced_beta_bound_holds_at_beta_max,
                "delta_ln_present_values_only": found.delta_ln_present_values_only,
                "delta_log2_present_values_only": found.delta_log2_present_values_only,
                "delta_strict_is_infinite": found.delta_strict_is_infinite,
                "classification_metric_one_majority": found.classification_metric_one_majority,
                "avg_prosecutor_risk_records": found.avg_prosecutor_risk_records,
            });
            (found.attribute.clone(), value)
        })
        .collect();
    let risk = &survey.risk;
    let mut document = json!({
        "records": survey.records,
        "subjects": survey.subjects,
        "classes": survey.classes,
        "k": survey.k,
        "min_class": survey.min_class,
        "max_class": survey.max_class,
        "avg_class": survey.avg_class,
        "risk": {
            "prosecutor_highest": risk.prosecutor_highest,
            "prosecutor_average": risk.prosecutor_average,
            "prosecutor_lowest": risk.prosecutor_lowest,
            "journalist_highest": risk.journalist_highest,
            "journalist_average": risk.journalist_average,
            "marketer": risk.marketer,
            "uniques": risk.uniques,
            "sample_uniqueness": risk.sample_uniqueness,
            "at_risk_above_fifth": risk.at_risk_above_fifth,
            "at_risk_above_tenth": risk.at_risk_above_tenth,
            "at_risk_above_twentieth": risk.at_risk_above_twentieth,
        },
        "sensitive": sensitive,
    });
    document["what_if"] = found.what_if.as_ref().map_or(Value::Null, |asked| {
        asked.found.iter().map(|dilemma| {
            let confidence: serde_json::Map<String, Value> =
                dilemma.confidence.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({"added": dilemma.added, "k": dilemma.k, "confidence": confidence, "breaks": dilemma.breaks})
        })
        .collect()
    });
    if let Some(estimate) = &found.population {
        document["risk"]["population_uniqueness"] = json!({
            "population": estimate.population,
            "zayatz": estimate.zayatz,
            "pitman": estimate.pitman,
            "snb": estimate.snb,
            "dankar": estimate.dankar,
        });
    }
    for (attribute, chances) in survey.sensitive.iter().zip(&found.worst_case) {
        document["sensitive"][&attribute.attribute]["worst_case_disclosure_by_facts"] =
            json!(chances);
    }
    if let Some(special) = &found.special_uniques {
        document["risk"]["special_uniques"] = json!({
            "records": special.records,
            "by_size": special.by_size,
            "contributions": special.contributions.iter().map(|(name, uniques, share)| json!({
                "column": name, "uniques_removed_without_it": uniques, "risk_share": share,
            })).collect::<Vec<_>>(),
        });
    }
    if let Some(presence) = &found.presence {
        document["population"]["people"] = json!(presence.people);
        document["population"]["k_map"] = json!(presence.k_map);
        document["population"]["delta_presence"] =
            json!({"least": presence.least, "most": presence.most});
        document["population"]["outside"] = json!(presence.outside);
    }
    if let Some(wildcards) = &found.wildcards {
        document["wildcard"] = json!({
            "k": wildcards.k, "uniques": wildcards.uniques, "records_below_k": wildcards.below,
        });
    }
    if let Some(below) = found.below_k {
        document["violating_records"] = json!({"k-anonymity": below});
    }
    document
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
