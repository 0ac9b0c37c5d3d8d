//! Numeric microdata and clustering: what a policy asks for, as a request for groups of records.
//!
//! The way is that of every table: what comes out of here is a recoding of single records, which is applied, written, read
//! back and audited like any other.

mod earlier;

use denym_attack::table::DistanceLinkage;
use denym_data::{Recoding, Role, Table, numbers};
use denym_microdata::tables::{
    Admission, ChangedColumn, GroupRequest, Grouped, QuasiColumn, group, group_onto,
};
use denym_microdata::utility::LINKAGE_RECORDS;
use serde_json::{Value, json};

use crate::anonymize::RunOptions;
use crate::attack::attack_error;
use crate::listener::Listener;
use crate::plan::{Plan, policy_error};
use crate::policy::{HierarchySpec, Mistake, Policy, PromiseSpec, UnconcernedSpec};
use crate::{Error, program};

pub(crate) use denym_microdata::tables::{Family, GroupFigures};
pub use denym_microdata::utility::{ColumnTests, Measures};
pub(crate) use earlier::PublishedGroups;

/// The family of the policy's algorithm; `None` when it generalizes tables.
pub(crate) fn family(policy: &Policy, table: &Table) -> Option<Family> {
    let name = policy.release.algorithm.name;
    let numeric = |gaps: bool| {
        let mut quasi = policy.with_role(Role::QuasiIdentifier).peekable();
        quasi.peek().is_some()
            && quasi.all(|spec| {
                let column = table.column(&spec.name);
                spec.hierarchy == HierarchySpec::Flat
                    && column.is_some_and(|column| {
                        numbers::is_numeric(column) && (gaps || numbers::missing(column) == 0)
                    })
            })
    };
    match name {
        // Groups of numbers keep promises on values by merging, which tells too much to who knows the program.
        "auto" if policy.knows_program && program::on_values(policy) => None,
        // Means of groups are no levels of a hierarchy.
        "auto" if policy.release.one_grain => None,
        "auto" => numeric(false).then_some(Family::Numeric),
        "best-effort" => numeric(true).then_some(Family::Numeric),
        "mdav-generic" => Some(Family::Generic),
        _ if denym_microdata::CLUSTERING
            .iter()
            .any(|entry| entry.name == name) =>
        {
            Some(Family::Clusters)
        }
        _ => denym_microdata::algorithm(name)
            .is_ok()
            .then_some(Family::Numeric),
    }
}

