//! What comes in: a subject seen at a place and time, and what the stream says to it at once.

/// One sighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Who; never published.
    pub subject: &'a str,
    /// Where.
    pub location: &'a str,
    /// When, in timestamps: the unit windows are counted in.
    pub time: i64,
    /// One value per sensitive attribute; empty when the event carries none.
    ///
    /// The values of a subject's first event hold for as long as the stream remembers the subject.
    pub sensitive: &'a [&'a str],
}

/// What becomes of an event as it arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Taken; its timestamp is still open. A repeat of (subject, time) is dropped when the timestamp closes.
    Accepted,
    /// Its timestamp is closed: goes to the side output.
    Late,
    /// Not an event we can take.
    Rejected(Rejection),
}

/// Why an event is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// No subject or no location.
    Empty,
    /// A label longer than the options allow.
    TooLong,
    /// A time that cannot be counted with.
    Time,
    /// Further ahead of the latest event than the options allow.
    TooFarAhead,
    /// Some sensitive values, but not one per attribute.
    SensitiveCount,
    /// Could not be read at all; said by the caller.
    Malformed,
}

impl Rejection {
    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too-long",
            Self::Time => "time",
            Self::TooFarAhead => "too-far-ahead",
            Self::SensitiveCount => "sensitive-count",
            Self::Malformed => "malformed",
        }
    }
}
