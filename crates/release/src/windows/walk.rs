//! Walks the chain of a stream's certificates and measures every published window again.
//!
//! What is checked, from the two public files alone: each line follows from the one before (nothing in the middle is missing, changed or
//! in another place), all make the same claims, numbers and times lie on one grid, counts only grow and add up, and each
//! window is the one its certificate speaks of, holds what is measured there and keeps the claims. Of deltas the whole window is
//! put together first. What cannot be seen: lines missing at the end, and what only the source shows. A chain whose windows are not
//! there can be walked, but nothing of it is measured, and no verdict is given.

use std::path::{Path, PathBuf};

use denym_data::{Fraction, Matching};
use denym_measure::Sense;
use denym_policy::stream::Rule;

use super::certificate::{
    Certificate, Chain, Claims, Measured, Status, verify_chain, verify_window, window_confidences,
};
use super::counts::Counts;
use super::window::{Delta, Window};
use crate::{Error, Verdict};

/// What a walk along a stream's output found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VerifiedWindows {
    /// The first thing that is wrong.
    pub broken: Option<BrokenWindow>,
    /// What is promised of every window.
    pub claims: Option<Claims>,
    /// Certificates of published windows that were walked.
    pub published: u64,
    /// Certificates of withheld windows that were walked.
    pub withheld: u64,
    /// Windows measured again; none where windows are elsewhere.
    pub measured: Option<u64>,
    /// Windows of the grid that no certificate speaks of: nothing happened in them, or their lines are gone.
    pub passed_over: u64,
    /// Number of the last window.
    pub last_window: Option<u64>,
    /// Hash of the last line, to compare with the publisher's.
    pub last_line: Option<String>,
    /// Fewest subjects in any group of any window that was measured.
    pub smallest_group: Option<u64>,
    /// Highest share of each bounded value in any group of any window that was measured.
    pub confidences: Vec<Fraction>,
    /// The worst value of each further promise in any group of any window that was measured.
    pub values: Vec<Option<f64>>,
    /// Fewest subjects in any group, as the certificates state.
    pub stated_group: Option<u64>,
    /// Highest share of any bounded value in any group, as the certificates state.
    pub stated_confidence: Option<Fraction>,
    /// Whether the publisher's word is needed for the matching.
    pub attested_matching: bool,
}

impl VerifiedWindows {
    /// Whether windows are here that certificates speak of, and none is missing.
    pub fn windows_here(&self) -> bool {
        self.measured.is_some() || self.published == 0
    }

    /// Whether the groups of every window were measured on what is published alone.
    pub fn is_measured(&self) -> bool {
        self.measured.is_some_and(|count| count > 0) && !self.attested_matching
    }

    /// Whether everything promised of single windows holds; unknown where windows are elsewhere or the source is needed.
    pub fn holds(&self) -> Option<bool> {
        if self.broken.is_some() {
            return Some(false);
        }
        self.is_measured().then_some(true)
    }

    /// How many claims are made of every window.
    pub fn claimed(&self) -> usize {
        self.claims.as_ref().map_or(0, |claims| {
            1 + claims.confidence.len() + claims.promises.len()
        })
    }

    /// How many of them were measured on what is published alone.
    pub fn measured_again(&self) -> usize {
        if self.is_measured() {
            self.claimed()
        } else {
            0
        }
    }

    /// What this may be called; nothing where windows are elsewhere.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.holds() {
            Some(false) => Some(Verdict::Failed),
            _ if !self.windows_here() => None,
            // What windows tell together nobody can measure: nothing links their records.
            Some(true) => Some(Verdict::InPart),
            None => Some(Verdict::Attested),
        }
    }

    /// Sensitive attributes that windows show and no promise looks at.
    pub fn unjudged(&self) -> Vec<&str> {
        let Some(claims) = &self.claims else {
            return Vec::new();
        };
        let bounded = |name: &str| claims.confidence.iter().any(|b| b.attribute == name);
        let promised = |name: &str| {
            let about = claims.promises.iter().filter_map(|p| p.attribute());
            about.flatten().any(|own| own == name)
        };
        let unjudged = |name: &&str| !bounded(name) && !promised(name);
        claims.attributes().filter(unjudged).collect()
    }

    /// What is said of windows put together.
    pub fn together(&self) -> Option<&'static str> {
        Some(match self.claims.as_ref()?.rule {
            Rule::KeepPublished { .. } => {
                "that windows put together keep the promise is the publisher's word"
            }
            Rule::Retract => "windows put together may break the promise (`retract`)",
        })
    }
}

