//! Reads a policy about paths: who was where and when, and what an adversary with a few doublets must not learn.

mod data;
mod release;

use std::ops::Range;
use std::path::{Path, PathBuf};

pub use denym_data::Matching;
use denym_data::Role;

use super::attack::attack_section;
use super::attributes::attributes;
use super::keys::{self, Part};
use super::parse::{data_spec, knows_program, set};
use super::promises::{JudgedOn, promises};
use super::reader::{Mistakes, Section};
use super::sequences::{beside, unused_taxonomies};
use super::{AttributeSpec, DataKind, Knowledge, Mistake, Policy, ReleaseSpec, Vocabulary};
use data::data_keys;
use release::release;

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
pub fn named_column(name: Option<&String>) -> Option<Named> {
    name.map(|name| Named {
        name: name.clone(),
        span: 0..0,
    })
}

/// Doublets the adversary is taken to know when the policy does not say.
const DEFAULT_DOUBLETS: usize = 3;

/// Reads a policy whose data are paths; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    root: &Section<'_, '_>,
    mistakes: &Mistakes,
    vocabulary: &Vocabulary,
) -> Option<Policy> {
    let mut spec = PathsSpec::default();
    let data = root.get("data")?;
    let data = data.open("{ path = \"trips.csv\", kind = \"paths\" }")?;
    keys::check(&data, Part::Data, DataKind::Paths);
    data_keys(&data, &mut spec);
    let data = data_spec(&data);

    let mut attributes = root
        .get("attributes")
        .and_then(|node| node.open("{ status = \"sensitive\" }"))
        .map(|section| attributes(&section))
        .unwrap_or_default();
    check_attributes(&mut attributes, &mut spec, mistakes);

    let (adversary, knows_program) = root
        .get("adversary")
        .and_then(|node| node.open("{ knows = { doublets = 3 } }"))
        .inspect(|section| keys::check(section, Part::Adversary, DataKind::Paths))
        .and_then(|section| adversary(&section, &mut spec))
        .unwrap_or((Knowledge::Doublets(DEFAULT_DOUBLETS), false));

    let promises = match root.need(
        "promise",
        "add `[promise]` with for example `k-anonymity = 5`",
    ) {
        Some(node) => node
            .open("{ k-anonymity = 5 }")
            .map(|section| promises(&section, &mut attributes, mistakes, JudgedOn::PATHS))
            .unwrap_or_default(),
        None => Vec::new(),
    };
    unused_taxonomies(&attributes, &promises, mistakes);
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
            .open("{ algorithm = \"auto\" }")
            .inspect(|section| keys::check(section, Part::Release, DataKind::Paths))
            .map(|section| release(&section, &mut spec, &vocabulary.paths)),
        None => Some(ReleaseSpec::default()),
    };
    let attack = attack_section(root, &vocabulary.attacks);
    Some(Policy {
        attack,
        text: text.to_owned(),
        file: file.to_owned(),
        data: data?,
        attributes,
        adversary,
        records_known: None,
        knows_program,
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
    beside(attributes, mistakes, JudgedOn::PATHS);
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

fn adversary(section: &Section<'_, '_>, spec: &mut PathsSpec) -> Option<(Knowledge, bool)> {
    if let Some(node) = section.get("matching") {
        set(&mut spec.matching, node.choice(&Matching::ALL));
    }
    let node = section.get("knows")?;
    let table = node.section(&["doublets", "algorithm"], "{ doublets = 3 }")?;
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
    Some((Knowledge::Doublets(most as usize), knows_program(&table)?))
}

/// All mistakes, or the policy.
pub(super) fn finish(policy: Option<Policy>, mistakes: Mistakes) -> Result<Policy, Vec<Mistake>> {
    let mistakes = mistakes.into_sorted();
    match policy {
        Some(policy) if mistakes.is_empty() => Ok(policy),
        _ => Err(mistakes),
    }
}
