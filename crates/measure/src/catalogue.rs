//! Every promise and every metric in one list: what it is called, what it takes, where it comes from.

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

/// A promise in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromiseEntry {
    /// The name in policies and certificates.
    pub name: &'static str,
    /// What it stops.
    pub linkage: Linkage,
    /// Parameters as (name, meaning).
    pub parameters: &'static [(&'static str, &'static str)],
    /// Merging admitted groups gives an admitted group.
    pub monotone: bool,
    /// Merging an admitted group with any other gives an admitted group.
    pub monotone_with_suppression: bool,
    /// Both also when groups share subjects.
    pub monotone_over_shared_subjects: bool,
    /// One line for people.
    pub description: &'static str,
    /// What must hold, g being a group.
    pub formula: &'static str,
    /// What it does not give.
    pub limits: &'static str,
    /// Authors, title, year.
    pub reference: &'static str,
}

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

const ATTRIBUTE: (&str, &str) = ("attribute", "the sensitive attribute");

/// Shorthand for the three flags: monotone, with suppression, over shared subjects.
const COUNTS: [bool; 3] = [true, true, true];
const SHARES: [bool; 3] = [true, false, false];
const NEVER: [bool; 3] = [false, false, false];

#[allow(
    clippy::too_many_arguments,
    reason = "a row of a table, written once per promise"
)]
const fn promise(
    name: &'static str,
    linkage: Linkage,
    parameters: &'static [(&'static str, &'static str)],
    monotone: [bool; 3],
    description: &'static str,
    formula: &'static str,
    limits: &'static str,
    reference: &'static str,
) -> PromiseEntry {
    PromiseEntry {
        name,
        linkage,
        parameters,
        monotone: monotone[0],
        monotone_with_suppression: monotone[1],
        monotone_over_shared_subjects: monotone[2],
        description,
        formula,
        limits,
        reference,
    }
}

