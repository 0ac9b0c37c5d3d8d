//! A policy for a stream: where events come from, which windows, what the adversary knows, what must hold.

use std::path::{Path, PathBuf};

use denym_data::paths::Fraction;
use denym_engine::events::{Columns, EventFormat};
use denym_stream::{Form, Horizon, Matching, Options, Rule};
use toml::de::DeTable;

use super::mistake::Mistake;
use super::promises::promises;
use super::reader::{Mistakes, Section};
use super::{PromiseSpec, Promised};
use crate::Error;

/// What a data steward wants done with a stream of events.
#[derive(Debug, Clone)]
pub struct StreamPolicy {
    /// The file it came from; paths in the policy are relative to its directory.
    pub file: PathBuf,
    /// File, directory or glob with events, as written; `-` is standard input.
    pub path: String,
    /// How events are written.
    pub format: EventFormat,
    /// Which columns say what.
    pub columns: Columns,
    /// Windows, knowledge, promises and the rule of publication.
    pub options: Options,
}

impl StreamPolicy {
    /// Reads the policy in `file`.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::io("read the policy", file, &error))?;
        Self::parse(&text, file).map_err(|mistakes| Error::Policy {
            file: file.to_owned(),
            text,
            mistakes,
        })
    }

    /// Reads a policy; every mistake is reported.
    pub fn parse(text: &str, file: &Path) -> Result<Self, Vec<Mistake>> {
        let (document, errors) = DeTable::parse_recoverable(text);
        let mistakes = Mistakes::default();
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().trim().replace('\n', ", ");
            mistakes.add("policy-syntax", span, message, "correct the TOML here");
        }
        let broken = mistakes.into_sorted();
        if !broken.is_empty() {
            return Err(broken);
        }
        let mistakes = Mistakes::default();
        let root = Section::root(&document, &mistakes);
        root.only(&[
            "data",
            "attributes",
            "window",
            "adversary",
            "promise",
            "release",
        ]);
        let policy = read(&root, file);
        if let Some(policy) = &policy
            && let Err(error) = policy.options.check()
        {
            let span = root.get("window").map_or(0..0, |node| node.span());
            mistakes.add("policy-stream", span, error.to_string(), error.help());
        }
        let mistakes = mistakes.into_sorted();
        match policy {
            Some(policy) if mistakes.is_empty() => Ok(policy),
            _ => Err(mistakes),
        }
    }
}

