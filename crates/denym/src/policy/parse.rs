//! Reads a whole policy.

use std::path::Path;

use denym_data::{Fraction, Role};
use denym_tabular::Objective;
use toml::de::DeTable;

use super::attack::attack_section;
use super::attributes::attributes;
use super::microdata;
use super::mistake::Mistake;
use super::promises::promises;
use super::reader::{Mistakes, Node, Section};
use super::task::{grows, task};
use super::{DataKind, DataSpec, DetailSpec, Knowledge, Policy, ReleaseSpec};

/// Reads `text`; the policy when there is no mistake, else all of them.
pub(super) fn policy(text: &str, file: &Path) -> Result<Policy, Vec<Mistake>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mistakes = Mistakes::default();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        mistakes.add(
            "policy-syntax",
            span,
            error.message().trim().replace('\n', ", "),
            "correct the TOML here",
        );
    }
    let mistakes = {
        // What a broken text seems to lack would only distract from where it breaks.
        let broken = mistakes.into_sorted();
        if !broken.is_empty() {
            return Err(broken);
        }
        Mistakes::default()
    };
    let root = Section::root(&document, &mistakes);
    root.only(&[
        "data",
        "attributes",
        "adversary",
        "promise",
        "release",
        "attack",
    ]);

    let kind = root.get("data").and_then(|node| node.entry("kind"));
    let special = match kind {
        Some("paths") => Some(super::paths::policy(text, file, &root, &mistakes)),
        Some("transactions") => Some(super::transactions::policy(text, file, &root, &mistakes)),
        _ => None,
    };
    if let Some(policy) = special {
        return super::paths::finish(policy, mistakes);
    }
    let data = root.need("data", "add `[data]` with `path = \"patients.csv\"`");
    let data = data
        .and_then(|node| node.section(DATA_KEYS, "{ path = \"patients.csv\" }"))
        .and_then(|s| data_spec(&s));
    let trails = data
        .as_ref()
        .is_some_and(|data: &DataSpec| data.kind == DataKind::Trails);
    let help = "add `[attributes]` with a role for every column to be used";
    let section = if trails {
        root.get("attributes")
    } else {
        root.need("attributes", help)
    };
    let specs = match section {
        Some(node) => node
            .open("{ age = \"quasi\" }")
            .map(|section| attributes(&section))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let adversary = root
        .get("adversary")
        .and_then(|node| node.section(&["knows"], "{ knows = \"quasi-identifiers\" }"));
    let adversary = adversary.as_ref().and_then(knowledge).unwrap_or_default();
    let sensitive: Vec<&str> = specs
        .iter()
        .filter(|spec| spec.role == Role::Sensitive)
        .map(|spec| spec.name.as_str())
        .collect();
    let quasi: Vec<&str> = specs
        .iter()
        .filter(|spec| spec.role == Role::QuasiIdentifier)
        .map(|spec| spec.name.as_str())
        .collect();
    let promised = match root.need(
        "promise",
        "add `[promise]` with for example `k-anonymity = 5`",
    ) {
        Some(node) => node
            .open("{ k-anonymity = 5 }")
            .map(|section| promises(&section, &sensitive, &quasi))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let release = match root.get("release") {
        Some(node) => node
            .section(
                &[RELEASE_KEYS, &microdata::KEYS].concat(),
                "{ algorithm = \"auto\" }",
            )
            .map(|section| release_spec(&section, &sensitive, &quasi)),
        None => Some(ReleaseSpec::default()),
    };

    let attack = attack_section(&root);
    if trails {
        check_trails(&promised, &mistakes);
    }

    if let Some(node) = root.get("attributes")
        && specs
            .iter()
            .filter(|spec| spec.role == Role::Subject)
            .count()
            > 1
    {
        node.mistake(
            "policy-two-subjects",
            "two columns have the role `subject`",
            "keep one of them",
        );
    }
    if let Some(node) = root.get("promise")
        && promised.is_empty()
        && node
            .open("")
            .is_some_and(|section| section.entries().is_empty())
    {
        node.mistake(
            "policy-no-promise",
            "nothing is promised",
            "add for example `k-anonymity = 5`",
        );
    }
    check_promises(&specs, &promised, &mistakes);
    if let Some(release) = &release {
        check_weights(&specs, release, &mistakes);
    }
    if let Some(data) = &data
        && let Some(detail) = data.details.first()
        && !specs.iter().any(|spec| spec.role == Role::Subject)
    {
        mistakes.add(
            "policy-no-subject",
            detail.span.clone(),
            "detail tables need a person table with a subject",
            "give the key of the person table the role `subject`",
        );
    }

    let mistakes = mistakes.into_sorted();
    match (data, release) {
        (Some(data), Some(release)) if mistakes.is_empty() => Ok(Policy {
            text: text.to_owned(),
            file: file.to_owned(),
            data,
            attributes: specs,
            adversary: if trails {
                Knowledge::Institutions
            } else {
                adversary
            },
            promises: promised,
            release,
            paths: None,
            transactions: None,
            attack,
        }),
        _ => Err(mistakes),
    }
}

pub(super) const DATA_KEYS: &[&str] = &[
    "path",
    "kind",
    "format",
    "delimiter",
    "quote",
    "header",
    "encoding",
    "missing-values",
    "identified",
    "anonymous",
    "owners",
    "detail",
];
const RELEASE_KEYS: &[&str] = &[
    "algorithm",
    "metric",
    "suppress-at-most",
    "format",
    "seed",
    "task",
    "grow-intervals",
];
/// What a release can be written as.
pub(super) const FORMATS: [(&str, &str); 3] =
    [("csv", "csv"), ("parquet", "parquet"), ("json", "json")];

pub(super) fn data_spec(section: &Section<'_, '_>) -> Option<DataSpec> {
    let mut spec = DataSpec::default();
    if let Some(node) = section.get("kind") {
        let kinds = [
            ("table", DataKind::Table),
            ("paths", DataKind::Paths),
            ("transactions", DataKind::Transactions),
            ("trails", DataKind::Trails),
        ];
        set(&mut spec.kind, node.choice(&kinds));
    }
    if let Some(node) = section.get("format") {
        spec.format = node.choice(&FORMATS).map(str::to_owned);
    }
    let character = |key: &str| {
        let node = section.get(key)?;
        let text = node.string(";")?;
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) if letter.is_ascii() => Some(letter),
            _ => {
                node.mistake(
                    "policy-wrong-type",
                    format!("`{}` must be one ASCII character", node.key),
                    "write for example \";\"",
                );
                None
            }
        }
    };
    spec.delimiter = character("delimiter");
    spec.quote = character("quote");
    spec.header = section.get("header").and_then(|node| node.boolean());
    spec.encoding = section
        .get("encoding")
        .and_then(|node| node.string("utf-8"))
        .map(str::to_owned);
    spec.missing_values = section
        .get("missing-values")
        .and_then(|node| node.strings("NA"));
    if spec.kind == DataKind::Trails {
        let identified = section.need("identified", "add `identified = \"people.csv\"`");
        if let Some(text) = identified.and_then(|node| node.string("people.csv")) {
            text.clone_into(&mut spec.identified);
        }
        spec.owners = section
            .get("owners")
            .and_then(|node| node.string("owners.csv"))
            .map(str::to_owned);
        let path = section.need("anonymous", "add `anonymous = \"samples.csv\"`")?;
        spec.span = path.span();
        path.string("samples.csv")?.clone_into(&mut spec.path);
        return Some(spec);
    }
    spec.details = details(section);
    let path = section.need("path", "add `path = \"patients.csv\"`")?;
    spec.span = path.span();
    path.string("patients.csv")?.clone_into(&mut spec.path);
    Some(spec)
}

