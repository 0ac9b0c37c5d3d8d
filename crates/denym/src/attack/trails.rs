//! Trail re-identification: who left which anonymous trail over many institutions.

use std::collections::HashMap;

use denym_attack::trails::erosion::{Eroded, Treatment, erosion};
use denym_attack::trails::posterior::{Model, posteriors};
use denym_attack::trails::theory::{expected_unique, most_reidentifiable, visit_rates};
use denym_attack::trails::{
    ForcedMatching, Incomplete, Options, Side, TrailScene, find_multiple, largest_posteriors,
};
use denym_attack::{Finding, NotRun};
use denym_attack::{Scene, red_team};
use denym_engine::{Engine, ReadOptions};

use super::{LinkSpec, NamedSides, TrailSource, attack_error, sides};
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// Which side may lack entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Collecting {
    /// The anonymous side may: an anonymous trail is part of its owner's.
    #[default]
    AnonymousIncomplete,
    /// The identified side may.
    IdentifiedIncomplete,
    /// Neither: trails of one person are equal.
    Complete,
}

/// What is to be attacked, and how.
#[derive(Debug, Clone, Default)]
pub struct TrailsRequest {
    /// The identified side.
    pub identified: TrailSource,
    /// The anonymous side.
    pub anonymous: TrailSource,
    /// Which side may lack entries.
    pub collecting: Collecting,
    /// Linking attributes.
    pub links: Vec<LinkSpec>,
    /// Also look for one person behind several trails.
    pub find_multiple: bool,
    /// Also judge candidates under error rates, keeping so many of each trail.
    pub posterior: Option<(Model, usize)>,
    /// Also say what theory expects.
    pub theory: bool,
    /// Also measure what protecting the source would change.
    pub erosion: Vec<Treatment>,
    /// Seed of what is drawn.
    pub seed: u64,
    /// How to read the files.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the trail attacks found. Pairs are (anonymous id, identified id).
#[derive(Debug, Clone, PartialEq)]
pub struct TrailsFound {
    /// Anonymous and identified subjects, institutions.
    pub sizes: (usize, usize, usize),
    /// Pairs by method, in the order of the catalogue; `None` where the method has no answer.
    pub pairs: Vec<(&'static str, Option<Vec<(String, String)>>)>,
    /// Whether every incomplete trail can have an owner of its own.
    pub saturable: bool,
    /// Possible owners of each trail of the incomplete side, in the order of its file.
    pub allowed_set_sizes: Option<Vec<u32>>,
    /// The chance of the likeliest owner of each of them, where it can be counted.
    pub largest_posteriors: Vec<Option<f64>>,
    /// What each method found.
    pub findings: Vec<Finding>,
    /// The attacks that were not run, with the reason.
    pub not_run: Vec<NotRun>,
    /// What the reader must know before believing the pairs.
    pub warnings: Vec<String>,
    /// Ids of one side that must belong to one id of the other.
    pub multiple: Option<Vec<MultipleFound>>,
    /// Candidates under error rates.
    pub posteriors: Option<Vec<Posteriors>>,
    /// What theory expects.
    pub theory: Option<Theory>,
    /// What protecting the source would change.
    pub erosion: Vec<Eroded>,
}

/// One id behind several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultipleFound {
    /// The id of the complete side.
    pub id: String,
    /// The ids of the incomplete side that only it covers.
    pub identities: Vec<String>,
}

/// The best candidates of one anonymous trail.
#[derive(Debug, Clone, PartialEq)]
pub struct Posteriors {
    /// The anonymous id.
    pub id: String,
    /// Identified ids with their probability, likeliest first.
    pub candidates: Vec<(String, f64)>,
    /// Probability that the owner is nobody here.
    pub nobody: f64,
}

/// What theory expects of the identified side.
#[derive(Debug, Clone, PartialEq)]
pub struct Theory {
    /// The most people that trails over so many institutions can single out.
    pub bound: u64,
    /// Expected number of people with a trail of their own, if visits were independent.
    pub expected_unique: f64,
    /// Its standard error; 0 when summed exactly.
    pub standard_error: f64,
    /// People who do have a trail of their own.
    pub unique: u64,
    /// Each institution: name, share of the people, expected share of them with a trail of their own.
    pub institutions: Vec<(String, f64, f64)>,
}

/// Draws behind the estimate when there are more institutions than can be summed over.
const DRAWS: u64 = 20_000;
/// The most trails of one component whose assignments are counted.
const COUNTED_TRAILS: usize = 12;

/// Runs every trail attack.
pub fn trails(request: &TrailsRequest, listener: &dyn Listener) -> Result<TrailsFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let sides = sides(
        &engine,
        &request.anonymous,
        &request.identified,
        &request.links,
        &request.read,
    )?;
    listener.phase(Phase::Attacking);
    threads::pool(request.threads)?.install(|| run(request, &sides))
}

