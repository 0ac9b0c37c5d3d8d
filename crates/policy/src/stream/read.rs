//! Reads the sections of a policy for a stream.

use std::path::Path;
use std::time::Duration;

use denym_data::events::{Address, Columns, EventFormat};
use denym_data::{Dictionary, Matching, Role, Strings};
use toml::Spanned;
use toml::de::DeTable;

use super::broker::broker_section;
use super::{Form, Horizon, Options, Reference, Rule, StreamSink, StreamSource, StreamSpec};
use crate::accept::accept_section;
use crate::promises::{JudgedOn, promises};
use crate::reader::{Mistakes, Node, Section, checked};
use crate::written::date_format;
use crate::{
    Acceptance, AttackSpec, AttributeSpec, Bounded, DataKind, DataSpec, Knowledge, Metric, Mistake,
    Policy, PromiseSpec, Promised, ReleaseSpec, ReportSpec, Vocabulary, Words, attack_section,
    syntax,
};

const KIND: DataKind = DataKind::Stream;

const SECTIONS: &[&str] = &[
    "data",
    "attributes",
    "window",
    "adversary",
    "promise",
    "release",
    "attack",
    "accept",
    "broker",
];

/// Whether a policy is meant for a stream: its `[data]` says so, whatever else is wrong with it.
pub(crate) fn is_meant(document: &Spanned<DeTable<'_>>) -> bool {
    let mistakes = Mistakes::default();
    let data = Section::root(document, &mistakes).get("data");
    data.and_then(|node| node.entry("kind")) == Some(KIND.word())
}

/// Reads `text` as a policy for a stream; the policy when there is no mistake, else all of them.
pub(crate) fn policy(
    text: &str,
    file: &Path,
    vocabulary: &Vocabulary,
) -> Result<Policy, Vec<Mistake>> {
    let document = syntax::document(text, SECTIONS)?;
    let words = vocabulary.of(KIND);
    checked(&document, SECTIONS, |root, mistakes| {
        let (spec, attack) = read(root, &words.attacks, mistakes)?;
        if let Err(error) = spec.options.check() {
            let span = root.get("window").map_or(0..0, |node| node.span());
            mistakes.add("policy-stream", span, error.to_string(), error.help());
        }
        let columns: Vec<&str> = spec.options.attributes.iter().map(String::as_str).collect();
        let accept = accept_section(root, &words.findings, &columns);
        Some(whole((text, file), spec, (attack, accept), &words))
    })
}

/// The stream as a policy of any kind of data, for the verbs that work on all of them.
fn whole(
    (text, file): (&str, &Path),
    spec: StreamSpec,
    (attack, accept): (AttackSpec, Vec<Acceptance>),
    words: &Words,
) -> Policy {
    let options = &spec.options;
    let mut rules = words.algorithms.iter().copied();
    let rule = rules.find(|entry| entry.name == options.rule.name());
    let bounds = options.bounds.iter().map(|bound| {
        let values = vec![bound.value.clone()];
        PromiseSpec::confidence(&bound.attribute, values, bound.at_most)
    });
    let promised = std::iter::once(PromiseSpec::k_anonymity(options.k))
        .chain(bounds)
        .chain(options.promises.iter().cloned());
    Policy {
        text: text.to_owned(),
        file: file.to_owned(),
        data: DataSpec {
            path: spec.source.to_string(),
            kind: KIND,
            ..DataSpec::default()
        },
        attributes: Vec::new(),
        adversary: Knowledge::Doublets(options.l),
        records_known: None,
        knows_program: false,
        promises: promised
            .map(|promise| Promised {
                promise,
                quasi: None,
                span: 0..0,
            })
            .collect(),
        release: ReleaseSpec {
            metric: Metric::SuppressedEvents,
            ..ReleaseSpec::with(rule.unwrap_or_else(|| words.usual()))
        },
        sequences: None,
        stream: Some(spec),
        attack,
        report: ReportSpec::default(),
        accept,
        ledger: None,
    }
}