fn read(root: &Section<'_, '_>, file: &Path) -> Option<StreamPolicy> {
    let sensitive = sensitive(root);
    let data = root.need("data", "add `[data]` with `kind = \"stream\"`");
    let data = data.and_then(|node| data_section(&node, &sensitive));
    let window = root.need("window", "add `[window]` with `size = 7`");
    let window = window.and_then(|node| {
        let keys = &["size", "step", "lateness", "origin", "ahead"];
        let section = node.section(keys, "{ size = 7 }")?;
        let number = |key: &str, least: u64| section.get(key).and_then(|n| n.whole(least));
        Some((
            section.need("size", "add `size = 7`")?.whole(1)? as u32,
            number("step", 1).unwrap_or(1) as u32,
            number("lateness", 0).unwrap_or(0) as u32,
            number("origin", 0).map(u64::cast_signed),
            number("ahead", 1).map(|ahead| ahead as u32),
        ))
    });
    let adversary = root.need(
        "adversary",
        "add `[adversary]` with `knows = { doublets = 2 }`",
    );
    let adversary = adversary.and_then(|node| {
        let section = node.section(&["knows", "matching"], "{ knows = { doublets = 2 } }")?;
        let knows = section.need("knows", "add `knows = { doublets = 2 }`")?;
        let knows = knows.section(&["doublets"], "{ doublets = 2 }")?;
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
    let names: Vec<&str> = sensitive.iter().map(String::as_str).collect();
    let promised = root.need("promise", "add `[promise]` with `k-anonymity = 5`");
    let promised = promised.and_then(|node| {
        let section = node.open("{ k-anonymity = 5 }")?;
        section.only(&["k-anonymity", "confidence"]);
        Some((promises(&section, &names, &[]), node))
    });
    let release = root.get("release");
    let (rule, form) = match &release {
        None => (Rule::default(), Form::default()),
        Some(node) => release_section(node)?,
    };
    let ((path, format, columns), (size, step, lateness, origin, ahead)) = (data?, window?);
    let ((l, matching), (promised, promise)) = (adversary?, promised?);
    let mut options = Options::new(size, l, 1);
    options.step = step;
    options.lateness = lateness;
    options.origin = origin;
    options.ahead = ahead;
    options.attributes.clone_from(&sensitive);
    options.matching = matching;
    options.rule = rule;
    options.form = form;
    let mut k = None;
    for Promised { promise: asked, .. } in promised {
        match asked {
            PromiseSpec::KAnonymity { k: asked } => k = Some(asked),
            PromiseSpec::Confidence {
                attribute,
                values,
                at_most,
            } => {
                let attribute = attribute.or_else(|| sensitive.first().cloned());
                let (Some(attribute), false) = (attribute, values.is_empty()) else {
                    promise.mistake(
                        "policy-which-attribute",
                        "`confidence` must name an attribute and its values",
                        "add `attribute = \"status\", values = [\"HIV\"]`",
                    );
                    continue;
                };
                let bound = Fraction::new(at_most.0.numerator(), at_most.0.denominator());
                for value in values {
                    options = options.with_bound(&attribute, &value, bound);
                }
            }
            _ => {}
        }
    }
    if k.is_none() {
        promise.mistake(
            "policy-missing-key",
            "a stream needs `k-anonymity`",
            "add `k-anonymity = 5`",
        );
    }
    options.k = k?;
    Some(StreamPolicy {
        file: file.to_owned(),
        path,
        format,
        columns,
        options,
    })
}

/// The attributes; in a stream they are all sensitive.
fn sensitive(root: &Section<'_, '_>) -> Vec<String> {
    let Some(section) = root
        .get("attributes")
        .and_then(|node| node.open("{ status = \"sensitive\" }"))
    else {
        return Vec::new();
    };
    let entries = section.entries().into_iter();
    entries
        .filter_map(|(name, _, node)| node.choice(&[("sensitive", ())]).map(|()| name))
        .collect()
}

type Data = (String, EventFormat, Columns);

fn data_section(node: &super::reader::Node<'_, '_>, sensitive: &[String]) -> Option<Data> {
    let keys = &["kind", "path", "format", "subject", "location", "time"];
    let section = node.section(keys, "{ kind = \"stream\", path = \"events.csv\" }")?;
    let kind = section.need("kind", "add `kind = \"stream\"`");
    let kind = kind.and_then(|node| node.choice(&[("stream", ())]));
    let path = section.need(
        "path",
        "add `path = \"events.csv\"`, or \"-\" for standard input",
    );
    let path = path.and_then(|node| node.string("events.csv"));
    let format = match section.get("format") {
        Some(node) => node.choice(&[("json", EventFormat::Json), ("csv", EventFormat::Csv)]),
        None if path
            .is_some_and(|path| Path::new(path).extension().is_some_and(|e| e == "csv")) =>
        {
            Some(EventFormat::Csv)
        }
        None => Some(EventFormat::Json),
    };
    let column = |key: &str| match section.get(key) {
        Some(node) => node.string(key).map(str::to_owned),
        None => Some(key.to_owned()),
    };
    let (subject, location, time) = (column("subject"), column("location"), column("time"));
    kind?;
    let columns = Columns {
        subject: subject?,
        location: location?,
        time: time?,
        sensitive: sensitive.to_vec(),
    };
    Some((path?.to_owned(), format?, columns))
}

fn release_section(node: &super::reader::Node<'_, '_>) -> Option<(Rule, Form)> {
    let section = node.section(&["retract", "horizon", "form"], "{ horizon = \"all\" }")?;
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
    Some((rule, form))
}
