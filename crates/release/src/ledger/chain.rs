//! The chain of entries: each line holds an entry, its hash and perhaps a signature, and names the hash of the line before.
//!
//! ```text
//!  HASH SIGNATURE-OR-DASH {"form":1,"number":1,"before":"000..","kind":"release",..}
//! ```
//!
//! # Guarantee
//!
//! A chain is read whole or not at all. Every byte of an entry is under its hash, and every hash but the last under the next entry:
//! a changed byte, an entry taken out, put in or exchanged is named by its number. That the last entries were cut off, whole, only
//! what lies beside the chain can tell.

use sha2::{Digest as _, Sha256};

use super::entry::{Entry, FORM};

/// What stands before the first entry.
pub const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What is in the place of a signature where there is none.
const UNSIGNED: &str = "-";

/// An entry as it stands in the chain.
#[derive(Debug, Clone, PartialEq)]
pub struct Sealed {
    /// The entry.
    pub entry: Entry,
    /// Its hash.
    pub hash: String,
    /// The signature over its hash, in hexadecimal digits.
    pub signature: Option<String>,
}

/// Entries that follow from each other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chain {
    entries: Vec<Sealed>,
}

/// What is wrong with a chain, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The number of the entry, from 1.
    pub entry: u64,
    /// What is wrong with it.
    pub what: &'static str,
}

impl Chain {
    /// Reads a chain; the first damage ends it.
    pub fn read(bytes: &[u8]) -> Result<Chain, Damage> {
        let mut chain = Chain::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let damage = |what| Damage {
                entry: chain.next(),
                what,
            };
            let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
                return Err(damage("is cut off"));
            };
            let sealed = unsealed(&rest[..end], chain.next(), chain.last_hash()).map_err(damage)?;
            chain.entries.push(sealed);
            rest = &rest[end + 1..];
        }
        Ok(chain)
    }

    /// Every entry, in order.
    pub fn entries(&self) -> &[Sealed] {
        &self.entries
    }

    /// The number of the next entry.
    pub fn next(&self) -> u64 {
        self.entries.len() as u64 + 1
    }

    /// What the next entry names as the one before it.
    pub fn last_hash(&self) -> &str {
        self.entries
            .last()
            .map_or(NOTHING, |sealed| sealed.hash.as_str())
    }
}

impl Sealed {
    /// The line of an entry; `sign` makes a signature of its hash.
    pub fn line(
        entry: &Entry,
        sign: Option<&dyn Fn(&str) -> String>,
    ) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string(entry)?;
        let hash = hash(text.as_bytes());
        let signature = sign.map_or_else(|| UNSIGNED.to_owned(), |sign| sign(&hash));
        Ok(format!("{hash} {signature} {text}\n"))
    }
}

/// SHA-256 in lower-case hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The entry of a line, if it is what must stand here.
fn unsealed(line: &[u8], number: u64, before: &str) -> Result<Sealed, &'static str> {
    let line = std::str::from_utf8(line).map_err(|_| "is no text")?;
    let mut parts = line.splitn(3, ' ');
    let (Some(stated), Some(signature), Some(text)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err("is no entry");
    };
    if hash(text.as_bytes()) != stated {
        return Err("was changed: its hash is another");
    }
    let entry: Entry = serde_json::from_str(text).map_err(|_| "is none that can be read")?;
    if entry.form != FORM {
        return Err("has a form that this version does not know");
    }
    if entry.number != number {
        return Err("has the number of another entry");
    }
    if entry.before != before {
        return Err("does not follow from the entry before it");
    }
    Ok(Sealed {
        entry,
        hash: stated.to_owned(),
        signature: Some(signature)
            .filter(|&signature| signature != UNSIGNED)
            .map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::entry::What;
    use crate::ledger::spent::{Amount, Charge, Cost};

    fn three() -> String {
        let mut text = String::new();
        for number in 1..=3 {
            let chain = Chain::read(text.as_bytes()).expect("a chain");
            let entry = Entry {
                form: FORM,
                number,
                before: chain.last_hash().to_owned(),
                denym: "0.1.0".into(),
                what: What::Answer(Charge {
                    about: format!("question {number}"),
                    cost: Cost::Pure {
                        epsilon: Amount::parse("0.5").expect("an amount"),
                    },
                }),
            };
            text += &Sealed::line(&entry, None).expect("a line");
        }
        text
    }

    #[test]
    fn a_chain_is_read_as_it_was_written() {
        let chain = Chain::read(three().as_bytes()).expect("a chain");
        assert_eq!(chain.next(), 4);
        assert_eq!(chain.entries()[1].entry.before, chain.entries()[0].hash);
    }

    #[test]
    fn any_changed_byte_is_named_by_its_entry() {
        let text = three();
        let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let own = lines.iter().filter(|&&end| end < at).count() as u64 + 1;
            match Chain::read(&bytes) {
                // A signature is no part of the hash: whoever signs has the key to tell.
                Ok(read) => {
                    let column = at - lines.iter().rfind(|&&end| end < at).map_or(0, |e| e + 1);
                    assert_eq!(column, 65, "byte {at}");
                    assert!(read.entries()[own as usize - 1].signature.is_some());
                }
                Err(damage) => assert_eq!(damage.entry, own, "byte {at}: {}", damage.what),
            }
        }
    }

    #[test]
    fn an_entry_that_is_cut_off_taken_out_or_exchanged_is_named() {
        let text = three();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let damage = |text: String| Chain::read(text.as_bytes()).expect_err("a damage");
        for cut in 1..lines[2].len() {
            let found = damage(text[..text.len() - cut].to_owned());
            assert_eq!((found.entry, found.what), (3, "is cut off"));
        }
        assert_eq!(damage([lines[0], lines[2]].concat()).entry, 2);
        assert_eq!(damage([lines[1], lines[0], lines[2]].concat()).entry, 1);
        assert_eq!(damage([lines[0], lines[0]].concat()).entry, 2);
    }
}