/// Every promise.
pub const PROMISES: &[PromiseEntry] = &[
    promise(
        "k-anonymity",
        Linkage::Record,
        &[("k", "fewest subjects in a group")],
        COUNTS,
        "nobody can be told apart from at least k - 1 others",
        "|subjects(g)| >= k for every group g",
        "says nothing about sensitive values: a group may share one (homogeneity)",
        "Sweeney 2002; Samarati 2001",
    ),
    promise(
        "xy-anonymity",
        Linkage::Record,
        &[
            ("y", "the columns Y"),
            ("k", "fewest distinct values of Y in a group"),
        ],
        COUNTS,
        "each group on X is linked to at least k distinct values on Y",
        "|distinct Y values in g| >= k for every group g on X",
        "Y values that mean the same are counted apart",
        "Wang and Fung, Anonymizing sequential releases, 2006",
    ),
    promise(
        "k-map",
        Linkage::Record,
        &[
            ("population", "a register of the people, a file"),
            (
                "k",
                "fewest people of the population that look like a group",
            ),
        ],
        COUNTS,
        "each group looks like at least k people of a population",
        "|people of the population that look like g| >= k",
        "as good as the register: people it lacks are not counted, and whoever knows that the victim is in the data sees only the group",
        "Sweeney 2001",
    ),
    promise(
        "distinct-l-diversity",
        Linkage::Attribute,
        &[ATTRIBUTE, ("l", "fewest distinct values in a group")],
        COUNTS,
        "each group shows at least l sensitive values",
        "|distinct sensitive values in g| >= l",
        "one value may still hold for almost everybody of a group (skewness), and values may be alike",
        "Machanavajjhala et al., l-diversity, 2006",
    ),
    promise(
        "entropy-l-diversity",
        Linkage::Attribute,
        &[ATTRIBUTE, ("l", "smallest exponential of the entropy")],
        SHARES,
        "each group's values are spread at least as well as l equally likely ones",
        "-sum p(s) ln p(s) >= ln l over the values s of g",
        "needs the whole table to be that diverse; values that are alike count as different",
        "Machanavajjhala et al., l-diversity, 2006",
    ),
    promise(
        "recursive-l-diversity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("c", "the constant"),
            ("l", "values excluded plus two"),
        ],
        SHARES,
        "the most frequent value stays rare even when others are ruled out",
        "f1 < c (fl + ... + fm), f1 >= ... >= fm the counts in g",
        "strict: equality fails; no bound on how much is learned beside the most frequent value",
        "Machanavajjhala et al., l-diversity, 2006",
    ),
    promise(
        "positive-disclosure-recursive-l-diversity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("c", "the constant"),
            ("l", "values excluded plus two"),
            ("allowed", "values that may be disclosed"),
        ],
        SHARES,
        "recursive diversity that lets harmless values be disclosed",
        "recursive, f1 the most frequent value that is not allowed",
        "whoever decides which values are harmless decides for everybody",
        "Machanavajjhala et al., l-diversity, 2007",
    ),
    promise(
        "negative-disclosure-recursive-l-diversity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("c", "the constant"),
            ("l", "values excluded plus two"),
            ("allowed", "values that may be disclosed"),
            ("floor", "values that may not be ruled out"),
            ("least", "their least share"),
        ],
        SHARES,
        "recursive diversity that also keeps values from being ruled out",
        "positive-disclosure recursive, and share(s) >= least for each floored s",
        "a floor that the whole table does not reach can be kept by no release",
        "Machanavajjhala et al., l-diversity, 2007",
    ),
    promise(
        "confidence",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("values", "the guarded values"),
            ("at-most", "largest share of each"),
        ],
        SHARES,
        "no guarded value can be inferred with more than the given confidence",
        "count(s in g) / |g| <= at-most for each guarded s",
        "values without a bound are not guarded",
        "Wang, Fung, Yu, Handicapping attacker's confidence, 2007",
    ),
    promise(
        "xy-privacy",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("k", "fewest subjects in a group"),
            ("values", "the guarded values of Y"),
            ("at-most", "largest share of each"),
        ],
        SHARES,
        "each group on X has k subjects and bounded confidence in the values of Y",
        "|g| >= k and count(y in g) / |g| <= at-most",
        "as confidence, on the groups of X",
        "Wang and Fung, Anonymizing sequential releases, 2006",
    ),
    promise(
        "alpha-k-anonymity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("alpha", "largest share of any value"),
            ("k", "fewest subjects in a group"),
        ],
        SHARES,
        "k subjects in each group and no value above a share alpha",
        "|g| >= k and count(s in g) / |g| <= alpha for every s",
        "one bound for all values: frequent and rare ones alike",
        "Wong et al., (alpha,k)-anonymity, 2006",
    ),
    promise(
        "k-e-anonymity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("k", "fewest distinct numbers"),
            ("e", "smallest range"),
        ],
        COUNTS,
        "each group has k distinct numbers over a range of at least e",
        "|distinct numbers in g| >= k and max - min >= e",
        "most of a group may still lie close together: the range has two ends only (proximity)",
        "Zhang et al., Aggregate query answering on anonymized tables, 2007",
    ),
    promise(
        "epsilon-m-anonymity",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("epsilon", "half width of the interval"),
            ("m", "one in m may lie in it"),
        ],
        NEVER,
        "no interval around a number of a group holds for more than one in m",
        "|{y in g: |y - x| <= epsilon}| / |g| <= 1/m for every number x of g",
        "merging groups may break it, so searches that rely on merging refuse it",
        "Li, Tao, Xiao, Preservation of proximity privacy, 2008",
    ),
    promise(
        "t-closeness",
        Linkage::Attribute,
        &[ATTRIBUTE, ("t", "largest distance"), ("distance", "equal")],
        SHARES,
        "each group's values are distributed almost as in the table; all values equally far apart",
        "1/2 sum |p(s) - q(s)| <= t, p in g, q in the table",
        "all values are equally far apart; keeping t small destroys what the table says about the attribute",
        "Li, Li, Venkatasubramanian, t-closeness, 2007",
    ),
    promise(
        "t-closeness-ordered",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("t", "largest distance"),
            ("distance", "ordered"),
        ],
        SHARES,
        "the same, with values in an order",
        "sum over i of |sum over j <= i of p(j) - q(j)| / (m - 1) <= t",
        "ranks, not distances, are compared",
        "Li, Li, Venkatasubramanian, t-closeness, 2007",
    ),
    promise(
        "t-closeness-hierarchical",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("t", "largest distance"),
            ("distance", "hierarchical"),
            ("taxonomy", "tree of the values"),
        ],
        SHARES,
        "the same, with values in a taxonomy",
        "cost of moving p to q, steps to the common ancestor / height, <= t",
        "as good as the taxonomy",
        "Li, Li, Venkatasubramanian, t-closeness, 2007",
    ),
    promise(
        "basic-beta-likeness",
        Linkage::Attribute,
        &[ATTRIBUTE, ("beta", "largest relative gain")],
        SHARES,
        "no value's share in a group exceeds its share in the table by more than a factor 1 + beta",
        "(q(s) - p(s)) / p(s) <= beta, q in g, p in the table",
        "a value of half the table may become certain when beta is 1",
        "Cao and Karras, Publishing microdata with a robust privacy guarantee, 2012",
    ),
    promise(
        "enhanced-beta-likeness",
        Linkage::Attribute,
        &[ATTRIBUTE, ("beta", "largest relative gain")],
        SHARES,
        "the same, with frequent values bounded by -ln of their share",
        "(q(s) - p(s)) / p(s) <= min(beta, -ln p(s))",
        "losses are free: that a value is absent may be learned",
        "Cao and Karras, Publishing microdata with a robust privacy guarantee, 2012",
    ),
    promise(
        "delta-disclosure",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("delta", "bound on |log of the ratio of shares|"),
            ("base", "e or 2"),
        ],
        SHARES,
        "every value is about as frequent in each group as in the table",
        "|log(q(s) / p(s))| < delta for every s of the table",
        "every group must show every value, so few tables can keep it",
        "Brickell and Shmatikov, The cost of privacy, 2008",
    ),
    promise(
        "delta-disclosure-present-values",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("delta", "bound on |log of the ratio of shares|"),
            ("base", "e or 2"),
        ],
        NEVER,
        "the same, skipping values that a group lacks, as some tools do",
        "|log(q(s) / p(s))| < delta for every s of g",
        "absent values are ignored: weaker than the paper, for comparison with tools that do so",
        "Brickell and Shmatikov, The cost of privacy, 2008",
    ),
    promise(
        "personalized-privacy",
        Linkage::Attribute,
        &[
            ATTRIBUTE,
            ("guards", "column of guarding nodes"),
            ("taxonomy", "tree of the values"),
            ("at-most", "largest breach probability"),
        ],
        NEVER,
        "each person's own guarding node holds for at most the given share of their group",
        "for each person: share of their group below their guarding node <= at-most",
        "needs guarding nodes that do not depend on the value; they are never published",
        "Xiao and Tao, Personalized privacy preservation, 2006",
    ),
    promise(
        "delta-presence",
        Linkage::Table,
        &[
            ("population", "a register of the people, a file"),
            ("least", "smallest chance of presence"),
            ("most", "largest chance of presence"),
        ],
        SHARES,
        "nobody in a public table can be said to be in the published one beyond the given chances",
        "least <= |table in g| / |population in g| <= most",
        "needs the register that the adversary has, or a larger one",
        "Nergiz, Atzori, Clifton, Hiding the presence of individuals, 2007",
    ),
];

