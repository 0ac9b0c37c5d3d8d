//! Walks the chain of a stream's certificates and measures every published window again.
//!
//! What is checked, from the two public files alone: each line follows from the one before (nothing in the middle is missing, changed or
//! in another place), all make the same claims, numbers and times lie on one grid, counts only grow and add up, and each
//! window is the one its certificate speaks of, holds what is measured there and keeps the claims. Of deltas the whole window is
//! put together first. What cannot be seen: lines missing at the end, and what only the source shows.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use denym_stream::{
    Certificate, Chain, Claims, Delta, Matching, Measured, Status, Window, verify_chain,
    verify_window,
};

use crate::{Error, Fraction};

/// What a walk along a stream's output found.
#[derive(Debug, Clone, PartialEq)]
pub struct StreamVerification {
    /// Whether everything that can be checked holds.
    pub holds: bool,
    /// The first thing that does not.
    pub broken: Option<BrokenWindow>,
    /// What is promised of every window.
    pub claims: Option<Claims>,
    /// Certificates of published windows that were walked.
    pub published: u64,
    /// Certificates of withheld windows that were walked.
    pub withheld: u64,
    /// Windows measured again; none where windows are elsewhere.
    pub measured: Option<u64>,
    /// Number of the last window.
    pub last_window: Option<u64>,
    /// Hash of the last line, to compare with the publisher's.
    pub last_line: Option<String>,
    /// Fewest subjects in any group of any window.
    pub smallest_group: Option<u64>,
    /// Highest share of a sensitive value in any group of any window.
    pub largest_confidence: Option<Fraction>,
    /// Whether the publisher's word is needed for the matching.
    pub attested_matching: bool,
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

/// Name of the chain.
const CERTIFICATES: &str = "certificates.ndjson";
/// Name of the windows.
const WINDOWS: &str = "windows.ndjson";

/// Whether `directory` holds the output of a stream.
pub fn is_stream(directory: &Path) -> bool {
    directory.join(CERTIFICATES).is_file()
}

/// Walks the chain in `directory` and measures its windows again.
pub fn verify_stream(directory: &Path) -> Result<StreamVerification, Error> {
    let path = directory.join(CERTIFICATES);
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the certificates", &path, &error))?;
    let windows = directory.join(WINDOWS);
    let mut walk = Walk {
        certificates: path,
        windows: None,
        found: StreamVerification {
            holds: false,
            broken: None,
            claims: None,
            published: 0,
            withheld: 0,
            measured: None,
            last_window: None,
            last_line: None,
            smallest_group: None,
            largest_confidence: None,
            attested_matching: false,
        },
        before: None,
    };
    if windows.is_file() {
        let file = File::open(&windows);
        let file = file.map_err(|error| Error::io("read the windows", &windows, &error))?;
        walk.windows = Some(Windows {
            path: windows,
            lines: BufReader::with_capacity(1 << 18, file),
            line: 0,
            base: None,
        });
        walk.found.measured = Some(0);
    }
    walk.found.broken = walk.all(&text)?;
    walk.found.holds = walk.found.broken.is_none();
    Ok(walk.found)
}

/// On the way along the chain.
struct Walk {
    certificates: PathBuf,
    windows: Option<Windows>,
    found: StreamVerification,
    before: Option<Certificate>,
}

/// The published windows, line by line.
struct Windows {
    path: PathBuf,
    lines: BufReader<File>,
    line: usize,
    /// The window before, whole; deltas are against it.
    base: Option<Window>,
}

impl Walk {
    fn all(&mut self, text: &str) -> Result<Option<BrokenWindow>, Error> {
        let mut chain = None;
        match verify_chain(text.lines()) {
            Ok(whole) => chain = Some(whole),
            Err(denym_stream::Error::BrokenChain { line, what }) => {
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
        if certificate.to - certificate.from != size - 1 {
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
        if certificate.from - before.from != apart.saturating_mul(step) {
            return Some("the window does not lie on the grid of the others");
        }
        let pairs = |c: &denym_stream::Counts| {
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
    fn window(&mut self, certificate: &Certificate) -> Result<Option<BrokenWindow>, Error> {
        let Some(windows) = &mut self.windows else {
            self.found.measured = None;
            if certificate.status == Status::Published {
                self.found.note(&certificate.measured);
            }
            return Ok(None);
        };
        if certificate.status == Status::Withheld {
            return Ok(None);
        }
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
                self.found.note(&measured);
                *self.found.measured.get_or_insert(0) += 1;
                windows.base = Some(whole);
                Ok(None)
            }
            Err(denym_stream::Error::BrokenChain { what, .. }) => Ok(Some(
                windows.broken(number, &format!("the certificate {what}")),
            )),
            Err(error) => Err(error.into()),
        }
    }
}

impl StreamVerification {
    fn note(&mut self, measured: &Measured) {
        if measured.subjects == 0 {
            return;
        }
        let group = measured.smallest_group;
        self.smallest_group = Some(self.smallest_group.map_or(group, |known| known.min(group)));
        let share = Some(measured.largest_confidence);
        // None is smaller than any.
        self.largest_confidence = self.largest_confidence.max(share);
    }
}

impl Windows {
    fn next(&mut self) -> Result<Option<String>, Error> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line);
        let read = read.map_err(|error| Error::io("read the windows", &self.path, &error))?;
        self.line += 1;
        while line.ends_with(['\n', '\r']) {
            line.pop();
        }
        Ok((read > 0).then_some(line))
    }

    /// The window of a line, put together if it is a delta, and whether it is one.
    fn whole(&self, line: &str) -> Result<(Window, bool), &'static str> {
        if let Some(window) = Window::from_line(line) {
            return Ok((window, false));
        }
        let delta = Delta::from_line(line).ok_or("the line is no window")?;
        let base = self.base.as_ref();
        let base = base.ok_or("the window is a difference to one that is not here")?;
        let whole = delta.apply(base).map(|whole| (whole, true));
        whole.map_err(|_| "the window is a difference to another than the one before it")
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
