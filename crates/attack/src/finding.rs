//! What an attack found on a release, in the one form that certificates, reports, gates and `denym attack` are made of.
//!
//! [`red_team`] runs every attack of the catalogue on one scene. What does not apply is listed with the reason, found by looking.

use serde_json::Value;

use crate::catalogue::{AttackEntry, CATALOGUE, Run, Shape};
use crate::queries::QueryScene;
use crate::releases::ReleasesScene;
use crate::sequences::SequenceScene;
use crate::table::TableScene;
use crate::trails::TrailScene;
use crate::windows::WindowScene;
use crate::{Error, Evidence};

/// One attack before and after.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The attack's name in the catalogue.
    pub attack: &'static str,
    /// What the adversary is after, when it is one sensitive attribute.
    pub attribute: Option<String>,
    /// What the adversary knows.
    pub knows: String,
    /// Whether a plain bound of the policy speaks of it.
    pub bounded: bool,
    /// On the source, where it can be tried there.
    pub before: Option<Evidence>,
    /// On the release.
    pub after: Evidence,
    /// On people of the same kind who are not in it, where the attack is compared with them.
    pub held_out: Option<Evidence>,
    /// What a reader should know about the figures.
    pub note: String,
    /// Whom it succeeds on best. This points at people: it stays with the steward.
    pub worst: Vec<Value>,
}

impl Finding {
    /// What an attack came to for who knows this; nothing is said of the source, of others or of victims, and only a bound of its own
    /// speaks of it.
    pub fn new(after: Evidence, knows: impl Into<String>) -> Self {
        Self {
            attack: after.attack,
            attribute: None,
            knows: knows.into(),
            bounded: false,
            before: None,
            after,
            held_out: None,
            note: String::new(),
            worst: Vec::new(),
        }
    }
}

/// An attack that was not run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRun {
    /// The attack's name in the catalogue.
    pub attack: &'static str,
    /// Why it does not apply, or what it would need.
    pub why: String,
}

/// Why an attack has no finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Declined {
    /// It does not apply here, or lacks something.
    Because(String),
    /// What it was given does not fit together.
    Failed(Error),
}

impl Declined {
    /// It does not apply here.
    pub fn because(why: impl Into<String>) -> Self {
        Self::Because(why.into())
    }
}

impl From<Error> for Declined {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What came of running an attack.
pub type Ran = Result<Vec<Finding>, Declined>;

/// What is attacked.
pub enum Scene<'a> {
    /// A table, numbers and clusters among them.
    Table(&'a TableScene<'a>),
    /// Paths.
    Paths(&'a SequenceScene<'a>),
    /// Transactions.
    Transactions(&'a SequenceScene<'a>),
    /// Trails.
    Trails(&'a TrailScene<'a>),
    /// Windows of a stream.
    Windows(&'a WindowScene<'a>),
    /// Several releases of the same people.
    Releases(&'a ReleasesScene<'a>),
    /// A system that answers counts and sums.
    Queries(&'a QueryScene<'a>),
}

impl Scene<'_> {
    fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Paths(_) => Shape::Paths,
            Self::Transactions(_) => Shape::Transactions,
            Self::Trails(_) => Shape::Trails,
            Self::Windows(_) => Shape::Windows,
            Self::Releases(_) => Shape::Releases,
            Self::Queries(_) => Shape::Queries,
        }
    }
}

/// What the red team achieved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RedTeam {
    /// The attacks that were run, in the order of the catalogue.
    pub findings: Vec<Finding>,
    /// The others, with the reason.
    pub not_run: Vec<NotRun>,
}

/// Runs every attack of the catalogue that applies.
///
/// # Errors
///
/// When the parts of the scene do not fit together.
pub fn red_team(scene: &Scene<'_>) -> Result<RedTeam, Error> {
    let mut found = Vec::new();
    let mut declined: Vec<NotRun> = Vec::new();
    let mut on_candidates = false;
    for entry in CATALOGUE.iter() {
        match (entry.run, scene) {
            // These look at the same sets of people, and are run together.
            (Run::Candidates { .. }, Scene::Table(scene)) => {
                if !std::mem::replace(&mut on_candidates, true) {
                    let (findings, left) = scene.on_candidates()?;
                    found.extend(findings);
                    declined.extend(left);
                }
            }
            _ => match run_alone(entry, scene) {
                Ok(findings) => found.extend(findings),
                Err(Declined::Because(why)) => declined.push(NotRun {
                    attack: entry.name,
                    why,
                }),
                Err(Declined::Failed(error)) => return Err(error),
            },
        }
    }
    debug_assert!(
        found.iter().all(|found| works_on(found.attack, scene)),
        "an attack ran on a kind that is not its own"
    );
    Ok(RedTeam::of(&CATALOGUE, found, &declined))
}

