//! The red team on a table: every attack of the catalogue is run, or it is said why not.

use denym_attack::Shape;
use denym_data::Table;
use denym_engine::Engine;
use serde_json::json;

use super::Measures;
use super::red_team::{RedTeam, SEED};
use crate::attack::{Attacked, Finding, counted, minimality_on_table, not_run, on_classes};
use crate::plan::Plan;
use crate::policy::PromiseSpec;

/// Records up to which possible originals are tried for the minimality attack.
const MINIMALITY_RECORDS: usize = 60;
/// The most possible originals that are tried: each is one run of the search.
const MINIMALITY_ORIGINALS: u64 = 100;
/// How sure the adversary of the minimality attack wants to be.
const SURE: f64 = 0.9;

/// A release that is to be attacked before it is made.
pub(super) struct Attackable<'a> {
    pub(super) plan: &'a Plan,
    pub(super) engine: &'a Engine,
    /// The table as the search saw it.
    pub(super) kept: &'a Table,
    /// The source.
    pub(super) before: Attacked<'a>,
    /// The written data.
    pub(super) after: Attacked<'a>,
    /// Sensitive attributes in the order of both sides' histograms.
    pub(super) sensitive: &'a [String],
    /// What happened to numbers.
    pub(super) measures: Option<&'a Measures>,
    /// Whether records were grouped instead of tuples generalized.
    pub(super) grouped: bool,
}

/// Attacks the release.
pub(super) fn red_team(release: &Attackable<'_>) -> RedTeam {
    let mut findings = on_classes(
        &release.before,
        &release.after,
        release.sensitive,
        release.plan.policy.adversary,
        SEED,
    );
    let mut reasons: Vec<(&'static str, String)> = Vec::new();
    match minimality(release) {
        Ok(found) => findings.push(found),
        Err(why) => reasons.push(("minimality", why)),
    }
    match release.measures {
        Some(measures) => match measures.distance_linkage {
            Some(rate) => findings.push(Finding {
                attack: "distance-linkage",
                attribute: None,
                knows: "the true numbers of everybody; picks the nearest record".to_owned(),
                bounded: false,
                before: None,
                after: counted(
                    "distance-linkage",
                    release.after.table.records() as u64,
                    0,
                    rate,
                ),
                note: "Ties count as one guess among the tied.".to_owned(),
                worst: Vec::new(),
            }),
            None => reasons.push((
                "distance-linkage",
                "it compares every pair of records, and there are too many".to_owned(),
            )),
        },
        None => reasons.push(("distance-linkage", "no numbers were changed".to_owned())),
    }
    if release.sensitive.is_empty() {
        for name in ["homogeneity", "background-knowledge", "skewness"] {
            reasons.push((name, "no sensitive attribute is published".to_owned()));
        }
    }
    reasons.push(("proximity", "no sensitive attribute is a number".to_owned()));
    let promises = release.plan.promises.iter();
    let register = promises
        .clone()
        .any(|promise| promise.population().is_some());
    reasons.push((
        "presence",
        if register {
            "the promise itself measures presence against the register".to_owned()
        } else {
            "it needs a table of people: see `denym attack table --external`".to_owned()
        },
    ));
    for name in ["singling-out", "linkability", "inference"] {
        let why = "it needs people who are not in the data: see `denym attack table --control`";
        reasons.push((name, why.to_owned()));
    }
    RedTeam {
        not_run: not_run(Shape::Table, &findings, &reasons),
        findings,
    }
}

/// Runs the search on every possible original, where that is possible.
fn minimality(release: &Attackable<'_>) -> Result<Finding, String> {
    let plan = release.plan;
    let looks = |promise: &PromiseSpec| promise.attribute().is_some();
    if !plan.promises.iter().any(looks) {
        return Err("no promise looks at sensitive values, so they do not steer the search".into());
    }
    if release.grouped {
        return Err("records are grouped, not generalized by levels".into());
    }
    if release.kept.records() > MINIMALITY_RECORDS {
        return Err(format!(
            "it runs the search on every possible original, on up to {MINIMALITY_RECORDS} records; `denym attack minimality` tries more"
        ));
    }
    let found = minimality_on_table(
        plan,
        release.kept,
        release.engine,
        SURE,
        MINIMALITY_ORIGINALS,
    )
    .map_err(|error| error.to_string())?;
    let surest = |(value, before, after): &(Option<String>, f64, f64), record: usize| json!({"chance": after, "before": before, "value": value, "source_record": record + 1});
    let mut order: Vec<usize> = (0..found.beliefs.len())
        .filter(|&record| found.beliefs[record].2 > SURE && found.beliefs[record].1 <= SURE)
        .collect();
    order.sort_by(|&a, &b| {
        found.beliefs[b]
            .2
            .total_cmp(&found.beliefs[a].2)
            .then(a.cmp(&b))
    });
    order.truncate(10);
    Ok(Finding {
        attack: "minimality",
        attribute: Some(found.attribute.clone()),
        knows: "everybody's quasi-identifiers, the policy and the program".to_owned(),
        bounded: false,
        before: None,
        after: found.evidence.clone(),
        note: format!(
            "{} originals agree with the release; {} would have been published like this.",
            found.worlds.0, found.worlds.1
        ),
        worst: order
            .into_iter()
            .map(|record| surest(&found.beliefs[record], record))
            .collect(),
    })
}
