//! Hands a candidate to the slow exact judge of `measure`, which counts every group by itself.

use denym_data::paths::Paths;
use denym_measure::paths::{Knowledge, PathAudit, Removal, Secret, consistent, covers_counted};

use crate::error::Error;
use crate::options::{Bound, Options};
use crate::window::Window;

/// What the judge is to hold a window against.
pub(crate) fn knowledge(l: usize, k: u64, bounds: &[Bound]) -> Knowledge {
    let secret = |bound: &Bound| Secret::value(&bound.attribute, &bound.value, bound.at_most);
    Knowledge::new(l, k, bounds.iter().map(secret).collect())
}

/// Judges a window by what it shows: its distinct records, each as often as it says.
pub(crate) fn shown(window: &Window, options: &Options) -> PathAudit {
    let asked = knowledge(options.l, options.k, &options.bounds);
    let carries = |profile: &Vec<String>, bound: &Bound| {
        let named = window.attributes.iter().zip(profile);
        named
            .into_iter()
            .any(|(name, value)| *name == bound.attribute && *value == bound.value)
    };
    let marks: Vec<Vec<bool>> = window
        .profiles
        .iter()
        .map(|profile| options.bounds.iter().map(|b| carries(profile, b)).collect())
        .collect();
    let rows = window.records.iter().map(|record| {
        let marks = marks[record.profile as usize].iter();
        let with = marks.map(|&carries| if carries { record.count } else { 0 });
        let counts = std::iter::once(record.count).chain(with).collect();
        (record.path.as_slice(), counts)
    });
    covers_counted(window.places.len(), rows, &asked)
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
