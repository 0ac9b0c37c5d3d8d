//! How the algorithms for numbers and mixed records stand against somebody who knows the program.
//!
//! Groups are made from quasi-identifiers alone, so sizes hold for every one of them. Promises on sensitive values are kept by
//! merging or swapping until they hold, and how far that went tells what made it necessary. `tests/worlds.rs` compares every mark with what
//! running the program backwards measures.

use denym_data::Verdict;

/// By the names of policies; `auto` is the portfolio for numbers.
const VERDICTS: [(&str, Verdict); 26] = [
    ("auto", Verdict::values_exceeded(167)),
    ("mdav", Verdict::values_exceeded(81)),
    ("mdav-generic", Verdict::values_exceeded(81)),
    ("mdav-blocks", Verdict::values_exceeded(74)),
    ("mdav-2k", Verdict::values_exceeded(81)),
    ("mdav-1", Verdict::values_exceeded(81)),
    ("md", Verdict::values_exceeded(81)),
    ("cbfs", Verdict::values_exceeded(74)),
    ("v-mdav", Verdict::values_exceeded(81)),
    ("tfrp", Verdict::values_exceeded(81)),
    ("tfrp-2", Verdict::values_exceeded(81)),
    ("systematic", Verdict::values_exceeded(74)),
    ("p-s", Verdict::values_exceeded(81)),
    ("p-s-literal", Verdict::values_exceeded(81)),
    ("univariate", Verdict::values_exceeded(81)),
    ("mhm", Verdict::values_exceeded(74)),
    ("mhm-mdav", Verdict::values_exceeded(74)),
    ("mhm-md", Verdict::values_exceeded(74)),
    ("mhm-cbfs", Verdict::values_exceeded(74)),
    ("mhm-npn", Verdict::values_exceeded(74)),
    ("best-effort", Verdict::values_exceeded(74)),
    ("best-effort-clustering", Verdict::values_exceeded(74)),
    ("systematic-clustering", Verdict::values_exceeded(74)),
    ("k-member", Verdict::values_exceeded(121)),
    ("oka", Verdict::values_exceeded(74)),
    ("sorted-runs", Verdict::values_exceeded(74)),
];

/// The verdict on an algorithm for numbers or mixed records.
pub fn verdict(name: &str) -> Option<Verdict> {
    let found = VERDICTS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, verdict)| verdict)
}
