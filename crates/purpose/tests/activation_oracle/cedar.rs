//! The same roles and grants in the language of cedar-policy.

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid,
    PolicySet, Request, RestrictedExpression,
};
use denym_purpose::{Comparison, Condition};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

/// The condition in Cedar; an access to an absent attribute is an error there, so each comparison is guarded.
fn cedar(condition: &Condition, wanted: bool) -> String {
    match condition {
        Condition::Always => wanted.to_string(),
        Condition::Compare(a, c, v) => {
            let object = if *a < 2 { "principal" } else { "context" };
            let sign = if *c == Comparison::Equal {
                "=="
            } else {
                c.sign()
            };
            let not = if wanted { "" } else { "!" };
            format!("({object} has x{a} && {not}({object}.x{a} {sign} {v}))")
        }
        Condition::Not(part) => cedar(part, !wanted),
        Condition::All(parts) | Condition::Any(parts) => {
            let and = matches!(condition, Condition::All(_)) == wanted;
            let parts: Vec<String> = parts.iter().map(|p| cedar(p, wanted)).collect();
            format!("({})", parts.join(if and { " && " } else { " || " }))
        }
    }
}

fn uid(kind: &str, id: &str) -> EntityUid {
    let kind: EntityTypeName = kind.parse().expect("a type name");
    EntityUid::from_type_name_and_id(kind, EntityId::new(id))
}

/// The grants Cedar lets the user activate.
pub(crate) fn active(
    juniors: &[BTreeSet<usize>],
    grants: &[(usize, Condition)],
    assigned: &BTreeSet<usize>,
    user: &[Option<i64>],
    system: &[Option<i64>],
) -> Vec<usize> {
    let mut text = String::new();
    for (place, (role, condition)) in grants.iter().enumerate() {
        writeln!(
            text,
            "permit(principal in Role::\"r{role}\", action, resource == Grant::\"g{place}\") when {{ {} }};",
            cedar(condition, true)
        )
        .expect("writes to a string");
    }
    let policies: PolicySet = text.parse().expect("valid Cedar");
    let number = |value: i64| RestrictedExpression::new_long(value);
    let mut entities: Vec<Entity> = juniors
        .iter()
        .enumerate()
        .map(|(role, juniors)| {
            let parents: HashSet<EntityUid> = juniors
                .iter()
                .map(|j| uid("Role", &format!("r{j}")))
                .collect();
            Entity::new(uid("Role", &format!("r{role}")), HashMap::new(), parents)
                .expect("an entity")
        })
        .collect();
    let own = (0..2)
        .filter_map(|a| user[a].map(|v| (format!("x{a}"), number(v))))
        .collect();
    let parents: HashSet<EntityUid> = assigned
        .iter()
        .map(|r| uid("Role", &format!("r{r}")))
        .collect();
    entities.push(Entity::new(uid("User", "u"), own, parents).expect("an entity"));
    let entities = Entities::from_entities(entities, None).expect("a hierarchy");
    let context = (2..4).filter_map(|a| system[a].map(|v| (format!("x{a}"), number(v))));
    let context = Context::from_pairs(context).expect("a context");
    let authorizer = Authorizer::new();
    (0..grants.len())
        .filter(|place| {
            let resource = uid("Grant", &format!("g{place}"));
            let request = Request::new(
                uid("User", "u"),
                uid("Action", "activate"),
                resource,
                context.clone(),
                None,
            );
            let answer =
                authorizer.is_authorized(&request.expect("a request"), &policies, &entities);
            assert_eq!(
                answer.diagnostics().errors().count(),
                0,
                "the guards leave no error"
            );
            answer.decision() == Decision::Allow
        })
        .collect()
}
