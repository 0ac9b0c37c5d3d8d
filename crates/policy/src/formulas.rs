//! What is done with cells that a spreadsheet would run.

/// What is done with cells that a spreadsheet would run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulas {
    /// An apostrophe is put before them.
    #[default]
    Escape,
    /// Nothing is published.
    Refuse,
    /// They are published as they are.
    Keep,
}

impl Formulas {
    /// Every way with the word a policy uses for it.
    pub const ALL: [(&'static str, Formulas); 3] = [
        ("escape", Formulas::Escape),
        ("refuse", Formulas::Refuse),
        ("keep", Formulas::Keep),
    ];

    /// What is done in the steward's own files: they are never a reason to refuse.
    #[must_use]
    pub fn for_the_steward(self) -> Formulas {
        match self {
            Formulas::Refuse => Formulas::Escape,
            other => other,
        }
    }
}