/// Finds groups of the records of `table` that keep every promise of `plan`.
pub(crate) fn solve(
    family: Family,
    plan: &Plan,
    table: &Table,
    confirms: &dyn Fn(&Recoding) -> Result<bool, Error>,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Grouped, Error> {
    check(family, plan, table)?;
    let release = &plan.policy.release;
    let admission = Admission::new(
        table,
        &plan.columns.sensitive,
        plan.columns.subject,
        plan.judges()?,
        (
            plan.promises.iter().map(least).max().unwrap_or(1),
            plan.promises.iter().map(values).max().unwrap_or(1),
        ),
    );
    let request = GroupRequest {
        algorithm: release.algorithm.name,
        table,
        quasi: quasi(plan, table),
        admission: &admission,
        scaling: release.microdata.scaling,
        centroid: release.microdata.centroid,
        attribute_groups: attribute_positions(plan),
        gamma: release.microdata.gamma.map(denym_data::Fraction::to_f64),
        insertion: release.microdata.insertion,
        unconcerned: unconcerned(plan, table),
        seed: release.seed,
        effort: options.effort,
        unbounded: options.until_told,
        keep_going: &|| listener.keep_going(),
        // Without a budget of its own a search of groups ends by its rounds, the same on every machine.
        in_time: &|| !options.until_told || listener.in_time(),
    };
    let mut failure = None;
    let found = match &options.onto {
        Some(bundle) => {
            extendable(family, &plan.policy)?;
            group_onto(family, &request, &earlier::read(bundle, plan, table)?)
        }
        None => group(family, &request, &mut |recoding| {
            confirms(recoding).unwrap_or_else(|error| {
                failure = Some(error);
                false
            })
        }),
    };
    if let Some(error) = failure {
        return Err(error);
    }
    let mut found = found.map_err(|error| match error {
        denym_microdata::Error::Stopped => Error::Stopped,
        error => Error::Microdata(error),
    })?;
    if release.algorithm.is_auto() {
        found.warnings.push(
            "all quasi-identifiers are numbers, so they are replaced by the means of groups; give a column that is a code, \
             such as a postcode, `type = \"text\"` or a hierarchy"
                .into(),
        );
    }
    Ok(found)
}

/// The quasi-identifiers as groups see them.
fn quasi<'a>(plan: &'a Plan, table: &'a Table) -> Vec<QuasiColumn<'a>> {
    let specs = plan.policy.with_role(Role::QuasiIdentifier);
    let bound = plan.columns.quasi.iter().zip(&plan.hierarchies);
    specs
        .zip(bound)
        .map(|(spec, (&position, hierarchy))| {
            let column = &table.columns()[position];
            QuasiColumn {
                column,
                hierarchy,
                numeric: numbers::is_numeric(column) && spec.hierarchy == HierarchySpec::Flat,
                order: match &spec.hierarchy {
                    HierarchySpec::Ordered(order, _) => Some(order),
                    _ => None,
                },
            }
        })
        .collect()
}

/// The groups of attributes, by position among the quasi-identifiers.
fn attribute_positions(plan: &Plan) -> Vec<Vec<usize>> {
    let place = |name: &String| plan.quasi.iter().position(|other| other == name);
    let groups = plan.policy.release.microdata.attribute_groups.iter();
    groups
        .map(|group| group.iter().filter_map(place).collect())
        .collect()
}

/// The records of people who do not mind; none when the policy does not speak of them.
fn unconcerned(plan: &Plan, table: &Table) -> Vec<u32> {
    let spec = plan.policy.release.microdata.unconcerned.as_ref();
    let column = spec.and_then(|spec| Some((spec, table.column(&spec.attribute)?)));
    let Some((spec, column)) = column else {
        return Vec::new();
    };
    let values = spec.values.iter();
    let codes: Vec<u32> = values
        .filter_map(|value| column.dictionary.code_of(value))
        .collect();
    let rows = (0..).zip(&column.codes);
    rows.filter(|(_, code)| codes.contains(code))
        .map(|(row, _)| row)
        .collect()
}

/// The fewest records that a group under this promise can have.
fn least(spec: &PromiseSpec) -> usize {
    usize::try_from(spec.fewest()).unwrap_or(usize::MAX).max(1)
}

/// The number of different values that a promise asks of a group; 1 when it asks for none.
fn values(spec: &PromiseSpec) -> usize {
    spec.number("l").map_or(1, |_| spec.fewest() as usize)
}

/// What was done to numbers, measured, and how many records linking by distance finds.
pub(crate) fn measures(
    changed: &[ChangedColumn],
    adm: Option<f64>,
) -> Result<Option<Measures>, Error> {
    let Some(mut measures) = Measures::of(changed, adm)? else {
        return Ok(None);
    };
    let records = changed.first().map_or(0, |column| column.before.len());
    if records <= LINKAGE_RECORDS {
        let before: Vec<&[f64]> = changed.iter().map(|column| &*column.before).collect();
        let after: Vec<&[f64]> = changed.iter().map(|column| &*column.after).collect();
        let linkage = DistanceLinkage::new(&before, &after);
        let linkage = linkage.map_err(|error| attack_error(&error))?;
        measures.distance_linkage = Some(linkage.evidence().rate);
    }
    Ok(Some(measures))
}

/// The measures of changed numbers as programs read them.
pub fn measures_document(measures: &Measures) -> Value {
    let columns = measures.columns.iter().map(|column| {
        let [positive, negative, ties] = column.signs;
        let tests = json!({
            "signs": {"positive": positive, "negative": negative, "ties": ties, "p": column.sign_p},
            "kolmogorov_smirnov": {"gap": column.ks, "p": column.ks_p},
        });
        (column.name.clone(), tests)
    });
    json!({
        "sse": measures.sse,
        "sst": measures.sst,
        "adm": measures.adm,
        "il1s": measures.il1s,
        "change_of_means": measures.means,
        "change_of_covariances": measures.covariances,
        "change_of_correlations": measures.correlations,
        "change_of_eigenvalues": measures.eigenvalues,
        "columns": columns.collect::<serde_json::Map<_, _>>(),
        "limits": Measures::LIMITS,
        "linkage": {
            "distance": measures.distance_linkage,
            "probabilistic": measures.probabilistic_linkage,
        },
    })
}

/// Not everything can be added to.
fn extendable(family: Family, policy: &Policy) -> Result<(), Error> {
    let (what, help) = if family == Family::Generic {
        (
            "`mdav-generic` cannot add to an earlier release",
            "use a clustering algorithm such as `k-member`, or numbers alone",
        )
    } else if family == Family::Numeric && !policy.release.microdata.attribute_groups.is_empty() {
        (
            "groups of attributes cannot be added to",
            "remove `attribute-groups`, or make a release of its own",
        )
    } else {
        return Ok(());
    };
    Err(Error::Argument {
        what: what.into(),
        help: help.into(),
    })
}

/// Columns that the family cannot take are mistakes of the policy.
fn check(family: Family, plan: &Plan, table: &Table) -> Result<(), Error> {
    let policy = &plan.policy;
    let name = policy.release.algorithm.name;
    let mut mistakes = Vec::new();
    for (spec, &position) in policy
        .with_role(Role::QuasiIdentifier)
        .zip(&plan.columns.quasi)
    {
        let column = &table.columns()[position];
        let mistake = |code, message: String, help: &str| {
            Mistake::new(code, spec.span.clone(), message, help)
        };
        let numeric = numbers::is_numeric(column) && spec.hierarchy == HierarchySpec::Flat;
        if family == Family::Numeric && spec.hierarchy != HierarchySpec::Flat {
            mistakes.push(mistake(
                "policy-unused-key",
                format!(
                    "`{name}` groups numbers and has no use for the hierarchy of `{}`",
                    spec.name
                ),
                "remove the hierarchy, or use a clustering algorithm such as `k-member`",
            ));
        } else if family == Family::Numeric && !numeric {
            mistakes.push(mistake(
                "policy-not-numeric",
                format!("`{name}` groups numbers, and `{}` has values that are none", spec.name),
                "use `mdav-generic` or a clustering algorithm such as `k-member`, or another role for the column",
            ));
        }
        if spec.operations.weight.is_some() {
            mistakes.push(mistake(
                "policy-unused-key",
                format!(
                    "`{name}` groups records and has no use for the weight of `{}`",
                    spec.name
                ),
                "remove `weight`, or use an algorithm that generalizes such as `full-domain`",
            ));
        }
        let missing = numbers::missing(column);
        if missing > 0 && (numeric || family == Family::Numeric) {
            mistakes.push(mistake(
                "policy-missing-numbers",
                format!(
                    "{missing} records have no `{}`, and `{name}` cannot group what is not there",
                    spec.name
                ),
                "add `missing = \"suppress\"` to the attribute and allow for these records in `suppress-at-most`, or complete the column",
            ));
        }
    }
    if plan.columns.quasi.is_empty() {
        mistakes.push(Mistake::new(
            "policy-no-quasi-identifier",
            policy.release.algorithm_span.clone(),
            format!("`{name}` has no quasi-identifier to group by"),
            "give at least one column the role `quasi`",
        ));
    }
    if let Some(spec) = &policy.release.microdata.unconcerned
        && family != Family::Clusters
    {
        mistakes.push(only_clusters(name, spec));
    }
    mistakes.extend(attribute_groups(family, plan));
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(policy_error(policy, mistakes))
    }
}

