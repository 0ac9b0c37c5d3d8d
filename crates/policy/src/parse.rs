//! Reads a whole policy.

use std::path::Path;

use denym_data::notation::{AskedNotation, Detected, detect};
use denym_data::{AlgorithmEntry, AlgorithmUse, Format, Fraction, Kind, Role};
use denym_measure::Given;
use denym_measure::catalogue::Takes;

use super::accept::accept_section;
use super::attack::attack_section;
use super::attributes::attributes;
use super::kinds::{DataKind, Part};
use super::ledger::ledger_section;
use super::mistake::Mistake;
use super::paths;
use super::promises::{JudgedOn, promises};
use super::reader::{Mistakes, Node, Section, checked};
use super::report::report_section;
use super::sequences::SequencesSpec;
use super::sequences::unused_taxonomies;
use super::task::{grows, task};
use super::transactions;
use super::{
    AttributeSpec, DataSpec, DetailSpec, Formulas, Knowledge, Metric, Policy, Promised,
    RecordsKnown, ReleaseSpec, Vocabulary, Words, WrittenSpec, microdata, stream, syntax, written,
};

/// Reads `text`; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    vocabulary: &Vocabulary,
) -> Result<Policy, Vec<Mistake>> {
    let document = syntax::document(text, SECTIONS)?;
    if stream::is_meant(&document) {
        return stream::policy(text, file, vocabulary);
    }
    checked(&document, SECTIONS, |root, mistakes| {
        read(root, text, file, mistakes, vocabulary)
    })
}

fn read(
    root: &Section<'_, '_>,
    text: &str,
    file: &Path,
    mistakes: &Mistakes,
    vocabulary: &Vocabulary,
) -> Option<Policy> {
    let word = root.get("data").and_then(|node| node.entry("kind"));
    let kinds = DataKind::all().into_iter();
    let kind = kinds.filter(|(own, _)| Some(*own) == word);
    let kind = kind.map(|(_, kind)| kind).next().unwrap_or_default();
    let (entry, words) = (kind.entry(), vocabulary.of(kind));
    let is_table = entry.knows == Knowledge::QuasiIdentifiers;
    let mut paths = matches!(entry.knows, Knowledge::Doublets(_)).then(SequencesSpec::default);
    let mut transactions = matches!(entry.knows, Knowledge::Items(_)).then(SequencesSpec::of_items);

    let data = root.need("data", "add `[data]` with `path = \"patients.csv\"`");
    let data = data
        .and_then(|node| node.open("{ path = \"patients.csv\" }"))
        .and_then(|section| {
            kind.check(&section, Part::Data);
            if let Some(spec) = &mut paths {
                paths::data_keys(&section, spec);
            }
            if let Some(spec) = &mut transactions {
                transactions::data_keys(&section, spec);
            }
            data_spec(&section, entry.knows == Knowledge::Institutions)
        });

    if is_table {
        let help = "add `[attributes]` with a role for every column to be used";
        root.need("attributes", help);
    }
    let help = "remove it: trails have an id and an institution, nothing else is published";
    let mut specs = kind
        .section(root, "attributes", Part::Attribute, help)
        .and_then(|node| node.open("{ age = \"quasi\" }"))
        .map(|section| attributes(&section, kind))
        .unwrap_or_default();
    if let Some(spec) = &mut paths {
        paths::check_attributes(&mut specs, spec, mistakes);
    }
    if let Some(spec) = &mut transactions {
        transactions::check_attributes(&mut specs, spec, mistakes);
    }

    let help = "remove it: who is taken to know which institutions hold data of the victim";
    let adversary = kind
        .section(root, "adversary", Part::Adversary, help)
        .and_then(|node| node.open("{ knows = { algorithm = true } }"));
    if let Some(section) = &adversary {
        kind.check(section, Part::Adversary);
    }
    let adversary = adversary.as_ref();
    let records_known = adversary.filter(|_| is_table).and_then(records_known);
    let known = adversary.and_then(|section| match (&mut paths, &mut transactions) {
        (Some(spec), _) => paths::adversary(section, spec),
        (_, Some(spec)) => transactions::adversary(section, spec),
        _ => knowledge(section),
    });
    let (adversary, knows_program) = known.unwrap_or((entry.knows, false));

    let promised = promise_section(root, &mut specs, mistakes, entry.judged);
    if transactions.is_some() || paths.is_some() {
        unused_taxonomies(&specs, &promised, mistakes);
        transactions::bounded_once(&promised, mistakes);
    }
    let release = match root.get("release") {
        Some(node) => node.open("{ algorithm = \"auto\" }").map(|section| {
            kind.check(&section, Part::Release);
            let mut spec = release_spec(&section, kind, &words);
            if is_table {
                of_tables(&section, &specs, &words, &mut spec);
            }
            if let Some(own) = &mut paths {
                paths::release(&section, own, &spec);
            }
            if let Some(own) = &mut transactions {
                transactions::release(&section, own, &spec);
            }
            spec
        }),
        None => Some(ReleaseSpec::with(words.usual())),
    };
    if is_table {
        check_promises(&specs, &promised, mistakes);
        check_subject(root, &specs, data.as_ref(), mistakes);
        if let Some(release) = &release {
            check_weights(&specs, release, mistakes);
        }
    }
    let columns: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).collect();
    Some(Policy {
        attack: attack_section(root, &words.attacks),
        report: report_section(root),
        accept: accept_section(root, &words.findings, &columns),
        ledger: ledger_section(root, kind, &specs),
        text: text.to_owned(),
        file: file.to_owned(),
        data: data?,
        attributes: specs,
        adversary,
        records_known,
        knows_program,
        promises: promised,
        release: release?,
        sequences: paths.or(transactions),
        stream: None,
    })
}

