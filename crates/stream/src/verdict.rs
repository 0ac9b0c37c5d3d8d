//! How streams stand against somebody who knows the program, by their rule of publication.
//!
//! Which doublets were suppressed, in which window, tells a little about who had them; counts in certificates tell how many
//! events there were. `tests/worlds.rs` compares both marks with what running a stream backwards measures, under the worse matching.

use denym_data::AlgorithmEntry;
use denym_release::windows::Rule;

/// What is said of a rule of publication.
pub fn rule_entry(rule: Rule) -> &'static AlgorithmEntry {
    match rule {
        Rule::KeepPublished { .. } => &denym_sequences::KEEP_PUBLISHED.entry,
        Rule::Retract => &denym_sequences::RETRACT.entry,
    }
}
