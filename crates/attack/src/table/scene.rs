//! A table under attack: what is published, what the adversary knows, and what only the steward has.

use std::borrow::Cow;

use denym_data::{Column, Table};
use denym_measure::Classes;
use serde_json::{Value, json};

use super::lineup::{Aim, Attacked, Conclusion, Lineup, Wish, texts};
use super::{Linkage, SourceNumbers};
use crate::catalogue::{AttackEntry, CATALOGUE, Gate, Run};
use crate::control::Comparison;
use crate::finding::{Declined, Finding, NotRun};
use crate::minimality::Originals;
use crate::{Controlled, Coverage, Draws, Error, Evidence};

/// The most sets of candidates that are named as the worst.
const WORST: usize = 10;

/// The most records that are named of one set.
const NAMED: usize = 20;

/// Sets of columns times records that are grouped at most; beyond that sets are drawn.
const MOST_GROUPED: usize = 40_000_000;

/// The most sets of columns that are tried.
const MOST_SETS: usize = 600;

/// A table and everything that attacks on it may use. What is not there has a reason, in words.
pub struct TableScene<'a> {
    /// The written data.
    pub shown: Attacked<'a>,
    /// The source, where it is at hand; its columns are those of the written data by position of the roles.
    pub source: Option<Attacked<'a>>,
    /// Names of the sensitive attributes, in the order of both sides' roles.
    pub sensitive: &'a [String],
    /// Why there is none, in words, where that is so.
    pub no_sensitive: &'static str,
    /// The most quasi-identifiers that the adversary knows; all of them when `None`.
    pub at_most: Option<usize>,
    /// What the adversary asks for.
    pub wish: Wish,
    /// People of an external table and the records that could be theirs; everybody in the release by their published values without it.
    pub linked: Option<LinkedPeople<'a>>,
    /// People in the data and of the same kind who are not, with the names of the secrets beyond what is known of them.
    pub control: Option<(Comparison<'a>, Vec<String>)>,
    /// The source's numbers and the written ones.
    pub numbers: Result<&'a SourceNumbers, String>,
    /// What the search makes of other originals.
    pub originals: Result<&'a Originals<'a>, String>,
    /// Why presence is not tried, where no external table is given.
    pub no_register: &'static str,
    /// Seed of what is drawn.
    pub seed: u64,
}

/// People of an external table.
#[derive(Debug)]
pub struct LinkedPeople<'a> {
    /// Who could be where.
    pub linkage: &'a Linkage,
    /// What the adversary knows of them, in words.
    pub knows: String,
}

/// The people that an attack is compared on.
///
/// # Errors
///
/// When there are none.
pub fn controlled<'s>(
    scene: &'s TableScene<'_>,
) -> Result<(&'s Comparison<'s>, &'s [String]), Declined> {
    let control = scene.control.as_ref();
    let control = control.map(|(setting, secrets)| (setting, secrets.as_slice()));
    control.ok_or_else(|| {
        Declined::because(
            "it needs people who are not in the data: see `denym attack table --control`",
        )
    })
}

/// What a comparison found.
pub fn compared(scene: &TableScene<'_>, secret: Option<&String>, found: Controlled) -> Finding {
    Finding {
        attribute: secret.cloned(),
        held_out: Some(found.held_out),
        ..Finding::new(found.members, scene.knows())
    }
}

/// What the attacks on candidates found, and why some were not run.
type OnCandidates = (Vec<Finding>, Vec<NotRun>);

/// One attack over all that may be known: everybody's best case, and the sets in which it succeeds best.
struct AttackTally {
    evidence: Evidence,
    worst: Vec<Value>,
}

