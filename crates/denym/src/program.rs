//! How a release stands against somebody who knows the program: what was measured of its algorithm, and what a policy may demand.
//!
//! # Idea
//!
//! A promise is judged on what a release shows. Whoever knows the program can also ask which sources would have been published like this,
//! and that may tell more. How much more is measured on small tables whose every source can be tried, for every algorithm and every
//! kind of promise; the marks live beside the algorithms, and tests compare them with what they measure. A policy with
//! `knows = { algorithm = true }` is served only by algorithms that were found to keep their promises.

use std::ops::Range;

use denym_data::{AlgorithmEntry, Role, Standing, Verdict};
use denym_measure::catalogue::Needs;
use denym_release::certificate::percent;
pub use denym_release::certificate::{Found, Program};

use crate::catalogue::algorithms;
use crate::kinds::about;
use crate::policy::paths::Matching;
use crate::policy::sequences::SequencesSpec;
use crate::policy::{Mistake, Policy, PromiseSpec};

/// Which kind of verdict counts for a promise.
#[derive(PartialEq, Eq)]
enum Kind {
    Sizes,
    Values,
    Unknown,
}

/// The algorithm that is run: trails have one, and on paths and transactions `auto` takes what is safe where that is demanded.
pub(crate) fn algorithm(policy: &Policy) -> &'static str {
    let (about, named) = (about(policy), policy.release.algorithm.name);
    let safe = about
        .safe
        .filter(|_| policy.knows_program && named == "auto");
    about.only.or(safe).unwrap_or(named)
}

/// Whether `auto` is asked for and stands for a portfolio, which takes nothing but what is safe where that is demanded.
fn portfolio(policy: &Policy, name: &str) -> bool {
    name == "auto" && about(policy).safe.is_none()
}

/// What is safe on paths and transactions, whatever is promised and whatever of a path is known.
pub(crate) const BLIND: &str = "blind-suppression";

/// How a release under `policy` stands.
pub(crate) fn of(policy: &Policy) -> Program {
    Program::new(policy.knows_program, standing(policy, algorithm(policy)))
}