fn run(request: &TrailsRequest, sides: &NamedSides) -> Result<TrailsFound, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let (anonymous, identified) = (&sides.anonymous, &sides.identified);
    let labels = Labels::of(request.collecting, sides);
    let relates = |a: u32, i: u32| labels.relate(sides, a, i);
    let ours = Side::labeled(&anonymous.trails, &labels.anonymous).map_err(fail)?;
    let theirs = Side::labeled(&identified.trails, &labels.identified).map_err(fail)?;
    let options = Options {
        incomplete: match request.collecting {
            Collecting::IdentifiedIncomplete => Incomplete::Identified,
            _ => Incomplete::Anonymous,
        },
        ..Options::default()
    };
    let linked = |a: u32, i: u32| sides.relates(labels.linking(a), labels.linking(i));
    let mut scene = TrailScene::new(ours, theirs, &relates, &linked, options.clone());
    scene.find_multiple = request.find_multiple;
    scene.model = request.posterior.as_ref().map(|(model, _)| *model);
    let team = red_team(&Scene::Trails(&scene)).map_err(fail)?;
    let outcome = scene.outcome().map_err(fail)?;
    let graph = scene.graph().map_err(fail)?;
    let matching = ForcedMatching::of(&graph);
    let named = |pairs: &[(u32, u32)]| -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|&(a, i)| {
                (
                    anonymous.ids[a as usize].clone(),
                    identified.ids[i as usize].clone(),
                )
            })
            .collect()
    };
    let multiple = request.find_multiple.then(|| {
        let (one, several) = match options.incomplete {
            Incomplete::Anonymous => (identified, anonymous),
            Incomplete::Identified => (anonymous, identified),
        };
        find_multiple(&graph)
            .into_iter()
            .map(|found| MultipleFound {
                id: one.ids[found.complete as usize].clone(),
                identities: found
                    .incomplete
                    .iter()
                    .map(|&row| several.ids[row as usize].clone())
                    .collect(),
            })
            .collect()
    });
    let may_own = |a: u32, i: u32| {
        let (a, i) = (a as usize, i as usize);
        sides.relates(sides.anonymous_labels[a], sides.identified_labels[i])
    };
    let posteriors = match &request.posterior {
        None => None,
        Some((model, keep)) => Some(
            posteriors(
                &anonymous.trails,
                &identified.trails,
                &may_own,
                model,
                *keep,
            )
            .map_err(fail)?
            .into_iter()
            .zip(&anonymous.ids)
            .map(|(found, id)| Posteriors {
                id: id.clone(),
                candidates: found
                    .best
                    .iter()
                    .map(|&(row, p)| (identified.ids[row as usize].clone(), p))
                    .collect(),
                nobody: found.nobody,
            })
            .collect(),
        ),
    };
    let erosion = if request.erosion.is_empty() {
        Vec::new()
    } else {
        let alike = sides.alike();
        let theirs = Side::labeled(&identified.trails, &sides.identified_labels).map_err(fail)?;
        let confused = |a: u32, b: u32| alike.confused(a, b);
        erosion(theirs, &confused, &request.erosion, &options, request.seed).map_err(fail)?
    };
    Ok(TrailsFound {
        sizes: (
            anonymous.ids.len(),
            identified.ids.len(),
            anonymous.institutions.len(),
        ),
        pairs: vec![
            ("reidit-c", Some(named(&outcome.complete))),
            ("reidit-i", Some(named(&outcome.incomplete))),
            ("reidit-m", Some(named(&outcome.multiple))),
            ("forced", outcome.forced.as_deref().map(named)),
        ],
        saturable: outcome.saturable(),
        largest_posteriors: largest_posteriors(&graph, &matching, COUNTED_TRAILS),
        findings: team.findings,
        not_run: team.not_run,
        warnings: outcome.warnings.iter().map(ToString::to_string).collect(),
        allowed_set_sizes: outcome.allowed_set_sizes.clone(),
        multiple,
        posteriors,
        theory: request.theory.then(|| theory(sides, request.seed)),
        erosion,
    })
}

