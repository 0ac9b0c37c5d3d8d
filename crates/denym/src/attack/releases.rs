//! Several releases about the same people under attack: what each hides, they may show together.

use std::collections::BTreeMap;
use std::path::PathBuf;

use denym_attack::releases::ReleasesScene;
use denym_attack::{RedTeam, Scene};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};

use super::certified::{CertifiedRelease, column, explained, policy_of};
use super::red_team;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What is to be attacked together.
#[derive(Debug, Clone, Default)]
pub struct ReleasesRequest {
    /// Two or more tables, in the order they were published.
    pub releases: Vec<PathBuf>,
    /// People the adversary knows, with their quasi-identifiers; the records of the first release when not given.
    pub external: Option<PathBuf>,
    /// The quasi-identifiers; all columns that all tables have, but the sensitive one, when empty.
    pub quasi: Vec<String>,
    /// The column that tells which records of one class are one person's; certificates beside the tables say it themselves.
    pub subject: Option<String>,
    /// The sensitive attribute.
    pub sensitive: String,
    /// The external column that names people.
    pub id: Option<String>,
    /// The fewest values, records or people that should remain.
    pub least: usize,
    /// Hierarchy files that explain generalized values.
    pub hierarchies: Option<PathBuf>,
    /// A policy whose hierarchies explain them.
    pub policy: Option<PathBuf>,
    /// Name the people found.
    pub victims: bool,
    /// How to read the tables.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the releases show together.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasesFound {
    /// What each attack found, with the people and groups it succeeds on, and the attacks that were not run.
    pub team: RedTeam,
    /// How many people have so many values left.
    pub remaining: BTreeMap<usize, u64>,
    /// What the adversary was taken to know.
    pub knows: String,
}

/// Attacks the releases of `request` together.
pub fn releases(
    request: &ReleasesRequest,
    listener: &dyn Listener,
) -> Result<ReleasesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    if request.releases.len() < 2 {
        return Err(Error::Argument {
            what: "one release has nothing to be combined with".into(),
            help: "name two or more tables".into(),
        });
    }
    let (mut tables, mut certified) = (Vec::new(), Vec::new());
    for path in &request.releases {
        let (table, told) = match CertifiedRelease::read(&engine, path)? {
            None => (engine.read(path, &request.read)?, None),
            Some(own) => {
                let told = (own.certificate.quasi_identifiers, own.certificate.subject);
                (own.table, Some(told))
            }
        };
        tables.push(table);
        certified.push(told);
    }
    let shows = |table: &Table| table.column(&request.sensitive).is_some();
    if !tables.iter().any(shows) {
        column(&tables[0], &request.sensitive, &request.releases[0])?;
    }
    let subject = certified
        .iter()
        .flatten()
        .find_map(|(_, subject)| subject.as_deref());
    let subject = request.subject.as_deref().or(subject);
    // A column may be known that is not the sensitive one, not a number within a class, and that the user or the certificates name.
    let may_know = |name: &str| {
        let named = |names: &[String]| names.iter().any(|own| own == name);
        let mut told = certified
            .iter()
            .flatten()
            .map(|(quasi, _)| quasi)
            .peekable();
        name != request.sensitive
            && subject != Some(name)
            && if request.quasi.is_empty() {
                told.peek().is_none() || told.any(|quasi| named(quasi))
            } else {
                named(&request.quasi)
            }
    };
    let quasi = tables[0].columns().iter().map(|column| column.name.clone());
    let quasi: Vec<String> = quasi
        .filter(|name| may_know(name) && tables.iter().all(|table| table.column(name).is_some()))
        .collect();
    let external = request.external.as_ref();
    let people = external
        .map(|path| engine.read(path, &request.read))
        .transpose()?;
    let mut hierarchies = BTreeMap::new();
    if let (Some(people), Some(path), true) = (&people, external, tables.iter().all(shows)) {
        for name in &quasi {
            column(people, name, path)?;
        }
        let policy = policy_of(request.policy.as_deref(), None)?;
        let directory = request.hierarchies.as_deref();
        hierarchies = explained(&engine, directory, policy.as_ref(), quasi.clone())?;
    }
    let all_certified = certified.iter().all(Option::is_some);
    let knows = knows(request, &quasi, all_certified, subject.is_some());
    listener.phase(Phase::Attacking);
    let mut scene =
        ReleasesScene::new(&tables, &quasi, &request.sensitive, &may_know, &hierarchies);
    scene.subject = subject;
    scene.external = people.as_ref();
    scene.id = request.id.as_deref();
    scene.least = request.least;
    scene.knows.clone_from(&knows);
    let team = threads::pool(request.threads)?.install(|| red_team(&Scene::Releases(&scene)))?;
    Ok(ReleasesFound {
        team,
        remaining: scene.remaining(),
        knows,
    })
}

/// What the adversary was taken to know, in words.
fn knows(request: &ReleasesRequest, quasi: &[String], certified: bool, subject: bool) -> String {
    let columns: Vec<String> = quasi.iter().map(|name| format!("`{name}`")).collect();
    let whom = match request.external {
        Some(_) => "of the people of the external table",
        None => "of everybody in the first release, as published",
    };
    let said = match (request.quasi.is_empty(), certified) {
        (false, _) => "as asked",
        (true, true) => "the quasi-identifiers of the certificates",
        (true, false) => {
            "every common column that is not sensitive; say others with --quasi or --subject"
        }
    };
    let counted = if subject {
        "people are counted, once in each class"
    } else {
        "every record counts as a person"
    };
    let columns = if columns.is_empty() {
        "nothing".to_owned()
    } else {
        columns.join(", ")
    };
    format!("{columns} {whom} ({said}); {counted}")
}
