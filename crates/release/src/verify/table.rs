//! Checks a released table: records are grouped anew, and every claim that the table alone can show is measured.

use denym_data::{Column, Table};
use denym_measure::Classes;

use super::grounds::Grounds;
use super::verdict::Verified;
use super::{Found, reference};
use crate::Error;
use crate::certificate::{Basis, Claim, Word};
use crate::evidence::Evidence;
use crate::sensitive::from_certificate;
use denym_measure::SensitiveAttribute;
use denym_policy::PromiseSpec;

/// Measures the claims of a table, in which the values of groups stand beside their records.
pub(super) fn verify(grounds: &Grounds<'_>, table: &Table) -> Result<Found, Error> {
    let certificate = grounds.certificate;
    let mut claims: Vec<Verified> = certificate
        .claims
        .iter()
        .map(|claim| Verified::stated(certificate, claim))
        .collect();
    for sensitive in &certificate.sensitive {
        if let Some(problem) = reference::problem(certificate, sensitive, table) {
            for (found, claim) in claims.iter_mut().zip(&certificate.claims) {
                if claim.terms.needs_reference()
                    && claim.attribute.as_ref() == Some(&sensitive.name)
                {
                    found.fail(problem);
                }
            }
        }
    }
    // Where the reference is wrong there is nothing to measure against.
    let wanted = |found: &Verified, attested: bool| {
        found.problem.is_none() && matches!(found.basis, Basis::Attested(_)) == attested
    };
    let chosen: Vec<usize> = (0..claims.len())
        .filter(|&at| wanted(&claims[at], false))
        .collect();
    let classes = measure(grounds, table, &chosen, &mut claims)?;
    let mut problems = Vec::new();
    if let Some(groups) = &certificate.groups
        && !numbers(table.column(&groups.column))
    {
        problems.push("the groups are not plain numbers");
    }
    if let Some(name) = &certificate.subject {
        let column = table.column(name);
        let column = column.ok_or_else(|| grounds.unjudged("the data has no subject numbers"))?;
        if !starts_anew(&classes, column) {
            problems.push("the numbers of people do not start anew in each class");
        }
        // Nobody is two people in one class: unions of classes hold at most as many as their classes together.
        let bounded: Vec<usize> = (0..claims.len())
            .filter(|&at| {
                wanted(&claims[at], true)
                    && claims[at].basis == Basis::Attested(Word::Numbering)
                    && certificate.claims[at].terms.size().is_some()
            })
            .collect();
        if !bounded.is_empty() {
            let apart = told_apart(table, name, &classes)?;
            most_people(grounds, &apart, &bounded, &mut claims)?;
        }
    }
    Ok((claims, table.records() as u64, problems))
}

/// Measures the claims `chosen` and notes what was found; also the classes of all that an adversary may know.
fn measure(
    grounds: &Grounds<'_>,
    table: &Table,
    chosen: &[usize],
    claims: &mut [Verified],
) -> Result<Classes, Error> {
    let (classes, measured) = judged(grounds, table, chosen)?;
    for (&at, found) in chosen.iter().zip(measured) {
        let certified = &grounds.certificate.claims[at];
        let (value, holds, violating) = found;
        claims[at].take(certified, value, holds, violating);
    }
    Ok(classes)
}

/// For claims on unions of classes: whether even the most people that there can be are too few.
fn most_people(
    grounds: &Grounds<'_>,
    apart: &Table,
    chosen: &[usize],
    claims: &mut [Verified],
) -> Result<(), Error> {
    let (_, measured) = judged(grounds, apart, chosen)?;
    for (&at, (most, holds, violating)) in chosen.iter().zip(measured) {
        claims[at].counted = Some(most);
        claims[at].violating_records = violating;
        if !holds {
            claims[at].holds = Some(false);
        } else if grounds.certificate.claims[at].measured > most {
            claims[at].fail("the certificate states more people than were numbered");
        }
    }
    Ok(())
}

/// A value, whether the bound is met, and the records in groups that break it.
type Value = (f64, bool, u64);

fn judged(
    grounds: &Grounds<'_>,
    table: &Table,
    chosen: &[usize],
) -> Result<(Classes, Vec<Value>), Error> {
    let certificate = grounds.certificate;
    let of = |at: &usize| -> &Claim { &certificate.claims[*at] };
    let promises: Vec<PromiseSpec> = chosen.iter().map(|at| of(at).terms.clone()).collect();
    let scopes: Vec<Option<Vec<String>>> = chosen
        .iter()
        .map(|at| Some(of(at).quasi_identifiers.clone()).filter(|names| !names.is_empty()))
        .collect();
    let sensitive: Vec<SensitiveAttribute> = certificate
        .sensitive
        .iter()
        .map(|certified| {
            // Several columns read as one have no values of their own to list.
            let values = table.column(&certified.name);
            from_certificate(certified, values.filter(|_| certified.parts.is_empty()))
        })
        .collect();
    // Records in groups are told apart by nothing but their group.
    let grouped = certificate.groups.as_ref().map(|g| vec![g.column.clone()]);
    let evidence = Evidence {
        table,
        knows: certificate.knows,
        quasi: grouped.as_ref().unwrap_or(&certificate.quasi_identifiers),
        sensitive: &sensitive,
        subject: certificate.subject.as_deref(),
        promises: &promises,
        scopes: &scopes,
        population: None,
    };
    let (classes, measured) = evidence
        .measure()
        .map_err(|_| grounds.unjudged("a claim cannot be judged on this data"))?;
    let values = evidence.claims(&measured).into_iter();
    let value = |claim: Claim| {
        let holds = claim.holds == Some(true);
        (claim.measured, holds, claim.violating_records)
    };
    Ok((classes, values.map(value).collect()))
}

/// Whether every value of a column is a whole number.
fn numbers(column: Option<&Column>) -> bool {
    let number = |text: &str| text.parse::<u32>().is_ok();
    column.is_some_and(|column| column.dictionary.values().all(number))
}

/// Whether the numbers of people are 1, 2, 3 and so on in each class, so that they tell nothing across classes.
fn starts_anew(classes: &Classes, column: &Column) -> bool {
    (0..classes.len()).all(|class| {
        let texts = classes
            .rows(class)
            .iter()
            .filter_map(|&row| column.text(row as usize));
        let found: Option<Vec<u64>> = texts
            .map(|text| text.parse().ok().filter(|n: &u64| n.to_string() == text))
            .collect();
        found.is_some_and(|mut found| {
            found.sort_unstable();
            found.dedup();
            found.iter().copied().eq(1..=found.len() as u64)
        })
    })
}

/// The table with people of different classes told apart.
fn told_apart(table: &Table, subject: &str, classes: &Classes) -> Result<Table, Error> {
    let class_of = classes.class_of();
    let columns = table.columns().iter().map(|column| {
        if column.name != subject {
            return column.clone();
        }
        let texts: Vec<Option<String>> = (0..table.records())
            .map(|row| Some(format!("{}-{}", class_of[row], column.text(row)?)))
            .collect();
        Column::from_texts(subject, texts.iter().map(Option::as_deref))
    });
    Ok(Table::new(columns.collect())?)
}
