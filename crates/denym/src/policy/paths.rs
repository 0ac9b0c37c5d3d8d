//! Reads a policy about paths: who was where and when, and what an adversary with a few doublets must not learn.

use std::ops::Range;
use std::path::{Path, PathBuf};

use denym_data::{Fraction, Role};
use serde::{Deserialize, Serialize};

use super::attributes::attributes;
use super::mistake::suggest;
use super::parse::{DATA_KEYS, FORMATS, data_spec, set};
use super::reader::{Mistakes, Node, Section};
use super::{
    AttributeSpec, Exact, HierarchySpec, Knowledge, Missing, Mistake, Policy, PromiseSpec,
    Promised, ReleaseSpec,
};

/// What a policy about paths says beyond one about a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathsSpec {
    /// Names of columns where they are not the usual ones.
    pub columns: PathColumns,
    /// Whether consecutive events of one subject at one place become the first of them; in the long form.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Side of a grid cell in meters, for raw points.
    pub grid: Option<f64>,
    /// Length of a time slot in seconds.
    pub slot: Option<i64>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// Whether the policy says how many doublets the adversary knows.
    pub knows_given: bool,
    /// Whether global suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// A hierarchy of places, for coarsening.
    pub places: Option<PathBuf>,
    /// Widths of coarser time slots, each counted in times of the data.
    pub slots: Vec<usize>,
    /// The bundle of an earlier release of the same people.
    pub earlier: Option<PathBuf>,
    /// Minimum support and longest length of the sequences that the choice should spare.
    pub frequent: Option<(u64, usize)>,
}

/// Columns of a path file, each with its place in the policy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathColumns {
    /// Who; long form.
    pub subject: Option<Named>,
    /// Where; long form.
    pub location: Option<Named>,
    /// When; long form.
    pub time: Option<Named>,
    /// The whole path; wide form.
    pub path: Option<Named>,
    /// Degrees north; raw points.
    pub latitude: Option<Named>,
    /// Degrees east; raw points.
    pub longitude: Option<Named>,
}

/// A column that the policy names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// The column.
    pub name: String,
    /// Where the policy names it.
    pub span: Range<usize>,
}

/// Which records an adversary with some doublets cannot rule out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Records that do not contradict the victim's source path.
    #[default]
    Consistent,
    /// Records of the release that show every known doublet: the papers' definition.
    Covers,
}

impl Matching {
    /// The words of policies.
    pub const ALL: [(&'static str, Matching); 2] = [
        ("consistent", Matching::Consistent),
        ("covers", Matching::Covers),
    ];

    /// The word of policies.
    pub fn name(self) -> &'static str {
        Matching::ALL[usize::from(self == Matching::Covers)].0
    }
}

/// Doublets the adversary is taken to know when the policy does not say.
const DEFAULT_DOUBLETS: usize = 3;

const PATH_KEYS: &[&str] = &[
    "subject",
    "location",
    "time",
    "path-column",
    "latitude",
    "longitude",
    "collapse-repeats",
    "several-places",
    "grid",
    "slot",
];
const RELEASE_KEYS: &[&str] = &[
    "algorithm",
    "metric",
    "suppress-at-most",
    "format",
    "seed",
    "unsuppress",
    "places",
    "slots",
    "frequent-sequences",
    "earlier",
];
/// What a release of paths can be measured by.
const METRICS: [(&str, &str); 2] = [("loss", "loss"), ("distortion", "distortion")];