/// Only clusters can be made without some people and then take them in.
pub(crate) fn only_clusters(algorithm: &str, spec: &UnconcernedSpec) -> Mistake {
    Mistake::new(
        "policy-unused-key",
        spec.span.clone(),
        format!("`{algorithm}` keeps nobody out, so `unconcerned` has no use"),
        "remove `unconcerned`, or use a clustering algorithm such as `systematic-clustering`",
    )
}

/// Groups of attributes must divide the quasi-identifiers.
fn attribute_groups(family: Family, plan: &Plan) -> Vec<Mistake> {
    let spec = &plan.policy.release.microdata;
    let names = plan.quasi_names();
    let mistake = |message: String, help: &str| {
        Mistake::new(
            "policy-attribute-groups",
            spec.attribute_groups_span.clone(),
            message,
            help,
        )
    };
    if spec.attribute_groups.is_empty() {
        return Vec::new();
    }
    let mut mistakes = Vec::new();
    if family != Family::Numeric {
        let message = format!(
            "`{}` has no groups of attributes",
            plan.policy.release.algorithm.name
        );
        mistakes.push(mistake(message, "remove `attribute-groups`"));
    }
    let grouped: Vec<&String> = spec.attribute_groups.iter().flatten().collect();
    for name in &names {
        let times = grouped.iter().filter(|other| **other == name).count();
        if times != 1 {
            let message = format!("`{name}` is in {times} groups of attributes");
            mistakes.push(mistake(
                message,
                "put every quasi-identifier into exactly one",
            ));
        }
    }
    for name in grouped.iter().filter(|name| !names.contains(name)) {
        let message = format!("`{name}` is no quasi-identifier");
        mistakes.push(mistake(message, "group quasi-identifiers only"));
    }
    mistakes
}
