//! What a check of a release may be called.

/// What a check may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every claim was measured again and holds, and every column is judged by one.
    Verified,
    /// What could be measured again holds; something rests on the publisher's word or is judged by no promise.
    InPart,
    /// Nothing could be measured again; nothing contradicts the publisher's word.
    Attested,
    /// The data was changed, or a claim does not hold.
    Failed,
}

impl Verdict {
    /// A stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::InPart => "verified-in-part",
            Verdict::Attested => "attested",
            Verdict::Failed => "not-verified",
        }
    }
}
