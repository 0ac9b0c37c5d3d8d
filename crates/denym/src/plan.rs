//! A policy checked against its data: what will be done, before anything is done.

use std::borrow::Cow;
use std::collections::BTreeMap;

use denym_data::{Column, Hierarchy, Recoding, Role, Summary, Table};
use denym_engine::Engine;
use denym_measure::metrics::Released;
use denym_measure::{
    Classes, MOST_SUBSETS, Promise, SensitiveAttribute, joint_name, reference, sets_of_at_most,
};

use denym_release::absent_values;
pub(crate) use denym_release::evidence::{joint, judges};

use crate::evidence::Evidence;
use crate::owners::{self, Owner};
pub(crate) use crate::policy::data_name;
use crate::policy::{
    AttributeSpec, HierarchySpec, Knowledge, Missing, Mistake, Policy, PromiseSpec, Reach,
    names_to_show,
};
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
pub(crate) struct Plan {
    /// What is wanted.
    pub(crate) policy: Policy,
    /// The names of the quasi-identifiers, in the policy's order.
    pub(crate) quasi: Vec<String>,
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
    /// Records of the source.
    pub(crate) records: u64,
    /// Records that miss a value the policy wants present; they are suppressed before anything else.
    pub(crate) incomplete: Vec<usize>,
    /// How many of them are further records of people who publish one each.
    pub(crate) surplus: u64,
    /// Whose records the adversary may put together.
    pub(crate) owners: Vec<Owner>,
    /// What the steward should know although it is no mistake.
    pub(crate) warnings: Vec<String>,
}