impl PromiseEntry {
    /// What a policy writes for it; `None` when it can only be measured. Every promise also takes `quasi`, the columns that its
    /// adversary knows.
    pub fn in_policy(&self) -> Option<&'static str> {
        Some(match self.name {
            "distinct-l-diversity" => "l-diversity = { kind = \"distinct\", ... }",
            "entropy-l-diversity" => "l-diversity = { kind = \"entropy\", ... }",
            "recursive-l-diversity"
            | "positive-disclosure-recursive-l-diversity"
            | "negative-disclosure-recursive-l-diversity" => {
                "l-diversity = { kind = \"recursive\", ... }"
            }
            "t-closeness" => "t-closeness = { distance = \"equal\", ... }",
            "t-closeness-ordered" => "t-closeness = { distance = \"ordered\", ... }",
            "t-closeness-hierarchical" => "t-closeness = { distance = \"hierarchical\", ... }",
            "basic-beta-likeness" => "beta-likeness = { kind = \"basic\", ... }",
            "enhanced-beta-likeness" => "beta-likeness = { kind = \"enhanced\", ... }",
            "k-anonymity" => "k-anonymity = { k = 5 }",
            "xy-anonymity" => "xy-anonymity = { ... }",
            "k-map" => "k-map = { ... }",
            "confidence" => "confidence = { ... }",
            "xy-privacy" => "xy-privacy = { ... }",
            "alpha-k-anonymity" => "alpha-k-anonymity = { ... }",
            "k-e-anonymity" => "k-e-anonymity = { ... }",
            "epsilon-m-anonymity" => "epsilon-m-anonymity = { ... }",
            "delta-disclosure" => "delta-disclosure = { ... }",
            "personalized-privacy" => "personalized-privacy = { ... }",
            "delta-presence" => "delta-presence = { ... }",
            _ => return None,
        })
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

/// The metric called `name`.
pub fn metric_entry(name: &str) -> Option<&'static MetricEntry> {
    METRICS.iter().find(|entry| entry.name == name)
}
