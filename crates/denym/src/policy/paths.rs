//! Reads a policy about paths: who was where and when, and what an adversary with a few doublets must not learn.

mod data;
mod promises;
mod release;

use std::ops::Range;
use std::path::{Path, PathBuf};

use denym_data::Role;
use serde::{Deserialize, Serialize};

use super::attack::attack_section;
use super::attributes::attributes;
use super::parse::{DATA_KEYS, data_spec, set};
use super::reader::{Mistakes, Section};
use super::{AttributeSpec, HierarchySpec, Knowledge, Missing, Mistake, Policy, ReleaseSpec};
use data::{PATH_KEYS, data_keys};
pub(super) use promises::k_anonymity;
use promises::promises;
use release::{RELEASE_KEYS, release};

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

/// A column that a flag names.
pub(crate) fn named_column(name: Option<&String>) -> Option<Named> {
    name.map(|name| Named {
        name: name.clone(),
        span: 0..0,
    })
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
    let attack = attack_section(root);
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
        transactions: None,
    })
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

/// All mistakes, or the policy.
pub(super) fn finish(policy: Option<Policy>, mistakes: Mistakes) -> Result<Policy, Vec<Mistake>> {
    let mistakes = mistakes.into_sorted();
    match policy {
        Some(policy) if mistakes.is_empty() => Ok(policy),
        _ => Err(mistakes),
    }
}