fn read(
    root: &Section<'_, '_>,
    attacks: &[&str],
    mistakes: &Mistakes,
) -> Option<(StreamSpec, AttackSpec)> {
    let (mut attributes, reference) = sensitive(root);
    let sensitive: Vec<String> = attributes.iter().map(|spec| spec.name.clone()).collect();
    let data = root.need("data", "add `[data]` with `kind = \"stream\"`");
    let data = data.and_then(|node| data_section(&node, &sensitive));
    let window = root.need("window", "add `[window]` with `size = 7`");
    let window = window.and_then(|node| {
        let keys = &["size", "step", "lateness", "origin", "ahead", "idle"];
        let section = node.section(keys, "{ size = 7 }")?;
        let number = |key: &str, least: u64| section.get(key).and_then(|n| n.whole(least));
        let idle = section.get("idle").and_then(|node| duration(&node));
        Some((
            section.need("size", "add `size = 7`")?.whole(1)? as u32,
            number("step", 1).unwrap_or(1) as u32,
            number("lateness", 0).unwrap_or(0) as u32,
            number("origin", 0).map(u64::cast_signed),
            number("ahead", 1).map(|ahead| ahead as u32),
            idle,
        ))
    });
    let adversary = root.need(
        "adversary",
        "add `[adversary]` with `knows = { doublets = 2 }`",
    );
    let adversary = adversary.and_then(|node| {
        let section = node.section(&["knows", "matching"], "{ knows = { doublets = 2 } }")?;
        let knows = section.need("knows", "add `knows = { doublets = 2 }`")?;
        let knows = knows.section(&["doublets", "algorithm"], "{ doublets = 2 }")?;
        if let Some(node) = knows.get("algorithm")
            && node.boolean()?
        {
            node.mistake(
                "policy-unsafe-algorithm",
                "the adversary knows the program, and no rule of streams is safe against who knows it",
                "leave `algorithm = true` out, or collect a period and publish it at once: `kind = \"paths\"` with `blind-suppression`",
            );
        }
        let l = knows.need("doublets", "add `doublets = 2`")?.whole(1)?;
        let matching = match section.get("matching") {
            None => Matching::Covers,
            Some(node) => node.choice(&[
                ("covers", Matching::Covers),
                ("consistent", Matching::Consistent),
            ])?,
        };
        Some((l as usize, matching))
    });
    let promised = root.need("promise", "add `[promise]` with `k-anonymity = 5`");
    let promised = promised.and_then(|node| {
        let section = node.open("{ k-anonymity = 5 }")?;
        let found = promises(&section, &mut attributes, mistakes, JudgedOn::STREAM);
        Some((found, node))
    });
    let release = root.get("release");
    let release = match &release {
        None => Some(Release::default()),
        Some(node) => release_section(node),
    };
    let broker = match root.get("broker") {
        None => None,
        Some(node) => Some(broker_section(&node)?),
    };
    let attack = attack_section(root, attacks);
    let (data, (size, step, lateness, origin, ahead, idle)) = (data?, window?);
    let release = release?;
    let ((l, matching), (promised, promise)) = (adversary?, promised?);
    let mut options = Options::new(size, l, 1);
    options.step = step;
    options.lateness = lateness;
    options.origin = origin;
    options.ahead = ahead;
    options.attributes.clone_from(&sensitive);
    options.matching = matching;
    options.rule = release.rule;
    options.form = release.form;
    let mut k = None;
    for Promised {
        promise: asked,
        span,
        ..
    } in promised
    {
        match (asked.size(), asked.bounded()) {
            (Some(asked), _) => k = Some(asked),
            (_, Some((Bounded::Values(Some(attribute), values), at_most)))
                if !values.is_empty() =>
            {
                for value in values {
                    options = options.with_bound(attribute, value, at_most);
                }
            }
            _ => {
                let about = asked.attribute().and_then(Option::as_ref);
                let compared = reference.iter().any(|own| Some(&own.attribute) == about);
                if asked.needs_reference() && !compared {
                    mistakes.add(
                        "policy-no-distribution",
                        span,
                        format!(
                            "`{}` compares with a distribution, and a stream has no whole to take it from",
                            asked.name()
                        ),
                        "say how the attribute is spread over the people: `status = { role = \"sensitive\", distribution = { Doctor = 30, Lawyer = 70 } }`",
                    );
                }
                options.promises.push(asked);
            }
        }
    }
    options.reference = reference;
    if k.is_none() {
        promise.mistake(
            "policy-missing-key",
            "a stream needs `k-anonymity`",
            "add `k-anonymity = 5`",
        );
    }
    options.k = k?;
    let spec = StreamSpec {
        source: data.source,
        sink: release.sink,
        late: release.late,
        idle,
        unit: data.unit,
        broker,
        format: data.format,
        columns: data.columns,
        options,
    };
    Some((spec, attack))
}

