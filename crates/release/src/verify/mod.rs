//! Checks a release from its public half alone.
//!
//! # Idea
//!
//! A certificate is a claim, not evidence: whoever carries a bundle can rewrite it. So nothing that it says about itself
//! decides anything. What can be measured again follows from what is promised and published ([`crate::certificate::Basis`]); what cannot is
//! listed as the publisher's word, and so are the columns that no promise looks at.
//!
//! # Guarantee
//!
//! `holds` of a claim is `Some(true)` only when it was measured on the published data alone, the value is the stated one, and the bound is met.
//! A certificate that does not say enough, or contradicts itself or the data's columns, gets no verdict at all.

mod columns;
mod grounds;
mod reference;
mod sequences;
mod table;
mod trails;
mod verdict;

use std::path::Path;

use denym_data::Table;

use crate::Error;
use crate::certificate::{Certificate, DataFile, Shape};

use grounds::Grounds;
pub use verdict::{JudgedColumn, JudgedFile, Verification, Verified, VerifiedRelease};

/// A certificate that says enough for a verdict, before its data is looked at.
pub struct Sound<'a> {
    grounds: Grounds<'a>,
    shape: Shape,
}

/// What a kind of data came to: its claims, its records, and what is wrong beside the claims.
type Found = (Vec<Verified>, u64, Vec<&'static str>);

impl<'a> Sound<'a> {
    /// No verdict on a certificate that says too little or contradicts itself; `path` says where it stands.
    pub fn new(certificate: &'a Certificate, path: &Path) -> Result<Sound<'a>, Error> {
        let grounds = Grounds {
            path: path.to_owned(),
            certificate,
        };
        let shape = grounds.sound()?;
        Ok(Sound { grounds, shape })
    }

    /// The columns of `table` are exactly those that the certificate lists for `file`.
    pub fn same_columns(&self, file: &DataFile, table: &Table) -> Result<(), Error> {
        columns::same(&self.grounds, file, table)
    }

    /// Measures every claim on the published `table`, in which the values of groups stand beside their records.
    pub fn judge(&self, table: &Table, data_intact: bool) -> Result<VerifiedRelease, Error> {
        let (grounds, shape) = (&self.grounds, self.shape);
        columns::roles(grounds, shape)?;
        let (claims, records, problems) = match shape {
            Shape::Table => table::verify(grounds, table),
            Shape::Paths | Shape::Transactions => sequences::verify(grounds, table),
            Shape::Trails => trails::verify(grounds, table),
        }?;
        let certificate = grounds.certificate;
        let mut found = VerifiedRelease::new(certificate, shape, data_intact, claims, problems);
        if records != certificate.data.records {
            found
                .problems
                .push("the data has another number of records than the certificate says");
        }
        Ok(found)
    }
}