/// What `[promise]` says; there must be one, and something in it.
fn promise_section(
    root: &Section<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    mistakes: &Mistakes,
    judged: JudgedOn,
) -> Vec<Promised> {
    let help = "add `[promise]` with for example `k-anonymity = 5`";
    let Some(node) = root.need("promise", help) else {
        return Vec::new();
    };
    let Some(section) = node.open("{ k-anonymity = 5 }") else {
        return Vec::new();
    };
    if section.entries().is_empty() {
        node.mistake(
            "policy-no-promise",
            "nothing is promised",
            "add for example `k-anonymity = 5`",
        );
    }
    promises(&section, attributes, mistakes, judged)
}

/// One column at most says whose a record is, and tables with further records need one.
fn check_subject(
    root: &Section<'_, '_>,
    specs: &[AttributeSpec],
    data: Option<&DataSpec>,
    mistakes: &Mistakes,
) {
    let subjects = specs.iter().filter(|spec| spec.role == Role::Subject);
    let subjects = subjects.count();
    if let Some(node) = root.get("attributes").filter(|_| subjects > 1) {
        node.mistake(
            "policy-two-subjects",
            "two columns have the role `subject`",
            "keep one of them",
        );
    }
    let detail = data.and_then(|data| data.details.first());
    if let Some(detail) = detail.filter(|_| subjects == 0) {
        mistakes.add(
            "policy-no-subject",
            detail.span.clone(),
            "detail tables need a person table with a subject",
            "give the key of the person table the role `subject`",
        );
    }
}

