//! Hands a candidate to the one judge of `measure`, which counts every group by itself.

use denym_data::Sequences;
use denym_measure::sequences::{BesideSource, Doublets, Removal, SequenceAudit};

use crate::error::Error;
use denym_release::windows::{Asked, Options};

/// Judges a window by what it shows and by what it contradicts.
pub(crate) fn contradicted(
    source: &Sequences,
    released: &Sequences,
    options: &Options,
) -> Result<SequenceAudit, Error> {
    let knowledge = Doublets {
        l: options.l,
        matching: options.matching,
        places: Vec::new(),
    };
    let asked = Asked::new(options);
    let promises = asked.judged(&asked.attributes_of(source))?;
    let beside = BesideSource::labelled_alike(source, released, Removal::Everywhere);
    let beside = beside.map_err(|_| Error::Internal {
        what: "a window has one record per record of its source",
    })?;
    Ok(knowledge.judge_beside(&beside, &promises))
}
