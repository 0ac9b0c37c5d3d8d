//! Identifiers as keyed pseudonyms: where the key is, and which columns a policy wants so.
//!
//! The key never enters the bundle. What tokens tie together within a release is judged: see [`crate::owners`].

use std::path::Path;

use denym_data::{ClassId, Recoding, Role, Table};
use denym_engine::pseudonyms::{tokens, tokens_by_class};

use crate::policy::{KeySource, Policy, Reach};
use crate::{Error, secret};

/// Reads a variable of the environment; the caller's, since libraries do not look around.
pub type Environment = fn(&str) -> Option<String>;

/// Shorter keys could be tried out.
const SHORTEST: usize = 16;

/// The table with every identifier that has a pseudonym replaced by it.
pub(crate) fn replaced(
    policy: &Policy,
    table: Table,
    environment: Option<Environment>,
) -> Result<Table, Error> {
    if wanted(policy).next().is_none() {
        return Ok(table);
    }
    let mut columns = table.columns().to_vec();
    for (name, source, _) in wanted(policy) {
        if let Some(position) = table.position(name) {
            let key = key(policy, source, environment)?;
            columns[position] = tokens(&columns[position], &key)?;
        }
    }
    Ok(Table::new(columns)?)
}

/// The identifiers that are published as tokens, with their keys and how far a token reaches.
fn wanted(policy: &Policy) -> impl Iterator<Item = (&str, &KeySource, Reach)> {
    policy.with_role(Role::Identifier).filter_map(|spec| {
        let pseudonym = spec.operations.pseudonym.as_ref()?;
        Some((spec.name.as_str(), &pseudonym.key, pseudonym.per))
    })
}

/// The columns whose tokens are drawn anew in every class.
pub(crate) fn per_class(policy: &Policy) -> impl Iterator<Item = (&str, &KeySource)> {
    let drawn = wanted(policy).filter(|(_, _, per)| *per == Reach::Class);
    drawn.map(|(name, key, _)| (name, key))
}

/// The table with tokens that differ from class to class, where the policy wants them so; `class_of` has the class of each record.
pub(crate) fn by_class(
    policy: &Policy,
    table: &Table,
    class_of: &[Option<ClassId>],
    recoding: &Recoding,
    environment: Option<Environment>,
) -> Result<Table, Error> {
    let mut columns = table.columns().to_vec();
    for (name, source) in per_class(policy) {
        if let Some(position) = table.position(name) {
            let key = key(policy, source, environment)?;
            columns[position] = tokens_by_class(&columns[position], class_of, recoding, &key)?;
        }
    }
    Ok(Table::new(columns)?)
}

/// The key, which must be long enough.
pub(crate) fn key(
    policy: &Policy,
    source: &KeySource,
    environment: Option<Environment>,
) -> Result<Vec<u8>, Error> {
    let directory = policy.resolve(Path::new(""));
    let (key, place) = secret::read(source, &directory, environment, "a key")?;
    if key.len() < SHORTEST {
        return Err(Error::Argument {
            what: format!("the key in {place} is shorter than {SHORTEST} bytes"),
            help: "make one with `openssl rand -hex 32`".into(),
        });
    }
    Ok(key)
}
