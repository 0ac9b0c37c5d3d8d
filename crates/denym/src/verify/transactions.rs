//! Checks released transactions from the public half: every set of up to m public items is counted again.

use std::path::Path;

use denym_data::Table;
use denym_measure::paths::covers;

use super::Verification;
use crate::Error;
use crate::certificate::Certificate;
use crate::paths::claims;
use crate::policy::paths::Matching;
use crate::policy::{Knowledge, PromiseSpec};
use crate::transactions::{TransactionForm, judged, read_released};

/// Measures every claim of `certificate` on the released `table`.
pub(super) fn verify(
    certificate: &Certificate,
    form: &TransactionForm,
    table: &Table,
    path: &Path,
    data_intact: bool,
) -> Result<Verification, Error> {
    let broken = |what| Error::Bundle {
        what,
        path: path.with_file_name("certificate.json"),
    };
    let Knowledge::Items(m @ 1..=64) = certificate.knows else {
        return Err(broken("the number of known items is not between 1 and 64"));
    };
    let unlike = |_| broken("the data is not what the certificate describes");
    let sets = read_released(path, table, form).map_err(unlike)?.sets;
    let promises: Vec<PromiseSpec> = certificate
        .claims
        .iter()
        .map(|claim| claim.terms.clone())
        .collect();
    let paths = judged(&sets, &promises)?;
    let mut judge = |knowledge: &denym_measure::paths::Knowledge| Ok(covers(&paths, knowledge));
    let (found, _) = claims(&paths, &promises, m, Matching::Covers, &[], &mut judge)
        .map_err(|_| broken("a claim cannot be judged on this data"))?;
    let counted = sets.len() as u64 == certificate.data.records;
    let holds = data_intact && counted && found.iter().all(|claim| claim.holds == Some(true));
    Ok(Verification {
        data_intact,
        claims: found,
        holds,
    })
}
