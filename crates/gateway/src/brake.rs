//! The brake on guessing passwords: every try is counted before it is judged, by user, by address, and by both together.
//!
//! # Idea
//! Three counts see every try, and each answers another attack.
//!
//! - **User and address together** (strict). Five wrong tries are free; each further one makes that user wait at that address, one second
//!   and then twice as long up to a minute. One machine that guesses at one account gets some 1,400 guesses a day.
//! - **User** (slower). Many machines that guess at one account share fifty tries, and one more every thirty seconds.
//! - **Address** (generous). One machine that tries a common password on every account has a hundred tries, and one more every second.
//!
//! Where a user has logged in before, only the strict count holds for that user. So whoever guesses from elsewhere, or at other names from
//! the same proxy or BI server, cannot keep out those who work there; and of those who share an address only the user who is guessed at waits.
//!
//! A try that comes during a wait is refused without being judged and does not lengthen the wait: the right password gets in once the wait
//! is over. A success clears the count of that user at that address and nothing else, so that one's own login between two guesses at another's
//! gains nothing. What was not tried for a quarter of an hour is forgotten.
//!
//! # Guarantee
//! The count, the judgment and its record are one step under one lock: three hundred connections opened first get no more guesses than
//! three hundred opened one after the other, and a pool that opens thirty connections at once with the right password is not slowed.
//! Names that nobody has are counted like any other. IPv6 counts by /64, which one customer has whole. The tables hold a bounded number of entries of
//! fixed size; when one is full, those with the fewest failures are forgotten first, so that made-up names do not push out the one that is guessed at.
//!
//! Whoever tries the right name from the right address without pause takes most of the turns after each wait: against an
//! adversary on the same machine as the user there is no fair order of turns, and the audit log shows the address.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failures of a user at an address that cost nothing: a mistyped password.
const FREE: u32 = 5;
/// The first wait; it doubles with each further failure up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait of a user at an address.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// After so long without a try failures are forgotten: slower than the longest wait lets anyone guess.
const FORGET: Duration = Duration::from_mins(15);
/// Tries at one user from all addresses where that user never logged in, and how soon there is one more.
const USER: Allowance = Allowance {
    burst: 50,
    refill: Duration::from_secs(30),
};
/// Tries from one address at all users who never logged in there.
const ADDRESS: Allowance = Allowance {
    burst: 100,
    refill: Duration::from_secs(1),
};
/// Entries of each table, of some hundred bytes each.
const REMEMBERED: usize = 10_000;

/// A name, shortened to a fixed size.
type Name = [u8; 16];

/// What a try came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<T> {
    /// The password was right.
    Right(T),
    /// It was judged, and wrong.
    Wrong,
    /// It was not judged: too many failures before.
    Waits,
}

/// The brake.
#[derive(Debug, Default)]
pub struct Brake {
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    /// Failures of a user at an address, and when the last was judged.
    pairs: BTreeMap<(Name, IpAddr), (u32, Instant)>,
    users: BTreeMap<Name, Spent>,
    addresses: BTreeMap<IpAddr, Spent>,
    /// Where a user has logged in, and when last.
    known: BTreeMap<(Name, IpAddr), Instant>,
}

struct Allowance {
    burst: u32,
    refill: Duration,
}

/// Tries that were taken of an allowance at a moment; they come back with time.
#[derive(Debug, Clone, Copy)]
struct Spent {
    tries: u32,
    at: Instant,
}

impl Spent {
    /// What is still spent now.
    fn now(self, allowance: &Allowance, now: Instant) -> Self {
        let back = now.saturating_duration_since(self.at).as_nanos() / allowance.refill.as_nanos();
        let back = u32::try_from(back).unwrap_or(u32::MAX);
        if back >= self.tries {
            return Self { tries: 0, at: now };
        }
        Self {
            tries: self.tries - back,
            at: self.at + allowance.refill * back,
        }
    }
}

impl Brake {
    /// One try of a user from an address: `judge` is asked only if the try counts, and its answer is on record before another try is let in.
    pub fn judge<T>(
        &self,
        user: &str,
        address: IpAddr,
        now: Instant,
        judge: impl FnOnce() -> Option<T>,
    ) -> Outcome<T> {
        let (name, net) = (short(user), network(address));
        let pair = (name, net);
        // a panic elsewhere leaves the counts as they are, which is what we want
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        let (failures, last) = tables.pairs.get(&pair).copied().unwrap_or((0, now));
        let quiet = now.saturating_duration_since(last);
        let failures = if quiet >= FORGET { 0 } else { failures };
        if quiet < wait(failures) {
            return Outcome::Waits;
        }
        let is_known = tables.known.contains_key(&pair);
        let of_user = spent(tables.users.get(&name), &USER, now);
        let of_address = spent(tables.addresses.get(&net), &ADDRESS, now);
        if !is_known && (of_user.tries >= USER.burst || of_address.tries >= ADDRESS.burst) {
            return Outcome::Waits;
        }
        if let Some(right) = judge() {
            tables.pairs.remove(&pair);
            tables.known.insert(pair, now);
            shrink(&mut tables.known, |last| (0, *last));
            return Outcome::Right(right);
        }
        tables.pairs.insert(pair, (failures.saturating_add(1), now));
        shrink(&mut tables.pairs, |entry| *entry);
        if !is_known {
            let one_more = |spent: Spent| Spent {
                tries: spent.tries + 1,
                ..spent
            };
            tables.users.insert(name, one_more(of_user));
            shrink(&mut tables.users, |spent| (spent.tries, spent.at));
            tables.addresses.insert(net, one_more(of_address));
            shrink(&mut tables.addresses, |spent| (spent.tries, spent.at));
        }
        Outcome::Wrong
    }
}

fn spent(entry: Option<&Spent>, allowance: &Allowance, now: Instant) -> Spent {
    entry.map_or(Spent { tries: 0, at: now }, |spent| {
        spent.now(allowance, now)
    })
}

fn wait(failures: u32) -> Duration {
    match failures.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(more) => FIRST_WAIT
            .saturating_mul(1 << more.min(10))
            .min(LONGEST_WAIT),
    }
}

/// The network that one customer has: an IPv4 address, also one written as IPv6, or an IPv6 /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(four) => four.into(),
        IpAddr::V6(six) => {
            let high = six.to_bits() & !u128::from(u64::MAX);
            std::net::Ipv6Addr::from_bits(high).into()
        }
    }
}

/// A name of any length, as a key of fixed size.
fn short(user: &str) -> Name {
    let digest: [u8; 32] = Sha256::digest(user).into();
    let mut name = [0; 16];
    name.copy_from_slice(&digest[..16]);
    name
}

/// Forgets half of a full table: those of the least weight, the oldest of equal ones.
fn shrink<K: Ord + Copy, V>(table: &mut BTreeMap<K, V>, weight: impl Fn(&V) -> (u32, Instant)) {
    if table.len() <= REMEMBERED {
        return;
    }
    let mut weights: Vec<((u32, Instant), K)> = table
        .iter()
        .map(|(key, value)| (weight(value), *key))
        .collect();
    weights.sort_unstable();
    for (_, key) in weights.into_iter().take(REMEMBERED / 2) {
        table.remove(&key);
    }
}

#[cfg(test)]
mod tests;