impl<'a> TableScene<'a> {
    /// A release whose quasi-identifiers everybody in it is known by, and nothing else.
    pub fn new(shown: Attacked<'a>, sensitive: &'a [String], no_sensitive: &'static str) -> Self {
        Self {
            shown,
            source: None,
            sensitive,
            no_sensitive,
            at_most: None,
            wish: Wish::default(),
            linked: None,
            control: None,
            numbers: Err("no numbers were changed".to_owned()),
            originals: Err(
                "it needs the policy and the source: see `denym attack minimality`".to_owned(),
            ),
            no_register: "it needs a table of people: see `denym attack table --external`",
            seed: 1,
        }
    }

    /// What the adversary knows, in words.
    pub fn knows(&self) -> String {
        if let Some(linked) = &self.linked {
            return linked.knows.clone();
        }
        match self.at_most {
            Some(most) if most < self.shown.roles.quasi.len() => {
                format!("any {most} of everybody's quasi-identifiers, and who is in the data")
            }
            _ => "everybody's quasi-identifiers, and who is in the data".to_owned(),
        }
    }

    /// Runs every attack that looks at candidates, attribute by attribute.
    pub(crate) fn on_candidates(&self) -> Result<OnCandidates, Error> {
        let records = self.shown.table.records();
        let records = self
            .source
            .as_ref()
            .map_or(records, |source| source.table.records().max(records));
        let (sets, coverage) = match self.linked {
            Some(_) => (
                vec![(0..self.shown.roles.quasi.len()).collect()],
                Coverage::Exhaustive,
            ),
            None => known_sets(
                self.at_most,
                self.shown.roles.quasi.len(),
                records,
                self.seed,
            ),
        };
        let asked = self.asked();
        let (was, is) = rayon::join(
            || {
                let source = self.source.as_ref().filter(|_| self.linked.is_none());
                source
                    .map(|source| self.tallies(source, &sets, coverage, &asked))
                    .transpose()
            },
            || self.tallies(&self.shown, &sets, coverage, &asked),
        );
        let (mut was, is) = (was?.map(Vec::into_iter), is?);
        let knows = self.knows();
        let mut findings = Vec::new();
        for (&(entry, attribute), tally) in asked.iter().zip(is) {
            let before = was.as_mut().and_then(Iterator::next).flatten();
            let Some(tally) = tally else { continue };
            let Run::Candidates { besides, .. } = entry.run else {
                continue;
            };
            let more = if besides.is_empty() {
                String::new()
            } else {
                format!(", and {besides}")
            };
            let mut note = String::new();
            if let Coverage::Sampled { .. } = coverage {
                note = format!(
                    "{} of the sets of columns that may be known were tried; a set that was not may be worse.",
                    sets.len()
                );
            }
            findings.push(Finding {
                attribute: attribute.map(|at| self.sensitive[at].clone()),
                bounded: entry.gate == Gate::Plain,
                before: before.map(|before| before.evidence),
                note,
                worst: tally.worst,
                ..Finding::new(tally.evidence, format!("{knows}{more}"))
            });
        }
        let left = CATALOGUE.iter().filter_map(|entry| {
            let Run::Candidates { aim, .. } = entry.run else {
                return None;
            };
            let ran = findings
                .iter()
                .any(|found: &Finding| found.attack == entry.name);
            (!ran).then(|| NotRun {
                attack: entry.name,
                why: match aim {
                    Aim::Number if !self.sensitive.is_empty() => {
                        "no sensitive attribute is a number".to_owned()
                    }
                    _ => self.no_sensitive.to_owned(),
                },
            })
        });
        let left = left.collect();
        Ok((findings, left))
    }

    /// Attacks on candidates with what each is after: the record, then one attribute after the other.
    fn asked(&self) -> Vec<(&'static AttackEntry, Option<usize>)> {
        let on_candidates = |record: bool| {
            CATALOGUE.iter().filter(move |entry| {
                matches!(entry.run, Run::Candidates { aim, .. } if (aim == Aim::Record) == record)
            })
        };
        let values = (0..self.sensitive.len())
            .flat_map(|at| on_candidates(false).map(move |entry| (entry, Some(at))));
        on_candidates(true)
            .map(|entry| (entry, None))
            .chain(values)
            .collect()
    }

