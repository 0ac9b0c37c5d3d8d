//! Identifiers as keyed pseudonyms: the same person has the same token in every release made with the same key.
//!
//! # Guarantee
//!
//! A token is the first half of HMAC-SHA256 under the key, over the column's name and the value: without the key it tells
//! nothing about the value, and guesses cannot be tried. The key never enters the bundle. What is *not* protected: tokens
//! link the records of one person, within a release and across releases that use the same key.
//!
//! # Reference
//!
//! H. Krawczyk, M. Bellare, R. Canetti, RFC 2104; truncation to 128 bits as section 5 allows.

use std::fmt::Write as _;
use std::path::Path;

use denym_data::{Column, Role, Table};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::policy::{KeySource, Policy};
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
        .filter_map(|spec| Some((spec.name.as_str(), spec.operations.pseudonym.as_ref()?)))
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
