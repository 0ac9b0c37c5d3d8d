//! Reads the `[attack]` section: how much the red team may achieve before a release is refused.

use std::collections::BTreeMap;

use denym_data::Fraction;

use super::mistake::suggest;
use super::reader::Section;

/// How much the red team may achieve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AttackSpec {
    /// The largest success rate of the attacks that need no knowledge beyond the adversary's.
    pub refuse_above: Option<Fraction>,
    /// Bounds of single attacks, by name.
    pub each: BTreeMap<String, Fraction>,
}

impl AttackSpec {
    /// The bound on the attack called `name`; the plain bound speaks of it when `bounded`.
    pub fn bound(&self, name: &str, bounded: bool) -> Option<Fraction> {
        self.each
            .get(name)
            .copied()
            .or(self.refuse_above.filter(|_| bounded))
    }
}

/// What `[attack]` of a policy says; nothing is refused where there is none.
///
/// `names` are the attacks that may be bounded one by one.
pub fn attack_section(root: &Section<'_, '_>, names: &[&str]) -> AttackSpec {
    root.get("attack")
        .and_then(|node| node.section(&["refuse-above"], "{ refuse-above = 0.2 }"))
        .map(|section| attack(&section, names))
        .unwrap_or_default()
}

fn attack(section: &Section<'_, '_>, names: &[&str]) -> AttackSpec {
    let mut spec = AttackSpec::default();
    let Some(node) = section.get("refuse-above") else {
        return spec;
    };
    if !node.is_table() {
        spec.refuse_above = node.fraction(Fraction::ZERO, Some(Fraction::ONE));
        return spec;
    }
    let Some(each) = node.open("{ linkage = 0.2 }") else {
        return spec;
    };
    if each.entries().is_empty() {
        node.mistake(
            "policy-empty-list",
            "`attack.refuse-above` names no attack, which says nothing",
            "write for example `refuse-above = 0.2`, or remove it",
        );
    }
    for (name, _, node) in each.entries() {
        if !names.contains(&name.as_str()) {
            node.mistake(
                "policy-unknown-key",
                format!("no attack called `{name}` runs on every release"),
                suggest(&name, names),
            );
            continue;
        }
        if let Some(bound) = node.fraction(Fraction::ZERO, Some(Fraction::ONE)) {
            spec.each.insert(name, bound);
        }
    }
    spec
}