/// A verdict in words, for lists of algorithms.
pub fn verdict_words(verdict: Verdict) -> String {
    let one = |kind: &str, standing: Standing| match standing {
        Standing::Holds => Some(format!("{kind} safe")),
        Standing::Exceeded { per_mille } => {
            Some(format!("{kind} not safe ({} %)", percent(per_mille)))
        }
        Standing::NotPromised => None,
    };
    let kinds = [one("sizes", verdict.sizes), one("values", verdict.values)];
    kinds.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Whether `policy` speaks of sensitive values, which `auto` must know before it chooses.
pub(crate) fn on_values(policy: &Policy) -> bool {
    let mut promises = policy.promises.iter();
    promises.any(|promised| kind(&promised.promise) == Kind::Values)
}

/// A mistake where a policy demands more than its algorithm gives, with the names of those that give it.
pub(crate) fn check(policy: &Policy) -> Option<Mistake> {
    let name = algorithm(policy);
    if !policy.knows_program || safe(policy, name) {
        return None;
    }
    let mut able: Vec<&str> = fitting(about(policy).algorithms)
        .map(|algorithm| algorithm.name)
        .filter(|other| safe(policy, other))
        .collect();
    able.dedup();
    let help = if able.is_empty() {
        "no algorithm for such data and promises is known to be: leave `algorithm = true` out, or promise something else".to_owned()
    } else {
        format!(
            "use one of {}, or leave `algorithm = true` out",
            able.join(", ")
        )
    };
    Some(Mistake::new(
        "policy-unsafe-algorithm",
        place(policy),
        format!(
            "the adversary knows the program, and `{name}` is {}",
            of(policy).words()
        ),
        help,
    ))
}

/// Where the algorithm stands in the policy; the beginning, where it is the default.
fn place(policy: &Policy) -> Range<usize> {
    policy.release.algorithm_span.clone()
}

/// Whether an algorithm keeps promises like those of `policy` against who knows it.
fn safe(policy: &Policy, name: &str) -> bool {
    if portfolio(policy, name) && policy.knows_program {
        // The portfolio then takes nothing but what is safe.
        let promises = || {
            policy
                .promises
                .iter()
                .map(|promised| kind(&promised.promise))
        };
        return promises().all(|kind| kind != Kind::Unknown) && plain(policy, name);
    }
    standing(policy, name).is_some_and(Standing::holds)
}

/// The standing of an algorithm for promises like those of `policy`; `None` when nobody measured.
fn standing(policy: &Policy, name: &str) -> Option<Standing> {
    let mut kinds = policy
        .promises
        .iter()
        .map(|promised| kind(&promised.promise));
    if kinds.any(|kind| kind == Kind::Unknown) && name != "greedy-personalized"
        || !plain(policy, name)
    {
        return None;
    }
    if portfolio(policy, name) && policy.knows_program {
        return Some(Standing::Holds);
    }
    let values = on_values(policy) || name == "greedy-personalized";
    // Nobody tried tables in which people have several records. Where the program is known they publish one each.
    let several = !policy.knows_program && policy.with_role(Role::Subject).next().is_some();
    let verdicts = fitting(about(policy).algorithms).filter(|algorithm| algorithm.name == name);
    // `auto` and `best-effort` stand for tables and for numbers: the worse of the two counts.
    verdicts
        .map(|algorithm| algorithm.verdict)
        .chain(portfolio(policy, name).then_some(denym_microdata::AUTO))
        .map(|verdict| verdict.standing(values))
        .max_by_key(|standing| match standing {
            Standing::NotPromised => 0,
            Standing::Holds => 1,
            Standing::Exceeded { per_mille } => 2 + u32::from(*per_mille),
        })
        .filter(|standing| !several || !standing.holds())
}

/// The algorithms that work on one of `data`, in the catalogue's words.
pub(crate) fn fitting(
    data: &'static [&'static str],
) -> impl Iterator<Item = &'static AlgorithmEntry> {
    let all = algorithms().into_iter();
    all.filter(|algorithm| data.contains(&algorithm.data))
}

/// Whether nothing steers the search that was not there when it was measured; of paths alone no earlier release may be known.
fn plain(policy: &Policy, name: &str) -> bool {
    let other = |spec: &SequencesSpec| {
        let covers = spec.matching == Matching::Covers && spec.separator.is_none();
        spec.earlier.is_some() || covers && name != BLIND
    };
    policy.release.task.is_none()
        && policy.release.microdata.unconcerned.is_none()
        && policy.data.details.is_empty()
        && !policy.sequences.as_ref().is_some_and(other)
}