/// Reads a policy whose data are paths; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    root: &Section<'_, '_>,
    mistakes: &Mistakes,
) -> Option<Policy> {
    let mut spec = PathsSpec::default();
    let data = root.get("data")?;
    let data = data.open("{ path = \"trips.csv\", kind = \"paths\" }")?;
    let known: Vec<&str> = DATA_KEYS.iter().chain(PATH_KEYS).copied().collect();
    data.only(&known);
    data_keys(&data, &mut spec);
    let data = data_spec(&data);

    let mut attributes = root
        .get("attributes")
        .and_then(|node| node.open("{ status = \"sensitive\" }"))
        .map(|section| attributes(&section))
        .unwrap_or_default();
    check_attributes(&mut attributes, &mut spec, mistakes);

    let adversary = root
        .get("adversary")
        .and_then(|node| node.section(&["knows", "matching"], "{ knows = { doublets = 3 } }"))
        .and_then(|section| adversary(&section, &mut spec))
        .unwrap_or(Knowledge::Doublets(DEFAULT_DOUBLETS));

    let promises = match root.need(
        "promise",
        "add `[promise]` with for example `k-anonymity = 5`",
    ) {
        Some(node) => node
            .open("{ k-anonymity = 5 }")
            .map(|section| promises(&section, &mut attributes, mistakes))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    if let Some(node) = root.get("promise")
        && promises.is_empty()
        && node.open("").is_some_and(|s| s.entries().is_empty())
    {
        node.mistake(
            "policy-no-promise",
            "nothing is promised",
            "add for example `k-anonymity = 5`",
        );
    }
    let release = match root.get("release") {
        Some(node) => node
            .section(RELEASE_KEYS, "{ algorithm = \"auto\" }")
            .map(|section| release(&section, &mut spec)),
        None => Some(ReleaseSpec::default()),
    };
    let attack = root
        .get("attack")
        .and_then(|node| node.section(&["refuse-above"], "{ refuse-above = 0.2 }"))
        .map(|section| super::attack::attack(&section))
        .unwrap_or_default();
    Some(Policy {
        attack,
        text: text.to_owned(),
        file: file.to_owned(),
        data: data?,
        attributes,
        adversary,
        promises,
        release: release?,
        paths: Some(spec),
    })
}

/// The keys of `[data]` that only paths have.
fn data_keys(section: &Section<'_, '_>, spec: &mut PathsSpec) {
    let column = |key: &str, example: &str| {
        let node = section.get(key)?;
        let name = node.string(example)?.to_owned();
        Some(Named {
            name,
            span: node.span(),
        })
    };
    spec.columns = PathColumns {
        subject: column("subject", "card"),
        location: column("location", "station"),
        time: column("time", "hour"),
        path: column("path-column", "route"),
        latitude: column("latitude", "lat"),
        longitude: column("longitude", "lon"),
    };
    if let Some(node) = section.get("collapse-repeats") {
        spec.keep_repeats = node.boolean() == Some(false);
    }
    if let Some(node) = section.get("several-places") {
        set(&mut spec.several_places, node.boolean());
    }
    if let Some(node) = section.get("grid") {
        let meters = if node.is_table() {
            node.section(&["meters"], "{ meters = 500 }")
                .and_then(|table| table.need("meters", "add `meters = 500`"))
        } else {
            Some(node.clone())
        };
        spec.grid = meters
            .and_then(|node| positive(&node))
            .map(Fraction::to_f64);
    }
    if let Some(node) = section.get("slot") {
        spec.slot = slot(&node);
    }
    let columns = &spec.columns;
    let clash = |one: &Option<Named>, key: &str, because: &str| {
        if let (Some(_), Some(node)) = (one, section.get(key)) {
            node.mistake("policy-two-forms", because, format!("remove `{key}`"));
        }
    };
    let wide = "a path column holds places and times already";
    clash(&columns.path, "location", wide);
    clash(&columns.path, "time", wide);
    clash(&columns.path, "latitude", wide);
    clash(&columns.path, "longitude", wide);
    clash(
        &columns.path,
        "collapse-repeats",
        "the wide form is taken as it is written",
    );
    clash(
        &columns.location,
        "latitude",
        "a record has a place or a point, not both",
    );
    match (&columns.latitude, &columns.longitude) {
        (Some(_), None) => {
            section.need("longitude", "add `longitude = \"lon\"`");
        }
        (None, Some(_)) => {
            section.need("latitude", "add `latitude = \"lat\"`");
        }
        (Some(_), Some(_)) => {
            section.need("grid", "add `grid = { meters = 500 }`: points become cells");
            section.need("slot", "add `slot = { minutes = 60 }`: times become slots");
        }
        (None, None) => {
            if let Some(node) = section.get("grid") {
                node.mistake(
                    "policy-unused-key",
                    "a grid is for points",
                    "name the columns `latitude` and `longitude`, or remove `grid`",
                );
            }
        }
    }
}

/// A positive number.
fn positive(node: &Node<'_, '_>) -> Option<Fraction> {
    let value = node.fraction(Fraction::ZERO, None)?;
    if value > Fraction::ZERO {
        return Some(value);
    }
    node.mistake(
        "policy-out-of-range",
        format!("`{}` must be above zero", node.key),
        "write a number above zero",
    );
    None
}

/// A length of time in seconds: a whole number, or one unit.
fn slot(node: &Node<'_, '_>) -> Option<i64> {
    const UNITS: [(&str, u64); 4] = [
        ("seconds", 1),
        ("minutes", 60),
        ("hours", 3600),
        ("days", 86400),
    ];
    if !node.is_table() {
        return node.whole(1).and_then(|n| i64::try_from(n).ok());
    }
    let section = node.section(&UNITS.map(|unit| unit.0), "{ minutes = 60 }")?;
    let given: Vec<(u64, Node<'_, '_>)> = UNITS
        .iter()
        .filter_map(|(unit, seconds)| Some((*seconds, section.get(unit)?)))
        .collect();
    let [(seconds, value)] = &given[..] else {
        node.mistake(
            "policy-slot",
            "a slot has exactly one of `seconds`, `minutes`, `hours`, `days`",
            "write for example `{ minutes = 60 }`",
        );
        return None;
    };
    let count = value.whole(1)?;
    i64::try_from(count.checked_mul(*seconds)?).ok()
}

/// Attributes beside a path: a subject may be named here, hierarchies have no use.
fn check_attributes(
    attributes: &mut Vec<AttributeSpec>,
    spec: &mut PathsSpec,
    mistakes: &Mistakes,
) {
    for attribute in attributes.iter() {
        if attribute.hierarchy != HierarchySpec::Flat {
            mistakes.add(
                "policy-unused-key",
                attribute.hierarchy_span.clone(),
                format!(
                    "`{}` stands beside a path and is not generalized",
                    attribute.name
                ),
                "remove the hierarchy; with `suppress-at-most` records that stand out are removed",
            );
        }
        if attribute.missing != Missing::Value {
            mistakes.add(
                "policy-unused-key",
                attribute.span.clone(),
                "beside a path a missing value is a value of its own",
                "remove `missing`",
            );
        }
    }
    for (index, attribute) in attributes.iter().enumerate() {
        if attributes[..index].iter().any(|a| a.name == attribute.name) {
            mistakes.add(
                "policy-duplicate",
                attribute.span.clone(),
                "this attribute is declared twice",
                "keep one",
            );
        }
    }
    if let Some(at) = attributes.iter().position(|a| a.role == Role::Subject) {
        let subject = attributes.remove(at);
        if let Some(named) = &spec.columns.subject
            && named.name != subject.name
        {
            mistakes.add(
                "policy-two-subjects",
                subject.span.clone(),
                "`data.subject` names another subject column",
                "keep one of them",
            );
        }
        spec.columns.subject = Some(Named {
            name: subject.name,
            span: subject.span,
        });
    }
    if let Some(second) = attributes.iter().find(|a| a.role == Role::Subject) {
        mistakes.add(
            "policy-two-subjects",
            second.span.clone(),
            "two columns have the role `subject`",
            "keep one of them",
        );
    }
    // The columns of the path itself need no role; naming them is no mistake.
    let columns = &spec.columns;
    let own: Vec<&Named> = [&columns.location, &columns.time, &columns.path]
        .into_iter()
        .flatten()
        .collect();
    attributes.retain(|attribute| own.iter().all(|named| named.name != attribute.name));
}

fn adversary(section: &Section<'_, '_>, spec: &mut PathsSpec) -> Option<Knowledge> {
    if let Some(node) = section.get("matching") {
        set(&mut spec.matching, node.choice(&Matching::ALL));
    }
    let node = section.get("knows")?;
    let table = node.section(&["doublets"], "{ doublets = 3 }")?;
    let doublets = table.need("doublets", "add `doublets = 3`")?;
    spec.knows_given = true;
    let most = doublets.whole(1)?;
    if most > 64 {
        doublets.mistake(
            "policy-out-of-range",
            "`adversary.knows.doublets` must be at most 64",
            "write a number from 1 to 64; few people know more of a stranger",
        );
        return None;
    }
    Some(Knowledge::Doublets(most as usize))
}

/// The promises that can be judged on paths.
const PROMISES: &[&str] = &["k-anonymity", "confidence"];

fn promises(
    section: &Section<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    mistakes: &Mistakes,
) -> Vec<Promised> {
    let mut found = Vec::new();
    for (name, span, node) in section.entries() {
        if !PROMISES.contains(&name.as_str()) {
            mistakes.add(
                "policy-unknown-key",
                span,
                format!("`{name}` is not judged on paths"),
                suggest(&name, PROMISES),
            );
            continue;
        }
        if name == "k-anonymity" {
            let k = if node.is_table() {
                node.section(&["k"], "{ k = 5 }")
                    .and_then(|table| table.need("k", "add `k = 5`"))
                    .and_then(|k| k.whole(1))
            } else {
                node.whole(1)
            };
            found.extend(k.map(|k| Promised {
                quasi: None,
                promise: PromiseSpec::KAnonymity { k },
                span: node.span(),
            }));
            continue;
        }
        let items = if node.is_array() {
            node.list("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            found.extend(confidence(&item, attributes).map(|promise| Promised {
                quasi: None,
                promise,
                span: item.span(),
            }));
        }
    }
    found
}

