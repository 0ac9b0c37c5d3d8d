//! Keyed pseudonyms: the same value has the same token wherever the same key is used.
//!
//! # Guarantee
//!
//! A token is the first half of HMAC-SHA256 under the key, over the column's name and the value: without the key it tells
//! nothing about the value, and guesses cannot be tried. What is *not* protected: tokens link the records of one person. Tokens
//! per class link nothing beyond a class.
//!
//! # Reference
//!
//! H. Krawczyk, M. Bellare, R. Canetti, RFC 2104; truncation to 128 bits as section 5 allows.

use std::fmt::Write as _;

use denym_data::{ClassId, Column, Recoding};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::Error;
use crate::fingerprint::digits;

/// Bytes of the tag that are published.
const PUBLISHED: usize = 16;

/// The column with tokens for values; what is missing stays missing.
pub fn tokens(column: &Column, key: &[u8]) -> Result<Column, Error> {
    let keyed: Hmac<Sha256> = Hmac::new_from_slice(key).map_err(|_| Error::Internal {
        during: "keying pseudonyms",
    })?;
    let token = |value: &str| {
        let mut mac = keyed.clone();
        mac.update(column.name.as_bytes());
        // No name and value can be read as another name and value.
        mac.update(&[0]);
        mac.update(value.as_bytes());
        digits(&mac.finalize().into_bytes()[..PUBLISHED])
    };
    let tokens: Vec<String> = column.dictionary.values().map(token).collect();
    let texts = column
        .codes
        .iter()
        .map(|&code| tokens.get(code as usize).map(String::as_str));
    Ok(Column::from_texts(&column.name, texts))
}

/// The column with tokens that differ from class to class; `class_of` has the class of each record.
///
/// A token is made of the token of the person and of what the class publishes, under the same key: within a class it stands for one
/// person, and nobody without the key can tell which tokens of two classes are one person's.
pub fn tokens_by_class(
    column: &Column,
    class_of: &[Option<ClassId>],
    recoding: &Recoding,
    key: &[u8],
) -> Result<Column, Error> {
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
    let texts: Vec<Option<String>> = class_of
        .iter()
        .enumerate()
        .map(|(row, class)| {
            let text = column.text(row)?;
            let shown = class.map_or("", |class| shown[class as usize].as_str());
            Some(format!("{text}\0{shown}"))
        })
        .collect();
    let own = Column::from_texts(&column.name, texts.iter().map(Option::as_deref));
    tokens(&own, key)
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
