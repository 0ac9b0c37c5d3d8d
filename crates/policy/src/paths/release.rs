//! How a release of paths is made.

use std::path::PathBuf;

use denym_data::Fraction;

use super::PathsSpec;
use crate::parse::{common_release, set};
use crate::reader::Section;
use crate::{ReleaseSpec, Vocabulary};

/// What a release of paths can be measured by.
const METRICS: [(&str, &str); 2] = [("loss", "loss"), ("distortion", "distortion")];

/// Reads `[release]`.
pub(super) fn release(
    section: &Section<'_, '_>,
    paths: &mut PathsSpec,
    names: &[&'static str],
) -> ReleaseSpec {
    let mut spec = common_release(section);
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        set(
            &mut spec.algorithm,
            node.choice(&Vocabulary::choices(names)).map(str::to_owned),
        );
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
    if let Some(node) = section.get("seed") {
        set(&mut spec.seed, node.whole(0));
    }
    if let Some(node) = section.get("unsuppress") {
        set(&mut paths.unsuppress, node.boolean());
    }
    if let Some(node) = section.get("earlier") {
        paths.earlier = node.string("out/last-year").map(PathBuf::from);
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
