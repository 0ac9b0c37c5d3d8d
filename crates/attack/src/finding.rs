//! What an attack found on a release, in the one form that certificates, reports, gates and `denym attack` are made of.
//!
//! [`red_team`] runs every attack of the catalogue on one scene. What does not apply is listed with the reason, found by looking.

use serde_json::Value;

use crate::catalogue::{CATALOGUE, Entry, Run, Shape};
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
}

impl Scene<'_> {
    fn shape(&self) -> Shape {
        match self {
            Self::Table(_) => Shape::Table,
            Self::Paths(_) => Shape::Paths,
            Self::Transactions(_) => Shape::Transactions,
            Self::Trails(_) => Shape::Trails,
            Self::Windows(_) => Shape::Windows,
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
    let mut team = RedTeam::default();
    let mut on_candidates = match scene {
        Scene::Table(scene) => Some(scene.on_candidates()?),
        _ => None,
    };
    let mut declined: Vec<NotRun> = Vec::new();
    for entry in CATALOGUE.iter() {
        let ran = match (entry.run, scene) {
            (Run::Candidates { .. }, Scene::Table(_)) => {
                if let Some((findings, left)) = on_candidates.take() {
                    team.findings.extend(findings);
                    declined.extend(left);
                }
                continue;
            }
            (Run::Table(run), Scene::Table(scene)) => run(scene),
            (Run::Sequences(run), Scene::Paths(scene)) if entry.shape == Shape::Paths => run(scene),
            (Run::Sequences(run), Scene::Transactions(scene))
                if entry.shape == Shape::Transactions =>
            {
                run(scene)
            }
            (Run::Trails(run), Scene::Trails(scene)) => run(scene),
            (Run::Windows(run), Scene::Windows(scene)) => run(scene),
            _ => Err(Declined::Because(elsewhere(entry))),
        };
        match ran {
            Ok(findings) => team.findings.extend(findings),
            Err(Declined::Because(why)) => declined.push(NotRun {
                attack: entry.name,
                why,
            }),
            Err(Declined::Failed(error)) => return Err(error),
        }
    }
    // What nobody was tried on has no rate: a zero would read as a defence that held.
    team.findings.retain(|found| {
        if found.after.attempts == 0 {
            declined.push(NotRun {
                attack: found.attack,
                why: "there is nobody to try it on".to_owned(),
            });
        }
        found.after.attempts > 0
    });
    let ran = |name: &str| team.findings.iter().any(|found| found.attack == name);
    for entry in CATALOGUE.iter().filter(|entry| !ran(entry.name)) {
        let given = declined.iter().find(|left| left.attack == entry.name);
        let why = given.map_or_else(|| elsewhere(entry), |left| left.why.clone());
        team.not_run.push(NotRun {
            attack: entry.name,
            why,
        });
    }
    debug_assert!(
        team.findings
            .iter()
            .all(|found| works_on(found.attack, scene)),
        "an attack ran on a kind that is not its own"
    );
    Ok(team)
}

fn works_on(name: &str, scene: &Scene<'_>) -> bool {
    let Some(entry) = crate::catalogue::entry(name) else {
        return false;
    };
    entry.shape == scene.shape() || entry.shape == Shape::Microdata && scene.shape() == Shape::Table
}

/// Why an attack on another kind of data is not run.
fn elsewhere(entry: &Entry) -> String {
    match entry.shape {
        Shape::Releases => "it needs several releases: see `denym attack releases`".to_owned(),
        Shape::Queries => "no queries are answered: see `denym attack queries`".to_owned(),
        Shape::Windows => "it works on the windows of a stream".to_owned(),
        Shape::Table | Shape::Microdata => "it works on tables".to_owned(),
        shape => format!("it works on {}", shape.words()),
    }
}
