//! Checks released paths from the public half: every group of up to L doublets is counted again.

use std::path::Path;

use denym_data::Table;
use denym_measure::paths::covers;

use super::Verification;
use crate::Error;
use crate::certificate::{Certificate, Check};
use crate::paths::{PathClaims, claims, read_released};
use crate::policy::{Knowledge, PromiseSpec};

/// Measures every claim of `certificate` on the released `table`.
///
/// What only the source can tell (contradictions, hidden visits) stays attested; but whoever breaks the promise by
/// what is shown breaks it for an adversary with the source as well.
pub(super) fn verify(
    certificate: &Certificate,
    layout: &PathClaims,
    table: &Table,
    path: &Path,
    data_intact: bool,
) -> Result<Verification, Error> {
    let broken = |what| Error::Bundle {
        what,
        path: path.with_file_name("certificate.json"),
    };
    let Knowledge::Doublets(l) = certificate.knows else {
        return Err(broken(
            "a certificate of paths that does not speak of doublets",
        ));
    };
    if l == 0 || l > 64 {
        return Err(broken(
            "the number of known doublets is not between 1 and 64",
        ));
    }
    let sensitive: Vec<String> = certificate
        .sensitive
        .iter()
        .map(|s| s.name.clone())
        .collect();
    let paths = read_released(
        path,
        table,
        &layout.form,
        &sensitive,
        &certificate.quasi_identifiers,
    )
    .map_err(|_| broken("the data is not what the certificate describes"))?;
    let promises: Vec<PromiseSpec> = certificate
        .claims
        .iter()
        .map(|claim| claim.terms.clone())
        .collect();
    let (mut found, _) = claims(
        &paths,
        &promises,
        l,
        layout.matching,
        &[],
        &mut |knowledge| Ok(covers(&paths, knowledge)),
    )
    .map_err(|_| broken("a claim cannot be judged on this data"))?;
    for (claim, certified) in found.iter_mut().zip(&certificate.claims) {
        claim.check = certified.check;
        if claim.check == Check::Attested && claim.holds == Some(true) {
            claim.holds = None;
        }
    }
    let counted = paths.len() as u64 == certificate.data.records;
    let holds = data_intact && counted && found.iter().all(|claim| claim.holds != Some(false));
    Ok(Verification {
        data_intact,
        claims: found,
        holds,
    })
}
