//! What an audit found.

use serde_json::{Value, json};

use super::claims;
use crate::{Audit, Elements, Judged, SequenceAudit, SequenceAuditRequest};

/// Every promise and every risk.
pub fn audit(found: &Audit) -> Value {
    let survey = &found.survey;
    let sensitive: serde_json::Map<String, Value> = survey
        .sensitive
        .iter()
        .map(|found| {
            let recursive: serde_json::Map<String, Value> =
                found.recursive_c_infimum_by_l.iter().map(|(l, c)| (l.to_string(), json!(c))).collect();
            let value = json!({
                "k": found.k,
                "alpha": found.alpha,
                "distinct_l": found.distinct_l,
                "entropy_l_real": found.entropy_l_real,
                "recursive_c_infimum_by_l": recursive,
                "t_equal_distance": found.t_equal_distance,
                "t_ordered_emd": found.t_ordered_emd,
                "t_hierarchical": found.t_hierarchical,
                "basic_beta": found.basic_beta,
                "enhanced_beta_bound_holds_at_beta_max": found.enhanced_beta_bound_holds_at_beta_max,
                "delta_ln_present_values_only": found.delta_ln_present_values_only,
                "delta_log2_present_values_only": found.delta_log2_present_values_only,
                "delta_strict_is_infinite": found.delta_strict_is_infinite,
                "classification_metric_one_majority": found.classification_metric_one_majority,
                "avg_prosecutor_risk_records": found.avg_prosecutor_risk_records,
            });
            (found.attribute.clone(), value)
        })
        .collect();
    let risk = &survey.risk;
    let mut document = json!({
        "records": survey.records,
        "subjects": survey.subjects,
        "classes": survey.classes,
        "k": survey.k,
        "min_class": survey.min_class,
        "max_class": survey.max_class,
        "avg_class": survey.avg_class,
        "risk": {
            "prosecutor_highest": risk.prosecutor_highest,
            "prosecutor_average": risk.prosecutor_average,
            "prosecutor_lowest": risk.prosecutor_lowest,
            "journalist_highest": risk.journalist_highest,
            "journalist_average": risk.journalist_average,
            "marketer": risk.marketer,
            "uniques": risk.uniques,
            "sample_uniqueness": risk.sample_uniqueness,
            "at_risk_above_fifth": risk.at_risk_above_fifth,
            "at_risk_above_tenth": risk.at_risk_above_tenth,
            "at_risk_above_twentieth": risk.at_risk_above_twentieth,
        },
        "sensitive": sensitive,
    });
    document["what_if"] = found.what_if.as_ref().map_or(Value::Null, |asked| {
        asked.found.iter().map(|dilemma| {
            let confidence: serde_json::Map<String, Value> =
                dilemma.confidence.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({"added": dilemma.added, "k": dilemma.k, "confidence": confidence, "breaks": dilemma.breaks})
        })
        .collect()
    });
    if let Some(estimate) = &found.population {
        document["risk"]["population_uniqueness"] = json!({
            "population": estimate.population,
            "zayatz": estimate.zayatz,
            "pitman": estimate.pitman,
            "snb": estimate.snb,
            "dankar": estimate.dankar,
        });
    }
    for (attribute, chances) in survey.sensitive.iter().zip(&found.worst_case) {
        document["sensitive"][&attribute.attribute]["worst_case_disclosure_by_facts"] =
            json!(chances);
    }
    if let Some(special) = &found.special_uniques {
        document["risk"]["special_uniques"] = json!({
            "records": special.records,
            "by_size": special.by_size,
            "contributions": special.contributions.iter().map(|(name, uniques, share)| json!({
                "column": name, "uniques_removed_without_it": uniques, "risk_share": share,
            })).collect::<Vec<_>>(),
        });
    }
    if let Some(presence) = &found.presence {
        document["population"]["people"] = json!(presence.people);
        document["population"]["k_map"] = json!(presence.k_map);
        document["population"]["delta_presence"] =
            json!({"least": presence.least, "most": presence.most});
        document["population"]["outside"] = json!(presence.outside);
    }
    if let Some(wildcards) = &found.wildcards {
        document["wildcard"] = json!({
            "k": wildcards.k, "uniques": wildcards.uniques, "records_below_k": wildcards.below,
        });
    }
    if let Some(below) = found.below_k {
        document["violating_records"] = json!({"k-anonymity": below});
    }
    document
}

/// What a policy's promises come to on a table, with every risk where the table was measured too.
pub fn judged(judged: &Judged, found: Option<&Audit>) -> Value {
    let holds = judged.holds();
    let mut all = found.map_or_else(|| json!({}), audit);
    all["status"] = json!(if holds { "holds" } else { "fails" });
    all["claims"] = claims(&judged.claims);
    all["left_out"] = json!(judged.left_out);
    all
}

/// What an audit of paths or transactions found.
pub fn audit_sequences(found: &SequenceAudit, request: &SequenceAuditRequest) -> Value {
    let (instances, groups, known) = match request.elements {
        Elements::Doublets => ("doublets", "lkc", "doublets"),
        Elements::Items => ("instances", "coherence", "items"),
    };
    json!({
        "records": found.records,
        instances: found.doublets,
        "violations": found.violations,
        "violations_by_length": found.violations_by_length,
        "critical_violations": found.critical_violations,
        "critical_violations_by_length": found.critical_violations_by_length,
        groups: {
            "smallest_group": found.smallest_group,
            "largest_confidence": found.largest_confidence.to_f64(),
        },
        "exposed_records": found.exposed_records,
        "holds": found.holds,
        "asked": {known: request.known, "k": request.k},
    })
}
