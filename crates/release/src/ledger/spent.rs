//! The privacy account: what every answer about the same people has spent, in one sum.
//!
//! # Idea
//!
//! Three currencies add up by themselves: pure epsilon, rho of zero-concentrated differential privacy (zCDP), and (epsilon, delta). A pure
//! charge of epsilon is also one of epsilon squared over two in zCDP. The account keeps five running sums, so a charge costs the same
//! after ten thousand others, and tells for any delta the smaller of two true totals: everything added plainly, or pure charges exchanged
//! into rho. Releases whose promises are about groups have no epsilon: the account counts them and says so.
//!
//! # Guarantee
//!
//! Sums are exact (whole units of 10^-18); exchanges are rounded up. The total is never below what was spent.
//!
//! # Reference
//!
//! Bun and Steinke, Concentrated differential privacy, TCC 2016: propositions 1.3 (rho-zCDP gives (rho + 2 sqrt(rho ln 1/delta), delta))
//! and 1.4 (epsilon-DP gives epsilon^2/2-zCDP), lemma 1.7 (sums). Basic composition of (epsilon, delta): Dwork et al. 2006.
//! Departure: advanced composition of (epsilon, delta) charges is not used; it never lowers a bound that was stated.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Decimal places of an amount.
const PLACES: usize = 18;
/// Units in one.
const ONE: u128 = 1_000_000_000_000_000_000;
/// Relative room for what floating-point functions may be off by.
const SLACK: f64 = 1e-12;

/// An amount that is not negative, exact to eighteen places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Amount(u128);

impl Amount {
    /// Nothing.
    pub const ZERO: Amount = Amount(0);

    /// Reads a decimal of at most eighteen places.
    pub fn parse(text: &str) -> Option<Amount> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + part.len() == 0 || part.len() > PLACES || !digits(whole) || !digits(part) {
            return None;
        }
        let number = |text: &str| match text {
            "" => Some(0_u128),
            text => text.parse().ok(),
        };
        let units = number(whole)?.checked_mul(ONE)?;
        let part = number(&format!("{part:0<PLACES$}"))?;
        units.checked_add(part).map(Amount)
    }

    /// The sum; the largest amount where there is none.
    #[must_use]
    pub fn plus(self, other: Amount) -> Amount {
        Amount(self.0.saturating_add(other.0))
    }

    /// What is left after `other` is taken away; nothing where it is more.
    pub fn minus(self, other: Amount) -> Option<Amount> {
        self.0.checked_sub(other.0).map(Amount)
    }

    /// As a floating-point number, for people to read.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// A floating-point number as an amount that is no smaller.
    #[expect(
        clippy::cast_sign_loss,
        reason = "roots are not negative, and what is no number is the largest amount"
    )]
    fn above(number: f64) -> Amount {
        let units = number * (1.0 + SLACK) * ONE as f64;
        if units.is_nan() || units >= u128::MAX as f64 {
            return Amount(u128::MAX);
        }
        Amount((units.ceil() as u128).saturating_add(1))
    }

    /// Half its square, rounded up.
    fn half_squared(self) -> Amount {
        let root = self.0.div_ceil(1_000_000_000);
        root.checked_mul(root)
            .map_or(Amount(u128::MAX), |square| Amount(square.div_ceil(2)))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / ONE, self.0 % ONE);
        if part == 0 {
            return write!(f, "{whole}");
        }
        let part = format!("{part:018}");
        write!(f, "{whole}.{}", part.trim_end_matches('0'))
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Amount, String> {
        Amount::parse(text)
            .ok_or_else(|| "a decimal that is not negative, of at most 18 places".to_owned())
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_string())
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What an answer costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// Epsilon-differential privacy.
    Pure {
        /// Its epsilon.
        epsilon: Amount,
    },
    /// Zero-concentrated differential privacy.
    Concentrated {
        /// Its rho.
        rho: Amount,
    },
    /// (Epsilon, delta)-differential privacy.
    Approximate {
        /// Its epsilon.
        epsilon: Amount,
        /// Its delta.
        delta: Amount,
    },
}

/// An answer and what it costs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Charge {
    /// What was answered, in the steward's words.
    pub about: String,
    /// What it costs everybody in the data.
    pub cost: Cost,
}

/// What was spent in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrivacyAccount {
    charges: u64,
    pure: Amount,
    /// Of the pure charges, in rho.
    exchanged: Amount,
    rho: Amount,
    epsilon: Amount,
    delta: Amount,
}

/// A total in one currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// The epsilon that covers everything.
    pub epsilon: Amount,
    /// With this delta.
    pub delta: Amount,
}

impl PrivacyAccount {
    /// Adds a charge, at the same cost whatever was added before.
    pub fn charge(&mut self, cost: &Cost) {
        self.charges += 1;
        match *cost {
            Cost::Pure { epsilon } => {
                self.pure = self.pure.plus(epsilon);
                self.exchanged = self.exchanged.plus(epsilon.half_squared());
            }
            Cost::Concentrated { rho } => self.rho = self.rho.plus(rho),
            Cost::Approximate { epsilon, delta } => {
                self.epsilon = self.epsilon.plus(epsilon);
                self.delta = self.delta.plus(delta);
            }
        }
    }