impl Plan {
    /// Checks `policy` against the table it speaks of; every mistake is reported.
    pub(crate) fn new(policy: &Policy, table: &Table, engine: &Engine) -> Result<Plan, Error> {
        let columns = columns(policy, table)?;
        let mut failures = Vec::new();
        let bound = |spec: &AttributeSpec| match table.column(&spec.name) {
            Some(column) => hierarchy(policy, spec, column, engine),
            None => Err(vec![Error::Internal {
                what: "an attribute without a column".into(),
            }]),
        };
        let mut bind = |spec: &AttributeSpec| match bound(spec) {
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
        let mut mistakes: Vec<Mistake> = too_many_sets(policy).into_iter().collect();
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
                mistakes.push(Mistake::new(
                    "policy-level-limits",
                    spec.span.clone(),
                    format!("`{}` has levels 0 to {top}", spec.name),
                    format!("use `min-level` and `max-level` from 0 to {top}"),
                ));
            }
            limits.push((low, high));
        }
        let mut warnings = Vec::new();
        let mut sensitive = sensitive(policy, table, &columns, &bound);
        let mut columns = columns;
        let mut joints = Vec::new();
        for promised in &policy.promises {
            let y = promised.promise.counted();
            let name = joint_name(y);
            if y.is_empty() || sensitive.iter().any(|attribute| attribute.name == name) {
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
                        parts: y.to_vec(),
                        hidden: false,
                    });
                    joints.push(column);
                }
                Err(unknown) => mistakes.push(Mistake::new(
                    "policy-unknown-column",
                    promised.span.clone(),
                    format!("`xy-anonymity` speaks of `{unknown}`, which is not published"),
                    "name columns that have a role other than `identifier`",
                )),
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
        let owners = owners::of(policy, table, &mut mistakes);
        mistakes.extend(nobodys(policy, table));
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
        let mut incomplete = incomplete(policy, table);
        let surplus = surplus(policy, table, &incomplete)?;
        incomplete.extend(&surplus);
        incomplete.sort_unstable();
        Ok(Plan {
            policy: policy.clone(),
            quasi: policy
                .with_role(Role::QuasiIdentifier)
                .map(|spec| spec.name.clone())
                .collect(),
            columns,
            hierarchies,
            sensitive,
            promises,
            scopes: policy.promises.iter().map(|p| p.quasi.clone()).collect(),
            limits,
            weights: weights(policy),
            joints,
            records: table.records() as u64,
            incomplete,
            surplus: surplus.len() as u64,
            owners,
            warnings,
        })
    }

    /// What will be done, a line per step.
    pub(crate) fn steps(&self) -> Vec<String> {
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
                Some(ref pseudonym) => steps.push(match pseudonym.per {
                    Reach::Release => format!("replace `{name}` by keyed pseudonyms"),
                    Reach::Class => {
                        format!("replace `{name}` by keyed pseudonyms, others in every class")
                    }
                }),
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
            policy.release.algorithm.name,
            policy.release.metric.name(),
            policy.release.suppress_at_most.to_f64() * 100.0
        ));
        steps.extend(policy.release.algorithm.limits());
        steps.push(crate::program::of(policy).step());
        let missing = self.incomplete.len() as u64 - self.surplus;
        for (count, why) in [
            (missing, "which miss a value that must be there"),
            (
                self.surplus,
                "drawn in secret so that each person has one: who knows the program may know how many a person has",
            ),
        ] {
            if count > 0 {
                steps.push(format!(
                    "leave out {count} of {} records, {why}; they count towards `suppress-at-most` and as lost",
                    self.records
                ));
            }
        }
        steps.extend(crate::scopes::steps(self));
        steps.extend(owners::steps(policy, &self.owners));
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
        Ok(Cow::Owned(table.without(&self.incomplete, &self.joints)?))
    }

    /// Records that may be missing from the release, those that miss a value included.
    pub(crate) fn allowance(&self) -> u64 {
        self.policy.release.suppress_at_most.floor_of(self.records)
    }

    /// The promises as they are judged on the source's codes.
    pub(crate) fn judges(&self) -> Result<Vec<Box<dyn Promise>>, Error> {
        Ok(judges(&self.promises, &self.sensitive)?)
    }

    /// The names of the quasi-identifiers, in the policy's order.
    pub(crate) fn quasi_names(&self) -> Vec<String> {
        self.quasi.clone()
    }

    /// The column of subjects.
    pub(crate) fn subject(&self) -> Option<&str> {
        let mut subjects = self.policy.with_role(Role::Subject);
        subjects.next().map(|spec| spec.name.as_str())
    }

    /// What is promised, of a table that shows what the release shows and of a register generalized like it.
    pub(crate) fn evidence<'a>(
        &'a self,
        table: &'a Table,
        population: Option<&'a Table>,
    ) -> Evidence<'a> {
        Evidence {
            table,
            knows: self.policy.adversary,
            quasi: &self.quasi,
            sensitive: &self.sensitive,
            subject: self.subject(),
            promises: &self.promises,
            scopes: &self.scopes,
            population,
        }
    }

    /// A release as metrics see it; `classes` are those of `table`, where they have been made already.
    pub(crate) fn released<'a>(
        &'a self,
        summary: &'a Summary,
        recoding: Option<&'a Recoding>,
        table: &'a Table,
        total: u64,
        classes: Option<&'a Classes>,
    ) -> Released<'a> {
        let plain = |a: &&SensitiveAttribute| !a.hidden && a.parts.is_empty();
        let knows_all = self.policy.adversary == Knowledge::QuasiIdentifiers;
        Released {
            summary,
            quasi: &self.quasi,
            hierarchies: &self.hierarchies,
            weights: self.weights.as_deref().unwrap_or_default(),
            target: self.sensitive.iter().find(plain).map(|a| a.name.as_str()),
            k: self.promises.iter().find_map(PromiseSpec::size),
            recoding,
            table,
            total,
            classes: classes.filter(|_| knows_all && self.columns.subject.is_none()),
        }
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

