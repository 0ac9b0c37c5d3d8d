//! Checks released paths and transactions from the public half: every group of up to so many doublets or items is counted again.

use denym_data::sequences::Wanted;
use denym_data::{Sequences, Table};

use super::Found;
use super::grounds::Grounds;
use super::verdict::Verified;
use crate::Error;
use crate::certificate::{Basis, Claim, ColumnRole, Word};
use crate::sensitive::from_certificate;
use crate::sequences::{Asked, claims, judge, too_many_to_judge};
use denym_measure::SensitiveAttribute;
use denym_policy::PromiseSpec;

/// Measures every claim on the released `table`.
///
/// What only the source can tell (contradictions, hidden visits) stays attested; but whoever breaks the promise by
/// what is shown breaks it for an adversary with the source as well.
pub(super) fn verify(grounds: &Grounds<'_>, table: &Table) -> Result<Found, Error> {
    let certificate = grounds.certificate;
    let unlike = || grounds.unjudged("the data is not what the certificate describes");
    // Values have the codes of the reference that the certificate carries.
    let attributes: Vec<SensitiveAttribute> = certificate
        .sensitive
        .iter()
        .map(|own| from_certificate(own, table.column(&own.name)))
        .collect();
    let columns = table.columns().iter().map(|column| {
        let own = attributes.iter().find(|own| own.name == column.name);
        own.map_or_else(|| column.clone(), |own| own.align(column))
    });
    let aligned = Table::new(columns.collect()).map_err(|_| unlike())?;
    let names: Vec<String> = attributes.iter().map(|own| own.name.clone()).collect();
    let quasi = &certificate.quasi_identifiers;
    let (form, matching) = certificate.sequences().ok_or_else(unlike)?;
    let read = Wanted::released(&names, quasi).code(&aligned, &form);
    let seen = read.map_err(|_| unlike())?.sequences;
    if too_many_to_judge(certificate.knows, &seen) {
        return Err(grounds.unjudged(
            "the adversary of the certificate knows more combinations than can be judged",
        ));
    }
    let promises: Vec<PromiseSpec> = certificate.claims.iter().map(|c| c.terms.clone()).collect();
    let mut judge = |asked: &Asked| {
        let speaks = "the certificate speaks neither of doublets nor of items";
        judge(certificate.knows, &seen, asked).ok_or_else(|| grounds.unjudged(speaks))
    };
    let (found, _) = claims(&attributes, &promises, matching, &[], &mut judge)
        .map_err(|_| grounds.unjudged("a claim cannot be judged on this data"))?;
    let pairs = found.iter().zip(&certificate.claims);
    let verified = pairs.map(|(found, claim)| taken(grounds, found, claim));
    let mut problems = numbering(grounds, table);
    problems.extend(reference_problem(&attributes, &seen, grounds));
    Ok((verified.collect(), seen.len() as u64, problems))
}

/// Why a reference of the certificate cannot be that of the records that were published and removed.
fn reference_problem(
    attributes: &[SensitiveAttribute],
    seen: &Sequences,
    grounds: &Grounds<'_>,
) -> Option<&'static str> {
    let certified = &grounds.certificate.sensitive;
    let removed = grounds.certificate.suppressed_records;
    let unfit = |(at, own): (usize, &SensitiveAttribute)| {
        let mut published = vec![0_u64; own.reference.len()];
        let shown = &seen
            .sensitive()
            .iter()
            .find(|shown| shown.name == own.name)?
            .codes;
        for &code in shown {
            // A value after those of the reference is one that it does not list.
            let Some(count) = published.get_mut(code as usize) else {
                return Some("the reference lacks a value that was published");
            };
            *count += 1;
        }
        certified.get(at)?.reference.as_ref()?;
        let sum = |sum: u64, count: &u64| sum.checked_add(*count);
        let total = own.reference.iter().try_fold(0, sum);
        let whole = (seen.len() as u64).checked_add(removed);
        let less = own
            .reference
            .iter()
            .zip(&published)
            .any(|(all, shown)| all < shown);
        (less || total.is_none() || total != whole)
            .then_some("the reference is not that of the published and the removed records")
    };
    attributes.iter().enumerate().find_map(unfit)
}

/// What was counted for one claim of paths or transactions.
fn taken(grounds: &Grounds<'_>, found: &Claim, claim: &Claim) -> Verified {
    let mut verified = Verified::stated(grounds.certificate, claim);
    let holds = found.holds == Some(true);
    if verified.basis == Basis::Counted(Word::Matching) {
        // Who contradicts whom makes other groups than what is shown; neither bounds the other's value.
        verified.counted = Some(found.measured);
        if !holds {
            verified.holds = Some(false);
        }
    } else {
        verified.take(claim, found.measured, holds, 0);
    }
    verified
}

/// What is wrong with the numbers of people in a long file: they are 1, 2, 3 and so on and say nothing else.
fn numbering(grounds: &Grounds<'_>, table: &Table) -> Vec<&'static str> {
    let columns = grounds.certificate.data.columns.iter();
    let mut numbers = columns.filter(|column| column.role == ColumnRole::SubjectNumber);
    let Some(column) = numbers.next().and_then(|c| table.column(&c.name)) else {
        return Vec::new();
    };
    let mut last = 0_u64;
    for row in 0..table.records() {
        let number = column.text(row).and_then(|text| text.parse::<u64>().ok());
        match number {
            Some(number) if number == last || number == last + 1 => last = number,
            _ => return vec!["people are not numbered 1, 2, 3 and so on in the order of the data"],
        }
    }
    Vec::new()
}
