//! Measures any table: every promise's value and every risk, without changing anything.

pub(crate) mod against;
pub(crate) mod sequences;

use std::path::PathBuf;

use denym_data::{Hierarchy, Table};
use denym_engine::{Engine, ReadOptions};
use denym_measure::risk::{
    PopulationUniqueness, contributions, population_uniqueness, special_uniques,
};
use denym_measure::{
    Classes, Roles, Survey, SurveyOptions, survey, what_if, worst_case_disclosure,
};

use crate::listener::{Listener, Phase};
use crate::policy::{suggest, suggest_column};
use crate::{Error, hierarchies};
use denym_measure::risk::{Presence, Wildcards, presence, wildcards};

/// What is to be measured.
#[derive(Debug, Clone, Default)]
pub struct AuditRequest {
    /// File, directory or glob.
    pub data: PathBuf,
    /// How to read it.
    pub read: ReadOptions,
    /// Columns the adversary may know.
    pub quasi: Vec<String>,
    /// Columns the adversary must not learn.
    pub sensitive: Vec<String>,
    /// The column that tells which records belong to one person.
    pub subject: Option<String>,
    /// Look at a generalized view: a level for some quasi-identifiers.
    pub levels: Vec<(String, usize)>,
    /// Directory of hierarchies; those of sensitive attributes serve as taxonomies.
    pub hierarchies: Option<PathBuf>,
    /// Leave out classes with fewer subjects first.
    pub suppress_below: u64,
    /// Size of the population the table was drawn from.
    pub population: Option<u64>,
    /// A register that an adversary may link with; it is generalized as the table is.
    pub population_file: Option<PathBuf>,
    /// A mark that may stand for any value, as missing cells then do.
    pub wildcard: Option<String>,
    /// The k that groups should have; what the table has now when `None`.
    pub k: Option<u64>,
    /// What each further column would tell: re-measure with it, and with each pair, added to what the adversary knows.
    pub what_if: WhatIf,
    /// Facts about others that an adversary may know beside (worst-case disclosure), up to this many.
    pub background: usize,
    /// Look for records that are unique on few columns: combinations of up to this many, and what each column contributes.
    pub special_uniques: usize,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Whether an audit asks what each further column would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhatIf {
    /// Never.
    Never,
    /// Each column alone, and in pairs where that does not take longer than all the rest.
    #[default]
    Affordable,
    /// Each column alone and in pairs.
    Always,
}

/// Records times pairs of columns that take about half a second.
const AFFORDABLE: usize = 50_000_000;
/// Records that a pair of columns counts as at least: what it takes, and is told of it, however few there are.
const LEAST: usize = 500;

/// What an audit found.
#[derive(Debug, Clone, PartialEq)]
pub struct Audit {
    /// Every promise and every risk.
    pub survey: Survey,
    /// What happens when the adversary knows more columns than was thought.
    ///
    /// `None` when it was not asked.
    pub what_if: Option<WhatElse>,
    /// For each sensitive attribute, the largest chance of inferring a value with 0, 1, 2, ... facts about others.
    pub worst_case: Vec<Vec<f64>>,
    /// How many people of the population are likely to be unique.
    pub population: Option<PopulationUniqueness>,
    /// Records that are unique on few columns, when asked for.
    pub special_uniques: Option<SpecialUniques>,
    /// The table beside a register, when one was given.
    pub presence: Option<Presence>,
    /// Groups when marked cells may stand for any value, when asked for.
    pub wildcards: Option<Wildcards>,
    /// Records in groups of fewer subjects than the k asked for.
    pub below_k: Option<u64>,
}

/// What further columns would tell an adversary.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatElse {
    /// Each column, and then each pair.
    pub found: Vec<Dilemma>,
    /// Whether pairs were looked at.
    pub pairs: bool,
}

/// The same table for an adversary who knows further columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Dilemma {
    /// The further columns.
    pub added: Vec<String>,
    /// Subjects of the smallest group then.
    pub k: u64,
    /// The largest confidence in any value of each sensitive attribute; `None` where it was itself added.
    pub confidence: Vec<(String, Option<f64>)>,
    /// Whether the k that was asked for no longer holds.
    pub breaks: bool,
}

/// Records that are unique on few columns.
#[derive(Debug, Clone, PartialEq)]
pub struct SpecialUniques {
    /// How many records are.
    pub records: u64,
    /// How many have a minimal unique combination of each size, from 1 up.
    pub by_size: Vec<u64>,
    /// For each quasi-identifier, how many fewer records would be unique without it, and its share of the risk.
    pub contributions: Vec<(String, u64, f64)>,
}