fn kind(promise: &PromiseSpec) -> Kind {
    let unknown = [Needs::Columns, Needs::Guards, Needs::Population];
    if promise.is_about_places() || unknown.contains(&promise.entry().needs()) {
        Kind::Unknown
    } else if promise.size().is_some() {
        Kind::Sizes
    } else {
        Kind::Values
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn policy(knows: &str, promise: &str, algorithm: &str) -> Result<Policy, Vec<Mistake>> {
        let text = format!(
            "[data]\npath = \"p.csv\"\n[attributes]\nage = \"quasi\"\nill = \"sensitive\"\n[adversary]\nknows = {knows}\n\
             [promise]\n{promise}\n[release]\nalgorithm = \"{algorithm}\"\n"
        );
        crate::parse_policy(&text, Path::new("p.toml"))
    }

    const VALUES: &str = "k-anonymity = 2\nl-diversity = 2";

    #[test]
    fn an_unsafe_algorithm_is_refused_with_the_names_of_safe_ones() {
        let refused = policy(
            "{ quasi-identifiers = true, algorithm = true }",
            VALUES,
            "full-domain",
        );
        let mistakes = refused.expect_err("not safe for values");
        assert_eq!(mistakes.len(), 1);
        assert_eq!(mistakes[0].code, "policy-unsafe-algorithm");
        for name in ["anatomy", "blind-generalization", "auto"] {
            assert!(mistakes[0].help.contains(name), "{}", mistakes[0].help);
        }
        assert!(
            !mistakes[0].help.contains("mondrian"),
            "{}",
            mistakes[0].help
        );
    }

    #[test]
    fn sizes_alone_are_served_by_the_same_algorithm() {
        let served = policy("{ algorithm = true }", "k-anonymity = 2", "full-domain");
        let program = of(&served.expect("safe for sizes"));
        assert_eq!((program.demanded, program.standing), (true, Found::Holds));
        let refused = policy(
            "{ algorithm = true }",
            "k-anonymity = 2",
            "infogain-mondrian",
        );
        assert!(refused.is_err(), "sensitive values steer it");
    }

    #[test]
    fn every_form_of_knowledge_takes_the_program_beside_it() {
        for knows in [
            "{ algorithm = true }",
            "{ quasi-identifiers = true, algorithm = true }",
            "{ at-most = 1, algorithm = true }",
        ] {
            let served = policy(knows, VALUES, "auto").expect("auto restricts itself");
            assert!(served.knows_program, "{knows}");
        }
        let plain = policy("\"quasi-identifiers\"", VALUES, "auto").expect("as ever");
        assert!(!plain.knows_program);
        let plain = policy("{ at-most = 1, algorithm = false }", VALUES, "auto").expect("said");
        assert!(!plain.knows_program);
        for knows in [
            "{ quasi-identifiers = false, algorithm = true }",
            "{ quasi-identifiers = true, at-most = 1 }",
            "{}",
        ] {
            assert!(policy(knows, VALUES, "auto").is_err(), "{knows}");
        }
    }

    /// A policy for another kind of data.
    fn of_kind(kind: &str, knows: &str, rest: &str) -> Result<Policy, Vec<Mistake>> {
        let text = format!(
            "[data]\npath = \"p.csv\"\nkind = \"{kind}\"\n[adversary]\nknows = {knows}\n{rest}"
        );
        crate::parse_policy(&text, Path::new("p.toml"))
    }

    #[test]
    fn paths_and_transactions_are_served_without_a_look_at_values() {
        let ill = "[attributes]\nill = \"sensitive\"\n[promise]\nk-anonymity = 2\n\
                   confidence = { attribute = \"ill\", values = [\"yes\"], at-most = 0.5 }\n";
        let test =
            "[promise]\nk-anonymity = 2\nconfidence = { items = [\"test\"], at-most = 0.5 }\n";
        for (kind, knows, rest) in [
            ("paths", "{ doublets = 2, algorithm = true }", ill),
            ("transactions", "{ items = 2, algorithm = true }", test),
        ] {
            let served = of_kind(kind, knows, rest).expect("auto restricts itself");
            assert_eq!(algorithm(&served), BLIND);
            assert_eq!(of(&served).standing, Found::Holds);
            let others = algorithms().into_iter().filter(|one| one.data == kind);
            for other in others.filter(|one| ![BLIND, "auto"].contains(&one.name)) {
                let release = format!("{rest}[release]\nalgorithm = \"{}\"\n", other.name);
                let mistakes = of_kind(kind, knows, &release).expect_err("steered by values");
                let told = mistakes.iter().any(|mistake| mistake.help.contains(BLIND));
                // Some say first what else they need.
                assert!(
                    told || mistakes[0].code != "policy-unsafe-algorithm",
                    "{mistakes:?}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_called_safe_together_with_an_earlier_release() {
        let rest = "[promise]\nk-anonymity = 2\n[release]\nearlier = \"last\"\n";
        let refused = of_kind("paths", "{ doublets = 2, algorithm = true }", rest);
        assert_eq!(
            refused.expect_err("not tried")[0].code,
            "policy-unsafe-algorithm"
        );
    }

    #[test]
    fn what_nobody_measured_is_not_called_safe() {
        let refused = policy(
            "{ algorithm = true }",
            "delta-presence = { population = \"r.csv\", most = 0.5 }",
            "spalm",
        );
        let mistakes = refused.expect_err("presence was not measured");
        assert_eq!(mistakes[0].code, "policy-unsafe-algorithm");
        assert!(
            mistakes[0].message.contains("not measured"),
            "{}",
            mistakes[0].message
        );
    }
}
