//! Every promise that can be judged on a group without a population, loose and strict, for tests of knowledge and of solvers.

use denym_data::{Decimal, Fraction, Hierarchy};
use denym_measure::Promise;
use denym_measure::promises::{
    Absent, AlphaK, Base, BetaLikeness, Confidence, DeltaDisclosure, DisclosureRecursive,
    DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity, KeAnonymity, Likeness,
    RecursiveDiversity, TCloseness, XyAnonymity, XyPrivacy,
};

/// How many there are.
pub(crate) const KINDS: usize = 17;

/// One promise about an attribute whose values 0, 1, 2, ... occur as often as `reference` says; `strict` from 0 (loose) to 3.
pub(crate) fn promise(
    kind: usize,
    attribute: usize,
    reference: &[u64],
    strict: u64,
) -> Box<dyn Promise> {
    let of = |part: u64, whole: u64| Fraction::of(part, whole);
    let k = 1 + strict;
    let share = of(9 - 2 * strict, 10);
    // Values as numbers that are not evenly spaced, and in a taxonomy of pairs.
    let numbers: Vec<Option<Decimal>> = (0..reference.len())
        .map(|value| Decimal::parse(&(value * value + 1).to_string()))
        .collect();
    let tree: Vec<Vec<Option<String>>> = (0..reference.len())
        .map(|value| {
            let (leaf, pair) = (format!("s{value}"), format!("p{}", value / 2));
            vec![Some(leaf), Some(pair), Some("*".to_owned())]
        })
        .collect();
    match kind {
        0 => Box::new(KAnonymity { k }),
        1 => Box::new(Confidence::of_all(attribute, share)),
        2 => Box::new(Confidence::of_values(
            attribute,
            [(0, share), (2, of(1, 2))],
        )),
        3 => Box::new(XyPrivacy {
            k,
            confidence: Confidence::of_values(attribute, [(1, share)]),
        }),
        4 => Box::new(AlphaK {
            attribute,
            alpha: share,
            k,
        }),
        5 => Box::new(DistinctDiversity { attribute, l: k }),
        6 => Box::new(EntropyDiversity {
            attribute,
            l: of(10 + 3 * strict, 10),
        }),
        7 => Box::new(RecursiveDiversity {
            attribute,
            c: of(5 - strict, 1),
            l: 2,
        }),
        8 => Box::new(DisclosureRecursive::negative(
            attribute,
            of(5 - strict, 1),
            2,
            vec![0],
            of(strict, 20),
            vec![1],
        )),
        9 => Box::new(TCloseness::equal(
            attribute,
            of(8 - 2 * strict, 10),
            reference,
        )),
        10 => Box::new(TCloseness::ordered(
            attribute,
            of(8 - 2 * strict, 10),
            reference,
        )),
        11 => {
            let taxonomy = Hierarchy::from_labels(&tree);
            let t = of(8 - 2 * strict, 10);
            Box::new(TCloseness::hierarchical(attribute, t, reference, &taxonomy))
        }
        12 => Box::new(BetaLikeness::new(
            attribute,
            of(4 - strict, 1),
            Likeness::Basic,
            reference,
        )),
        13 => Box::new(BetaLikeness::new(
            attribute,
            of(4 - strict, 1),
            Likeness::Enhanced,
            reference,
        )),
        14 => Box::new(DeltaDisclosure::new(
            attribute,
            of(4 - strict, 2),
            Base::Two,
            if strict.is_multiple_of(2) {
                Absent::Skipped
            } else {
                Absent::Breaks
            },
            reference,
        )),
        15 => {
            let e = Decimal::parse(&strict.to_string()).unwrap();
            Box::new(KeAnonymity::new(attribute, k, e, &numbers))
        }
        16 => {
            let epsilon = Decimal::parse(&strict.to_string()).unwrap();
            Box::new(EpsilonM::new(attribute, epsilon, 2, &numbers))
        }
        _ => Box::new(XyAnonymity { y: attribute, k }),
    }
}
