//! What a walk along the windows of a stream found, for people and programs.

use denym::{Verdict, Verification, VerifiedWindows};
use serde_json::{Value, json};

/// What was found, for programs.
pub(super) fn document(all: &Verification, found: &VerifiedWindows) -> Value {
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

/// What was found, a line each.
pub(super) fn lines(found: &VerifiedWindows) -> Vec<String> {
    let or =
        |value: Option<u64>, none: &str| value.map_or_else(|| none.to_owned(), |n| n.to_string());
    let mut lines = vec![format!(
        "chain      {} published, {} withheld, {} passed over, last window {}",
        found.published,
        found.withheld,
        found.passed_over,
        or(found.last_window, "-"),
    )];
    lines.push(match found.measured {
        Some(count) => format!("windows    {count} measured again"),
        None => "windows    NOT here: only the chain was walked".to_owned(),
    });
    if let Some(asked) = &found.claims {
        let columns = asked.columns.iter().map(|column| column.name.as_str());
        lines.push(format!(
            "columns    {}",
            columns.collect::<Vec<_>>().join(", ")
        ));
        lines.push(format!(
            "groups     {} subjects or more promised for any {} doublets, smallest stated {}, smallest found {}",
            asked.k,
            asked.l,
            or(found.stated_group, "-"),
            or(found.smallest_group, "-"),
        ));
        for (at, bound) in asked.confidence.iter().enumerate() {
            let share = found.confidences.get(at);
            lines.push(format!(
                "confidence at most {} promised for a value of {}, {} found",
                bound.at_most,
                bound.attribute,
                share.map_or_else(|| "-".to_owned(), ToString::to_string),
            ));
        }
        for (at, promise) in asked.promises.iter().enumerate() {
            let value = found.values.get(at).copied().flatten();
            let about = promise.attribute().and_then(Option::as_ref);
            lines.push(format!(
                "promise    {}{} asked {}, {} found",
                promise.name(),
                about.map_or_else(String::new, |about| format!(" of {about}")),
                promise.bound(),
                value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
            ));
        }
    }
    if found.attested_matching {
        lines.push(
            "matching   `consistent` is the publisher's word: it is judged from the source"
                .to_owned(),
        );
    }
    lines.extend(found.together().map(|what| format!("together   {what}")));
    if let Some(last) = &found.last_line {
        lines.push(format!(
            "last line  {last}: compare it with the publisher's"
        ));
    }
    if let Some(broken) = &found.broken {
        lines.push(format!(
            "BROKEN     {}:{}: {}",
            broken.file.display(),
            broken.line,
            broken.what
        ));
    }
    lines
}
