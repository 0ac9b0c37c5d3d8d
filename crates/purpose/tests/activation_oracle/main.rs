//! Role activation on random policies: our evaluator and a naive one agree, and with the feature `cedar` (`make test-oracles`) cedar-policy as a
//! second engine; so do the static checks with exhaustive search.

#[cfg(feature = "cedar")]
mod cedar;

use denym_purpose::{
    AccessPolicy, Attribute, Attributes, Comparison, Condition, Domain, Finding, Grant, Moment,
    Objects, Operation, Purpose, PurposeMode, PurposeTree, Roles, Scope, User,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::Unequal,
    Comparison::Less,
    Comparison::AtMost,
    Comparison::Greater,
    Comparison::AtLeast,
];

/// Attributes 0 and 1 belong to the user, 2 and 3 to the system; all over 0..=3.
fn attributes() -> Attributes {
    Attributes::new(
        (0..4)
            .map(|place| Attribute {
                name: format!("x{place}"),
                scope: if place < 2 {
                    Scope::Role
                } else {
                    Scope::System
                },
                domain: Domain::Integer { least: 0, most: 3 },
            })
            .collect(),
    )
}

fn condition() -> impl Strategy<Value = Condition> {
    let leaf = prop_oneof![
        1 => Just(Condition::Always),
        9 => (0usize..4, 0usize..6, 0i64..4).prop_map(|(a, c, v)| Condition::Compare(a, COMPARISONS[c], v)),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Condition::All),
            proptest::collection::vec(inner.clone(), 1..4).prop_map(Condition::Any),
            inner.prop_map(|part| Condition::Not(Box::new(part))),
        ]
    })
}

fn values() -> impl Strategy<Value = Vec<Option<i64>>> {
    proptest::collection::vec(proptest::option::weighted(0.8, 0i64..4), 4)
}

/// Naive meaning: true for every way to fill in the missing attributes is too strong; a comparison with a missing attribute is false in
/// either polarity, so push the negation down by hand.
fn naive(condition: &Condition, values: &[Option<i64>], wanted: bool) -> bool {
    match condition {
        Condition::Always => wanted,
        Condition::Compare(a, c, v) => values[*a].is_some_and(|x| {
            let holds = match c {
                Comparison::Equal => x == *v,
                Comparison::Unequal => x != *v,
                Comparison::Less => x < *v,
                Comparison::AtMost => x <= *v,
                Comparison::Greater => x > *v,
                Comparison::AtLeast => x >= *v,
            };
            holds == wanted
        }),
        Condition::Not(part) => naive(part, values, !wanted),
        Condition::All(parts) if wanted => parts.iter().all(|p| naive(p, values, true)),
        Condition::All(parts) => parts.iter().any(|p| naive(p, values, false)),
        Condition::Any(parts) if wanted => parts.iter().any(|p| naive(p, values, true)),
        Condition::Any(parts) => parts.iter().all(|p| naive(p, values, false)),
    }
}

/// Roles r0..r4; the juniors of each have smaller numbers, so there is no cycle.
fn roles() -> impl Strategy<Value = Vec<BTreeSet<usize>>> {
    proptest::collection::vec(
        proptest::collection::vec(any::<prop::sample::Index>(), 0..3),
        5,
    )
    .prop_map(|draws| {
        draws
            .iter()
            .enumerate()
            .map(|(role, juniors)| {
                if role == 0 {
                    BTreeSet::new()
                } else {
                    juniors.iter().map(|j| j.index(role)).collect()
                }
            })
            .collect()
    })
}