/// Runs one attack of the catalogue; on a table one that needs no candidates.
///
/// # Errors
///
/// As [`red_team`].
pub fn one_attack(name: &str, scene: &Scene<'_>) -> Result<RedTeam, Error> {
    let Some(entry) = crate::catalogue::entry(name) else {
        return Ok(RedTeam::default());
    };
    let (found, why) = match run_alone(entry, scene) {
        Ok(found) => (found, None),
        Err(Declined::Because(why)) => (Vec::new(), Some(why)),
        Err(Declined::Failed(error)) => return Err(error),
    };
    let declined = why.map(|why| NotRun {
        attack: entry.name,
        why,
    });
    Ok(RedTeam::of(
        std::slice::from_ref(entry),
        found,
        declined.as_slice(),
    ))
}

fn run_alone(entry: &AttackEntry, scene: &Scene<'_>) -> Ran {
    match (entry.run, scene) {
        (Run::Table(run), Scene::Table(scene)) => run(scene),
        (Run::Sequences(run), Scene::Paths(scene)) if entry.shape == Shape::Paths => run(scene),
        (Run::Sequences(run), Scene::Transactions(scene)) if entry.shape == Shape::Transactions => {
            run(scene)
        }
        (Run::Trails(run), Scene::Trails(scene)) => run(scene),
        (Run::Windows(run), Scene::Windows(scene)) => run(scene),
        (Run::Releases(run), Scene::Releases(scene)) => run(scene),
        (Run::Queries(run), Scene::Queries(scene)) => run(scene),
        _ => Err(Declined::Because(elsewhere(entry))),
    }
}

impl RedTeam {
    /// What was found; every other of these attacks was not run, for the reason it gave.
    fn of(entries: &[AttackEntry], mut found: Vec<Finding>, declined: &[NotRun]) -> Self {
        let mut declined = declined.to_vec();
        // What nobody was tried on has no rate: a zero would read as a defence that held.
        found.retain(|found| {
            if found.after.attempts == 0 {
                declined.push(NotRun {
                    attack: found.attack,
                    why: "there is nobody to try it on".to_owned(),
                });
            }
            found.after.attempts > 0
        });
        let ran = |name: &str| found.iter().any(|found| found.attack == name);
        let left = entries.iter().filter(|entry| !ran(entry.name));
        let left = left.map(|entry| {
            let given = declined.iter().find(|left| left.attack == entry.name);
            let why = given.map_or_else(|| elsewhere(entry), |left| left.why.clone());
            NotRun {
                attack: entry.name,
                why,
            }
        });
        Self {
            not_run: left.collect(),
            findings: found,
        }
    }

    /// What was found in several places: people are added up, and attacks that ran nowhere are listed. The notes say of how many places
    /// of `what` they speak.
    pub fn over(teams: &[RedTeam], what: &str) -> Self {
        let mut same: Vec<Vec<&Finding>> = Vec::new();
        for found in teams.iter().flat_map(|team| &team.findings) {
            let alike = |of: &&mut Vec<&Finding>| {
                (of[0].attack, &of[0].attribute) == (found.attack, &found.attribute)
            };
            match same.iter_mut().find(alike) {
                Some(list) => list.push(found),
                None => same.push(vec![found]),
            }
        }
        let merged = same.into_iter().filter_map(|list| {
            let parts: Vec<&Evidence> = list.iter().map(|found| &found.after).collect();
            let first = *list.first()?;
            Some(Finding {
                after: Evidence::together(&parts)?,
                note: format!("{} Over {} {what}", first.note, list.len())
                    .trim()
                    .to_owned(),
                ..first.clone()
            })
        });
        let mut findings: Vec<Finding> = merged.collect();
        let place =
            |found: &Finding| crate::catalogue::entry(found.attack).map(|entry| entry.place);
        findings.sort_by_key(place);
        let ran = |left: &&NotRun| findings.iter().all(|found| found.attack != left.attack);
        let not_run = teams.last().into_iter().flat_map(|team| &team.not_run);
        Self {
            not_run: not_run.filter(ran).cloned().collect(),
            findings,
        }
    }

    /// What the attack called `name` found.
    pub fn found(&self, name: &str) -> Option<&Finding> {
        self.findings.iter().find(|found| found.attack == name)
    }
}

fn works_on(name: &str, scene: &Scene<'_>) -> bool {
    let Some(entry) = crate::catalogue::entry(name) else {
        return false;
    };
    entry.shape == scene.shape() || entry.shape == Shape::Microdata && scene.shape() == Shape::Table
}

/// Why an attack on another kind of data is not run.
fn elsewhere(entry: &AttackEntry) -> String {
    match entry.shape {
        Shape::Releases => "it needs several releases: see `denym attack releases`".to_owned(),
        Shape::Queries => "no queries are answered: see `denym attack queries`".to_owned(),
        Shape::Windows => "it works on the windows of a stream".to_owned(),
        Shape::Table | Shape::Microdata => "it works on tables".to_owned(),
        shape => format!("it works on {}", shape.words()),
    }
}