fn confidence(node: &Node<'_, '_>, attributes: &mut Vec<AttributeSpec>) -> Option<PromiseSpec> {
    let whole = (Fraction::ZERO, Some(Fraction::ONE));
    let (attribute, values, places, at_most) = if node.is_table() {
        let example = r#"{ attribute = "status", values = ["On-welfare"], at-most = 0.6 }"#;
        let section = node.section(&["attribute", "values", "places", "at-most"], example)?;
        let list = |key: &str| match section.get(key) {
            None => Some(Vec::new()),
            Some(list) => list.strings("On-welfare"),
        };
        let attribute = section.get("attribute");
        let places = section.get("places").map(|list| list.strings("Clinic"));
        let at_most = section
            .need("at-most", "add `at-most = 0.6`")
            .and_then(|node| node.fraction(whole.0, whole.1));
        if let (Some(_), Some(attribute)) = (&places, &attribute) {
            attribute.mistake(
                "policy-two-forms",
                "a bound speaks of an attribute or of places, not of both",
                "write two bounds",
            );
        }
        (attribute, list("values")?, places, at_most?)
    } else {
        let at_most = node.fraction(whole.0, whole.1)?;
        (None, Vec::new(), None, at_most)
    };
    if let Some(places) = places {
        return Some(PromiseSpec::Places {
            places: places?,
            at_most: Exact(at_most),
        });
    }
    let sensitive: Vec<&str> = attributes
        .iter()
        .filter(|spec| spec.role == Role::Sensitive)
        .map(|spec| spec.name.as_str())
        .collect();
    let Some(attribute) = attribute else {
        let [only] = sensitive[..] else {
            node.mistake(
                "policy-which-attribute",
                format!(
                    "`confidence` does not say which of {} sensitive attributes it speaks of",
                    sensitive.len()
                ),
                "add `attribute = \"status\"`",
            );
            return None;
        };
        return Some(PromiseSpec::Confidence {
            attribute: Some(only.to_owned()),
            values,
            at_most: Exact(at_most),
        });
    };
    let name = attribute.string("status")?.to_owned();
    match attributes.iter().find(|spec| spec.name == name) {
        Some(spec) if spec.role != Role::Sensitive => {
            attribute.mistake(
                "policy-not-sensitive",
                format!("`{name}` is not a sensitive attribute"),
                suggest(&name, &sensitive),
            );
            return None;
        }
        Some(_) => {}
        // For paths the promise alone may say that a column is sensitive.
        None => attributes.push(AttributeSpec::plain(
            name.clone(),
            attribute.span(),
            Role::Sensitive,
        )),
    }
    Some(PromiseSpec::Confidence {
        attribute: Some(name),
        values,
        at_most: Exact(at_most),
    })
}

