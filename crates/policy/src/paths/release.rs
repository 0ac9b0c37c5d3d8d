//! How a release of paths is made.

use std::path::PathBuf;

use denym_data::AlgorithmUse;

use crate::ReleaseSpec;
use crate::parse::set;
use crate::reader::Section;
use crate::sequences::SequencesSpec;

/// The keys of `[release]` that only paths have.
pub(crate) fn release(section: &Section<'_, '_>, paths: &mut SequencesSpec, spec: &ReleaseSpec) {
    if let Some(node) = section.get("unsuppress") {
        set(&mut paths.unsuppress, node.boolean());
    }
    if let Some(node) = section.get("earlier") {
        paths.earlier = node.string("out/last-year").map(PathBuf::from);
    }
    if let Some(node) = section.get("places") {
        paths.hierarchy = node.string("regions.csv").map(PathBuf::from);
    }
    if let Some(node) = section.get("slots") {
        let widths = node.some("[2, 4]").unwrap_or_default();
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
    if spec.algorithm.has(AlgorithmUse::Coarser)
        && paths.hierarchy.is_none()
        && paths.slots.is_empty()
    {
        section.need(
            "places",
            "add `places = \"regions.csv\"`, or `slots = [2, 4]`: what doublets become coarser by",
        );
    }
}
