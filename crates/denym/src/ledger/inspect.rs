//! Looking at a ledger: what stands in it, whether it holds, what was spent; and writing down an answer that spent privacy.

use std::path::{Path, PathBuf};

use denym_release::ledger::chain::Sealed;
use denym_release::ledger::entry::FORM;
use denym_release::ledger::{Charge, Entry, History, Issued, PrivacyAccount, What};

use super::LedgerError;
use denym_release::signature::{PublicKey, Signed};

use super::keeper::certificate_of;
use super::store::{Recovery, Store};
use crate::Error;

/// The entries of a ledger.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Every entry, in order.
    pub entries: Vec<Sealed>,
    /// What was found unfinished, and finished or taken back.
    pub recovery: Option<Recovery>,
}

/// What a check of a ledger found.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerCheck {
    /// Each entry, in order.
    pub entries: Vec<CheckedEntry>,
    /// What was found unfinished, and finished or taken back.
    pub recovery: Option<Recovery>,
    /// The fewest people whom nobody can tell apart over all releases, counted anew; nothing where no release could be counted.
    pub smallest_block: Option<u64>,
    /// The hash of the last entry: whoever keeps it elsewhere notices that entries were cut off.
    pub last: String,
}

/// An entry and what is wrong with it or with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedEntry {
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: String,
    /// What is wrong, in words; nothing where all is as it was.
    pub problems: Vec<String>,
}

impl LedgerCheck {
    /// Whether everything is as it was.
    pub fn holds(&self) -> bool {
        self.entries.iter().all(|entry| entry.problems.is_empty())
    }
}

/// What stands in the ledger in `directory`.
pub fn entries(directory: &Path) -> Result<Listed, Error> {
    let store = Store::open(directory, false)?;
    Ok(Listed {
        entries: store.chain().entries().to_vec(),
        recovery: store.recovery,
    })
}

/// Checks the chain, every list of members, every bundle, and counts blocks anew.
///
/// With a key every entry must be signed by its other half.
pub fn check(directory: &Path, key: Option<&PublicKey>) -> Result<LedgerCheck, Error> {
    let store = Store::open(directory, false)?;
    let mut found = Vec::new();
    let mut issued = Some(Vec::new());
    let mut stated = None;
    for sealed in store.chain().entries() {
        let number = sealed.entry.number;
        let mut problems = Vec::new();
        let signature = sealed.signature.as_deref();
        let confirms = |key: &PublicKey| {
            signature.is_some_and(|own| key.confirms(Signed::Entry, sealed.hash.as_bytes(), own))
        };
        if key.is_some_and(|key| !confirms(key)) {
            problems.push("it is not signed by the holder of this key".to_owned());
        }
        if let Some(published) = sealed.entry.release() {
            let certificate = certificate_of(store.directory(), number, published);
            let members = store.members(number, &published.members);
            let half = store.directory().join(&published.bundle).join("release");
            for (file, stated) in &published.files {
                let path = half.join(file);
                if !denym_engine::fingerprint(&path).is_ok_and(|own| own == *stated) {
                    problems.push("the data of its bundle was changed, or is missing".to_owned());
                }
            }
            match (certificate, members) {
                (Ok(certificate), Ok(members)) => {
                    if members.people() != published.people {
                        problems.push("its list of members has other people".to_owned());
                    }
                    let one = Issued::certified(number, &certificate, members)?;
                    if let Some(issued) = &mut issued {
                        issued.push(one);
                    }
                    stated = Some(published.smallest_block);
                }
                (certificate, members) => {
                    let errors = [certificate.err(), members.err()];
                    problems.extend(errors.into_iter().flatten().map(|error| error.to_string()));
                    issued = None;
                }
            }
        }
        found.push(CheckedEntry {
            number,
            hash: sealed.hash.clone(),
            problems,
        });
    }
    let history = issued.map(|issued| History::of(&issued)).transpose()?;
    let smallest_block = history.as_ref().and_then(History::smallest_block);
    if let (Some(counted), Some(stated), Some(last)) = (smallest_block, stated, found.last_mut())
        && counted != stated
    {
        last.problems.push(format!(
            "it states {stated} as the fewest people of a block, and there are {counted}"
        ));
    }
    if let (Some(history), Some(last)) = (history, found.last_mut()) {
        let (_, exposed) = history.judge();
        last.problems.extend(exposed.iter().map(|one| {
            format!(
                "over all releases `{}` of entry {} is broken for {} people",
                one.promise.name(),
                one.number,
                one.people
            )
        }));
    }
    Ok(LedgerCheck {
        entries: found,
        recovery: store.recovery,
        smallest_block,
        last: store.chain().last_hash().to_owned(),
    })
}

/// What was spent, and how many releases carry no epsilon.
pub fn account(directory: &Path) -> Result<(PrivacyAccount, u64), Error> {
    let store = Store::open(directory, false)?;
    let mut account = PrivacyAccount::default();
    let mut syntactic = 0;
    for sealed in store.chain().entries() {
        match sealed.entry.charge() {
            Some(charge) => account.charge(&charge.cost),
            None => syntactic += 1,
        }
    }
    Ok((account, syntactic))
}

/// Writes down an answer that spent privacy; the number of its entry.
pub fn answer(directory: &Path, charge: Charge) -> Result<u64, Error> {
    let mut store = Store::open(directory, true)?;
    let entry = Entry {
        form: FORM,
        number: store.chain().next(),
        before: store.chain().last_hash().to_owned(),
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        what: What::Answer(charge),
    };
    store.add(&entry)?;
    Ok(entry.number)
}

/// Whether `directory` looks like a ledger.
pub fn is_ledger(directory: &Path) -> bool {
    directory.join("entries").is_file() && directory.join("members").is_dir()
}

/// The bundles of a ledger, in order, and the sensitive attributes that the last of them shows.
pub fn bundles(directory: &Path) -> Result<(Vec<PathBuf>, Vec<String>), Error> {
    let store = Store::open(directory, false)?;
    let (mut bundles, mut sensitive) = (Vec::new(), Vec::new());
    for sealed in store.chain().entries() {
        if let Some(published) = sealed.entry.release() {
            let number = sealed.entry.number;
            let certificate = certificate_of(store.directory(), number, published)?;
            let plain = certificate
                .sensitive
                .iter()
                .filter(|own| own.parts.is_empty());
            sensitive = plain.map(|own| own.name.clone()).collect();
            bundles.push(store.directory().join(&published.bundle));
        }
    }
    Ok((bundles, sensitive))
}

/// The chain as it stands, for somebody to keep elsewhere; nobody's token is in it.
pub fn export(directory: &Path) -> Result<String, Error> {
    let store = Store::open(directory, false)?;
    let path = store.directory().join("entries");
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(LedgerError::None.at(store.directory()))
        }
        Err(error) => Err(Error::io("read the ledger", &path, &error)),
    }
}