    /// Runs each attack that is asked for; `None` where what it is after is no number.
    fn tallies(
        &self,
        attacked: &Attacked<'_>,
        sets: &[Vec<usize>],
        coverage: Coverage,
        asked: &[(&'static AttackEntry, Option<usize>)],
    ) -> Result<Vec<Option<AttackTally>>, Error> {
        if let Some(linked) = &self.linked {
            let columns = sensitive_columns(attacked);
            let lineup = Lineup::linked(linked.linkage, &columns, attacked.group_codes())?;
            return Ok(asked
                .iter()
                .map(|&(entry, attribute)| {
                    let told = self.told(&lineup, entry, attribute)?;
                    Some(AttackTally {
                        evidence: counted(entry, &lineup.people(), &told, coverage),
                        worst: Vec::new(),
                    })
                })
                .collect());
        }
        if let [all] = sets {
            // One thing is known: everybody of a class fares alike.
            let quasi: Vec<usize> = all.iter().map(|&at| attacked.roles.quasi[at]).collect();
            let classes = attacked.classes_by(&quasi);
            let lineup = Lineup::within(attacked, &classes);
            return Ok(asked
                .iter()
                .map(|&(entry, attribute)| {
                    let told = self.told(&lineup, entry, attribute)?;
                    let mut worst = Vec::new();
                    add_worst(&mut worst, attacked, &classes, &quasi, &told);
                    Some(AttackTally {
                        evidence: counted(entry, &lineup.people(), &told, coverage),
                        worst: named(worst),
                    })
                })
                .collect());
        }
        let weights = weights(attacked);
        let mut best: Vec<Option<(Vec<f64>, Vec<Worst>)>> = asked
            .iter()
            .map(|_| Some((vec![0.0; attacked.table.records()], Vec::new())))
            .collect();
        for set in sets {
            let quasi: Vec<usize> = set.iter().map(|&at| attacked.roles.quasi[at]).collect();
            let classes = attacked.classes_by(&quasi);
            let lineup = Lineup::within(attacked, &classes);
            for (&(entry, attribute), best) in asked.iter().zip(&mut best) {
                let Some(told) = self.told(&lineup, entry, attribute) else {
                    *best = None;
                    continue;
                };
                let Some((sure, worst)) = best else { continue };
                for (class, told) in told.iter().enumerate() {
                    let Some(told) = told else { continue };
                    for &row in classes.rows(class) {
                        let best = &mut sure[row as usize];
                        *best = best.max(hit(entry, told));
                    }
                }
                add_worst(worst, attacked, &classes, &quasi, &told);
            }
        }
        Ok(asked
            .iter()
            .zip(best)
            .map(|(&(entry, _), best)| {
                let (sure, worst) = best?;
                Some(AttackTally {
                    evidence: weighed(entry, &sure, &weights, coverage),
                    worst: named(worst),
                })
            })
            .collect())
    }

    fn told(
        &self,
        lineup: &Lineup<'_>,
        entry: &AttackEntry,
        attribute: Option<usize>,
    ) -> Option<Vec<Option<Conclusion>>> {
        let Run::Candidates { aim, told, .. } = entry.run else {
            return None;
        };
        if let (Aim::Number, Some(at)) = (aim, attribute)
            && (lineup.overall(at).numbers.is_empty() || lineup.overall(at).range <= 0.0)
        {
            return None;
        }
        Some(lineup.told(told, attribute, &self.wish))
    }
}

/// The codes of each sensitive attribute, and the text of each code.
pub(super) fn sensitive_columns<'a>(
    attacked: &Attacked<'a>,
) -> Vec<(&'a [u32], Vec<Option<&'a str>>)> {
    let column = |&at: &usize| {
        let column = &attacked.table.columns()[at];
        (column.codes.as_slice(), texts(column))
    };
    attacked.roles.sensitive.iter().map(column).collect()
}

/// What a success counts: the chance of a right guess, or one.
fn hit(entry: &AttackEntry, told: &Conclusion) -> f64 {
    match entry.run {
        Run::Candidates {
            aim: Aim::Record, ..
        } => told.sure,
        _ => 1.0,
    }
}

/// Evidence over distinct sets of candidates that so many people have.
fn counted(
    entry: &AttackEntry,
    people: &[u64],
    told: &[Option<Conclusion>],
    coverage: Coverage,
) -> Evidence {
    let (mut hits, mut certain, mut all) = (0.0, 0, 0);
    for (&people, told) in people.iter().zip(told) {
        all += people;
        if let Some(told) = told {
            let hit = hit(entry, told);
            hits += hit * people as f64;
            certain += if hit >= 1.0 { people } else { 0 };
        }
    }
    Evidence::counted(
        entry.name,
        certain,
        all,
        if all == 0 { 0.0 } else { hits / all as f64 },
        coverage,
    )
}

/// Evidence from everybody's best case.
fn weighed(entry: &AttackEntry, sure: &[f64], weights: &[f64], coverage: Coverage) -> Evidence {
    let (mut hits, mut certain, mut all) = (0.0, 0.0, 0.0);
    for (&sure, &weight) in sure.iter().zip(weights) {
        hits += weight * sure;
        all += weight;
        certain += if sure >= 1.0 { weight } else { 0.0 };
    }
    Evidence::counted(
        entry.name,
        whole(certain),
        whole(all),
        if all > 0.0 { hits / all } else { 0.0 },
        coverage,
    )
}

/// A sum of weights as a number of people.
#[expect(
    clippy::cast_sign_loss,
    reason = "weights are not negative, and neither is their sum"
)]
fn whole(people: f64) -> u64 {
    people.round() as u64
}

