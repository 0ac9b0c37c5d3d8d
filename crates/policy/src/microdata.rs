//! Reads the keys of `[release]` that speak of numbers: scaling, centroids, groups of attributes, perturbation.

use std::ops::Range;

use denym_data::{Centroid, Fraction, InsertionRule, Perturbation, Scaling};

use super::reader::{Node, Section};

/// How numbers are grouped and changed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MicrodataSpec {
    /// What distances and losses are measured on.
    pub scaling: Scaling,
    /// What is published for a group.
    pub centroid: Centroid,
    /// Groups of quasi-identifiers that are microaggregated apart from each other; all together when empty.
    pub attribute_groups: Vec<Vec<String>>,
    /// Place of the groups.
    pub attribute_groups_span: Range<usize>,
    /// V-MDAV: how readily a group grows.
    pub gamma: Option<Fraction>,
    /// Columns that are perturbed before anything else, in order.
    pub perturb: Vec<PerturbSpec>,
    /// How records choose a group of an earlier release.
    pub insertion: InsertionRule,
    /// Place of that choice, when it was made.
    pub insertion_span: Option<Range<usize>>,
    /// Clusters: whose records are kept out while clusters are made.
    pub unconcerned: Option<UnconcernedSpec>,
}

/// The people who do not mind being recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnconcernedSpec {
    /// The column that says so; it needs no role and is not published without one.
    pub attribute: String,
    /// Its values that mean: this person does not mind.
    pub values: Vec<String>,
    /// Place of the whole.
    pub span: Range<usize>,
}

/// Some numeric columns and how they are perturbed.
#[derive(Debug, Clone, PartialEq)]
pub struct PerturbSpec {
    /// The columns.
    pub columns: Vec<String>,
    /// Place of the columns.
    pub span: Range<usize>,
    /// How.
    pub method: Perturbation,
}

/// Reads the keys of `[release]` that only numbers and clusters have.
pub(super) fn microdata(section: &Section<'_, '_>) -> MicrodataSpec {
    let mut spec = MicrodataSpec::default();
    let scalings = [
        ("z", Scaling::Standardize),
        ("raw", Scaling::Raw),
        ("min-max", Scaling::MinMax),
    ];
    if let Some(scaling) = section
        .get("standardize")
        .and_then(|node| node.choice(&scalings))
    {
        spec.scaling = scaling;
    }
    let centroids = [Centroid::Mean, Centroid::Median].map(|centroid| (centroid.name(), centroid));
    if let Some(centroid) = section
        .get("centroid")
        .and_then(|node| node.choice(&centroids))
    {
        spec.centroid = centroid;
    }
    if let Some(node) = section.get("attribute-groups") {
        spec.attribute_groups_span = node.span();
        let groups = node
            .some(r#"[["height", "weight"], ["income"]]"#)
            .unwrap_or_default();
        spec.attribute_groups = groups
            .iter()
            .filter_map(|group| group.some_strings("income"))
            .collect();
    }
    spec.gamma = section
        .get("gamma")
        .and_then(|node| node.fraction(Fraction::ZERO, None));
    if let Some(node) = section.get("insertion") {
        spec.insertion_span = Some(node.span());
        let rules = [
            ("least-loss", InsertionRule::LeastLoss),
            ("posterior", InsertionRule::Posterior),
        ];
        spec.insertion = node.choice(&rules).unwrap_or_default();
    }
    spec.unconcerned = section
        .get("unconcerned")
        .and_then(|node| unconcerned(&node));
    if let Some(node) = section.get("perturb") {
        let example = r#"[{ columns = ["income"], method = "additive-noise", share = 0.1 }]"#;
        let items = if node.is_table() {
            vec![node]
        } else {
            node.some(example).unwrap_or_default()
        };
        spec.perturb = items.iter().filter_map(perturb).collect();
    }
    spec
}

fn unconcerned(node: &Node<'_, '_>) -> Option<UnconcernedSpec> {
    let example = r#"{ attribute = "consent", values = ["yes"] }"#;
    let section = node.section(&["attribute", "values"], example)?;
    let attribute = section.need("attribute", "add `attribute = \"consent\"`")?;
    let values = section.need("values", "add `values = [\"yes\"]`")?;
    Some(UnconcernedSpec {
        attribute: attribute.string("consent")?.to_owned(),
        values: values.some_strings("yes")?,
        span: node.span(),
    })
}

fn perturb(node: &Node<'_, '_>) -> Option<PerturbSpec> {
    let example = r#"{ columns = ["income"], method = "additive-noise", share = 0.1 }"#;
    let section = node.section(&["columns", "method", "share", "base"], example)?;
    let columns = section.need("columns", "add `columns = [\"income\"]`")?;
    let span = columns.span();
    let columns = columns.some_strings("income")?;
    let names = [
        "additive-noise",
        "correlated-noise",
        "rank-swap",
        "round",
        "random-round",
    ]
    .map(|name| (name, name));
    let name = section
        .need("method", "add `method = \"additive-noise\"`")?
        .choice(&names)?;
    let rounding = matches!(name, "round" | "random-round");
    let (key, other) = if rounding {
        ("base", "share")
    } else {
        ("share", "base")
    };
    if let Some(node) = section.get(other) {
        node.mistake(
            "policy-unused-key",
            format!("`{name}` has no `{other}`"),
            format!("write `{key}`"),
        );
    }
    let help = if rounding {
        "add `base = 100`: what to round to multiples of"
    } else {
        "add `share = 0.1`: the noise or the reach of a swap, as a share"
    };
    let node = section.need(key, help)?;
    let most = (name == "rank-swap").then_some(Fraction::ONE);
    let value = node.fraction(Fraction::ZERO, most)?;
    if value == Fraction::ZERO {
        node.mistake(
            "policy-out-of-range",
            format!("`{key}` must be above 0"),
            "a perturbation of nothing protects nothing",
        );
        return None;
    }
    let value = value.to_f64();
    let method = match name {
        "additive-noise" => Perturbation::AdditiveNoise { share: value },
        "correlated-noise" => Perturbation::CorrelatedNoise { share: value },
        "rank-swap" => Perturbation::RankSwap { share: value },
        "round" => Perturbation::Round { base: value },
        _ => Perturbation::RandomRound { base: value },
    };
    Some(PerturbSpec {
        columns,
        span,
        method,
    })
}