/// Where a chain breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenWindow {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The window, where it is known.
    pub window: Option<u64>,
    /// What is wrong.
    pub what: String,
}

/// The lines of the published windows, one after another; an error is the reader's own.
pub type Lines<'a, E> = &'a mut dyn FnMut() -> Result<Option<String>, E>;

/// Walks the `chain` of a stream's certificates and measures its windows again, where they are here.
///
/// Paths only say where something stands; nothing is opened.
pub fn walk<E: From<Error>>(
    (certificates, chain): (&Path, &str),
    windows: Option<(&Path, Lines<'_, E>)>,
) -> Result<VerifiedWindows, E> {
    if chain.trim().is_empty() {
        return Err(E::from(Error::Unjudged {
            what: "the chain has no certificate, so there is nothing to verify".into(),
            path: certificates.to_owned(),
        }));
    }
    let mut walk = Walk {
        certificates: certificates.to_owned(),
        found: VerifiedWindows {
            measured: windows.is_some().then_some(0),
            ..VerifiedWindows::default()
        },
        windows: windows.map(|(path, lines)| Windows {
            path: path.to_owned(),
            lines,
            line: 0,
            base: None,
        }),
        before: None,
    };
    walk.found.broken = walk.all(chain)?;
    Ok(walk.found)
}

/// On the way along the chain.
struct Walk<'a, E> {
    certificates: PathBuf,
    windows: Option<Windows<'a, E>>,
    found: VerifiedWindows,
    before: Option<Certificate>,
}

/// The published windows, line by line.
struct Windows<'a, E> {
    path: PathBuf,
    lines: Lines<'a, E>,
    line: usize,
    /// The window before, whole; deltas are against it.
    base: Option<Window>,
}

impl<E: From<Error>> Walk<'_, E> {
    fn all(&mut self, text: &str) -> Result<Option<BrokenWindow>, E> {
        let mut chain = None;
        match verify_chain(text.lines()) {
            Ok(whole) => chain = Some(whole),
            Err(Error::BrokenChain { line, what }) => {
                self.found.broken = Some(self.at(line, None, &format!("the certificate {what}")));
            }
            Err(error) => return Err(error.into()),
        }
        // Up to where the chain breaks its windows can still be judged.
        let sound = self
            .found
            .broken
            .as_ref()
            .map_or(usize::MAX, |b| b.line - 1);
        for (at, line) in text.lines().enumerate().take(sound) {
            let broken = |walk: &Self, what: &str| walk.at(at + 1, None, what);
            let Ok(certificate) = serde_json::from_str::<Certificate>(line) else {
                return Ok(Some(broken(self, "the certificate cannot be read")));
            };
            if let Some(what) = self.follows(&certificate) {
                return Ok(Some(self.at(at + 1, Some(certificate.window), what)));
            }
            match certificate.status {
                Status::Published => self.found.published += 1,
                Status::Withheld => self.found.withheld += 1,
            }
            if let Some(broken) = self.window(&certificate)? {
                return Ok(Some(broken));
            }
            let last = self.found.last_window.unwrap_or(0);
            self.found.passed_over += certificate.window.saturating_sub(last + 1);
            self.found.last_window = Some(certificate.window);
            self.before = Some(certificate);
        }
        if let Some(Chain { last, claims, .. }) = chain {
            self.found.last_line = self.before.as_ref().map(|_| last);
            self.found.attested_matching = claims
                .as_ref()
                .is_some_and(|claims| claims.matching == Matching::Consistent);
            self.found.claims = claims;
        }
        if let Some(broken) = self.found.broken.take() {
            return Ok(Some(broken));
        }
        if let Some(windows) = &mut self.windows
            && windows.next()?.is_some()
        {
            return Ok(Some(
                windows.broken(None, "no certificate speaks of this window"),
            ));
        }
        Ok(None)
    }

    fn at(&self, line: usize, window: Option<u64>, what: &str) -> BrokenWindow {
        BrokenWindow {
            file: self.certificates.clone(),
            line,
            window,
            what: what.to_owned(),
        }
    }

    /// What does not fit between a certificate and the one before it.
    fn follows(&self, certificate: &Certificate) -> Option<&'static str> {
        let counts = &certificate.counts;
        if !counts.balanced() {
            return Some("the counts do not add up to the events");
        }
        let size = i64::from(certificate.claims.window);
        if certificate.to.checked_sub(certificate.from) != Some(size - 1) {
            return Some("the window is not as long as claimed");
        }
        let (published, withheld) = match certificate.status {
            Status::Published => (self.found.published + 1, self.found.withheld),
            Status::Withheld => (self.found.published, self.found.withheld + 1),
        };
        if (counts.windows, counts.withheld) != (published, withheld) {
            return Some("the count of windows is not that of the certificates");
        }
        let before = self.before.as_ref()?;
        let apart = i64::try_from(certificate.window - before.window).unwrap_or(i64::MAX);
        let step = i64::from(certificate.claims.step);
        if certificate.from.checked_sub(before.from) != apart.checked_mul(step) {
            return Some("the window does not lie on the grid of the others");
        }
        let pairs = |c: &Counts| {
            [
                c.events,
                c.published,
                c.suppressed,
                c.late,
                c.duplicates,
                c.rejected,
            ]
        };
        let (old, new) = (pairs(&before.counts), pairs(counts));
        if old.iter().zip(&new).any(|(old, new)| old > new) {
            return Some("a count is smaller than before");
        }
        None
    }

    /// Measures the window that a certificate speaks of.
    fn window(&mut self, certificate: &Certificate) -> Result<Option<BrokenWindow>, E> {
        if certificate.status == Status::Withheld {
            return Ok(None);
        }
        self.found.state(&certificate.measured);
        let Some(windows) = &mut self.windows else {
            return Ok(None);
        };
        let number = Some(certificate.window);
        let Some(line) = windows.next()? else {
            return Ok(Some(windows.broken(number, "the window is missing")));
        };
        let (whole, delta) = match windows.whole(&line) {
            Ok(found) => found,
            Err(what) => return Ok(Some(windows.broken(number, what))),
        };
        if whole.number != certificate.window {
            let what = "another window stands where this one belongs";
            return Ok(Some(windows.broken(number, what)));
        }
        // The certificate speaks of the window in full, whatever form it left in.
        let line = if delta { whole.line() } else { line };
        match verify_window(certificate, &line) {
            Ok(measured) => {
                self.found.note(&measured, &certificate.claims, &whole);
                *self.found.measured.get_or_insert(0) += 1;
                windows.base = Some(whole);
                Ok(None)
            }
            Err(Error::BrokenChain { what, .. }) => Ok(Some(
                windows.broken(number, &format!("the certificate {what}")),
            )),
            Err(error) => Err(error.into()),
        }
    }
}