/// What each record counts: every class over all quasi-identifiers counts its people, however many records they have in it.
fn weights(attacked: &Attacked<'_>) -> Vec<f64> {
    if attacked.roles.subject.is_none() {
        return vec![1.0; attacked.table.records()];
    }
    let classes = attacked.classes_by(&attacked.roles.quasi);
    let mut weights = vec![0.0; attacked.table.records()];
    for class in 0..classes.len() {
        let rows = classes.rows(class);
        let each = classes.subjects()[class] as f64 / rows.len() as f64;
        for &row in rows {
            weights[row as usize] = each;
        }
    }
    weights
}

/// A class in which an attack succeeds.
struct Worst {
    sure: f64,
    shown: Value,
}

fn add_worst(
    worst: &mut Vec<Worst>,
    attacked: &Attacked<'_>,
    classes: &Classes,
    quasi: &[usize],
    told: &[Option<Conclusion>],
) {
    for (class, told) in told.iter().enumerate() {
        let Some(told) = told else { continue };
        if worst.len() < WORST || worst.last().is_some_and(|other| other.sure < told.sure) {
            let at = worst.partition_point(|other| other.sure >= told.sure);
            let shown = victim(attacked, classes, class, quasi, told.sure);
            worst.insert(
                at,
                Worst {
                    sure: told.sure,
                    shown,
                },
            );
            worst.truncate(WORST);
        }
    }
}

fn named(worst: Vec<Worst>) -> Vec<Value> {
    worst.into_iter().map(|one| one.shown).collect()
}

/// A class as the steward's document names it.
fn victim(
    attacked: &Attacked<'_>,
    classes: &Classes,
    class: usize,
    quasi: &[usize],
    sure: f64,
) -> Value {
    let rows = classes.rows(class);
    let first = rows.first().copied().unwrap_or(0) as usize;
    let shown: serde_json::Map<String, Value> = quasi
        .iter()
        .map(|&at| {
            let column = &attacked.table.columns()[at];
            (column.name.clone(), json!(column.text(first)))
        })
        .collect();
    json!({
        "chance": sure,
        "people": classes.subjects()[class],
        "quasi_identifiers": shown,
        "records": rows.iter().take(NAMED).map(|row| row + 1).collect::<Vec<u32>>(),
    })
}

