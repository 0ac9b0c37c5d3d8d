//! A system that answers counts and sums over a table, with a size restriction, under attack.

use std::path::PathBuf;

use denym_attack::queries::{Answered, QueryScene};
use denym_attack::{RedTeam, Scene};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};

use super::certified::column;
use super::red_team;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What is to be asked.
#[derive(Debug, Clone, Default)]
pub struct QueriesRequest {
    /// The table behind the system.
    pub data: PathBuf,
    /// The same table before somebody was added, for the difference attack.
    pub before: Option<PathBuf>,
    /// What the adversary knows of everybody.
    pub known: Vec<String>,
    /// The sensitive number.
    pub number: String,
    /// The fewest people an answer is about.
    pub least: u64,
    /// How to read the table.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Asks until everybody's number is known or nothing more can be asked; what the adversary and the system were taken to do, in words.
pub fn queries(
    request: &QueriesRequest,
    listener: &dyn Listener,
) -> Result<(RedTeam, String), Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let table = engine.read(&request.data, &request.read)?;
    let earlier = request.before.as_ref();
    let earlier = earlier
        .map(|path| engine.read(path, &request.read))
        .transpose()?;
    let answered = |table: &Table, like: Option<&Table>| {
        for name in request.known.iter().chain([&request.number]) {
            column(table, name, &request.data)?;
        }
        let answered = Answered::of(table, like, &request.known, &request.number);
        answered.ok_or_else(|| Error::Argument {
            what: format!("`{}` is no column of numbers without gaps", request.number),
            help: "name the sensitive number with --number".into(),
        })
    };
    let now = answered(&table, None)?;
    let before = earlier
        .map(|earlier| answered(&earlier, Some(&table)))
        .transpose()?;
    listener.phase(Phase::Attacking);
    let names: Vec<String> = request
        .known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let knows = format!(
        "{} of everybody; the system answers counts and sums of `{}` over at least {} people",
        names.join(", "),
        request.number,
        request.least
    );
    let scene = QueryScene {
        now: &now,
        before: before.as_ref(),
        number: &request.number,
        least: request.least,
        knows: knows.clone(),
    };
    let team = threads::pool(request.threads)?.install(|| red_team(&Scene::Queries(&scene)))?;
    Ok((team, knows))
}
