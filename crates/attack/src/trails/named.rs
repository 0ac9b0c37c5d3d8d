//! Trails under every attack, with the names of who is found: what `denym attack trails` answers.

use std::collections::HashMap;

use super::erosion::{Eroded, Treatment, erosion};
use super::linking::LinkedTrails;
use super::posterior::{Model, posteriors};
use super::theory::{expected_unique, most_reidentifiable, visit_rates};
use super::{
    ForcedMatching, Incomplete, Pair, TrailOptions, TrailScene, TrailSide, find_multiple,
    largest_posteriors,
};
use crate::{Error, RedTeam, Scene, red_team};

/// What is asked of the trails beside who is whose.
#[derive(Debug, Clone, Default)]
pub struct TrailQuestions {
    /// Which side may lack entries.
    pub incomplete: Incomplete,
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
    /// What each method found, and the attacks that were not run.
    pub team: RedTeam,
    /// What the reader must know before believing the pairs.
    pub warnings: Vec<String>,
    /// Ids of the complete side, each with the ids of the incomplete side that only it covers.
    pub multiple: Option<Vec<(String, Vec<String>)>>,
    /// Candidates under error rates.
    pub posteriors: Option<Vec<NamedPosterior>>,
    /// What theory expects.
    pub theory: Option<Theory>,
    /// What protecting the source would change.
    pub erosion: Vec<Eroded>,
}

/// The best candidates of one anonymous trail.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPosterior {
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

impl TrailsFound {
    /// Runs every trail attack on both sides.
    ///
    /// # Errors
    ///
    /// As [`super::attack_linked`]; and when a rate of the error model is no probability.
    pub fn on(sides: &LinkedTrails, asked: &TrailQuestions) -> Result<Self, Error> {
        let (anonymous, identified) = (&sides.anonymous, &sides.identified);
        let relates = |a: u32, i: u32| sides.relates(a, i);
        let options = TrailOptions {
            incomplete: asked.incomplete,
            ..TrailOptions::default()
        };
        let ours = TrailSide::labeled(&anonymous.trails, &sides.anonymous_labels)?;
        let theirs = TrailSide::labeled(&identified.trails, &sides.identified_labels)?;
        let mut scene = TrailScene::new(ours, theirs, &relates, options.clone());
        scene.find_multiple = asked.find_multiple;
        scene.model = asked.posterior.map(|(model, _)| model);
        let team = red_team(&Scene::Trails(&scene))?;
        let outcome = scene.outcome()?;
        let graph = scene.graph()?;
        let name = |ids: &[String], row: u32| ids[row as usize].clone();
        let named = |pairs: &[Pair]| -> Vec<(String, String)> {
            let pairs = pairs.iter();
            pairs
                .map(|&(a, i)| (name(&anonymous.ids, a), name(&identified.ids, i)))
                .collect()
        };
        let (one, several) = match options.incomplete {
            Incomplete::Identified => (anonymous, identified),
            _ => (identified, anonymous),
        };
        let multiple = asked.find_multiple.then(|| {
            let found = find_multiple(&graph).into_iter();
            found
                .map(|found| {
                    let several = found.incomplete.iter().map(|&row| name(&several.ids, row));
                    (name(&one.ids, found.complete), several.collect())
                })
                .collect()
        });
        let posteriors = match &asked.posterior {
            None => None,
            Some((model, keep)) => {
                let may_own =
                    |a: u32, i: u32| relates(ours.label(a as usize), theirs.label(i as usize));
                let found = posteriors(ours.trails, theirs.trails, &may_own, model, *keep)?;
                let named = found.into_iter().zip(&anonymous.ids).map(|(found, id)| {
                    let best = found.best.iter();
                    NamedPosterior {
                        id: id.clone(),
                        candidates: best
                            .map(|&(row, p)| (name(&identified.ids, row), p))
                            .collect(),
                        nobody: found.nobody,
                    }
                });
                Some(named.collect())
            }
        };
        let erosion = if asked.erosion.is_empty() {
            Vec::new()
        } else {
            let shown_as = sides.shown_as();
            let confused =
                |a: u32, b: u32| a == b || !shown_as[a as usize].is_disjoint(&shown_as[b as usize]);
            // What is withheld leaves the anonymous side incomplete, also where it was complete before.
            let left = TrailOptions {
                incomplete: match options.incomplete {
                    Incomplete::Neither => Incomplete::Anonymous,
                    own => own,
                },
                ..options
            };
            erosion(theirs, &confused, &asked.erosion, &left, asked.seed)?
        };
        Ok(Self {
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
            largest_posteriors: largest_posteriors(
                &graph,
                &ForcedMatching::of(&graph),
                COUNTED_TRAILS,
            ),
            warnings: outcome.warnings.iter().map(ToString::to_string).collect(),
            allowed_set_sizes: outcome.allowed_set_sizes.clone(),
            team,
            multiple,
            posteriors,
            theory: asked.theory.then(|| Theory::of(sides, asked.seed)),
            erosion,
        })
    }
}

impl Theory {
    /// What theory expects of the identified side.
    fn of(sides: &LinkedTrails, seed: u64) -> Self {
        let trails = &sides.identified.trails;
        let rates = visit_rates(trails);
        let estimate = expected_unique(trails.len() as u64, &rates, DRAWS, seed);
        let mut alike: HashMap<&[u32], u64> = HashMap::new();
        for trail in trails.iter() {
            *alike.entry(trail).or_insert(0) += 1;
        }
        let names = sides.identified.institutions.iter().cloned();
        let each = names.zip(rates).zip(estimate.by_institution);
        Self {
            bound: most_reidentifiable(trails.len() as u64, trails.institutions() as u32),
            expected_unique: estimate.unique,
            standard_error: estimate.standard_error,
            unique: alike.values().filter(|&&count| count == 1).count() as u64,
            institutions: each
                .map(|((name, rate), unique)| (name, rate, unique))
                .collect(),
        }
    }
}
