//! The kinds of data a policy can be about, in one table: what each is called, what is known and judged of it, which keys it has a use for.

use denym_measure::Objective;

use crate::promises::JudgedOn;
use crate::reader::Section;
use crate::{Knowledge, Metric};

/// What the data is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataKind {
    /// Records with attributes.
    #[default]
    Table,
    /// Who was where and when.
    Paths,
    /// Which items each person has.
    Transactions,
    /// The institutions that hold data of each person.
    Trails,
    /// Events as they come, published window by window.
    Stream,
}

/// A section of a policy whose keys depend on the kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// `[data]`.
    Data,
    /// One attribute of `[attributes]`.
    Attribute,
    /// `[adversary]`.
    Adversary,
    /// `[release]`.
    Release,
}

type Keys = &'static [&'static str];

/// What policies about one kind of data may say.
pub(crate) struct KindEntry {
    kind: DataKind,
    /// The word for it in `[data]`.
    word: &'static str,
    /// On what promises are judged.
    pub(crate) judged: JudgedOn,
    /// What is known of a victim when the policy does not say.
    pub(crate) knows: Knowledge,
    /// What a release can be measured by.
    pub(crate) metrics: &'static [Metric],
    /// The keys of each [`Part`].
    keys: [&'static [Keys]; 4],
}

const SOURCE: Keys = &[
    "kind",
    "format",
    "delimiter",
    "quote",
    "header",
    "encoding",
    "missing-values",
    "skip-rows",
    "sheet",
    "decimal",
    "thousands",
];
const COLUMN: Keys = &["role", "description", "hierarchy", "taxonomy", "missing"];
const WRITTEN: Keys = &["format", "formulas"];
const VALUES: Keys = &crate::written::OF_VALUES;
const FILES: Keys = &crate::written::OF_FILES;
const SEARCHED: Keys = &["algorithm", "metric", "seed"];

/// Every kind, in the order of [`DataKind`].
static KINDS: [KindEntry; 5] = [
    KindEntry {
        kind: DataKind::Table,
        word: "table",
        judged: JudgedOn::TABLES,
        knows: Knowledge::QuasiIdentifiers,
        metrics: &Metric::OF_TABLES,
        keys: [
            &[SOURCE, &["path", "detail"]],
            &[
                COLUMN,
                VALUES,
                &["type", "min-level", "max-level"],
                &crate::operations::KEYS,
            ],
            &[&["knows", "records"]],
            &[
                WRITTEN,
                FILES,
                SEARCHED,
                &[
                    "suppress-at-most",
                    "grain",
                    "ranges",
                    "task",
                    "grow-intervals",
                ],
                &["standardize", "centroid", "attribute-groups", "gamma"],
                &["perturb", "insertion", "unconcerned"],
            ],
        ],
    },
    KindEntry {
        kind: DataKind::Paths,
        word: "paths",
        judged: JudgedOn::PATHS,
        knows: Knowledge::Doublets(3),
        metrics: &[Metric::Of(Objective::Loss), Metric::Distortion],
        keys: [
            &[
                SOURCE,
                &["path", "subject", "location", "time", "path-column"],
                &["latitude", "longitude", "grid", "slot"],
                &["collapse-repeats", "several-places", "time-format"],
            ],
            &[COLUMN, VALUES],
            &[&["knows", "matching"]],
            &[
                WRITTEN,
                FILES,
                SEARCHED,
                &["suppress-at-most", "unsuppress", "frequent-sequences"],
                &["places", "slots", "earlier"],
            ],
        ],
    },
    KindEntry {
        kind: DataKind::Transactions,
        word: "transactions",
        judged: JudgedOn::TRANSACTIONS,
        knows: Knowledge::Items(2),
        metrics: &[
            Metric::Of(Objective::Loss),
            Metric::Distortion,
            Metric::LostItemsets,
        ],
        keys: [
            &[
                SOURCE,
                &["path", "subject", "item", "items-column", "separator"],
            ],
            &[COLUMN, VALUES],
            &[&["knows"]],
            &[
                WRITTEN,
                FILES,
                SEARCHED,
                &["unsuppress", "taxonomy", "frequent-itemsets"],
            ],
        ],
    },
    KindEntry {
        kind: DataKind::Trails,
        word: "trails",
        judged: JudgedOn::TRAILS,
        knows: Knowledge::Institutions,
        metrics: &[],
        keys: [
            &[SOURCE, &["identified", "anonymous", "owners"]],
            &[],
            &[],
            &[WRITTEN, FILES],
        ],
    },
    KindEntry {
        kind: DataKind::Stream,
        word: "stream",
        judged: JudgedOn::STREAM,
        knows: Knowledge::Doublets(2),
        metrics: &[],
        keys: [&[]; 4],
    },
];

impl DataKind {
    /// Every kind, with the word a policy uses for it.
    pub(crate) fn every() -> impl Iterator<Item = (&'static str, DataKind)> {
        KINDS.iter().map(|entry| (entry.word, entry.kind))
    }

    /// Every kind that is released as a whole, with the word a policy uses for it; a stream has sections of its own.
    pub fn all() -> [(&'static str, DataKind); 4] {
        [0, 1, 2, 3].map(|at| (KINDS[at].word, KINDS[at].kind))
    }

    pub(crate) fn entry(self) -> &'static KindEntry {
        &KINDS[self as usize]
    }

    /// What such data are called.
    pub fn name(self) -> &'static str {
        self.entry().judged.name
    }

    /// The word a policy uses for it.
    pub fn word(self) -> &'static str {
        self.entry().word
    }

    /// Whether data of this kind have a use for a key.
    pub(crate) fn takes(self, part: Part, key: &str) -> bool {
        let mut keys = self.entry().keys[part as usize].iter().copied().flatten();
        keys.any(|own| *own == key)
    }

    /// Notes every key of `section` that data of this kind have no use for.
    pub(crate) fn check(self, section: &Section<'_, '_>, part: Part) {
        let of = |entry: &'static KindEntry| entry.keys[part as usize].iter().copied().flatten();
        let known: Vec<&str> = of(self.entry()).copied().collect();
        let elsewhere: Vec<&str> = KINDS.iter().flat_map(of).copied().collect();
        section.only_of(&known, &elsewhere, self.name());
    }

    /// Notes a whole section that data of this kind have no use for; what it says otherwise.
    pub(crate) fn section<'a, 'i>(
        self,
        root: &Section<'a, 'i>,
        name: &str,
        part: Part,
        help: &str,
    ) -> Option<crate::reader::Node<'a, 'i>> {
        let node = root.get(name)?;
        if self.entry().keys[part as usize].is_empty() {
            node.mistake(
                "policy-unused-key",
                format!("`[{name}]` has no effect on {}", self.name()),
                help,
            );
            return None;
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_stands_at_its_place() {
        for (at, entry) in KINDS.iter().enumerate() {
            assert_eq!(entry.kind as usize, at, "{}", entry.word);
        }
    }
}
