//! Every promise and every metric in one list: what it is called, what it takes, where it comes from.

use std::sync::LazyLock;

use crate::{Parameters, Promise, Sense};

/// What kind of linkage a promise stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// A person to a record.
    Record,
    /// A person to a sensitive value.
    Attribute,
    /// A person to the table.
    Table,
}

/// A promise in the list. Each stands in the promise's own file, under `src/promises`.
#[derive(Debug, Clone, Copy)]
pub struct PromiseEntry {
    /// The name in lists; that of certificates and policies where a policy writes it without a kind.
    pub name: &'static str,
    /// Where it stands in lists, smallest first.
    pub place: u16,
    /// The key in `[promise]` and what it takes, as an example; `None` when it can only be measured. Every promise of a table also
    /// takes `quasi`, the columns that its adversary knows.
    pub in_policy: Option<(&'static str, &'static str)>,
    /// What it stops.
    pub linkage: Linkage,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// Which side of the bound is safe.
    pub sense: Sense,
    /// What merging groups does to it.
    pub monotone: Monotone,
    /// One line for people.
    pub description: &'static str,
    /// One plain sentence for the report; `{asked}`, `{unit}` and `{secret}` stand for the bound, what is counted and the attribute.
    pub sentence: &'static str,
    /// What must hold, g being a group.
    pub formula: &'static str,
    /// What it does not give.
    pub limits: &'static str,
    /// Authors, title, year.
    pub reference: &'static str,
    /// The parameter that what is measured is compared with.
    pub bound: &'static str,
    /// The parameter that a number alone gives. Of the kinds of one key, the one that has it is meant where none is named.
    pub alone: Option<&'static str>,
    /// What it asks beside the bound, in words; `{k}` stands for a parameter.
    pub beside: &'static str,
    /// Whether it is judged against the distribution over all source records.
    pub compares: bool,
    /// Makes what judges groups of its parameters and the sensitive attributes; a problem in words when it cannot.
    pub build: fn(&Parameters<'_>) -> Result<Box<dyn Promise>, &'static str>,
}

/// What a promise looks at beside the numbers of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: whatever knowledge makes groups, it can be judged on them.
    Nothing,
    /// A tree of the attribute's values.
    Taxonomy,
    /// Other columns, counted together.
    Columns,
    /// What each person allows to be guessed, in a column that is never released.
    Guards,
    /// A register of the people the data were drawn from.
    Population,
}

/// What merging groups does to a promise; tests compare it with brute force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Monotone {
    /// Merging admitted groups gives an admitted group.
    pub with_admitted: bool,
    /// Merging an admitted group with any other gives an admitted group.
    pub with_any: bool,
    /// Both also when groups share subjects.
    pub over_shared_subjects: bool,
}

/// What counts distinct things: merging never breaks it.
pub(crate) const COUNTS: Monotone = Monotone {
    with_admitted: true,
    with_any: true,
    over_shared_subjects: true,
};

/// What bounds shares: merging what holds keeps it.
pub(crate) const SHARES: Monotone = Monotone {
    with_admitted: true,
    with_any: false,
    over_shared_subjects: false,
};

/// What merging may break.
pub(crate) const NEVER: Monotone = Monotone {
    with_admitted: false,
    with_any: false,
    over_shared_subjects: false,
};

/// One parameter of a promise, as a policy writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// The key.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// What stands behind the key.
    pub takes: Takes,
    /// A value of it, as a policy writes it.
    pub example: &'static str,
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// A sensitive attribute; the only one when it is left out.
    Attribute,
    /// A whole number of at least 1.
    Whole,
    /// The same, where another kind of the key takes any number; certificates write it as a fraction.
    Count,
    /// The same, where one in so many is meant.
    OneIn,
    /// A number of 0 or more.
    Number,
    /// A number of 1 or more.
    FromOne,
    /// A number between 0 and 1.
    Share,
    /// The same; 0 when it is left out.
    ShareOrZero,
    /// One of these words; the first when it is left out.
    Choice(&'static [&'static str]),
    /// Values of the attribute; none when they are left out.
    Values,
    /// Columns of the table.
    Columns,
    /// One column that is never released.
    Hidden,
    /// A file.
    File,
    /// Nothing in the promise itself: it comes with the attribute.
    OfTheAttribute,
    /// This word, which tells the kinds of one key apart.
    Is(&'static str),
    /// The same, with parameters of its own, which certificates write inside of it.
    Holds(&'static str, &'static [Parameter]),
    /// Sensitive places of paths; their names stay with the steward.
    Places,
    /// Sensitive items of transactions; the release shows them as they are.
    Items,
}

