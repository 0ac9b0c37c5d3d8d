//! Hands a candidate to the slow exact judge of `measure`, which counts every group by itself.

use denym_data::paths::Paths;
use denym_measure::paths::{Knowledge, PathAudit, Removal, Secret, consistent, covers};

use crate::error::Error;
use crate::options::{Bound, Options};
use crate::window::Window;

/// What the judge is to hold a window against.
pub(crate) fn knowledge(l: usize, k: u64, bounds: &[Bound]) -> Knowledge {
    let secret = |bound: &Bound| Secret::value(&bound.attribute, &bound.value, bound.at_most);
    Knowledge::new(l, k, bounds.iter().map(secret).collect())
}

/// Judges a window by what it shows.
pub(crate) fn shown(window: &Window, options: &Options) -> Result<PathAudit, Error> {
    let asked = knowledge(options.l, options.k, &options.bounds);
    Ok(covers(&window.to_paths()?, &asked))
}

/// Judges a window by what it shows and by what it contradicts.
pub(crate) fn contradicted(
    source: &Paths,
    released: &Paths,
    options: &Options,
) -> Result<PathAudit, Error> {
    let asked = knowledge(options.l, options.k, &options.bounds);
    consistent(source, released, Removal::Everywhere, &asked).map_err(|_| Error::Internal {
        what: "a window has one record per record of its source",
    })
}
