//! What programs read of every verb, as JSON: `--json` prints these documents, and other front doors hand out the same.

mod attack;
mod audit;
mod catalogues;
mod compare;
mod explore;
mod profile;
mod verify;

use serde_json::{Value, json};

use crate::{Account, AttackResult, Check, Claim, Error, Finding, Outline, Policy, StreamSummary};

pub use attack::{
    attacked_sequences, attacked_table, attacked_trails, attacked_windows, controlled, evidence,
    finding, not_run, red_team, treatment,
};
pub use audit::{audit, audit_sequences, judged};
pub use catalogues::{algorithms, all_findings, kinds_of_promises, metrics, promises};
pub use compare::comparison;
pub use explore::exploration;
pub use profile::profile;
pub use verify::verification;

/// What will be done.
pub fn plan(outline: &Outline) -> Value {
    let costs: serde_json::Map<String, Value> = outline
        .costs
        .iter()
        .map(|cost| (cost.key.to_owned(), json!(cost.value)))
        .collect();
    json!({
        "kind": outline.kind,
        "algorithm": outline.algorithm,
        "steps": outline.steps,
        "costs": costs,
        "time": outline.time.name(),
        "limits": outline.limits,
        "warnings": outline.warnings,
        "findings": findings(&outline.findings),
    })
}

/// How a run went; `status` is `released` or `refused`.
pub fn account(account: &Account, status: &str) -> Value {
    let mut document = json!({
        "status": status,
        "algorithm": account.algorithm,
        "records": account.records,
        "suppressed_records": account.suppressed_records,
        "metric": {"name": account.metric.0, "value": account.metric.1},
        "claims": claims(&account.claims),
        "program": account.program,
        "warnings": account.warnings,
        "findings": findings(&account.findings),
        "attacks": attacks(&account.attacks),
    });
    if !account.attempts.is_empty() {
        document["attempts"] = account
            .attempts
            .iter()
            .map(|tried| {
                json!({
                    "algorithm": tried.algorithm, "score": tried.score,
                    "outcome": tried.outcome, "chosen": tried.chosen,
                })
            })
            .collect();
    }
    for figure in account.figures.iter() {
        document[figure.key] = figure.value.clone();
    }
    if let Some(refusal) = &account.refusal {
        document["error"] = json!({
            "code": refusal.code,
            "message": refusal.message,
            "location": Value::Null,
            "help": refusal.help,
        });
    }
    document
}

/// A run that ended with a refusal before there was an account of it.
pub fn refused(policy: &Policy, error: &Error) -> Value {
    json!({
        "status": "refused",
        "algorithm": policy.release.algorithm.name,
        "records": Value::Null,
        "suppressed_records": Value::Null,
        "classes": Value::Null,
        "metric": {"name": policy.release.metric.name(), "value": Value::Null},
        "claims": [],
        "attacks": [],
        "warnings": [],
        "findings": [],
        "bundle": Value::Null,
        "error": {
            "code": error.code(),
            "message": error.to_string(),
            "location": error.location(),
            "help": error.help(),
        },
    })
}

/// Claims, as every front door shows them to programs.
pub fn claims(claims: &[Claim]) -> Value {
    claims
        .iter()
        .map(|claim| {
            json!({
                "promise": claim.promise,
                "attribute": claim.attribute,
                "quasi_identifiers": claim.quasi_identifiers,
                "asked": claim.asked,
                "measured": claim.measured,
                "holds": claim.holds,
                "violating_records": claim.violating_records,
                "check": match claim.check { Check::Recheckable => "recheckable", Check::Attested => "attested" },
            })
        })
        .collect()
}

/// What guards found.
pub fn findings(findings: &[Finding]) -> Value {
    findings.iter().map(Finding::document).collect()
}

/// What the red team achieved, as JSON.
fn attacks(attacks: &[AttackResult]) -> Value {
    attacks
        .iter()
        .map(|attack| {
            json!({
                "attack": attack.attack,
                "attribute": attack.attribute,
                "knows": attack.knows,
                "success_rate": attack.success_rate,
                "attempts": attack.attempts,
                "coverage": attack.coverage,
                "interval": attack.interval,
                "refuse_above": attack.refuse_above,
            })
        })
        .collect()
}

/// The error as `{"error": {code, message, location, help}}`; a policy's further mistakes under `mistakes`.
pub fn error(error: &Error) -> serde_json::Value {
    let mut document = json!({"error": {
        "code": error.code(),
        "message": error.to_string(),
        "location": error.location(),
        "help": error.help(),
    }});
    if let Error::Policy {
        file,
        text,
        mistakes,
    } = error
    {
        let list = mistakes.iter().map(|mistake| {
            json!({
                "code": mistake.code,
                "message": mistake.message,
                "location": format!("{}:{}", file.display(), mistake.line(text)),
                "help": mistake.help,
            })
        });
        document["error"]["mistakes"] = list.collect();
    }
    document
}

/// What a run of a stream came to.
pub fn stream(summary: &StreamSummary) -> Value {
    let counts = summary.counts;
    json!({
        "status": if summary.finished { "finished" } else { "stopped" },
        "events": counts.events,
        "published": counts.published,
        "suppressed": counts.suppressed,
        "late": counts.late,
        "duplicates": counts.duplicates,
        "rejected": counts.rejected,
        "open": counts.open,
        "withheld": counts.withheld,
        "windows": counts.windows,
        "violations": counts.violations,
        "retracted": counts.retracted,
        "changed": counts.changed,
        "consistent_cost": summary.consistent_cost,
        "clock_cuts": summary.clock_cuts,
        "directory": summary.directory,
        "program": summary.program,
        "warnings": summary.warnings,
        "findings": findings(&summary.findings),
    })
}