/// A parameter.
pub(crate) const fn takes(name: &'static str, takes: Takes, meaning: &'static str) -> Parameter {
    Parameter {
        name,
        meaning,
        takes,
        example: "",
    }
}

impl Parameter {
    /// The same with an example.
    pub(crate) const fn like(mut self, example: &'static str) -> Parameter {
        self.example = example;
        self
    }
}

/// The parameter that most promises have.
pub(crate) const ATTRIBUTE: Parameter =
    takes("attribute", Takes::Attribute, "the sensitive attribute").like("\"disease\"");

/// Every promise, in the order of lists.
pub static PROMISES: LazyLock<Vec<PromiseEntry>> = LazyLock::new(|| {
    let mut all: Vec<PromiseEntry> = crate::promises::LISTED.concat();
    all.sort_by_key(|entry| (entry.place, entry.name));
    all
});

/// A metric in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricEntry {
    /// The name in policies and reports.
    pub name: &'static str,
    /// Range and which end is better.
    pub range: &'static str,
    /// One line for people.
    pub description: &'static str,
    /// How it is computed.
    pub formula: &'static str,
    /// Authors, title, year.
    pub reference: &'static str,
}

impl PromiseEntry {
    /// What most promises leave as it is.
    pub(crate) const BASE: PromiseEntry = PromiseEntry {
        name: "",
        place: 0,
        in_policy: None,
        linkage: Linkage::Attribute,
        parameters: &[],
        sense: Sense::AtMost,
        monotone: NEVER,
        description: "",
        sentence: "",
        formula: "",
        limits: "",
        reference: "",
        bound: "",
        alone: None,
        beside: "",
        compares: false,
        build: |_| Err("it can only be measured"),
    };

    /// What a policy writes for it; `None` when it can only be measured.
    pub fn in_policy(&self) -> Option<String> {
        self.in_policy
            .map(|(key, example)| format!("{key} = {example}"))
    }

    /// What it looks at beside the numbers of a group.
    pub fn needs(&self) -> Needs {
        let takes = |takes: Takes| self.all_parameters().any(|one| one.takes == takes);
        if takes(Takes::File) {
            Needs::Population
        } else if takes(Takes::Hidden) {
            Needs::Guards
        } else if takes(Takes::Columns) {
            Needs::Columns
        } else if takes(Takes::OfTheAttribute) {
            Needs::Taxonomy
        } else {
            Needs::Nothing
        }
    }

    /// The sentence with its blanks filled; `asked` is the bound in words, such as `at least 5`.
    pub fn say(&self, asked: &str, unit: &str, secret: &str) -> String {
        self.sentence
            .replace("{asked}", asked)
            .replace("{unit}", unit)
            .replace("{secret}", secret)
    }
}

const fn metric(
    name: &'static str,
    range: &'static str,
    description: &'static str,
    formula: &'static str,
    reference: &'static str,
) -> MetricEntry {
    MetricEntry {
        name,
        range,
        description,
        formula,
        reference,
    }
}

