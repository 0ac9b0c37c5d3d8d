//! What attacks achieved.

use serde_json::{Value, json};

use crate::attack::{
    Controlled, Coverage, Evidence, Finding, NotRun, RedTeam, SequencesFound, TableFound,
    TrailsFound, Treatment, WindowsFound,
};
use crate::number;

/// What an attack achieved.
pub fn evidence(attribute: Option<&str>, evidence: &Evidence) -> Value {
    let (coverage, seed) = match evidence.coverage {
        Coverage::Exhaustive => ("exhaustive", Value::Null),
        Coverage::Sampled { seed } => ("sampled", json!(seed)),
    };
    // What nobody was tried on has no rate: a zero would read as a defence that held.
    let tried = evidence.attempts > 0;
    let interval = [evidence.interval.0, evidence.interval.1];
    json!({
        "attack": evidence.attack,
        "attribute": attribute,
        "attempts": evidence.attempts,
        "successes": evidence.successes,
        "tried": tried,
        "rate": tried.then_some(evidence.rate),
        "interval": tried.then_some(interval),
        "coverage": coverage,
        "seed": seed,
    })
}

/// A finding: its evidence, what the adversary was taken to know, and what a reader should know.
pub fn finding(found: &Finding) -> Value {
    let mut shown = evidence(found.attribute.as_deref(), &found.after);
    shown["knows"] = json!(found.knows);
    shown["note"] = json!(found.note);
    shown
}

/// The attacks that were not run.
pub fn not_run(left: &[NotRun]) -> Value {
    let left = left.iter();
    left.map(|left| json!({"attack": left.attack, "why": left.why}))
        .collect()
}

/// A comparison with a control group.
pub fn controlled(attribute: Option<&str>, found: &Controlled) -> Value {
    let tried = found.members.attempts > 0 && found.held_out.attempts > 0;
    json!({
        "attack": found.members.attack,
        "attribute": attribute,
        "members": evidence(attribute, &found.members),
        "held_out": evidence(attribute, &found.held_out),
        "risk": tried.then_some(found.risk),
        "interval": tried.then_some([found.interval.0, found.interval.1]),
        "leaks": tried.then(|| found.leaks()),
    })
}

/// What a red team found.
pub fn red_team(team: &RedTeam) -> Value {
    json!({
        "attacks": team.findings.iter().map(finding).collect::<Vec<_>>(),
        "not_run": not_run(&team.not_run),
    })
}

/// What the attacks on every window of a stream found, and on each of them.
pub fn attacked_windows(found: &WindowsFound) -> Value {
    let each = found.each.iter().map(|(window, findings)| {
        json!({"window": window, "attacks": findings.iter().map(finding).collect::<Vec<_>>()})
    });
    let mut document = red_team(&found.team);
    document["windows"] = each.collect();
    document
}

/// What the attacks on a table found.
pub fn attacked_table(found: &TableFound) -> Value {
    let people = &found.people;
    let candidates: serde_json::Map<String, Value> = people
        .candidates
        .iter()
        .map(|(count, people)| (count.to_string(), json!(people)))
        .collect();
    let plain = people
        .team
        .findings
        .iter()
        .filter(|one| one.held_out.is_none());
    let plain = plain.map(|one| evidence(one.attribute.as_deref(), &one.after));
    json!({
        "records": people.sizes.0,
        "people": people.sizes.1,
        "links": found.links,
        "knows": found.knows,
        "notes": people.notes,
        "matched": people.matched,
        "certain": people.certain,
        "expected": people.expected,
        "fewest_candidates": people.fewest,
        "candidates": candidates,
        "attacks": plain.collect::<Vec<_>>(),
        "controlled": people.compared().iter().map(|(about, shown)| controlled(about.as_deref(), shown)).collect::<Vec<_>>(),
        "not_run": not_run(&people.team.not_run),
        "victims": people.victims,
    })
}

/// What looking for people in paths or transactions found; `unit` is what the adversary knows some of.
pub fn attacked_sequences(found: &SequencesFound, unit: &str, victims: bool) -> Value {
    let attack = |one: &Finding| {
        let mut shown = finding(one);
        shown["rate_before"] = json!(one.before.as_ref().map(|before| before.rate));
        if victims {
            shown["worst_victims"] = json!(one.worst);
        }
        shown
    };
    let mut shown = json!({
        "records": found.records,
        "people": found.people,
        "aligned": found.aligned,
        "promised": found.promised,
        "attacks": found.team.findings.iter().map(attack).collect::<Vec<_>>(),
        "not_run": not_run(&found.team.not_run),
    });
    shown[unit] = json!(found.known);
    shown
}

/// What following trails found.
pub fn attacked_trails(found: &TrailsFound) -> Value {
    let mut counts = serde_json::Map::new();
    let mut pairs = serde_json::Map::new();
    for (method, list) in &found.pairs {
        counts.insert((*method).to_owned(), json!(list.as_ref().map(Vec::len)));
        pairs.insert((*method).to_owned(), json!(list));
    }
    let mut document = json!({
        "anonymous": found.sizes.0,
        "identified": found.sizes.1,
        "institutions": found.sizes.2,
        "counts": counts,
        "pairs": pairs,
        "saturable": found.saturable,
        "allowed_set_sizes": found.allowed_set_sizes,
        "largest_posteriors": found.largest_posteriors,
        "conditional": true,
        "warnings": found.warnings,
        "attacks": found.team.findings.iter().map(finding).collect::<Vec<_>>(),
        "not_run": not_run(&found.team.not_run),
    });
    if let Some(multiple) = &found.multiple {
        document["multiple"] = multiple
            .iter()
            .map(|(id, identities)| json!({"id": id, "identities": identities}))
            .collect();
    }
    if let Some(posteriors) = &found.posteriors {
        document["posteriors"] = posteriors
            .iter()
            .map(|found| json!({"id": found.id, "candidates": found.candidates, "nobody": found.nobody}))
            .collect();
    }
    if let Some(theory) = &found.theory {
        document["theory"] = json!({
            "bound": theory.bound,
            "expected_unique": theory.expected_unique,
            "standard_error": theory.standard_error,
            "unique": theory.unique,
            "institutions": theory.institutions.iter().map(|(name, rate, unique)| json!({
                "institution": name, "share": rate, "expected_unique_share": unique,
            })).collect::<Vec<_>>(),
        });
    }
    if !found.erosion.is_empty() {
        document["erosion"] = found
            .erosion
            .iter()
            .map(|row| {
                let methods: serde_json::Map<String, Value> = row
                    .methods
                    .iter()
                    .map(|fared| {
                        let value = json!({"named": fared.named, "right": fared.right, "expected": fared.expected});
                        (fared.method.to_owned(), value)
                    })
                    .collect();
                json!({"treatment": treatment(row.treatment), "saturable": row.saturable, "methods": methods})
            })
            .collect();
    }
    document
}

/// What is done to the source, in words.
pub fn treatment(treatment: Treatment) -> String {
    match treatment {
        Treatment::None => "nothing".into(),
        Treatment::SharedKeys { k } => format!("keys shared by {k}"),
        Treatment::SmallInstitutions { k } => format!("institutions below {k} publish none"),
        Treatment::Withhold { rate } => format!("{} % withheld", number(rate * 100.0)),
        Treatment::Perturb { rate } => format!("{} % perturbed", number(rate * 100.0)),
    }
}