/// How many records each group has that the quasi-identifiers of `request` form, in the order of the groups.
pub fn group_sizes(request: &AuditRequest, listener: &dyn Listener) -> Result<Vec<u64>, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    check_roles(request)?;
    let wanted = request.quasi.iter().chain(&request.subject);
    let mut options = request.read.clone();
    options.columns = Some(wanted.cloned().collect());
    let table = engine
        .read(&request.data, &options)
        .map_err(unknown_column)?;
    listener.phase(Phase::Auditing);
    let roles = roles_in(request, &table)?;
    let pool = crate::threads::pool(request.threads)?;
    Ok(pool.install(|| Classes::of(&table, &roles).records().to_vec()))
}

/// Measures the table of `request`.
pub fn audit(request: &AuditRequest, listener: &dyn Listener) -> Result<Audit, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    check_roles(request)?;
    let mut options = request.read.clone();
    let wanted = request
        .quasi
        .iter()
        .chain(&request.sensitive)
        .chain(&request.subject);
    options.expected = wanted.cloned().collect();
    if request.what_if == WhatIf::Never {
        options.columns = Some(options.expected.clone());
    }
    let table = engine
        .read(&request.data, &options)
        .map_err(unknown_column)?;

    listener.phase(Phase::Auditing);
    let table = view(request, &table, &engine)?;
    let taxonomies = taxonomies(request, &table, &engine)?;
    let roles = roles_in(request, &table)?;
    let register = register(request, &engine)?;
    let pool = crate::threads::pool(request.threads)?;
    pool.install(|| {
        let mut classes = Classes::of(&table, &roles);
        let all = classes.total();
        if request.suppress_below > 0 {
            classes = classes
                .without_small(&table, &roles, request.suppress_below)
                .0;
        }
        let options = SurveyOptions {
            suppressed: all - classes.total(),
            taxonomies: taxonomies.iter().map(Option::as_ref).collect(),
            population: request.population,
        };
        let survey = survey(&classes, &options);
        let what_if =
            (request.what_if != WhatIf::Never).then(|| dilemmas(request, &table, &roles, survey.k));
        let facts = |attribute| {
            (0..=request.background)
                .map(|facts| worst_case_disclosure(&classes, attribute, facts))
                .collect()
        };
        let beside = register
            .as_ref()
            .map(|register| presence(&table, &roles, &classes, register))
            .transpose()
            .map_err(|error| Error::Argument {
                what: error.to_string(),
                help: error.help(),
            })?;
        let below = |k: u64| {
            let sizes = classes.subjects().iter().zip(classes.records());
            sizes
                .filter(|&(&subjects, _)| subjects < k)
                .map(|(_, &records)| records)
                .sum()
        };
        Ok(Audit {
            presence: beside,
            wildcards: request
                .wildcard
                .as_ref()
                .map(|mark| wildcards(&table, &roles.quasi, mark, request.k.unwrap_or(survey.k))),
            below_k: request.k.map(below),
            what_if,
            worst_case: if request.background > 0 {
                (0..request.sensitive.len()).map(facts).collect()
            } else {
                Vec::new()
            },
            population: request
                .population
                .map(|people| population_uniqueness(&classes, people)),
            special_uniques: (request.special_uniques > 0)
                .then(|| special(&table, &roles, request.special_uniques)),
            survey,
        })
    })
}

/// The register that an adversary may link with, at the levels of the table.
fn register(request: &AuditRequest, engine: &Engine) -> Result<Option<Table>, Error> {
    let Some(file) = &request.population_file else {
        return Ok(None);
    };
    let options = ReadOptions {
        columns: Some(request.quasi.clone()),
        missing: request.read.missing.clone(),
        ..ReadOptions::default()
    };
    let table = engine.read(file, &options).map_err(unknown_column)?;
    view(request, &table, engine).map(Some)
}

fn unknown_column(error: denym_engine::Error) -> Error {
    match error {
        denym_engine::Error::UnknownColumn {
            column,
            known,
            path,
        } => {
            let known = known.to_show();
            let help = suggest_column(&column, &known);
            Error::UnknownColumn {
                column,
                place: path.display().to_string(),
                help,
            }
        }
        error => Error::Engine(error),
    }
}

/// Where the columns of the request are in `table`.
fn roles_in(request: &AuditRequest, table: &Table) -> Result<Roles, Error> {
    let position = |name: &String| {
        table.position(name).ok_or_else(|| Error::Internal {
            what: "a column that was asked for is not there".into(),
        })
    };
    Ok(Roles {
        quasi: request
            .quasi
            .iter()
            .map(position)
            .collect::<Result<_, _>>()?,
        sensitive: request
            .sensitive
            .iter()
            .map(position)
            .collect::<Result<_, _>>()?,
        subject: request.subject.as_ref().map(position).transpose()?,
    })
}