    /// How many charges there were.
    pub fn charges(&self) -> u64 {
        self.charges
    }

    /// The delta below which there is no total.
    pub fn least_delta(&self) -> Amount {
        self.delta
    }

    /// The smallest epsilon that is known to cover everything with this delta; nothing where the delta is too small.
    pub fn total(&self, delta: Amount) -> Option<Total> {
        let left = delta.minus(self.delta)?;
        let plainly = match (self.rho, left) {
            (Amount::ZERO, _) => Some(self.pure),
            (_, Amount::ZERO) => None,
            (rho, left) => Some(self.pure.plus(exchange(rho, left))),
        };
        let exchanged =
            (left > Amount::ZERO).then(|| exchange(self.rho.plus(self.exchanged), left));
        let least = plainly.into_iter().chain(exchanged).min()?;
        Some(Total {
            epsilon: least.plus(self.epsilon),
            delta,
        })
    }
}

/// The epsilon that `rho` comes to with `delta`, rounded up.
fn exchange(rho: Amount, delta: Amount) -> Amount {
    if rho == Amount::ZERO {
        return Amount::ZERO;
    }
    let surprise = (-(delta.to_f64() * (1.0 - SLACK)).ln()).max(0.0) * (1.0 + SLACK);
    rho.plus(Amount::above(2.0 * (rho.to_f64() * surprise).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).expect("an amount")
    }

    fn pure(text: &str) -> Cost {
        Cost::Pure {
            epsilon: amount(text),
        }
    }

    #[test]
    fn amounts_are_exact() {
        assert_eq!(amount("0.1").plus(amount("0.2")), amount("0.3"));
        assert_eq!(amount("0.30").to_string(), "0.3");
        assert_eq!(amount("12").to_string(), "12");
        assert_eq!(
            amount("0.000000000000000001").to_string(),
            "0.000000000000000001"
        );
        let long = amount("123456789.000000000000000001");
        assert_eq!(
            amount(&long.to_string()),
            long,
            "what is written is read again"
        );
        assert_eq!(amount(".5"), amount("0.5"));
        for wrong in ["-1", "", ".", "1e3", "+1", "1.2.3", " 1", "é"] {
            assert_eq!(Amount::parse(wrong), None, "{wrong}");
        }
        assert_eq!(Amount::parse("0.0000000000000000001"), None);
        assert_eq!(amount("0.5").half_squared(), amount("0.125"));
    }

    #[test]
    fn ten_tenths_are_one() {
        let mut account = PrivacyAccount::default();
        for _ in 0..10 {
            account.charge(&pure("0.1"));
        }
        let total = account.total(Amount::ZERO).expect("a total");
        assert_eq!((total.epsilon, total.delta), (amount("1"), Amount::ZERO));
    }

    #[test]
    fn many_small_charges_are_cheaper_in_rho() {
        let mut account = PrivacyAccount::default();
        for _ in 0..10_000 {
            account.charge(&pure("0.01"));
        }
        let plain = account.total(Amount::ZERO).expect("a total").epsilon;
        assert_eq!(plain, amount("100"));
        // rho = 10,000 * 0.01^2 / 2 = 0.5; 0.5 + 2 sqrt(0.5 ln 10^6) = 5.7565, by hand.
        let total = account.total(amount("0.000001")).expect("a total").epsilon;
        assert!((total.to_f64() - 5.756_522).abs() < 1e-5, "{total}");
    }

    #[test]
    fn three_currencies_are_one_sum() {
        let mut account = PrivacyAccount::default();
        account.charge(&pure("1"));
        account.charge(&Cost::Concentrated {
            rho: amount("0.02"),
        });
        account.charge(&Cost::Approximate {
            epsilon: amount("0.5"),
            delta: amount("0.0000001"),
        });
        assert_eq!(account.total(Amount::ZERO), None);
        assert_eq!(account.total(account.least_delta()), None);
        let total = account.total(amount("0.0000011")).expect("a total").epsilon;
        // Plainly: 0.5 + 1 + 0.02 + 2 sqrt(0.02 ln 10^6) = 2.5713; in rho: 0.5 + 0.52 + 2 sqrt(0.52 ln 10^6) = 6.38.
        assert!((total.to_f64() - 2.571_305).abs() < 1e-5, "{total}");
        assert!(total >= amount("2.5713"));
    }

    #[test]
    fn a_total_is_never_below_a_careful_one() {
        // Against a bound by more digits: rho + 2 sqrt(rho ln 1/delta) computed in double and lowered by nothing.
        for (rho, delta) in [("0.000001", "0.1"), ("0.5", "0.000000001"), ("7", "0.999")] {
            let found = exchange(amount(rho), amount(delta)).to_f64();
            let (r, d): (f64, f64) = (rho.parse().unwrap(), delta.parse().unwrap());
            let exact = r + 2.0 * (r * (1.0 / d).ln()).sqrt();
            assert!(
                found >= exact && found < exact * (1.0 + 1e-9),
                "{found} {exact}"
            );
        }
    }
}