/// The sets of quasi-identifiers (by position) that an adversary may know, and whether these are all of them.
///
/// Who knows at most m of them knows any m: everybody is attacked through the set that is worst for them, and the smaller sets as
/// well, as far as they can all be tried.
pub fn known_sets(
    at_most: Option<usize>,
    quasi: usize,
    records: usize,
    seed: u64,
) -> (Vec<Vec<usize>>, Coverage) {
    let most = match at_most {
        Some(most) if most < quasi => most.max(1),
        _ => return (vec![(0..quasi).collect()], Coverage::Exhaustive),
    };
    let room = (MOST_GROUPED / records.max(1)).clamp(8, MOST_SETS);
    let mut sets = Vec::new();
    let mut complete = true;
    'sizes: for size in (1..=most).rev() {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            if sets.len() > room {
                complete = false;
                break 'sizes;
            }
            sets.push(chosen.clone());
            // The next combination in order.
            let Some(at) = (0..size).rev().find(|&at| chosen[at] < quasi - size + at) else {
                break;
            };
            chosen[at] += 1;
            for next in at + 1..size {
                chosen[next] = chosen[next - 1] + 1;
            }
        }
        if size == most && sets.len() > room / 2 {
            // All sets of the full size are tried; smaller ones add little and there is no room for them.
            complete = size == 1;
            break;
        }
    }
    if complete {
        return (sets, Coverage::Exhaustive);
    }
    if sets.len() <= room {
        return (sets, Coverage::Sampled { seed });
    }
    let mut rng = Draws::new(seed);
    let mut drawn: Vec<Vec<usize>> = (0..room).map(|_| rng.distinct(most, quasi)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    (drawn, Coverage::Sampled { seed })
}

/// The written table with numbers of subjects that start anew in every class made different from class to class: number 1 of one class and
/// number 1 of another are two people to whoever looks at both. The table itself where it numbers nobody.
///
/// # Errors
///
/// When the table's columns do not fit together.
pub fn numbered_apart<'t>(attacked: &Attacked<'t>) -> Result<Cow<'t, Table>, denym_data::Error> {
    let Some(subject) = attacked.roles.subject else {
        return Ok(Cow::Borrowed(attacked.table));
    };
    let classes = attacked.classes_by(&attacked.roles.quasi);
    let mut texts = vec![String::new(); attacked.table.records()];
    let old = &attacked.table.columns()[subject];
    for class in 0..classes.len() {
        for &row in classes.rows(class) {
            texts[row as usize] = format!("{class}:{}", old.codes[row as usize]);
        }
    }
    let mut columns = attacked.table.columns().to_vec();
    columns[subject] = Column::from_texts(&old.name, texts.iter().map(|text| Some(text.as_str())));
    Table::new(columns).map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_columns() {
        let sets = |at_most, quasi, records| known_sets(at_most, quasi, records, 1);
        assert_eq!(
            sets(None, 3, 10),
            (vec![vec![0, 1, 2]], Coverage::Exhaustive)
        );
        let (two, coverage) = sets(Some(2), 3, 10);
        assert_eq!(
            (two.len(), coverage),
            (6, Coverage::Exhaustive),
            "three pairs and three columns"
        );
        assert_eq!(sets(Some(5), 3, 10).0, [[0, 1, 2]]);
        // 15,504 sets of five out of twenty columns: drawn.
        let (many, coverage) = sets(Some(5), 20, 1_000);
        assert_eq!(coverage, Coverage::Sampled { seed: 1 });
        assert!(many.len() > 500 && many.iter().all(|set| set.len() == 5));
    }
}