impl VerifiedWindows {
    /// Takes what a certificate states.
    fn state(&mut self, measured: &Measured) {
        if measured.subjects == 0 {
            return;
        }
        let group = measured.smallest_group;
        self.stated_group = Some(self.stated_group.map_or(group, |known| known.min(group)));
        // None is smaller than any.
        self.stated_confidence = self
            .stated_confidence
            .max(Some(measured.largest_confidence));
    }

    /// Takes what was measured in a window.
    fn note(&mut self, measured: &Measured, claims: &Claims, window: &Window) {
        if measured.subjects == 0 {
            return;
        }
        let group = measured.smallest_group;
        self.smallest_group = Some(self.smallest_group.map_or(group, |known| known.min(group)));
        let shares = if claims.confidence.len() == 1 && claims.promises.is_empty() {
            // With one bound, the highest share of all is its own.
            vec![measured.largest_confidence]
        } else {
            window_confidences(claims, window)
        };
        self.values.resize(claims.promises.len(), None);
        for ((known, value), promise) in
            (self.values.iter_mut().zip(&measured.promises)).zip(&claims.promises)
        {
            let least = promise.entry().sense == Sense::AtLeast;
            let worse = if least { f64::min } else { f64::max };
            if let Ok(value) = value.parse::<f64>() {
                *known = Some(known.map_or(value, |known| worse(known, value)));
            }
        }
        self.confidences.resize(shares.len(), Fraction::ZERO);
        for (known, share) in self.confidences.iter_mut().zip(shares) {
            *known = share.max(*known);
        }
    }
}

impl<E> Windows<'_, E> {
    fn next(&mut self) -> Result<Option<String>, E> {
        self.line += 1;
        (self.lines)()
    }

    /// The window of a line, put together if it is a delta, and whether it is one.
    fn whole(&self, line: &str) -> Result<(Window, bool), &'static str> {
        let (whole, delta) = Window::of_line(line, self.base.as_ref())?;
        let own = |base| Delta::between(base, &whole).line();
        if delta && self.base.as_ref().map(own).as_deref() != Some(line) {
            return Err("the line has more in it than a difference of windows");
        }
        Ok((whole, delta))
    }

    fn broken(&self, window: Option<u64>, what: &str) -> BrokenWindow {
        BrokenWindow {
            file: self.path.clone(),
            line: self.line,
            window,
            what: what.to_owned(),
        }
    }
}