/// What theory expects of the identified side.
fn theory(sides: &NamedSides, seed: u64) -> Theory {
    let trails = &sides.identified.trails;
    let rates = visit_rates(trails);
    let estimate = expected_unique(trails.len() as u64, &rates, DRAWS, seed);
    let mut groups: HashMap<&[u32], u64> = HashMap::new();
    for trail in trails.iter() {
        *groups.entry(trail).or_insert(0) += 1;
    }
    Theory {
        bound: most_reidentifiable(trails.len() as u64, trails.institutions() as u32),
        expected_unique: estimate.unique,
        standard_error: estimate.standard_error,
        unique: groups.values().filter(|&&count| count == 1).count() as u64,
        institutions: sides
            .identified
            .institutions
            .iter()
            .cloned()
            .zip(rates)
            .zip(estimate.by_institution)
            .map(|((name, rate), unique)| (name, rate, unique))
            .collect(),
    }
}

/// Labels of both sides; with complete collecting a label also says which trail it is, so that only equal trails relate.
struct Labels {
    anonymous: Vec<u32>,
    identified: Vec<u32>,
    /// Of each label of complete collecting: the trail, and the linking label.
    meaning: Option<Vec<(u32, u32)>>,
}

impl Labels {
    fn of<'a>(collecting: Collecting, sides: &'a NamedSides) -> Labels {
        if collecting != Collecting::Complete {
            return Labels {
                anonymous: sides.anonymous_labels.clone(),
                identified: sides.identified_labels.clone(),
                meaning: None,
            };
        }
        let mut trails: HashMap<&'a [u32], u32> = HashMap::new();
        let mut known: HashMap<(u32, u32), u32> = HashMap::new();
        let mut meaning = Vec::new();
        let mut side =
            |trails: &mut HashMap<&'a [u32], u32>, rows: &'a denym_data::Trails, labels: &[u32]| {
                let label = |(trail, &label): (&'a [u32], &u32)| {
                    let next = trails.len() as u32;
                    let key = (*trails.entry(trail).or_insert(next), label);
                    *known.entry(key).or_insert_with(|| {
                        meaning.push(key);
                        meaning.len() as u32 - 1
                    })
                };
                rows.iter().zip(labels).map(label).collect::<Vec<u32>>()
            };
        let anonymous = side(
            &mut trails,
            &sides.anonymous.trails,
            &sides.anonymous_labels,
        );
        let identified = side(
            &mut trails,
            &sides.identified.trails,
            &sides.identified_labels,
        );
        Labels {
            anonymous,
            identified,
            meaning: Some(meaning),
        }
    }

    /// The linking label behind one of these labels.
    fn linking(&self, label: u32) -> u32 {
        let meaning = self.meaning.as_ref();
        meaning.map_or(label, |meaning| meaning[label as usize].1)
    }

    fn relate(&self, sides: &NamedSides, a: u32, i: u32) -> bool {
        match &self.meaning {
            None => sides.relates(a, i),
            Some(meaning) => {
                let (a, i) = (meaning[a as usize], meaning[i as usize]);
                a.0 == i.0 && sides.relates(a.1, i.1)
            }
        }
    }
}
