//! What a check from the public half found.

use serde_json::{Value, json};

use crate::{Check, Verdict, Verification, Verified, VerifiedRelease, VerifiedWindows};

/// A release or the windows of a stream, measured again.
pub fn verification(found: &Verification) -> Value {
    match found {
        Verification::Release(own) => release(found, own),
        Verification::Windows(own) => windows(found, own),
    }
}

fn release(found: &Verification, own: &VerifiedRelease) -> Value {
    let columns: Vec<Value> = own
        .files
        .iter()
        .flat_map(|file| file.columns.iter().map(move |column| (file, column)))
        .map(|(file, column)| {
            json!({
                "file": file.file,
                "name": column.name,
                "role": column.role,
                "judged": column.judged,
            })
        })
        .collect();
    json!({
        "holds": found.holds(),
        "verdict": found.verdict().map(Verdict::name),
        "data_intact": own.data_intact,
        "claims": own.claims.iter().map(claim_document).collect::<Vec<_>>(),
        "measured_again": found.measured_again(),
        "attested": found.attested(),
        "signed": false,
        "knows": own.knows,
        "counts": own.counts,
        "columns": columns,
        "unjudged_columns": found.unjudged(),
        "suppressed_records": own.suppressed_records,
        "releases": own.releases.as_ref().map(|over| json!({
            "covered": over.covered,
            "check": "attested",
            "claims": super::claims(&over.claims),
        })),
        "codebook_intact": own.codebook_intact,
        "problems": own.problems,
        "other_files": own.other_files,
    })
}

fn claim_document(claim: &Verified) -> Value {
    json!({
        "promise": claim.promise,
        "attribute": claim.attribute,
        "quasi_identifiers": claim.quasi_identifiers,
        "columns": claim.columns,
        "asked": claim.asked,
        "stated": claim.stated,
        "measured": claim.measured,
        "counted": claim.counted,
        "holds": claim.holds,
        "violating_records": claim.violating_records,
        "check": match claim.basis.check() { Check::Recheckable => "recheckable", Check::Attested => "attested" },
        "rests_on": claim.basis.word().map(crate::Word::name),
        "problem": claim.problem,
        "note": claim.note,
    })
}

fn windows(all: &Verification, found: &VerifiedWindows) -> Value {
    let mut claims = Vec::new();
    let mut columns = Vec::new();
    let unjudged = found.unjudged();
    if let Some(asked) = &found.claims {
        let check = if found.attested_matching {
            "attested"
        } else {
            "recheckable"
        };
        let alone = found.is_measured();
        let claim = |promise: &str, wanted: Value, stated: Value, value: Value, holds: bool| {
            let value = (value != Value::Null).then_some(value);
            json!({
                "promise": promise,
                "asked": wanted,
                "stated": stated,
                "measured": value.clone().filter(|_| alone),
                "counted": value.filter(|_| !alone),
                "holds": if holds { alone.then_some(true) } else { Some(false) },
                "check": check,
                "rests_on": found.attested_matching.then_some("matching"),
            })
        };
        let group = found.smallest_group;
        claims.push(claim(
            "k-anonymity",
            json!(asked.k),
            json!(found.stated_group),
            json!(group),
            found.broken.is_none() && group.is_none_or(|k| k >= asked.k),
        ));
        for (at, bound) in asked.confidence.iter().enumerate() {
            let share = found.confidences.get(at);
            let mut claim = claim(
                "confidence",
                json!(bound.at_most.to_string()),
                json!(found.stated_confidence.map(|share| share.to_string())),
                json!(share.map(ToString::to_string)),
                found.broken.is_none() && share.is_none_or(|share| *share <= bound.at_most),
            );
            claim["attribute"] = json!(bound.attribute);
            claim["value"] = json!(bound.value);
            claims.push(claim);
        }
        for (at, promise) in asked.promises.iter().enumerate() {
            let value = found.values.get(at).copied().flatten();
            let mut claim = claim(
                promise.name(),
                json!(promise.bound()),
                Value::Null,
                json!(value),
                found.broken.is_none(),
            );
            claim["attribute"] = json!(promise.attribute());
            claims.push(claim);
        }
        columns = asked
            .columns
            .iter()
            .map(|column| {
                json!({
                    "file": "windows.ndjson",
                    "name": column.name,
                    "role": column.role,
                    "judged": !unjudged.contains(&column.name.as_str()),
                })
            })
            .collect();
    }
    json!({
        "holds": all.holds(),
        "verdict": all.verdict().map(Verdict::name),
        "data_intact": if found.broken.is_some() { Some(false) } else { found.windows_here().then_some(true) },
        "measured_again": all.measured_again(),
        "attested": all.attested(),
        "claims": claims,
        "signed": false,
        "columns": columns,
        "unjudged_columns": unjudged,
        "together": found.together(),
        "doublets": found.claims.as_ref().map(|claims| claims.l),
        "windows": found.published,
        "withheld": found.withheld,
        "passed_over": found.passed_over,
        "measured_windows": found.measured,
        "last_window": found.last_window,
        "last_line": found.last_line,
        "matching": if found.attested_matching { "attested" } else { "recheckable" },
        "broken": found.broken.as_ref().map(|broken| json!({
            "file": broken.file,
            "line": broken.line,
            "window": broken.window,
            "what": broken.what,
        })),
    })
}
