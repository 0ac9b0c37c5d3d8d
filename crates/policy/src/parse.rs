//! Reads a whole policy.

use std::path::Path;

use denym_data::{Fraction, Role};
use denym_measure::Objective;

use super::attack::attack_section;
use super::attributes::attributes;
use super::keys::{self, Part};
use super::microdata;
use super::mistake::Mistake;
use super::promises::{JudgedOn, promises};
use super::reader::{Mistakes, Node, Section};
use super::syntax;
use super::task::{grows, task};
use super::{
    DataKind, DataSpec, DetailSpec, Knowledge, Policy, RecordsKnown, ReleaseSpec, Vocabulary,
};
use crate::Formulas;

/// Reads `text`; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    vocabulary: &Vocabulary,
) -> Result<Policy, Vec<Mistake>> {
    let document = syntax::document(text, SECTIONS)?;
    let mistakes = Mistakes::default();
    let root = Section::root(&document, &mistakes);
    root.only(SECTIONS);

    let kind = root.get("data").and_then(|node| node.entry("kind"));
    let special = match kind {
        Some("paths") => Some(super::paths::policy(
            text, file, &root, &mistakes, vocabulary,
        )),
        Some("transactions") => Some(super::transactions::policy(
            text, file, &root, &mistakes, vocabulary,
        )),
        _ => None,
    };
    if let Some(policy) = special {
        return super::paths::finish(policy, mistakes);
    }
    let trails = kind == Some("trails");
    let data = root.need("data", "add `[data]` with `path = \"patients.csv\"`");
    let data = data
        .and_then(|node| node.open("{ path = \"patients.csv\" }"))
        .and_then(|section| {
            let kind = if trails {
                DataKind::Trails
            } else {
                DataKind::Table
            };
            keys::check(&section, Part::Data, kind);
            data_spec(&section)
        });
    let help = "add `[attributes]` with a role for every column to be used";
    let section = if trails {
        let help = "remove it: trails have an id and an institution, nothing else is published";
        keys::none(&root, "attributes", DataKind::Trails, help);
        let help = "remove it: who is taken to know which institutions hold data of the victim";
        keys::none(&root, "adversary", DataKind::Trails, help);
        None
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
        .filter(|_| !trails)
        .and_then(|node| node.open("{ knows = \"quasi-identifiers\" }"));
    if let Some(section) = &adversary {
        keys::check(section, Part::Adversary, DataKind::Table);
    }
    let records_known = adversary.as_ref().and_then(records_known);
    let (adversary, knows_program) = adversary.as_ref().and_then(knowledge).unwrap_or_default();
    let mut specs = specs;
    let promised = match root.need(
        "promise",
        "add `[promise]` with for example `k-anonymity = 5`",
    ) {
        Some(node) => node
            .open("{ k-anonymity = 5 }")
            .map(|section| promises(&section, &mut specs, &mistakes, JudgedOn::TABLES))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    let of_role = |role: Role| -> Vec<&str> {
        let found = specs.iter().filter(|spec| spec.role == role);
        found.map(|spec| spec.name.as_str()).collect()
    };
    let (sensitive, quasi) = (of_role(Role::Sensitive), of_role(Role::QuasiIdentifier));
    let release = match root.get("release") {
        Some(node) => node.open("{ algorithm = \"auto\" }").map(|section| {
            let kind = if trails {
                DataKind::Trails
            } else {
                DataKind::Table
            };
            keys::check(&section, Part::Release, kind);
            if trails {
                common_release(&section)
            } else {
                release_spec(&section, &sensitive, &quasi, vocabulary)
            }
        }),
        None => Some(ReleaseSpec::default()),
    };

    let attack = attack_section(&root, &vocabulary.attacks);
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
            records_known,
            knows_program,
            promises: promised,
            release,
            paths: None,
            transactions: None,
            attack,
        }),
        _ => Err(mistakes),
    }
}

const SECTIONS: &[&str] = &[
    "data",
    "attributes",
    "adversary",
    "promise",
    "release",
    "attack",
];
/// What a release can be written as.
pub(super) const FORMATS: [(&str, &str); 3] =
    [("csv", "csv"), ("parquet", "parquet"), ("json", "json")];

