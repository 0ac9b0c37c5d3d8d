//! Who may log in: a file of salted verifiers, and a brake on guessing.

use crate::error::Error;
use crate::scram::Verifier;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Users and their verifiers.
#[derive(Debug, Clone, Default)]
pub struct Users {
    verifiers: BTreeMap<String, Verifier>,
}

impl Users {
    /// Reads a users file: one `name:verifier` per line, `#` begins a comment.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut verifiers = BTreeMap::new();
        for (place, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let user = line.split_once(':').and_then(|(name, verifier)| {
                Some((name.to_owned(), Verifier::from_text(verifier)?))
            });
            let (name, verifier) = user.ok_or(Error::UsersLine { line: place + 1 })?;
            verifiers.insert(name, verifier);
        }
        Ok(Self { verifiers })
    }

    /// Adds or replaces a user.
    pub fn set(&mut self, name: &str, verifier: Verifier) {
        self.verifiers.insert(name.to_owned(), verifier);
    }

    /// Removes a user; whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        self.verifiers.remove(name).is_some()
    }

    /// The file.
    pub fn to_text(&self) -> String {
        let lines = self.verifiers.iter().map(|(name, verifier)| {
            [
                name,
                ":",
                &verifier.to_text(),
                "
",
            ]
            .concat()
        });
        lines.collect()
    }

    /// The user's verifier, or a decoy for nobody.
    pub fn verifier(&self, name: &str, secret: &[u8]) -> Verifier {
        self.verifiers
            .get(name)
            .cloned()
            .unwrap_or_else(|| Verifier::decoy(name, secret))
    }
}

/// After this many failures in a row an address waits.
const FREE_FAILURES: u32 = 5;
/// The first wait; it doubles with each further failure up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Addresses remembered; the oldest failures are forgotten first, so that the brake itself cannot fill the memory.
const REMEMBERED: usize = 10_000;

/// The brake on guessing passwords, per client address.
#[derive(Debug, Default)]
pub struct Brake {
    failures: Mutex<BTreeMap<IpAddr, (u32, Instant)>>,
}

impl Brake {
    /// Whether the address may try now.
    pub fn may_try(&self, address: IpAddr, now: Instant) -> bool {
        let failures = self.lock();
        failures
            .get(&address)
            .is_none_or(|(count, last)| now.duration_since(*last) >= wait(*count))
    }

    /// Records the end of a try.
    pub fn record(&self, address: IpAddr, success: bool, now: Instant) {
        let mut failures = self.lock();
        if success {
            failures.remove(&address);
            return;
        }
        let entry = failures.entry(address).or_insert((0, now));
        *entry = (entry.0.saturating_add(1), now);
        if failures.len() > REMEMBERED
            && let Some(oldest) = failures
                .iter()
                .min_by_key(|(_, (_, last))| *last)
                .map(|(address, _)| *address)
        {
            failures.remove(&oldest);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<IpAddr, (u32, Instant)>> {
        // a panic elsewhere leaves the counts as they are, which is what we want
        self.failures
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn wait(failures: u32) -> Duration {
    match failures.checked_sub(FREE_FAILURES) {
        None => Duration::ZERO,
        Some(more) => FIRST_WAIT
            .saturating_mul(1 << more.min(10))
            .min(LONGEST_WAIT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back() {
        let mut users = Users::default();
        users.set("anna", Verifier::new("one", b"salt", 2));
        users.set("ben", Verifier::new("two", b"pepper", 2));
        let again = Users::parse(&format!("# users\n\n{}", users.to_text())).expect("our own file");
        assert_eq!(again.to_text(), users.to_text());
        assert!(users.remove("ben") && !users.remove("ben"));
        let broken = Users::parse("anna:SCRAM-SHA-256$1:$:\n").map(|_| ());
        assert!(matches!(broken, Err(Error::UsersLine { line: 1 })));
    }

    #[test]
    fn guessing_gets_slower() {
        let brake = Brake::default();
        let address: IpAddr = [127, 0, 0, 1].into();
        let start = Instant::now();
        for _ in 0..FREE_FAILURES {
            assert!(brake.may_try(address, start));
            brake.record(address, false, start);
        }
        assert!(!brake.may_try(address, start));
        assert!(brake.may_try(address, start + Duration::from_secs(1)));
        brake.record(address, false, start);
        assert!(!brake.may_try(address, start + Duration::from_secs(1)));
        assert!(
            brake.may_try([10, 0, 0, 1].into(), start),
            "others are not slowed"
        );
        brake.record(address, true, start);
        assert!(brake.may_try(address, start));
        for _ in 0..100 {
            brake.record(address, false, start);
        }
        assert!(brake.may_try(address, start + LONGEST_WAIT));
    }
}