/// The attributes, which in a stream are all sensitive, and how they are spread where the policy says so.
fn sensitive(root: &Section<'_, '_>) -> (Vec<AttributeSpec>, Vec<Reference>) {
    let (mut attributes, mut spread) = (Vec::new(), Vec::new());
    let section = root
        .get("attributes")
        .and_then(|node| node.open("{ status = \"sensitive\" }"));
    for (name, span, node) in section.iter().flat_map(Section::entries) {
        let role = [("sensitive", ())];
        let table = node.is_table().then(|| {
            let example = "{ role = \"sensitive\", distribution = { Doctor = 30 } }";
            node.section(&["role", "distribution"], example)
        });
        let known = match &table {
            None => node.choice(&role),
            Some(table) => table.as_ref().and_then(|table| {
                let role_of = table.need("role", "add `role = \"sensitive\"`")?;
                spread.extend(
                    table
                        .get("distribution")
                        .and_then(|node| distribution(&name, &node)),
                );
                role_of.choice(&role)
            }),
        };
        if known.is_some() {
            attributes.push(AttributeSpec::plain(name, span, Role::Sensitive));
        }
    }
    (attributes, spread)
}

/// How many people have each value of an attribute, in the natural order of values.
fn distribution(attribute: &str, node: &Node<'_, '_>) -> Option<Reference> {
    let table = node.open("{ Doctor = 30, Lawyer = 70 }")?;
    let mut values = Vec::new();
    for (value, _, node) in table.entries() {
        values.push((value, node.whole(1)?));
    }
    if values.is_empty() {
        node.mistake(
            "policy-out-of-range",
            "a distribution needs values",
            "write how many people have each, such as `{ Doctor = 30, Lawyer = 70 }`",
        );
        return None;
    }
    let texts: Strings = values.iter().map(|(value, _)| value.as_str()).collect();
    let (dictionary, _) = Dictionary::build(&texts, false, None);
    values.sort_by_key(|(value, _)| dictionary.code_of(value));
    Some(Reference {
        attribute: attribute.to_owned(),
        values,
    })
}

/// What `[data]` says.
struct Data {
    source: StreamSource,
    format: EventFormat,
    columns: Columns,
    unit: Option<Duration>,
}

fn data_section(node: &Node<'_, '_>, sensitive: &[String]) -> Option<Data> {
    let keys = &[
        "kind",
        "path",
        "source",
        "format",
        "subject",
        "location",
        "time",
        "time-format",
        "unit",
    ];
    let section = node.section(keys, "{ kind = \"stream\", path = \"events.csv\" }")?;
    let kind = section.need("kind", "add `kind = \"stream\"`");
    let kind = kind.and_then(|node| node.choice(&[("stream", ())]));
    let source = match (section.get("path"), section.get("source")) {
        (Some(_), Some(second)) => {
            second.mistake(
                "policy-two-sources",
                "events come from `path` or from `source`, not from both",
                "leave one of them out",
            );
            None
        }
        (None, Some(node)) => address(&node).map(StreamSource::Broker),
        _ => {
            let path = section.need(
                "path",
                "add `path = \"events.csv\"`, \"-\" for standard input, or `source = \"nats://host:4222/STREAM\"`",
            );
            let text = path.as_ref().and_then(|node| node.string("events.csv"));
            match (path, text) {
                (Some(node), Some(text)) if Address::is_meant(text) => {
                    node.mistake(
                        "policy-address-as-path",
                        "`path` is for files; this is an address",
                        format!("write `source = \"{text}\"` instead"),
                    );
                    None
                }
                (_, text) => text.map(|text| StreamSource::Path(text.to_owned())),
            }
        }
    };
    let is_csv = matches!(&source, Some(StreamSource::Path(path))
        if Path::new(path).extension().is_some_and(|e| e == "csv"));
    let format = match section.get("format") {
        Some(node) => {
            let format = node.choice(&[("json", EventFormat::Json), ("csv", EventFormat::Csv)]);
            if matches!(source, Some(StreamSource::Broker(_))) && format == Some(EventFormat::Csv) {
                node.mistake(
                    "policy-broker-format",
                    "messages of a broker have no row of names, so they cannot be CSV",
                    "send JSON, one object per line",
                );
            }
            format
        }
        None if is_csv => Some(EventFormat::Csv),
        None => Some(EventFormat::Json),
    };
    let column = |key: &str| match section.get(key) {
        Some(node) => node.string(key).map(str::to_owned),
        None => Some(key.to_owned()),
    };
    let (subject, location, time) = (column("subject"), column("location"), column("time"));
    let time_format = section
        .get("time-format")
        .map(|node| date_format(&node, node.string("DD.MM.YYYY hh:mm:ss")?));
    let unit = section.get("unit").map(|node| duration(&node));
    kind?;
    let columns = Columns {
        subject: subject?,
        location: location?,
        time: time?,
        time_format: match time_format {
            None => None,
            Some(format) => Some(format?),
        },
        sensitive: sensitive.to_vec(),
    };
    Some(Data {
        source: source?,
        format: format?,
        columns,
        unit: match unit {
            None => None,
            Some(unit) => Some(unit?),
        },
    })
}