/// Every metric.
pub const METRICS: &[MetricEntry] = &[
    metric(
        "loss",
        "0 to 1, smaller is better",
        "share of each attribute's domain that published cells leave open, geometric mean",
        "v = (sum of m/D - N/D) / (N - N/D) per attribute, m of D values under each cell; (product of (1 + v))^(1/n) - 1",
        "Iyengar, Transforming data to satisfy privacy constraints, 2002",
    ),
    metric(
        "discernibility",
        "records squared, smaller is better",
        "each record pays the size of its class, a suppressed one the size of the table",
        "sum of |g|^2 + suppressed * |T|",
        "Bayardo and Agrawal, Data privacy through optimal k-anonymization, 2005",
    ),
    metric(
        "discernibility-star",
        "records squared, smaller is better",
        "each class pays its square, suppressed or not",
        "sum of |g|^2 over all classes",
        "El Emam et al., A globally optimal k-anonymity method, 2009",
    ),
    metric(
        "average-class-size",
        "records, smaller is better",
        "mean records of a class",
        "|T| / classes",
        "LeFevre et al., Mondrian, 2006",
    ),
    metric(
        "normalized-average-class-size",
        "1 and above, smaller is better",
        "mean records of a class in units of k (C_avg)",
        "|T| / (classes * k)",
        "LeFevre et al., Mondrian, 2006",
    ),
    metric(
        "precision",
        "0 to 1, larger is better",
        "share of generalization steps not taken",
        "1 - sum of level / height over cells / cells",
        "Sweeney, Achieving k-anonymity, 2002",
    ),
    metric(
        "minimal-distortion",
        "steps, smaller is better",
        "one unit per cell and generalization step",
        "sum of levels over cells",
        "Samarati 2001",
    ),
    metric(
        "height",
        "steps, smaller is better",
        "sum of the levels of a full-domain recoding",
        "sum of levels",
        "Samarati 2001",
    ),
    metric(
        "iloss",
        "0 and above, smaller is better",
        "weighted share of values made indistinguishable",
        "weighted mean over cells of (m - 1) / D, m of D values under the cell",
        "Xiao and Tao, Personalized privacy preservation, 2006",
    ),
    metric(
        "ncp",
        "0 to 1 per cell, smaller is better",
        "normalized certainty penalty, weighted",
        "weighted mean over cells of m / D, 0 for a single value",
        "Xu et al., Utility-based anonymization using local recoding, 2006",
    ),
    metric(
        "distinctive-attribute",
        "an attribute",
        "the attribute with the most distinct values, to generalize next",
        "argmax of distinct values",
        "Sweeney, Datafly, 1998",
    ),
    metric(
        "classification",
        "0 to 1, smaller is better",
        "records that a majority vote in their class gets wrong (CM)",
        "records outside the majority of their class, and suppressed ones / records",
        "Iyengar, Transforming data to satisfy privacy constraints, 2002",
    ),
    metric(
        "ambiguity",
        "1 and above, smaller is better",
        "tuples of the domain that a published record could have been",
        "mean over records of the product of m over its cells",
        "Nergiz and Clifton, Thoughts on k-anonymization, 2007",
    ),
    metric(
        "non-uniform-entropy",
        "bits, smaller is better",
        "bits needed to recover the original values",
        "-sum of log2 p(value | published value)",
        "Gionis and Tassa, k-anonymization with minimal loss of information, 2009",
    ),
    metric(
        "kl-divergence",
        "nats, smaller is better",
        "how far the described distribution is from the original",
        "sum p ln(p / q), q uniform within what is published",
        "Kifer and Gehrke, Injecting utility into anonymized datasets, 2006",
    ),
    metric(
        "igpl",
        "0 and above, larger is better",
        "information gained per privacy lost of a specialization",
        "information gained / (privacy lost + 1); of a release: undoing it as one step",
        "Fung, Wang, Yu, Top-down specialization, 2005",
    ),
    metric(
        "ilpg",
        "0 and above, smaller is better",
        "information lost per privacy gained of a generalization",
        "information lost / (privacy gained + 1); of a release: bits about the first sensitive attribute per person of k",
        "Wang, Yu, Chakraborty, Bottom-up generalization, 2004",
    ),
    metric(
        "workload-error",
        "0 and above, smaller is better",
        "relative error of count queries",
        "mean of |true - estimated| / max(true, 0.1 %) over seeded count queries",
        "LeFevre et al., Workload-aware anonymization, 2006",
    ),
    metric(
        "moments",
        "as the data",
        "means and variances before and after",
        "mean, variance",
        "-",
    ),
    metric(
        "correlation",
        "-1 to 1",
        "correlations of numeric columns before and after",
        "Pearson's coefficient",
        "-",
    ),
];

/// The promise called `name`.
pub fn promise_entry(name: &str) -> Option<&'static PromiseEntry> {
    PROMISES.iter().find(|entry| entry.name == name)
}

/// The bound on confidence whose key within sequences is `key`.
pub fn within(key: &str) -> Option<&'static PromiseEntry> {
    let mut within = crate::promises::confidence::WITHIN.iter();
    within.find(|entry| entry.written() == key)
}

/// The metric called `name`.
pub fn metric_entry(name: &str) -> Option<&'static MetricEntry> {
    METRICS.iter().find(|entry| entry.name == name)
}