/// Every `[[data.detail]]`.
fn details(section: &Section<'_, '_>) -> Vec<DetailSpec> {
    let example = r#"[{ path = "visits.csv", foreign-key = "patient" }]"#;
    let items = section.get("detail").and_then(|node| node.list(example));
    let read = |node: &Node<'_, '_>| {
        let detail = node.section(
            &["path", "foreign-key", "name"],
            r#"{ path = "visits.csv", foreign-key = "patient" }"#,
        )?;
        let path = detail
            .need("path", "add `path = \"visits.csv\"`")
            .and_then(|node| node.string("visits.csv"));
        let foreign_key = detail
            .need(
                "foreign-key",
                "add `foreign-key = \"patient\"`: the column with the person's key",
            )
            .and_then(|node| node.string("patient"))?
            .to_owned();
        let path = path?.to_owned();
        let name = detail.get("name").map_or_else(
            || Some(crate::plan::data_name(&path)),
            |node| node.string("visits").map(str::to_owned),
        )?;
        Some(DetailSpec {
            path,
            name,
            foreign_key,
            span: node.span(),
        })
    };
    items.unwrap_or_default().iter().filter_map(read).collect()
}

fn knowledge(section: &Section<'_, '_>) -> Option<Knowledge> {
    let node = section.get("knows")?;
    if node.is_table() {
        let table = node.section(&["at-most"], "{ at-most = 3 }")?;
        let most = table.need("at-most", "add `at-most = 3`")?.whole(1)?;
        return Some(Knowledge::AtMost(most as usize));
    }
    node.choice(&[("quasi-identifiers", Knowledge::QuasiIdentifiers)])
}

impl Default for ReleaseSpec {
    fn default() -> Self {
        ReleaseSpec {
            algorithm: "auto".into(),
            algorithm_span: 0..0,
            metric: "loss".into(),
            suppress_at_most: Fraction::ZERO,
            format: "csv".into(),
            seed: 0,
            task: None,
            grow_intervals: false,
            microdata: super::MicrodataSpec::default(),
        }
    }
}