fn release(section: &Section<'_, '_>, paths: &mut PathsSpec) -> ReleaseSpec {
    let mut spec = ReleaseSpec::default();
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        let names = denym_paths::Algorithm::NAMES.map(|(name, _)| (name, name));
        set(&mut spec.algorithm, node.choice(&names).map(str::to_owned));
    }
    if let Some(node) = section.get("metric") {
        set(&mut spec.metric, node.choice(&METRICS).map(str::to_owned));
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
    if let Some(node) = section.get("unsuppress") {
        set(&mut paths.unsuppress, node.boolean());
    }
    if let Some(node) = section.get("earlier") {
        paths.earlier = node.string("out/last-year").map(PathBuf::from);
        if paths.matching != Matching::Covers {
            node.mistake(
                "policy-matching",
                "two releases are judged together under the matching `covers`",
                "add `matching = \"covers\"` to `[adversary]`",
            );
        }
    }
    if let Some(node) = section.get("places") {
        paths.places = node.string("regions.csv").map(PathBuf::from);
    }
    if let Some(node) = section.get("slots") {
        let widths = node.list("[2, 4]").unwrap_or_default();
        paths.slots = widths
            .iter()
            .filter_map(|node| node.whole(2))
            .map(|width| width as usize)
            .collect();
        let nested = paths
            .slots
            .windows(2)
            .all(|two| two[1] % two[0] == 0 && two[1] > two[0]);
        if !nested {
            node.mistake(
                "policy-slots",
                "each slot must hold whole slots of the one before",
                "write widths that are multiples of each other, such as [2, 4, 12]",
            );
        }
    }
    if let Some(node) = section.get("frequent-sequences")
        && let Some(table) = node.section(&["support", "length"], "{ support = 100, length = 3 }")
    {
        let support = table
            .need(
                "support",
                "add `support = 100`: records that make a sequence frequent",
            )
            .and_then(|node| node.whole(1));
        let length = table.get("length").map_or(Some(3), |node| node.whole(1));
        paths.frequent = support.zip(length).map(|(s, l)| (s, l as usize));
    }
    if spec.algorithm == "coarsening" && paths.places.is_none() && paths.slots.is_empty() {
        section.need(
            "places",
            "add `places = \"regions.csv\"`, or `slots = [2, 4]`: what doublets become coarser by",
        );
    }
    spec
}

/// All mistakes, or the policy.
pub(super) fn finish(policy: Option<Policy>, mistakes: Mistakes) -> Result<Policy, Vec<Mistake>> {
    let mistakes = mistakes.into_sorted();
    match policy {
        Some(policy) if mistakes.is_empty() => Ok(policy),
        _ => Err(mistakes),
    }
}