/// The address of a broker.
fn address(node: &Node<'_, '_>) -> Option<Address> {
    let text = node.string("nats://localhost:4222/EVENTS")?;
    let found = Address::parse(text);
    if let Err(mistake) = found {
        node.mistake("policy-address", mistake.what, mistake.help);
    }
    found.ok()
}

/// A time such as `30s`.
fn duration(node: &Node<'_, '_>) -> Option<Duration> {
    let text = node.string("30s")?;
    let units = [
        ("ms", 1),
        ("s", 1000),
        ("m", 60_000),
        ("h", 3_600_000),
        ("d", 86_400_000),
    ];
    let found = units.iter().find_map(|(unit, milliseconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(Duration::from_millis(number.checked_mul(*milliseconds)?))
    });
    let found = found.filter(|found| !found.is_zero());
    if found.is_none() {
        node.mistake(
            "policy-duration",
            format!("`{}` is not a time", node.key),
            "write a whole number with ms, s, m, h or d, such as \"30s\"",
        );
    }
    found
}

/// What `[release]` says.
struct Release {
    rule: Rule,
    form: Form,
    sink: StreamSink,
    late: Option<Address>,
}

impl Default for Release {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            form: Form::default(),
            sink: StreamSink::Directory,
            late: None,
        }
    }
}

fn release_section(node: &Node<'_, '_>) -> Option<Release> {
    let keys = &["retract", "horizon", "form", "sink", "late"];
    let section = node.section(keys, "{ horizon = \"all\" }")?;
    let sink = match section.get("sink") {
        None => Some(StreamSink::Directory),
        Some(node) if node.is_text("-") => Some(StreamSink::Standard),
        Some(node) => address(&node).map(StreamSink::Broker),
    };
    let late = section.get("late").map(|node| address(&node));
    if let (Some(late), Some(Some(late_address)), Some(StreamSink::Broker(sink))) =
        (section.get("late"), &late, &sink)
        && late_address.name == sink.name
        && late_address.servers == sink.servers
    {
        late.mistake(
            "policy-late-among-windows",
            "late events are raw and may not stand beside published windows",
            "give them a stream or topic of their own, which only the steward reads",
        );
    }
    for node in [section.get("sink"), section.get("late")]
        .into_iter()
        .flatten()
    {
        if let Some(Ok(address)) = node.text().map(Address::parse)
            && address
                .subject
                .is_some_and(|subject| subject.contains(['*', '>']))
        {
            node.mistake(
                "policy-address",
                "messages cannot be written to a pattern of subjects",
                "write `?subject=NAME` without `*` and `>`",
            );
        }
    }
    if let (Some(node), Some(_)) = (section.get("horizon"), section.get("retract"))
        && section.get("retract").and_then(|node| node.boolean()) == Some(true)
    {
        node.mistake(
            "policy-stream",
            "`horizon` means nothing where `retract = true`",
            "leave one of them out",
        );
    }
    let retract = match section.get("retract") {
        None => false,
        Some(node) => node.boolean()?,
    };
    let horizon = match section.get("horizon") {
        None => Horizon::Window,
        Some(node) if node.is_string() => {
            node.choice(&[("window", Horizon::Window), ("all", Horizon::All)])?
        }
        Some(node) => Horizon::Timestamps(node.whole(1)? as u32),
    };
    let form = match section.get("form") {
        None => Form::Full,
        Some(node) => node.choice(&[("full", Form::Full), ("delta", Form::Delta)])?,
    };
    let rule = if retract {
        Rule::Retract
    } else {
        Rule::KeepPublished { horizon }
    };
    Some(Release {
        rule,
        form,
        sink: sink?,
        late: match late {
            None => None,
            Some(late) => Some(late?),
        },
    })
}
