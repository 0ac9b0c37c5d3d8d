//! Unused acceptance: the policy accepts a finding that nobody made.

use super::{FindingEntry, Look, Severity};
use crate::policy::About;

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "unused-acceptance",
    place: 110,
    severity: Severity::Note,
    about: About::Either,
    summary: "the policy accepts something that was not found",
    advice: "remove it from `[accept]`, so that the finding is not passed over when it comes",
    limits: "`denym plan` looks only for what can be found without a search",
    recipient: None,
    look: Look::Others,
};