pub(super) fn data_spec(section: &Section<'_, '_>) -> Option<DataSpec> {
    let mut spec = DataSpec::default();
    if let Some(node) = section.get("kind") {
        set(&mut spec.kind, node.choice(&DataKind::ALL));
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
            || Some(super::data_name(&path)),
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

/// What the adversary knows of a victim, and whether of the program.
fn knowledge(section: &Section<'_, '_>) -> Option<(Knowledge, bool)> {
    let node = section.get("knows")?;
    if !node.is_table() {
        let known = node.choice(&[("quasi-identifiers", Knowledge::QuasiIdentifiers)])?;
        return Some((known, false));
    }
    let example = "{ quasi-identifiers = true, algorithm = true }";
    let table = node.section(&["quasi-identifiers", "at-most", "algorithm"], example)?;
    let program = knows_program(&table)?;
    let all = match table.get("quasi-identifiers") {
        Some(all) => Some((all.boolean()?, all)),
        None => None,
    };
    match (all, table.get("at-most")) {
        (Some((true, _)), None) => Some((Knowledge::QuasiIdentifiers, program)),
        (None, Some(most)) => Some((Knowledge::AtMost(most.whole(1)? as usize), program)),
        (None, None) if program => Some((Knowledge::QuasiIdentifiers, program)),
        (None, None) => {
            table.need("at-most", "add `at-most = 3`")?;
            None
        }
        (Some((_, all)), _) => {
            all.mistake(
                "policy-contradiction",
                "`quasi-identifiers` is true, or `at-most` says how many of them",
                "write `quasi-identifiers = true`, or `at-most = 3` alone",
            );
            None
        }
    }
}

/// Whether the adversary knows the program too: `algorithm = true` beside any other knowledge.
pub(super) fn knows_program(table: &Section<'_, '_>) -> Option<bool> {
    table
        .get("algorithm")
        .map_or(Some(false), |node| node.boolean())
}

/// `"one"`, `"all"` or any so many of a person's records.
fn records_known(section: &Section<'_, '_>) -> Option<RecordsKnown> {
    let node = section.get("records")?;
    if node.is_string() {
        return node.choice(&[("one", RecordsKnown::One), ("all", RecordsKnown::All)]);
    }
    let many = node.whole(1)?;
    Some(match many {
        1 => RecordsKnown::One,
        many => RecordsKnown::Any(many as usize),
    })
}

impl Default for ReleaseSpec {
    fn default() -> Self {
        ReleaseSpec {
            algorithm: "auto".into(),
            algorithm_span: 0..0,
            metric: "loss".into(),
            suppress_at_most: Fraction::ZERO,
            format: "csv".into(),
            formulas: Formulas::default(),
            seed: 0,
            task: None,
            grow_intervals: false,
            microdata: super::MicrodataSpec::default(),
        }
    }
}

fn release_spec(
    section: &Section<'_, '_>,
    sensitive: &[&str],
    quasi: &[&str],
    vocabulary: &Vocabulary,
) -> ReleaseSpec {
    let mut spec = common_release(section);
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        let names = Vocabulary::choices(&vocabulary.tables);
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
    if let Some(node) = section.get("seed") {
        set(&mut spec.seed, node.whole(0));
    }
    spec.task = task(section, &spec.algorithm, sensitive, quasi);
    spec.grow_intervals = grows(section, &spec.algorithm);
    spec.microdata = microdata::microdata(section);
    spec
}

/// What `[release]` says of data of any kind: how it is written.
pub(super) fn common_release(section: &Section<'_, '_>) -> ReleaseSpec {
    let mut spec = ReleaseSpec::default();
    if let Some(node) = section.get("format") {
        set(&mut spec.format, node.choice(&FORMATS).map(str::to_owned));
    }
    if let Some(node) = section.get("formulas") {
        set(&mut spec.formulas, node.choice(&Formulas::ALL));
    }
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
        if promised.promise.size().is_none() {
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

/// Promises speak of one population, guarding nodes stay at home, and attributes are declared once.
fn check_promises(
    specs: &[super::AttributeSpec],
    promised: &[super::Promised],
    mistakes: &Mistakes,
) {
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
