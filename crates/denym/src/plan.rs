//! A policy checked against its data: what will be done, before anything is done.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use denym_data::{Column, Hierarchy, Role, Table};
use denym_engine::Engine;
use denym_measure::Promise;

use crate::judge::{self, SensitiveAttribute, joint_name};
use crate::policy::{AttributeSpec, HierarchySpec, Missing, Mistake, Policy, PromiseSpec, suggest};
use crate::{Error, hierarchies};

/// Which columns of the table play which part, by position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Quasi-identifiers, in the policy's order.
    pub(crate) quasi: Vec<usize>,
    /// Sensitive attributes, in the policy's order.
    pub(crate) sensitive: Vec<usize>,
    /// The subject column.
    pub(crate) subject: Option<usize>,
    /// Columns that are published, in the source's order.
    pub(crate) released: Vec<usize>,
}

/// A policy resolved against its data.
pub struct Plan {
    /// What is wanted.
    pub policy: Policy,
    pub(crate) columns: Columns,
    pub(crate) hierarchies: Vec<Hierarchy>,
    pub(crate) sensitive: Vec<SensitiveAttribute>,
    pub(crate) promises: Vec<PromiseSpec>,
    /// For each promise, the quasi-identifiers its adversary knows; all when `None`.
    pub(crate) scopes: Vec<Option<Vec<String>>>,
    pub(crate) limits: Vec<(usize, usize)>,
    /// What the loss of each quasi-identifier is multiplied by, when the policy says so of any.
    pub(crate) weights: Option<Vec<f64>>,
    /// Several columns read as one, appended to the table.
    pub(crate) joints: Vec<Column>,
    /// Records that miss a value the policy wants present; they are suppressed before anything else.
    pub(crate) incomplete: Vec<usize>,
    /// What the steward should know although it is no mistake.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Checks `policy` against the table it speaks of; every mistake is reported.
    pub fn new(policy: &Policy, table: &Table, engine: &Engine) -> Result<Plan, Error> {
        let columns = columns(policy, table)?;
        let mut failures = Vec::new();
        let mut bind = |spec: &AttributeSpec| match hierarchy(policy, spec, table, engine) {
            Ok(hierarchy) => Some(hierarchy),
            Err(errors) => {
                failures.extend(errors);
                None
            }
        };
        let mut bound = BTreeMap::new();
        for spec in &policy.attributes {
            let wanted = match spec.role {
                Role::QuasiIdentifier => true,
                Role::Sensitive => spec.hierarchy != HierarchySpec::Flat,
                _ => false,
            };
            if wanted && let Some(hierarchy) = bind(spec) {
                bound.insert(spec.name.clone(), hierarchy);
            }
        }
        let mut mistakes = Vec::new();
        let mut limits = Vec::new();
        for spec in policy.with_role(Role::QuasiIdentifier) {
            let top = bound
                .get(&spec.name)
                .map_or(0, |hierarchy| hierarchy.height() - 1);
            let (low, high) = (
                spec.levels.0.unwrap_or(0),
                spec.levels.1.unwrap_or(top).min(top),
            );
            if bound.contains_key(&spec.name)
                && (low > high || spec.levels.1.is_some_and(|high| high > top))
            {
                mistakes.push(Mistake {
                    code: "policy-level-limits",
                    message: format!("`{}` has levels 0 to {top}", spec.name),
                    span: spec.span.clone(),
                    help: format!("use `min-level` and `max-level` from 0 to {top}"),
                });
            }
            limits.push((low, high));
        }
        let mut warnings = Vec::new();
        let mut sensitive = sensitive(policy, table, &columns, &bound);
        let mut columns = columns;
        let mut joints = Vec::new();
        for promised in &policy.promises {
            let PromiseSpec::XyAnonymity { y, .. } = &promised.promise else {
                continue;
            };
            if sensitive
                .iter()
                .any(|attribute| attribute.name == joint_name(y))
            {
                continue;
            }
            match joint(table, y) {
                Ok(column) => {
                    columns.sensitive.push(table.columns().len() + joints.len());
                    sensitive.push(SensitiveAttribute {
                        name: column.name.clone(),
                        values: column
                            .dictionary
                            .values()
                            .map(|text| Some(text.to_owned()))
                            .collect(),
                        reference: Vec::new(),
                        taxonomy: None,
                        parts: y.clone(),
                        hidden: false,
                    });
                    joints.push(column);
                }
                Err(unknown) => mistakes.push(Mistake {
                    code: "policy-unknown-column",
                    message: format!(
                        "`xy-anonymity` speaks of `{unknown}`, which is not published"
                    ),
                    span: promised.span.clone(),
                    help: "name columns that have a role other than `identifier`".into(),
                }),
            }
        }
        for guards in policy.promises.iter().filter_map(|p| p.promise.guards()) {
            let known =
                |attribute: &SensitiveAttribute| attribute.hidden && attribute.name == guards;
            if let Some(position) = table.position(guards)
                && !sensitive.iter().any(known)
            {
                columns.sensitive.push(position);
                sensitive.push(SensitiveAttribute {
                    name: guards.to_owned(),
                    values: values_of(&table.columns()[position]),
                    reference: Vec::new(),
                    taxonomy: None,
                    parts: Vec::new(),
                    hidden: true,
                });
            }
        }
        let promises = promises(policy, &sensitive, &mut mistakes, &mut warnings);
        if !mistakes.is_empty() {
            return Err(policy_error(policy, mistakes));
        }
        if !failures.is_empty() {
            return Err(Error::several(failures));
        }
        let hierarchies = policy
            .with_role(Role::QuasiIdentifier)
            .filter_map(|spec| bound.remove(&spec.name))
            .collect();
        let incomplete = incomplete(policy, table);
        Ok(Plan {
            policy: policy.clone(),
            columns,
            hierarchies,
            sensitive,
            promises,
            scopes: policy.promises.iter().map(|p| p.quasi.clone()).collect(),
            limits,
            weights: weights(policy),
            joints,
            incomplete,
            warnings,
        })
    }