fn policy(
    juniors: &[BTreeSet<usize>],
    grants: &[(usize, Condition)],
    assigned: &BTreeSet<usize>,
    user: &[Option<i64>],
    system: &[Option<i64>],
) -> AccessPolicy {
    let name = |role: &usize| format!("r{role}");
    let purpose = Purpose {
        name: "p".into(),
        ..Purpose::default()
    };
    let purposes = PurposeTree::new(vec![purpose], None).expect("one purpose");
    let id = purposes.find("p").expect("declared");
    AccessPolicy {
        purposes,
        purpose_mode: PurposeMode::Stated,
        attributes: attributes(),
        roles: Roles::new(
            juniors
                .iter()
                .enumerate()
                .map(|(r, j)| (name(&r), j.iter().map(name).collect()))
                .collect(),
        )
        .expect("no cycle"),
        users: BTreeMap::from([(
            "u".into(),
            User {
                roles: assigned.iter().map(name).collect(),
                attributes: user.to_vec(),
            },
        )]),
        grants: grants
            .iter()
            .enumerate()
            .map(|(place, (role, condition))| Grant {
                name: format!("g{place}"),
                role: name(role),
                condition: condition.clone(),
                objects: Objects::Everything,
                operations: BTreeSet::from([Operation::Select]),
                purposes: vec![id],
            })
            .collect(),
        tables: BTreeMap::new(),
        system: system.to_vec(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn activation_equals_its_naive_meaning_and_cedars(
        juniors in roles(),
        grants in proptest::collection::vec((0usize..5, condition()), 1..6),
        assigned in proptest::collection::btree_set(0usize..5, 0..3),
        user in values(),
        system in values(),
    ) {
        let policy = policy(&juniors, &grants, &assigned, &user, &system);
        let activation = policy.activate("u", Moment { day: 0, minute: 0 }).expect("known");
        #[cfg(feature = "cedar")]
        prop_assert_eq!(&activation.active, &cedar::active(&juniors, &grants, &assigned, &user, &system));
        // reachability by brute force
        let mut held = assigned.clone();
        for _ in 0..5 {
            let more: Vec<usize> = held.iter().flat_map(|r| juniors[*r].iter().copied()).collect();
            held.extend(more);
        }
        let seen: Vec<Option<i64>> = (0..4).map(|a| if a < 2 { user[a] } else { system[a] }).collect();
        let naive: Vec<usize> = (0..grants.len()).filter(|g| held.contains(&grants[*g].0) && naive(&grants[*g].1, &seen, true)).collect();
        prop_assert_eq!(activation.active, naive);
    }

    #[test]
    fn losing_an_attribute_never_gives_a_role(condition in condition(), mut values in values(), place in 0usize..4) {
        let before = condition.holds(&values);
        values[place] = None;
        prop_assert!(before || !condition.holds(&values));
    }

    #[test]
    fn satisfiable_means_some_value_fulfils_it(condition in condition(), fixed in values()) {
        let mut found = false;
        for code in 0..256i64 {
            let values: Vec<Option<i64>> = (0..4).map(|a| fixed[a].or(Some(code >> (2 * a) & 3))).collect();
            found |= condition.holds(&values);
        }
        let answer = condition.satisfy(&attributes(), &fixed);
        prop_assert_eq!(answer.is_some(), found);
        if let Some(values) = answer {
            prop_assert!(condition.holds(&values));
            prop_assert!((0..4).all(|a| fixed[a].is_none() || fixed[a] == values[a]));
        }
    }

    #[test]
    fn review_equals_trying_every_system_state(
        juniors in roles(),
        grants in proptest::collection::vec((0usize..5, condition()), 1..4),
        assigned in proptest::collection::btree_set(0usize..5, 0..3),
        user in values(),
    ) {
        let system = vec![None; 4];
        let findings = policy(&juniors, &grants, &assigned, &user, &system).review();
        let mut ever: BTreeSet<usize> = BTreeSet::new();
        for code in 0..16i64 {
            let system = vec![None, None, Some(code & 3), Some(code >> 2)];
            let policy = policy(&juniors, &grants, &assigned, &user, &system);
            ever.extend(policy.activate("u", Moment { day: 0, minute: 0 }).expect("known").active);
        }
        for (place, (role, _)) in grants.iter().enumerate() {
            let name = format!("g{place}");
            let dead = findings.iter().any(|finding| match finding {
                Finding::GrantNobodyCanActivate { grant } | Finding::ConditionNeverHolds { grant, .. } => *grant == name,
                Finding::RoleNobodyHas { role: nobody } => *nobody == format!("r{role}"),
                _ => false,
            });
            prop_assert_eq!(dead, !ever.contains(&place), "{} {:?}", name, findings);
        }
        let nobody = findings.iter().any(|f| matches!(f, Finding::PurposeNobodyMayState { .. }));
        prop_assert_eq!(nobody, ever.is_empty());
    }

    #[test]
    fn conditions_read_back(condition in condition(), values in values()) {
        let attributes = attributes();
        let text = condition.to_text(&attributes);
        let again = Condition::parse(&text, &attributes).expect("our own text");
        prop_assert_eq!(again.holds(&values), condition.holds(&values), "{}", text);
    }
}
