//! Identifiers as keyed pseudonyms: the same person has the same token in every release made with the same key.
//!
//! # Guarantee
//!
//! A token is the first half of HMAC-SHA256 under the key, over the column's name and the value: without the key it tells
//! nothing about the value, and guesses cannot be tried. The key never enters the bundle. What is *not* protected: tokens
//! link the records of one person, within a release and across releases that use the same key. Within a release that is judged: see
//! [`crate::owners`]. Tokens per class link nothing beyond a class.
//!
//! # Reference
//!
//! H. Krawczyk, M. Bellare, R. Canetti, RFC 2104; truncation to 128 bits as section 5 allows.

use std::fmt::Write as _;
use std::path::Path;

use denym_data::{ClassId, Column, Recoding, Role, Table};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::policy::{KeySource, Policy, Reach};
use crate::{Error, secret};

/// Reads a variable of the environment; the caller's, since libraries do not look around.
pub type Environment = fn(&str) -> Option<String>;

/// Shorter keys could be tried out.
const SHORTEST: usize = 16;

/// Bytes of the tag that are published.
const PUBLISHED: usize = 16;

/// The table with every identifier that has a pseudonym replaced by it.
pub(crate) fn replaced(
    policy: &Policy,
    table: Table,
    environment: Option<Environment>,
) -> Result<Table, Error> {
    let specs = policy.with_role(Role::Identifier);
    let wanted: Vec<(&str, &KeySource)> = specs
        .filter_map(|spec| {
            let pseudonym = spec.operations.pseudonym.as_ref()?;
            Some((spec.name.as_str(), &pseudonym.key))
        })
        .collect();
    if wanted.is_empty() {
        return Ok(table);
    }
    let mut columns = table.columns().to_vec();
    for (name, source) in wanted {
        let Some(position) = table.position(name) else {
            continue;
        };
        let key = key(policy, source, environment)?;
        columns[position] = tokens(&columns[position], &key)?;
    }
    Ok(Table::new(columns)?)
}

/// The columns whose tokens are drawn anew in every class.
pub(crate) fn per_class(policy: &Policy) -> impl Iterator<Item = (&str, &KeySource)> {
    policy.with_role(Role::Identifier).filter_map(|spec| {
        let pseudonym = spec.operations.pseudonym.as_ref()?;
        (pseudonym.per == Reach::Class).then_some((spec.name.as_str(), &pseudonym.key))
    })
}

/// The table with tokens that differ from class to class, where the policy wants them so; `class_of` has the class of each record.
///
/// A token is made of the token of the person and of what the class publishes, under the same key: within a class it stands for one
/// person, and nobody without the key can tell which tokens of two classes are one person's.
pub(crate) fn by_class(
    policy: &Policy,
    table: &Table,
    class_of: &[Option<ClassId>],
    recoding: &Recoding,
    environment: Option<Environment>,
) -> Result<Table, Error> {
    let mut columns = table.columns().to_vec();
    let shown: Vec<String> = (0..recoding.classes())
        .map(|class| {
            let mut shown = String::new();
            for (labels, published) in recoding.labels.iter().zip(&recoding.published) {
                // Lengths before texts: no two lists of texts read the same.
                let _ = match &labels.texts[published[class] as usize] {
                    Some(text) => write!(shown, "{}:{text}", text.len()),
                    None => write!(shown, "-"),
                };
            }
            shown
        })
        .collect();
    for (name, source) in per_class(policy) {
        let Some(position) = table.position(name) else {
            continue;
        };
        let key = key(policy, source, environment)?;
        let column = &table.columns()[position];
        let texts: Vec<Option<String>> = class_of
            .iter()
            .enumerate()
            .map(|(row, class)| {
                let text = column.text(row)?;
                let shown = class.map_or("", |class| shown[class as usize].as_str());
                Some(format!("{text}\0{shown}"))
            })
            .collect();
        let own = Column::from_texts(name, texts.iter().map(Option::as_deref));
        columns[position] = tokens(&own, &key)?;
    }
    Ok(Table::new(columns)?)
}

/// The key, which must be long enough.
fn key(
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

/// The column with tokens for values; what is missing stays missing.
fn tokens(column: &Column, key: &[u8]) -> Result<Column, Error> {
    let keyed: Hmac<Sha256> = Hmac::new_from_slice(key).map_err(|_| Error::Internal {
        what: "a key that HMAC does not take".into(),
    })?;
    let token = |value: &str| {
        let mut mac = keyed.clone();
        mac.update(column.name.as_bytes());
        // No name and value can be read as another name and value.
        mac.update(&[0]);
        mac.update(value.as_bytes());
        let mut text = String::with_capacity(2 * PUBLISHED);
        for byte in &mac.finalize().into_bytes()[..PUBLISHED] {
            let _ = write!(text, "{byte:02x}");
        }
        text
    };
    let tokens: Vec<String> = column.dictionary.values().map(token).collect();
    let texts = column
        .codes
        .iter()
        .map(|&code| tokens.get(code as usize).map(String::as_str));
    Ok(Column::from_texts(&column.name, texts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hmac_sha256() {
        let column = Column::from_texts("name", [Some("Ann"), None, Some("Bea"), Some("Ann")]);
        let found = tokens(&column, b"0123456789abcdef").expect("tokens");
        // python3: hmac.new(b"0123456789abcdef", b"name\0Ann", "sha256").hexdigest()[:32]
        assert_eq!(found.text(0), Some(ANN));
        assert_eq!((found.text(1), found.text(3)), (None, Some(ANN)));
        assert_ne!(found.text(2), Some(ANN));
        let other = tokens(&column, b"0123456789abcdeX").expect("tokens");
        assert_ne!(other.text(0), Some(ANN));
    }

    const ANN: &str = "46c8de75205388305112a2f72a7750f4";
}