    /// What will be done, a line per step.
    pub fn steps(&self) -> Vec<String> {
        let policy = &self.policy;
        let mut steps = Vec::new();
        let names = |role| {
            policy
                .with_role(role)
                .map(|spec| format!("`{}`", spec.name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        for spec in &policy.attributes {
            let (name, operations) = (&spec.name, &spec.operations);
            match operations.pseudonym {
                Some(_) => steps.push(format!("replace `{name}` by keyed pseudonyms")),
                None if spec.role == Role::Identifier => steps.push(format!("drop `{name}`")),
                None => {}
            }
            if let Some(top) = operations.top {
                steps.push(format!("publish `{name}` above {0} as {0}", top.to_f64()));
            }
            if let Some(bottom) = operations.bottom {
                steps.push(format!(
                    "publish `{name}` below {0} as {0}",
                    bottom.to_f64()
                ));
            }
            if operations.middle.is_some() {
                steps.push(format!("publish one number per class for `{name}`"));
            }
        }
        for (spec, (hierarchy, (low, high))) in policy
            .with_role(Role::QuasiIdentifier)
            .zip(self.hierarchies.iter().zip(&self.limits))
        {
            steps.push(format!(
                "generalize `{}` to one of its levels {low} to {high} ({} leaves){}",
                spec.name,
                hierarchy.leaves(),
                spec.operations.weight.map_or_else(String::new, |weight| {
                    format!(", its loss counts {} times", weight.to_f64())
                })
            ));
        }
        steps.push(format!(
            "search with `{}` for the least `{}`, suppressing at most {} % of the records",
            policy.release.algorithm,
            policy.release.metric,
            policy.release.suppress_at_most.to_f64() * 100.0
        ));
        steps.extend(crate::catalogue::cannot(&policy.release.algorithm));
        steps.extend(crate::scopes::steps(self));
        if policy.with_role(Role::Subject).next().is_some() {
            steps.push(format!(
                "count subjects by {}, renumbered within each class",
                names(Role::Subject)
            ));
        }
        steps.push(
            "write, read back, regroup and measure every promise; release only if all hold"
                .to_owned(),
        );
        steps
    }

    /// The table without the records that must not miss a value.
    pub(crate) fn complete<'a>(&self, table: &'a Table) -> Result<Cow<'a, Table>, Error> {
        if self.incomplete.is_empty() && self.joints.is_empty() {
            return Ok(Cow::Borrowed(table));
        }
        let mut keep = vec![true; table.records()];
        for &row in &self.incomplete {
            keep[row] = false;
        }
        let columns = table
            .columns()
            .iter()
            .chain(&self.joints)
            .map(|column| Column {
                name: column.name.clone(),
                dictionary: column.dictionary.clone(),
                codes: column
                    .codes
                    .iter()
                    .zip(&keep)
                    .filter(|&(_, &keep)| keep)
                    .map(|(&code, _)| code)
                    .collect(),
            });
        Ok(Cow::Owned(Table::new(columns.collect())?))
    }

    /// The promises as they are judged on the source's codes.
    pub(crate) fn judges(&self) -> Result<Vec<Box<dyn Promise>>, Error> {
        judges(&self.promises, &self.sensitive)
    }

    /// The names of the quasi-identifiers, in the policy's order.
    pub(crate) fn quasi_names(&self) -> Vec<String> {
        self.policy
            .with_role(Role::QuasiIdentifier)
            .map(|spec| spec.name.clone())
            .collect()
    }
}

/// The weights of the quasi-identifiers, in the policy's order; `None` when the policy has none.
fn weights(policy: &Policy) -> Option<Vec<f64>> {
    let given = || {
        let quasi = policy.with_role(Role::QuasiIdentifier);
        quasi.map(|spec| spec.operations.weight)
    };
    given().any(|weight| weight.is_some()).then(|| {
        given()
            .map(|weight| weight.map_or(1.0, denym_data::Fraction::to_f64))
            .collect()
    })
}

/// The promises over these sensitive attributes.
pub(crate) fn judges(
    promises: &[PromiseSpec],
    sensitive: &[SensitiveAttribute],
) -> Result<Vec<Box<dyn Promise>>, Error> {
    promises
        .iter()
        .map(|spec| {
            judge::promise(spec, sensitive).map_err(|what| Error::Internal {
                what: what.to_owned(),
            })
        })
        .collect()
}

/// Mistakes of `policy`, in order of place.
pub(crate) fn policy_error(policy: &Policy, mut mistakes: Vec<Mistake>) -> Error {
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Error::Policy {
        file: policy.file.clone(),
        text: policy.text.clone(),
        mistakes,
    }
}

/// Finds every column of the policy in the table.
fn columns(policy: &Policy, table: &Table) -> Result<Columns, Error> {
    let names: Vec<&str> = table
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    let mut columns = Columns::default();
    let mut mistakes = Vec::new();
    for spec in &policy.attributes {
        let Some(position) = table.position(&spec.name) else {
            if spec.role != Role::Identifier {
                mistakes.push(Mistake {
                    code: "policy-unknown-column",
                    message: format!("the data has no column `{}`", spec.name),
                    span: spec.span.clone(),
                    help: suggest(&spec.name, &names),
                });
            }
            continue;
        };
        match spec.role {
            Role::QuasiIdentifier => columns.quasi.push(position),
            Role::Sensitive => columns.sensitive.push(position),
            Role::Subject => columns.subject = Some(position),
            Role::Insensitive => {}
            // Its pseudonym is published, in its place.
            Role::Identifier if spec.operations.pseudonym.is_some() => {}
            Role::Identifier => continue,
        }
        columns.released.push(position);
    }
    columns.released.sort_unstable();
    if mistakes.is_empty() {
        Ok(columns)
    } else {
        Err(policy_error(policy, mistakes))
    }
}

/// Builds the hierarchy of one attribute.
fn hierarchy(
    policy: &Policy,
    spec: &AttributeSpec,
    table: &Table,
    engine: &Engine,
) -> Result<Hierarchy, Vec<Error>> {
    let Some(column) = table.column(&spec.name) else {
        return Err(vec![Error::Internal {
            what: "an attribute without a column".into(),
        }]);
    };
    let one = |error: denym_data::Error, file: Option<PathBuf>| Error::Hierarchy {
        attribute: spec.name.clone(),
        file,
        error,
    };
    let dictionary = &column.dictionary;
    let built = match &spec.hierarchy {
        HierarchySpec::Flat => Ok(Hierarchy::flat(dictionary)),
        HierarchySpec::File(path) => {
            return hierarchies::from_file(engine, column, &policy.resolve(path));
        }
        HierarchySpec::Intervals(widths) => Hierarchy::intervals(dictionary, widths),
        HierarchySpec::Dates(parts) => Hierarchy::dates(dictionary, parts),
        HierarchySpec::Redaction(end, step) => Hierarchy::redaction(dictionary, *end, *step),
        HierarchySpec::Ordered(order, sizes) => Hierarchy::ordered(dictionary, order, sizes),
        HierarchySpec::Priority(order, steps) if order.is_empty() => {
            Hierarchy::priority(dictionary, &by_frequency(column), *steps)
        }
        HierarchySpec::Priority(order, steps) => Hierarchy::priority(dictionary, order, *steps),
    };
    built.map_err(|error| vec![one(error, None)])
}

/// The values of a column, the most frequent first.
fn by_frequency(column: &Column) -> Vec<String> {
    let mut counts = vec![0_u64; column.dictionary.len()];
    for &code in &column.codes {
        counts[code as usize] += 1;
    }
    let mut order: Vec<u32> = (0..counts.len() as u32).collect();
    order.sort_by_key(|&code| std::cmp::Reverse(counts[code as usize]));
    order
        .into_iter()
        .filter_map(|code| column.dictionary.text(code))
        .map(str::to_owned)
        .collect()
}

/// The sensitive attributes with their distribution over all source records.
fn sensitive(
    policy: &Policy,
    table: &Table,
    columns: &Columns,
    taxonomies: &BTreeMap<String, Hierarchy>,
) -> Vec<SensitiveAttribute> {
    let subject = columns.subject.map(|position| &table.columns()[position]);
    policy
        .with_role(Role::Sensitive)
        .zip(&columns.sensitive)
        .map(|(spec, &position)| {
            let column = &table.columns()[position];
            SensitiveAttribute {
                name: spec.name.clone(),
                values: values_of(column),
                reference: reference(column, subject),
                taxonomy: taxonomies.get(&spec.name).cloned(),
                parts: Vec::new(),
                hidden: false,
            }
        })
        .collect()
}

/// The text of every code of a column.
fn values_of(column: &Column) -> Vec<Option<String>> {
    let dictionary = &column.dictionary;
    (0..dictionary.len() as u32)
        .map(|code| dictionary.text(code).map(str::to_owned))
        .collect()
}

/// Counts by value: records, or subjects that show the value when there is a subject column.
fn reference(column: &Column, subject: Option<&Column>) -> Vec<u64> {
    let mut counts = vec![0; column.dictionary.len()];
    if let Some(subject) = subject {
        let mut pairs: Vec<(u32, u32)> = column
            .codes
            .iter()
            .copied()
            .zip(subject.codes.iter().copied())
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (value, _) in pairs {
            counts[value as usize] += 1;
        }
    } else {
        for &code in &column.codes {
            counts[code as usize] += 1;
        }
    }
    counts
}

/// Every promise with its attribute named; notes what cannot be judged and warns of values that never occur.
fn promises(
    policy: &Policy,
    sensitive: &[SensitiveAttribute],
    mistakes: &mut Vec<Mistake>,
    warnings: &mut Vec<String>,
) -> Vec<PromiseSpec> {
    let mut promises = Vec::new();
    for promised in &policy.promises {
        let mut spec = promised.promise.clone();
        if let Some(None) = spec.attribute()
            && let Some(only) = sensitive.first()
        {
            spec = spec.about(&only.name);
        }
        if let Err(what) = judge::promise(&spec, sensitive) {
            mistakes.push(Mistake {
                code: "policy-promise",
                message: format!("`{}` cannot be judged: {what}", spec.name()),
                span: promised.span.clone(),
                help: match spec.guards() {
                    Some(_) => "name nodes of the attribute's `taxonomy` in the column of guards",
                    None => "add `taxonomy = \"FILE\"` to the attribute, or use another distance",
                }
                .into(),
            });
        }
        if let PromiseSpec::Confidence {
            attribute: Some(name),
            values,
            ..
        } = &spec
            && let Some(attribute) = sensitive.iter().find(|attribute| attribute.name == *name)
        {
            let absent = values
                .iter()
                .filter(|&value| !attribute.values.iter().flatten().any(|v| v == value))
                .count();
            if absent > 0 {
                warnings.push(format!(
                    "{absent} of the bounded values of `{name}` never occur in the data"
                ));
            }
        }
        promises.push(spec);
    }
    promises
}

/// Several columns read as one; the name of the first that the table does not have, if any.
pub(crate) fn joint(table: &Table, names: &[String]) -> Result<Column, String> {
    let positions = names
        .iter()
        .map(|name| table.position(name).ok_or_else(|| name.clone()))
        .collect::<Result<Vec<usize>, String>>()?;
    Ok(denym_measure::combined(
        table,
        &positions,
        &joint_name(names),
    ))
}

/// Records that miss a quasi-identifier whose policy says `missing = "suppress"`.
fn incomplete(policy: &Policy, table: &Table) -> Vec<usize> {
    let mut rows: Vec<usize> = policy
        .attributes
        .iter()
        .filter(|spec| spec.missing == Missing::Suppress)
        .filter_map(|spec| table.column(&spec.name))
        .filter_map(|column| column.dictionary.missing().map(|missing| (column, missing)))
        .flat_map(|(column, missing)| {
            column
                .codes
                .iter()
                .enumerate()
                .filter(move |&(_, &code)| code == missing)
                .map(|(row, _)| row)
        })
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The name of a data set: its file name without extension.
pub(crate) fn data_name(path: &str) -> String {
    let stem = Path::new(path)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or("data");
    stem.chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