const SECTIONS: &[&str] = &[
    "data",
    "attributes",
    "adversary",
    "promise",
    "release",
    "attack",
    "report",
    "accept",
    "ledger",
];
fn data_spec(section: &Section<'_, '_>, trails: bool) -> Option<DataSpec> {
    let mut spec = DataSpec::default();
    if let Some(node) = section.get("kind") {
        set(&mut spec.kind, node.choice(&DataKind::all()));
    }
    if let Some(node) = section.get("format") {
        spec.format = node.choice(&Format::ALL);
    }
    spec.delimiter = written::character(section, "delimiter");
    spec.quote = written::character(section, "quote");
    spec.header = section.get("header").and_then(|node| node.boolean());
    spec.encoding = section
        .get("encoding")
        .and_then(|node| written::encoding(&node));
    spec.skip_rows = section
        .get("skip-rows")
        .and_then(|node| node.whole(0))
        .map(|rows| rows as usize);
    spec.sheet = section
        .get("sheet")
        .and_then(|node| node.scalar("\"Patients\""));
    let (decimal, thousands) = written::marks(section);
    (spec.decimal, spec.thousands) = (decimal, thousands.flatten());
    spec.time_format = section
        .get("time-format")
        .and_then(|node| written::date_format(&node, node.string("DD.MM.YYYY hh:mm")?));
    spec.missing_values = section
        .get("missing-values")
        .and_then(|node| node.strings("NA"));
    if trails {
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
    let items = section.get("detail").and_then(|node| node.some(example));
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

impl ReleaseSpec {
    /// Made with this algorithm, and as usual beside.
    pub fn with(algorithm: &'static AlgorithmEntry) -> Self {
        ReleaseSpec {
            algorithm,
            algorithm_span: 0..0,
            metric: Metric::default(),
            suppress_at_most: Fraction::ZERO,
            format: Format::Csv,
            formulas: Formulas::default(),
            written: WrittenSpec::default(),
            seed: 0,
            task: None,
            grow_intervals: false,
            one_grain: false,
            mixed_grain: false,
            round_ranges: false,
            microdata: super::MicrodataSpec::default(),
        }
    }
}

/// What `[release]` says that several kinds of data have a use for.
fn release_spec(section: &Section<'_, '_>, kind: DataKind, words: &Words) -> ReleaseSpec {
    let mut spec = ReleaseSpec::with(words.usual());
    let get = |key: &str| {
        let node = section.get(key);
        node.filter(|_| kind.takes(Part::Release, key))
    };
    if let Some(node) = get("format") {
        set(&mut spec.format, node.choice(&Format::ALL));
    }
    if let Some(node) = get("formulas") {
        set(&mut spec.formulas, node.choice(&Formulas::ALL));
    }
    spec.written = written::of_files(section, spec.format);
    if let Some(node) = get("algorithm") {
        spec.algorithm_span = node.span();
        let names = words.algorithms.iter();
        let names: Vec<_> = names.map(|&entry| (entry.name, entry)).collect();
        set(&mut spec.algorithm, node.choice(&names));
    }
    if let Some(node) = get("metric") {
        let metrics = kind.entry().metrics.iter();
        let metrics: Vec<(&str, Metric)> = metrics.map(|&own| (own.name(), own)).collect();
        set(&mut spec.metric, node.choice(&metrics));
    }
    if let Some(node) = get("suppress-at-most") {
        let share = node.fraction(Fraction::ZERO, Some(Fraction::ONE));
        set(&mut spec.suppress_at_most, share);
    }
    if let Some(node) = get("seed") {
        set(&mut spec.seed, node.whole(0));
    }
    spec
}

/// What `[release]` says of tables alone.
fn of_tables(
    section: &Section<'_, '_>,
    specs: &[AttributeSpec],
    words: &Words,
    spec: &mut ReleaseSpec,
) {
    let of_role = |role: Role| -> Vec<&str> {
        let found = specs.iter().filter(|spec| spec.role == role);
        found.map(|spec| spec.name.as_str()).collect()
    };
    let (sensitive, quasi) = (of_role(Role::Sensitive), of_role(Role::QuasiIdentifier));
    spec.task = task(section, spec.algorithm, words, &sensitive, &quasi);
    spec.grow_intervals = grows(section, spec.algorithm);
    let one = one_grain(section, spec.algorithm);
    (spec.one_grain, spec.mixed_grain) = (one == Some(true), one == Some(false));
    if let Some(node) = section.get("ranges") {
        let choice = node.choice(&[("rounded", true), ("exact", false)]);
        spec.round_ranges = choice.unwrap_or(false);
        let name = spec.algorithm.name;
        let cuts = name.contains("mondrian") || name.contains("specialization");
        if !cuts && !spec.algorithm.is_auto() {
            node.mistake(
                "policy-unused-key",
                format!("`{name}` publishes no ranges of data values"),
                "remove `ranges`, or use the algorithm `auto`",
            );
        }
    }
    spec.microdata = microdata::microdata(section);
}

/// `grain = "one-per-column"` or `"mixed"`: which of its searches `auto` may use.
fn one_grain(section: &Section<'_, '_>, algorithm: &AlgorithmEntry) -> Option<bool> {
    let node = section.get("grain")?;
    if !algorithm.is_auto() {
        node.mistake(
            "policy-unused-key",
            format!(
                "`grain` chooses among the searches of `auto`, and `{}` is one search",
                algorithm.name
            ),
            "remove `grain`, or use the algorithm `auto`",
        );
    }
    node.choice(&[("one-per-column", true), ("mixed", false)])
}

/// Replaces the default where a value was given and is right; where it is wrong the mistake is noted already.
pub(super) fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Weights count in the loss, and in the cells that local suppression hides.
fn check_weights(specs: &[AttributeSpec], release: &ReleaseSpec, mistakes: &Mistakes) {
    let counts = matches!(release.metric, Metric::Of(objective) if objective.needs_leaves())
        || release.algorithm.has(AlgorithmUse::Weights);
    let weighted = |spec: &&AttributeSpec| spec.operations.weight.is_some();
    if let Some(spec) = specs.iter().find(weighted)
        && !counts
    {
        mistakes.add(
            "policy-unused-key",
            spec.span.clone(),
            format!("`{}` knows no weights", release.metric.name()),
            "remove `weight`, or use the metric `loss` or `loss-arithmetic`",
        );
    }
}

/// Promises speak of one population, guarding nodes stay at home, and attributes are declared once.
fn check_promises(specs: &[AttributeSpec], promised: &[Promised], mistakes: &Mistakes) {
    let files: Vec<&Promised> = promised
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
    for promised in promised {
        check_named_values(specs, promised, mistakes);
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

/// A promise names values as they are compared: `1992-08-26` of a column whose dates are written otherwise. In the column's own writing
/// they would occur nowhere, and guard nobody.
fn check_named_values(specs: &[AttributeSpec], promised: &Promised, mistakes: &Mistakes) {
    let promise = &promised.promise;
    if !promise.names_values() {
        return;
    }
    let named = promise.attribute_name();
    let mut sensitive = specs.iter().filter(|spec| spec.role == Role::Sensitive);
    let Some(spec) = sensitive.find(|spec| named.is_none_or(|name| name == spec.name)) else {
        return;
    };
    let asked = &spec.notation;
    if *asked == AskedNotation::default() {
        return;
    }
    for (parameter, given) in promise.parameters() {
        let Given::Texts(values) = given else {
            continue;
        };
        if parameter.takes != Takes::Values {
            continue;
        }
        for value in values {
            let is_plain = if asked.dates.is_empty() {
                Kind::Decimal.fits(value)
            } else {
                Kind::Date.fits(value)
            };
            if is_plain {
                continue;
            }
            let (what, like) = if asked.dates.is_empty() {
                ("a number with digits and a point", "1234.5")
            } else {
                ("a date", "1992-08-26")
            };
            let plain = match detect(std::iter::once(value.as_str()), asked, spec.kind) {
                Detected::As(notation) => notation.plain(value),
                _ => None,
            };
            let plain = plain.as_deref().unwrap_or(like);
            mistakes.add(
                "policy-unknown-value",
                promised.span.clone(),
                format!(
                    "`{value}` in `{}` is not {what}, as the values of `{}` are compared: it would guard nobody",
                    parameter.name, spec.name
                ),
                format!("write for example `{plain}`"),
            );
        }
    }
}
