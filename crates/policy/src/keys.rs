//! Which keys a policy may use for which kind of data: the one place that refuses a key without an effect.

use crate::DataKind;
use crate::reader::Section;

/// A section of a policy whose keys depend on the kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// `[data]`.
    Data,
    /// `[adversary]`.
    Adversary,
    /// `[release]`.
    Release,
}

/// Keys of one section that data of some kinds have a use for.
struct Row(Part, &'static [DataKind], &'static [&'static str]);

use DataKind::{Paths, Table, Trails, Transactions};
const ALL: &[DataKind] = &[Table, Paths, Transactions, Trails];

const ROWS: &[Row] = &[
    Row(
        Part::Data,
        ALL,
        &[
            "kind",
            "format",
            "delimiter",
            "quote",
            "header",
            "encoding",
            "missing-values",
        ],
    ),
    Row(Part::Data, &[Table, Paths, Transactions], &["path"]),
    Row(Part::Data, &[Table], &["detail"]),
    Row(
        Part::Data,
        &[Trails],
        &["identified", "anonymous", "owners"],
    ),
    Row(Part::Data, &[Paths, Transactions], &["subject"]),
    Row(
        Part::Data,
        &[Paths],
        &[
            "location",
            "time",
            "path-column",
            "latitude",
            "longitude",
            "collapse-repeats",
            "several-places",
            "grid",
            "slot",
        ],
    ),
    Row(
        Part::Data,
        &[Transactions],
        &["item", "items-column", "separator"],
    ),
    Row(Part::Adversary, &[Table, Paths, Transactions], &["knows"]),
    Row(Part::Adversary, &[Table], &["records"]),
    Row(Part::Adversary, &[Paths], &["matching"]),
    Row(Part::Release, ALL, &["format", "formulas"]),
    Row(
        Part::Release,
        &[Table, Paths, Transactions],
        &["algorithm", "metric", "seed"],
    ),
    Row(Part::Release, &[Table, Paths], &["suppress-at-most"]),
    Row(
        Part::Release,
        &[Table],
        &[
            "task",
            "grow-intervals",
            "standardize",
            "centroid",
            "attribute-groups",
            "gamma",
            "perturb",
            "insertion",
            "unconcerned",
        ],
    ),
    Row(Part::Release, &[Paths, Transactions], &["unsuppress"]),
    Row(
        Part::Release,
        &[Paths],
        &["places", "slots", "frequent-sequences", "earlier"],
    ),
    Row(
        Part::Release,
        &[Transactions],
        &["taxonomy", "frequent-itemsets"],
    ),
];

/// Notes every key of `section` that data of this kind have no use for.
pub(crate) fn check(section: &Section<'_, '_>, part: Part, kind: DataKind) {
    let of = |wanted: &dyn Fn(&Row) -> bool| -> Vec<&'static str> {
        let rows = ROWS.iter().filter(|row| row.0 == part && wanted(row));
        rows.flat_map(|row| row.2).copied().collect()
    };
    let known = of(&|row| row.1.contains(&kind));
    let elsewhere = of(&|row| !row.1.contains(&kind));
    section.only_of(&known, &elsewhere, kind.name());
}

/// Notes a whole section that data of this kind have no use for.
pub(crate) fn none(root: &Section<'_, '_>, section: &str, kind: DataKind, help: &str) {
    if let Some(node) = root.get(section) {
        node.mistake(
            "policy-unused-key",
            format!("`[{section}]` has no effect on {}", kind.name()),
            help,
        );
    }
}
