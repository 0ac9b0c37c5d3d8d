//! What the next releases will cost, if people come and go as they did.
//!
//! # Idea
//!
//! The people of the last release stay with the share that stayed so far; as many come as came on average, and look like somebody of the
//! last release, drawn. Whoever would have to wait is left out by the same rule as in a release, and tries again next time. The history
//! that grows is the real one, so the forecast knows every block that there is.
//!
//! # Guarantee
//!
//! None: it is one run of dice (the same for the same ledger), with classes as they are now.

use std::path::Path;

use denym_data::{Column, SplitMix64};
use denym_release::ledger::{History, Issued, Members, Token};

use super::hold_back::hold_back;
use super::keeper::certificate_of;
use super::store::Store;
use crate::Error;

/// A release that is yet to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// How many releases there are then.
    pub release: u64,
    /// People in the source.
    pub people: u64,
    /// Those of them who must wait.
    pub waiting: u64,
}

/// How people came and went so far, and the next `many` releases.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The share of people who were in the next release too.
    pub stay: f64,
    /// How many came with each release.
    pub came: u64,
    /// What is to be expected.
    pub releases: Vec<Expected>,
}

/// The seed of the dice: the same ledger has the same forecast.
const SEED: u64 = 1;

/// What the next `many` releases of the ledger in `directory` will cost.
pub fn forecast(directory: &Path, many: u64) -> Result<Forecast, Error> {
    let store = Store::open(directory, false)?;
    let mut issued = Vec::new();
    let (mut before, mut stayed, mut came, mut people) = (0_u64, 0_u64, 0_u64, 0_u64);
    for sealed in store.chain().entries() {
        let number = sealed.entry.number;
        let Some(published) = sealed.entry.release() else {
            continue;
        };
        if !issued.is_empty() {
            before += people;
            stayed += published.stayed;
            came += published.people.saturating_sub(published.stayed);
        }
        people = published.people;
        let certificate = certificate_of(store.directory(), number, published)?;
        let members = store.members(number, &published.members)?;
        issued.push(Issued::certified(number, &certificate, members)?);
    }
    let steps = issued.len() as u64 - u64::from(!issued.is_empty());
    let last = issued.last().filter(|_| steps > 0 && before > 0).cloned();
    let Some(last) = last else {
        return Err(Error::Argument {
            what: "a forecast needs two releases: who stays and who comes is not known yet".into(),
            help: "ask again after the next release".into(),
        });
    };
    let came = came.div_ceil(steps);
    let mut random = SplitMix64::new(SEED);
    let table = last.members.table()?;
    let columns = &table.columns()[..table.columns().len() - 1];
    let looks: Vec<std::ops::Range<usize>> = looks(&last.members);
    let mut present: Vec<(Token, usize)> = looks
        .iter()
        .enumerate()
        .map(|(look, rows)| (last.members.tokens()[rows.start], look))
        .collect();
    let mut releases = Vec::new();
    for step in 1..=many {
        present.retain(|_| random.below(before) < stayed);
        for newcomer in 0..came {
            let mut token = [0xff_u8; 16];
            token[..8].copy_from_slice(&random.next_u64().to_be_bytes());
            token[8..].copy_from_slice(&(step << 32 | newcomer).to_be_bytes());
            present.push((token, random.below(looks.len() as u64) as usize));
        }
        let (mut tokens, mut classes, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for (token, look) in &present {
            for row in looks[*look].clone() {
                tokens.push(*token);
                classes.push(last.members.classes()[row]);
                rows.push(row);
            }
        }
        let shown: Vec<Column> = columns
            .iter()
            .map(|column| Column {
                name: column.name.clone(),
                dictionary: column.dictionary.clone(),
                codes: rows.iter().map(|&row| column.codes[row]).collect(),
            })
            .collect();
        let shown: Vec<&Column> = shown.iter().collect();
        let next = Issued {
            number: last.number + step,
            members: Members::new(&tokens, &classes, &shown),
            ..last.clone()
        };
        let mut history = History::of(&issued)?;
        history.see(&next)?;
        let held = hold_back(&history);
        releases.push(Expected {
            release: issued.len() as u64 + 1,
            people: present.len() as u64,
            waiting: held.len() as u64,
        });
        issued.push(Issued {
            members: next.members.without(&held),
            ..next
        });
    }
    Ok(Forecast {
        stay: stayed as f64 / before as f64,
        came,
        releases,
    })
}

/// The rows of each person.
fn looks(members: &Members) -> Vec<std::ops::Range<usize>> {
    let mut start = 0;
    let mut looks = Vec::new();
    for own in members.tokens().chunk_by(|a, b| a == b) {
        looks.push(start..start + own.len());
        start += own.len();
    }
    looks
}