/// A mistake where the adversary may know more sets of columns than anybody can judge.
fn too_many_sets(policy: &Policy) -> Option<Mistake> {
    let Knowledge::AtMost(most) = policy.adversary else {
        return None;
    };
    let columns = policy.with_role(Role::QuasiIdentifier).count();
    let too_many = sets_of_at_most(columns as u64, most as u64) > MOST_SUBSETS;
    too_many.then(|| Mistake {
        code: "policy-too-many-combinations",
        path: "adversary.knows".to_owned(),
        message: format!(
            "any {most} of {columns} quasi-identifiers are more combinations than can be judged"
        ),
        span: 0..0,
        help: "write a smaller number after `at-most`, or `knows = \"quasi-identifiers\"`"
            .to_owned(),
    })
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
    let names = names_to_show(table);
    let mut columns = Columns::default();
    let mut mistakes = Vec::new();
    for spec in &policy.attributes {
        let Some(position) = table.position(&spec.name) else {
            if spec.role != Role::Identifier {
                mistakes.push(Mistake::no_column(&spec.name, spec.span.clone(), &names));
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
pub(crate) fn hierarchy(
    policy: &Policy,
    spec: &AttributeSpec,
    column: &Column,
    engine: &Engine,
) -> Result<Hierarchy, Vec<Error>> {
    let dictionary = &column.dictionary;
    let built = match &spec.hierarchy {
        HierarchySpec::Flat => Ok(Hierarchy::flat(dictionary)),
        HierarchySpec::File(path) => {
            return hierarchies::from_file(engine, column, &policy.resolve(path));
        }
        HierarchySpec::Intervals(widths) => Hierarchy::intervals(dictionary, widths),
        HierarchySpec::Dates(parts) => Hierarchy::dates(dictionary, parts),
        HierarchySpec::Redaction(end, step) => {
            Hierarchy::redaction(dictionary, *end, *step, spec.levels.1)
        }
        HierarchySpec::Ordered(order, sizes) => Hierarchy::ordered(dictionary, order, sizes),
        HierarchySpec::Priority(order, steps) if order.is_empty() => {
            Hierarchy::priority(dictionary, &by_frequency(column), *steps)
        }
        HierarchySpec::Priority(order, steps) => Hierarchy::priority(dictionary, order, *steps),
        HierarchySpec::ReadyMade(name) => hierarchies::ready_made(column, name),
    };
    // What the policy wrote is found on its line.
    built.map_err(|error| {
        vec![Error::Hierarchy {
            attribute: spec.name.clone(),
            file: Some(policy.file.clone()),
            error: error.at(policy.line_of(&spec.hierarchy_span)),
        }]
    })
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
    policy
        .with_role(Role::Sensitive)
        .zip(&columns.sensitive)
        .map(|(spec, &position)| {
            let column = &table.columns()[position];
            SensitiveAttribute {
                name: spec.name.clone(),
                values: values_of(column),
                reference: reference(table, position, columns.subject),
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
        if let Err(what) = spec.build(sensitive) {
            mistakes.push(Mistake::new(
                "policy-promise",
                promised.span.clone(),
                format!("`{}` cannot be judged: {what}", spec.name()),
                match spec.guards() {
                    Some(_) => "name nodes of the attribute's `taxonomy` in the column of guards",
                    None => "add `taxonomy = \"FILE\"` to the attribute, or use another distance",
                },
            ));
        }
        warnings.extend(absent_values::warnings(&spec, sensitive));
        promises.push(spec);
    }
    promises
}

/// Records that miss a value whose policy says `missing = "suppress"`.
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

/// Records beyond one for each person, drawn in secret, where the adversary knows the program.
fn surplus(policy: &Policy, table: &Table, gone: &[usize]) -> Result<Vec<usize>, Error> {
    let subject = policy.with_role(Role::Subject).next();
    let subject = subject.filter(|_| policy.knows_program);
    let Some(column) = subject.and_then(|spec| table.column(&spec.name)) else {
        return Ok(Vec::new());
    };
    // Records that are left out anyway are nobody's turn.
    let mut left = gone.iter().copied().peekable();
    let rows: Vec<usize> = (0..table.records())
        .filter(|row| left.next_if_eq(row).is_none())
        .collect();
    let people: Vec<u32> = rows.iter().map(|&row| column.codes[row]).collect();
    let mut secret = crate::randomness::SecretDraws::default();
    let further = denym_tabular::surplus(&people, &mut |bound| secret.below(bound));
    secret.check()?;
    Ok(further.into_iter().map(|at| rows[at]).collect())
}

/// Records that belong to nobody can be counted neither as one person nor as many.
fn nobodys(policy: &Policy, table: &Table) -> Option<Mistake> {
    let spec = policy.with_role(Role::Subject).next()?;
    let column = table.column(&spec.name)?;
    let missing = column.dictionary.missing()?;
    let many = column.codes.iter().filter(|&&code| code == missing).count();
    let name = &spec.name;
    let message = format!(
        "{many} records have no `{name}`: whether they are one person's or many people's changes every promise"
    );
    let help = format!(
        "complete the column, or leave these records out with `{name} = {{ role = \"subject\", missing = \"suppress\" }}`"
    );
    let counted = many > 0 && spec.missing != Missing::Suppress;
    counted.then(|| Mistake::new("policy-missing-subject", spec.span.clone(), message, help))
}