fn release_spec(section: &Section<'_, '_>, sensitive: &[&str], quasi: &[&str]) -> ReleaseSpec {
    let mut spec = ReleaseSpec::default();
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        let names: Vec<(&'static str, &'static str)> = crate::catalogue::algorithms()
            .iter()
            .filter(|entry| !["paths", "transactions"].contains(&entry.data))
            .map(|entry| (entry.name, entry.name))
            .collect();
        set(&mut spec.algorithm, node.choice(&names).map(str::to_owned));
    }
    if let Some(node) = section.get("metric") {
        set(
            &mut spec.metric,
            node.choice(&Objective::ALL)
                .map(|objective| objective.name().to_owned()),
        );
    }
    if let Some(node) = section.get("suppress-at-most") {
        set(
            &mut spec.suppress_at_most,
            node.fraction(Fraction::ZERO, Some(Fraction::ONE)),
        );
    }
    if let Some(node) = section.get("format") {
        set(&mut spec.format, node.choice(&FORMATS).map(str::to_owned));
    }
    if let Some(node) = section.get("seed") {
        set(&mut spec.seed, node.whole(0));
    }
    spec.task = task(section, &spec.algorithm, sensitive, quasi);
    spec.grow_intervals = grows(section, &spec.algorithm);
    spec.microdata = microdata::microdata(section);
    spec
}

/// Replaces the default where a value was given and is right; where it is wrong the mistake is noted already.
pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Trails have no sensitive attributes: the one promise is how many owners every trail keeps.
fn check_trails(promised: &[super::Promised], mistakes: &Mistakes) {
    for promised in promised {
        if !matches!(promised.promise, super::PromiseSpec::KAnonymity { .. }) {
            mistakes.add(
                "policy-promise",
                promised.span.clone(),
                format!("`{}` says nothing about trails", promised.promise.name()),
                "promise `k-anonymity`: the fewest possible owners of every published trail",
            );
        }
    }
}

/// Weights count in the loss, and in the cells that local suppression hides.
fn check_weights(specs: &[super::AttributeSpec], release: &ReleaseSpec, mistakes: &Mistakes) {
    let counts = ["loss", "loss-arithmetic"].contains(&release.metric.as_str())
        || release.algorithm == "local-suppression";
    let weighted = |spec: &&super::AttributeSpec| spec.operations.weight.is_some();
    if let Some(spec) = specs.iter().find(weighted)
        && !counts
    {
        mistakes.add(
            "policy-unused-key",
            spec.span.clone(),
            format!("`{}` knows no weights", release.metric),
            "remove `weight`, or use the metric `loss` or `loss-arithmetic`",
        );
    }
}

/// Every promise about a sensitive attribute names it, or there is exactly one.
fn check_promises(
    specs: &[super::AttributeSpec],
    promised: &[super::Promised],
    mistakes: &Mistakes,
) {
    let sensitive: Vec<&str> = specs
        .iter()
        .filter(|spec| spec.role == Role::Sensitive)
        .map(|spec| spec.name.as_str())
        .collect();
    for promised in promised {
        let name = promised.promise.name();
        match promised.promise.attribute() {
            None | Some(Some(_)) => {}
            Some(None) if sensitive.len() == 1 => {}
            Some(None) => mistakes.add(
                "policy-which-attribute",
                promised.span.clone(),
                format!(
                    "`{name}` does not say which of {} sensitive attributes it speaks of",
                    sensitive.len()
                ),
                if sensitive.is_empty() {
                    "give one attribute the role `sensitive`".to_owned()
                } else {
                    format!("add `attribute = \"{}\"`", sensitive[0])
                },
            ),
        }
    }
    let files: Vec<&super::Promised> = promised
        .iter()
        .filter(|promised| promised.promise.population().is_some())
        .collect();
    for pair in files.windows(2) {
        if pair[0].promise.population() != pair[1].promise.population() {
            mistakes.add(
                "policy-two-populations",
                pair[1].span.clone(),
                "two promises speak of two populations",
                "use one register for all of them",
            );
        }
    }
    for promised in promised {
        let guards = promised.promise.guards();
        if specs
            .iter()
            .any(|spec| Some(spec.name.as_str()) == guards && spec.role != Role::Identifier)
        {
            mistakes.add(
                "policy-guards-released",
                promised.span.clone(),
                "the column of guarding nodes has a role and would be released",
                "remove it from `[attributes]`",
            );
        }
    }
    for (index, spec) in specs.iter().enumerate() {
        if specs[..index].iter().any(|other| other.name == spec.name) {
            mistakes.add(
                "policy-duplicate",
                spec.span.clone(),
                "this attribute is declared twice",
                "keep one",
            );
        }
    }
}
