//! What a column means for privacy.

/// The part a column plays when a table is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Names a subject alone; never released.
    Identifier,
    /// Linkable in combination with others.
    QuasiIdentifier,
    /// What must not be inferred.
    Sensitive,
    /// Released as it is.
    Insensitive,
    /// Tells which records belong to one person; promises count subjects instead of records.
    Subject,
}

impl Role {
    /// Every role with the word a policy uses for it.
    pub const ALL: [(&'static str, Role); 5] = [
        ("identifier", Role::Identifier),
        ("quasi", Role::QuasiIdentifier),
        ("sensitive", Role::Sensitive),
        ("insensitive", Role::Insensitive),
        ("subject", Role::Subject),
    ];

    /// The word a policy uses for this role.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::QuasiIdentifier => "quasi",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
            Role::Subject => "subject",
        }
    }

    /// The role a policy means by `name`.
    pub fn parse(name: &str) -> Option<Role> {
        Role::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, role)| *role)
    }
}