/// What each further column, and each pair of them, would tell.
fn dilemmas(request: &AuditRequest, table: &Table, roles: &Roles, k: u64) -> WhatElse {
    let asked = request.k.unwrap_or(k);
    let name = |column: &usize| table.columns()[*column].name.clone();
    let others = table.columns().len() - roles.quasi.len() - usize::from(roles.subject.is_some());
    let pairs = others * others.saturating_sub(1) / 2;
    let pairs = request.what_if == WhatIf::Always
        || pairs.saturating_mul(table.records().max(LEAST)) <= AFFORDABLE;
    let found = what_if(table, roles, &[], pairs)
        .into_iter()
        .map(|found| Dilemma {
            added: found.added.iter().map(name).collect(),
            k: found.k,
            confidence: request
                .sensitive
                .iter()
                .cloned()
                .zip(found.confidence)
                .collect(),
            breaks: found.k < asked,
        })
        .collect();
    WhatElse { found, pairs }
}

/// Records that are unique on few quasi-identifiers, and what each contributes to the risk.
fn special(table: &Table, roles: &Roles, most: usize) -> SpecialUniques {
    let found = special_uniques(table, &roles.quasi, most);
    let mut by_size = vec![0; most.min(roles.quasi.len())];
    for unique in &found {
        let smallest = unique.minimal.iter().map(Vec::len).min().unwrap_or(0);
        if let Some(count) = smallest
            .checked_sub(1)
            .and_then(|index| by_size.get_mut(index))
        {
            *count += 1;
        }
    }
    let uniques = Classes::of(table, roles)
        .subjects()
        .iter()
        .filter(|&&subjects| subjects == 1)
        .count() as u64;
    let contributions = contributions(table, &roles.quasi)
        .into_iter()
        .map(|found| {
            let name = table.columns()[found.column].name.clone();
            (
                name,
                uniques.saturating_sub(found.uniques_without),
                found.risk_share,
            )
        })
        .collect();
    SpecialUniques {
        records: found.len() as u64,
        by_size,
        contributions,
    }
}

/// Every column has one role, and levels belong to quasi-identifiers.
fn check_roles(request: &AuditRequest) -> Result<(), Error> {
    let asked = request
        .quasi
        .iter()
        .chain(&request.sensitive)
        .chain(&request.subject);
    let mut seen: Vec<&String> = Vec::new();
    for column in asked {
        if seen.contains(&column) {
            return Err(Error::Argument {
                what: format!("column `{column}` is given twice"),
                help: "give each column one role".into(),
            });
        }
        seen.push(column);
    }
    for (column, _) in &request.levels {
        if !request.quasi.contains(column) {
            let quasi: Vec<&str> = request.quasi.iter().map(String::as_str).collect();
            return Err(Error::Argument {
                what: format!("`{column}` has a level but is no quasi-identifier"),
                help: suggest(column, &quasi),
            });
        }
    }
    Ok(())
}

/// The table with every quasi-identifier at its level.
fn view(request: &AuditRequest, table: &Table, engine: &Engine) -> Result<Table, Error> {
    let mut columns = Vec::with_capacity(table.columns().len());
    for column in table.columns() {
        let level = request
            .levels
            .iter()
            .find(|(name, _)| *name == column.name)
            .map_or(0, |(_, level)| *level);
        if level == 0 {
            columns.push(column.clone());
            continue;
        }
        let Some(directory) = &request.hierarchies else {
            return Err(Error::Argument {
                what: "levels need hierarchies".into(),
                help: "add `--hierarchies DIR`".into(),
            });
        };
        let file = hierarchies::find(directory, &column.name)?;
        let hierarchy = hierarchies::from_file(engine, column, &file).map_err(Error::several)?;
        if level >= hierarchy.height() {
            return Err(Error::Argument {
                what: format!("`{}` has no level {level}", column.name),
                help: format!("use a level from 0 to {}", hierarchy.height() - 1),
            });
        }
        columns.push(denym_measure::generalized(column, &hierarchy, level));
    }
    Ok(Table::new(columns)?)
}

/// A taxonomy for each sensitive attribute that has a file.
fn taxonomies(
    request: &AuditRequest,
    table: &Table,
    engine: &Engine,
) -> Result<Vec<Option<Hierarchy>>, Error> {
    request
        .sensitive
        .iter()
        .map(|name| {
            let (Some(directory), Some(column)) = (&request.hierarchies, table.column(name)) else {
                return Ok(None);
            };
            match hierarchies::find(directory, name) {
                Ok(file) => hierarchies::from_file(engine, column, &file)
                    .map(Some)
                    .map_err(Error::several),
                Err(_) => Ok(None),
            }
        })
        .collect()
}
