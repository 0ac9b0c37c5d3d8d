//! Which records an adversary with some doublets of a victim cannot rule out.

use serde::{Deserialize, Serialize};

/// How knowledge of a few doublets is held against the records of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Records that do not contradict what is known of the *source* path; also all that `Covers` asks.
    #[default]
    Consistent,
    /// Records of the release that show every known doublet: the papers' definition.
    Covers,
}

impl Matching {
    /// The words of policies.
    pub const ALL: [(&'static str, Matching); 2] = [
        ("consistent", Matching::Consistent),
        ("covers", Matching::Covers),
    ];

    /// The word of policies.
    pub fn name(self) -> &'static str {
        Matching::ALL[usize::from(self == Matching::Covers)].0
    }
}
