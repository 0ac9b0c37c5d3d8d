//! How streams stand against somebody who knows the program, by their rule of publication.
//!
//! Which doublets were suppressed, in which window, tells a little about who had them; counts in certificates tell how many
//! events there were. `tests/worlds.rs` compares both marks with what running a stream backwards measures, under the worse matching.

use denym_data::AlgorithmEntry;
use denym_release::certificate::Program;
use denym_release::windows::{Options, Rule};

/// What is said of a rule of publication.
pub fn rule_entry(rule: Rule) -> &'static AlgorithmEntry {
    match rule {
        Rule::KeepPublished { .. } => &denym_sequences::KEEP_PUBLISHED.entry,
        Rule::Retract => &denym_sequences::RETRACT.entry,
    }
}

/// How the windows of such a stream stand against somebody who knows the program.
pub fn program(options: &Options) -> Program {
    let verdict = rule_entry(options.rule).verdict;
    let on_values = !options.bounds.is_empty() || !options.promises.is_empty();
    Program::new(false, Some(verdict.standing(on_values)))
}
