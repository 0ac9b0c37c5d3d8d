//! How streams stand against somebody who knows the program, by their rule of publication.
//!
//! Which doublets were suppressed, in which window, tells a little about who had them; counts in certificates tell how many
//! events there were. `tests/worlds.rs` compares both marks with what running a stream backwards measures, under the worse matching.

use denym_data::{Standing, Verdict};
use denym_release::windows::Rule;

/// The verdict on a rule of publication, as the list of solvers has it.
pub fn rule_verdict(rule: Rule) -> Verdict {
    let listed = denym_sequences::solver_entry("stream", rule.name());
    listed.map_or(
        Verdict {
            sizes: Standing::NotPromised,
            values: Standing::NotPromised,
        },
        |entry| entry.verdict,
    )
}
