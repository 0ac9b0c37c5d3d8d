//! Checks released trails: whose they are only the identified side tells, so there is nothing to measure but their form.

use std::collections::BTreeSet;

use denym_data::Table;

use super::Found;
use super::grounds::Grounds;
use super::verdict::Verified;
use crate::Error;
use crate::certificate::ColumnRole;

/// The publisher's word on every claim, and whether the table is one of trails.
pub(super) fn verify(grounds: &Grounds<'_>, table: &Table) -> Result<Found, Error> {
    let certificate = grounds.certificate;
    let claims = certificate.claims.iter();
    let claims = claims
        .map(|claim| Verified::stated(certificate, claim))
        .collect();
    let of = |role: ColumnRole| {
        let listed = certificate.data.columns.iter().find(|c| c.role == role);
        listed.and_then(|listed| table.column(&listed.name))
    };
    let mut problems = Vec::new();
    let numbered = of(ColumnRole::SubjectNumber);
    let ids = numbered.or_else(|| of(ColumnRole::Pseudonym));
    let (Some(ids), Some(places)) = (ids, of(ColumnRole::Institution)) else {
        return Err(grounds.unjudged("trails have ids and institutions"));
    };
    let entries: Option<Vec<(&str, &str)>> = (0..table.records())
        .map(|row| Some((ids.text(row)?, places.text(row)?)))
        .collect();
    match entries {
        None => problems.push("an entry of a trail lacks its id or its institution"),
        Some(entries) => {
            let distinct: BTreeSet<&(&str, &str)> = entries.iter().collect();
            if distinct.len() != entries.len() {
                problems.push("an entry of a trail stands there twice");
            }
            if numbered.is_some() {
                let found: BTreeSet<Option<u64>> =
                    entries.iter().map(|(id, _)| id.parse().ok()).collect();
                if !found.iter().copied().eq((1..=found.len() as u64).map(Some)) {
                    problems.push("the trails are not numbered from 1");
                }
            }
        }
    }
    Ok((claims, table.records() as u64, problems))
}
