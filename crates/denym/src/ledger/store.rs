//! Files of a ledger: a lock, the chain, lists of members, and what is about to happen.
//!
//! ```text
//!  entries      the chain, a line for each entry, only ever appended to
//!  members/     who is in each release, a file for each entry
//!  subjects.key the key of tokens, where the policy names no other
//!  pending      what is about to happen; there only while it does
//!  lock         held by whoever is at work
//! ```
//!
//! # A release and its entry, both or neither
//!
//! 1. The bundle is whole, beside its target, and on the disk.
//! 2. `pending` says what will be appended, where the bundle is and where it goes; then the list of members is written.
//! 3. The bundle is renamed to its target.
//! 4. The entry is appended. 5. `pending` goes.
//!
//! Whoever opens the ledger next and finds `pending` looks whether step 3 was done. If it was, the entry is appended; if not, the
//! bundle beside the target and the list go. What was done is said, once. Everything is on the disk before the next step begins.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use denym_engine::private;
use denym_release::ledger::chain::{Sealed, hash};
use denym_release::ledger::{Chain, Entry, Members};
use denym_release::signature::{Signed, SigningKey};
use serde::{Deserialize, Serialize};

use super::LedgerError;
use crate::Error;
use crate::bundle::Draft;

/// A ledger that is open, and locked.
pub(crate) struct Store {
    directory: PathBuf,
    chain: Chain,
    /// What was found unfinished.
    pub(crate) recovery: Option<Recovery>,
    _lock: File,
}

/// What became of a release that was being made when its process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The bundle was in its place: its entry was added.
    Completed(u64),
    /// It was not: what there was of it was removed.
    TakenBack(u64),
}

impl Recovery {
    /// What happened, in words.
    pub fn words(self) -> String {
        match self {
            Recovery::Completed(entry) => format!(
                "a release was in its place when its process ended, and its entry {entry} was not: the entry was added"
            ),
            Recovery::TakenBack(entry) => format!(
                "a release was not yet in its place when its process ended: what there was of it and of entry {entry} was removed"
            ),
        }
    }
}

/// What is about to happen.
#[derive(Serialize, Deserialize)]
struct Pending {
    number: u64,
    /// How long the chain is before.
    length: u64,
    line: String,
    /// SHA-256 of the certificate that the bundle has.
    certificate: String,
    draft: PathBuf,
    target: PathBuf,
}

impl Store {
    /// Opens the ledger in `directory`, and makes one where there is none if `make` says so.
    pub(crate) fn open(directory: &Path, make: bool) -> Result<Store, Error> {
        if make {
            std::fs::create_dir_all(directory)
                .and_then(|()| private::directory(directory))
                .and_then(|()| private::directory(&directory.join("members")))
                .map_err(|error| Error::io("make the ledger", directory, &error))?;
        } else if !directory.join("entries").is_file() && !directory.join("pending").is_file() {
            return Err(LedgerError::None.at(directory));
        }
        let directory = directory
            .canonicalize()
            .map_err(|error| Error::io("open the ledger", directory, &error))?;
        let place = directory.join("lock");
        let failed = |error: &std::io::Error| Error::io("lock the ledger", &place, error);
        let lock = private::file(&place).map_err(|error| failed(&error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::Busy.at(&directory)),
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let mut store = Store {
            directory,
            chain: Chain::default(),
            recovery: None,
            _lock: lock,
        };
        store.recover()?;
        store.chain = store.read()?;
        let next = store.chain.next();
        if store.members_path(next).exists() {
            let damage = LedgerError::Damaged {
                entry: next,
                what: "is missing, though the list of its members is there",
            };
            return Err(damage.at(&store.directory));
        }
        Ok(store)
    }

    /// Where it is.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Its entries.
    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    /// Who is in the release of entry `number`, whose list has this hash.
    pub(crate) fn members(&self, number: u64, stated: &str) -> Result<Members, Error> {
        let wrong = |what| {
            let entry = number;
            LedgerError::Beside { entry, what }.at(&self.directory)
        };
        let path = self.members_path(number);
        let bytes = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(wrong("is missing: the list of its members"));
            }
            Err(error) => return Err(Error::io("read a list of members", &path, &error)),
        };
        if hash(&bytes) != stated {
            return Err(wrong("was changed: the list of its members"));
        }
        Members::read(&bytes).map_err(|_| wrong("cannot be read: the list of its members"))
    }

    /// Moves the bundle to its place and adds its entry, both or neither.
    pub(crate) fn publish(
        &mut self,
        draft: Draft,
        entry: &Entry,
        members: &[u8],
        key: Option<&SigningKey>,
    ) -> Result<PathBuf, Error> {
        let number = self.chain.next();
        let certificate = entry.release().map(|release| release.certificate.clone());
        let line = line(entry, key)?;
        let length = self.length()?;
        let closed = draft.close()?;
        let pending = Pending {
            number,
            length,
            line,
            certificate: certificate.unwrap_or_default(),
            draft: closed.path()?,
            target: closed.target()?,
        };
        let text = serde_json::to_vec(&pending).map_err(|_| no_json())?;
        self.put("pending.new", &text)?;
        self.rename("pending.new", "pending")?;
        let list = format!("members/{number:06}");
        let moved = self.put(&list, members).and_then(|()| {
            sync(&self.directory.join("members"))?;
            closed.finish()
        });
        let bundle = match moved {
            Ok(bundle) => bundle,
            Err(error) => {
                // Nothing was published: what was prepared goes, and the error is told.
                let _ = std::fs::remove_file(self.members_path(number));
                let _ = std::fs::remove_file(self.directory.join("pending"));
                return Err(error);
            }
        };
        self.append(pending.line.as_bytes())?;
        self.forget()?;
        self.chain = self.read()?;
        Ok(bundle)
    }

    /// Adds an entry that has no bundle.
    pub(crate) fn add(&mut self, entry: &Entry) -> Result<(), Error> {
        self.append(line(entry, None)?.as_bytes())?;
        self.chain = self.read()?;
        Ok(())
    }

    /// Finishes what was begun, or takes it back.
    fn recover(&mut self) -> Result<(), Error> {
        let place = self.directory.join("pending");
        let bytes = match std::fs::read(&place) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::io("read the ledger", &place, &error)),
        };
        let damaged = |entry, what| LedgerError::Damaged { entry, what }.at(&self.directory);
        let pending: Pending = serde_json::from_slice(&bytes)
            .map_err(|_| damaged(0, "cannot be read: it was about to be added"))?;
        let chain = self.bytes()?;
        let length = usize::try_from(pending.length).unwrap_or(usize::MAX);
        let tail = chain
            .get(length..)
            .filter(|tail| pending.line.as_bytes().starts_with(tail))
            .ok_or_else(|| damaged(pending.number, "is not what was about to be added"))?;
        if tail.len() == pending.line.len() {
            return self.forget();
        }
        let certificate = pending.target.join("release/certificate.json");
        let moved =
            std::fs::read(&certificate).is_ok_and(|bytes| hash(&bytes) == pending.certificate);
        if moved {
            // What a killed process wrote of the line is the beginning of it.
            let rest = &pending.line.as_bytes()[tail.len()..];
            sync(pending.target.parent().unwrap_or(Path::new("/")))?;
            self.append(rest)?;
            self.recovery = Some(Recovery::Completed(pending.number));
        } else if tail.is_empty() {
            let ours = pending
                .draft
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with(crate::bundle::PREFIX));
            let gone = |error: std::io::Error| {
                if error.kind() == std::io::ErrorKind::NotFound {
                    return Ok(());
                }
                Err(Error::io(
                    "remove an unfinished release",
                    &pending.draft,
                    &error,
                ))
            };
            if ours {
                std::fs::remove_dir_all(&pending.draft).or_else(gone)?;
            }
            std::fs::remove_file(self.members_path(pending.number)).or_else(gone)?;
            self.recovery = Some(Recovery::TakenBack(pending.number));
        } else {
            return Err(damaged(
                pending.number,
                "was begun, and its bundle is not in its place",
            ));
        }
        self.forget()
    }

    fn members_path(&self, number: u64) -> PathBuf {
        self.directory.join(format!("members/{number:06}"))
    }

    fn bytes(&self) -> Result<Vec<u8>, Error> {
        let path = self.directory.join("entries");
        match std::fs::read(&path) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::io("read the ledger", &path, &error)),
        }
    }

    fn read(&self) -> Result<Chain, Error> {
        let chain = Chain::read(&self.bytes()?);
        chain.map_err(|damage| LedgerError::damaged(damage).at(&self.directory))
    }

    fn length(&self) -> Result<u64, Error> {
        Ok(self.bytes()?.len() as u64)
    }

    fn append(&self, bytes: &[u8]) -> Result<(), Error> {
        let path = self.directory.join("entries");
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let appended = options.open(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        appended.map_err(|error| Error::io("add to the ledger", &path, &error))?;
        sync(&self.directory)
    }

    /// Writes a file of the ledger, for its owner alone, to the disk.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        let path = self.directory.join(name);
        let written = private::file(&path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(|error| Error::io("write to the ledger", &path, &error))
    }

    fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        let path = self.directory.join(to);
        std::fs::rename(self.directory.join(from), &path)
            .map_err(|error| Error::io("write to the ledger", &path, &error))?;
        sync(&self.directory)
    }

    fn forget(&self) -> Result<(), Error> {
        let path = self.directory.join("pending");
        std::fs::remove_file(&path)
            .map_err(|error| Error::io("write to the ledger", &path, &error))?;
        sync(&self.directory)
    }
}

/// Makes names in a directory last.
pub(crate) fn sync(directory: &Path) -> Result<(), Error> {
    if cfg!(unix) {
        File::open(directory)
            .and_then(|file| file.sync_all())
            .map_err(|error| Error::io("write to the disk", directory, &error))?;
    }
    Ok(())
}

fn line(entry: &Entry, key: Option<&SigningKey>) -> Result<String, Error> {
    let sign = |key: &SigningKey, hash: &str| key.sign(Signed::Entry, hash.as_bytes());
    let line = match key {
        Some(key) => Sealed::line(entry, Some(&|hash: &str| sign(key, hash))),
        None => Sealed::line(entry, None),
    };
    line.map_err(|_| no_json())
}

fn no_json() -> Error {
    Error::Internal {
        what: "an entry has no JSON form".into(),
    }
}

#[cfg(test)]
mod tests {
    use denym_release::ledger::entry::FORM;
    use denym_release::ledger::{Published, What};

    use super::*;

    fn entry(store: &Store, certificate: &[u8], members: &[u8]) -> Entry {
        Entry {
            form: FORM,
            number: store.chain().next(),
            before: store.chain().last_hash().to_owned(),
            denym: "0.1.0".into(),
            what: What::Release(Box::new(Published {
                data: "patients".into(),
                of: "tables".into(),
                subject: "patient".into(),
                bundle: "../bundle".into(),
                certificate: hash(certificate),
                files: Vec::new(),
                columns: Vec::new(),
                quasi_identifiers: Vec::new(),
                knows: crate::policy::Knowledge::QuasiIdentifiers,
                promises: Vec::new(),
                records: 0,
                suppressed_records: 0,
                people: 0,
                stayed: 0,
                smallest_block: 0,
                levels: None,
                members: hash(members),
                key_check: String::new(),
                spent: None,
            })),
        }
    }

    /// A ledger with one release, and what stood in `pending` when it was made.
    fn published(root: &Path) -> (PathBuf, Pending) {
        let ledger = root.join("ledger");
        let members = Members::default().bytes().expect("bytes");
        let mut store = Store::open(&ledger, true).expect("a ledger");
        let draft = Draft::new(&root.join("bundle"), false).expect("a draft");
        draft
            .write("release/certificate.json", b"{}")
            .expect("written");
        let entry = entry(&store, b"{}", &members);
        let pending = Pending {
            number: 1,
            length: 0,
            line: line(&entry, None).expect("a line"),
            certificate: hash(b"{}"),
            draft: root.join(".denym-draft"),
            target: root.join("bundle"),
        };
        store
            .publish(draft, &entry, &members, None)
            .expect("published");
        (ledger, pending)
    }

    fn begun(ledger: &Path, pending: &Pending, entries: &[u8]) {
        let text = serde_json::to_vec(pending).expect("JSON");
        std::fs::write(ledger.join("pending"), text).expect("pending");
        std::fs::write(ledger.join("entries"), entries).expect("entries");
    }

    #[test]
    fn a_run_that_ended_after_the_bundle_was_moved_is_completed_wherever_it_ended() {
        let root = tempfile::tempdir().expect("a directory");
        let (ledger, pending) = published(root.path());
        let line = pending.line.as_bytes();
        for written in 0..=line.len() {
            begun(&ledger, &pending, &line[..written]);
            let store = Store::open(&ledger, false).expect("a ledger");
            let expected = (written < line.len()).then_some(Recovery::Completed(1));
            assert_eq!(store.recovery, expected, "after {written} bytes");
            assert_eq!(store.chain().next(), 2);
            assert!(!ledger.join("pending").exists());
            assert!(root.path().join("bundle").exists());
            assert_eq!(
                std::fs::read(ledger.join("entries")).expect("entries"),
                line
            );
        }
    }

    #[test]
    fn a_run_that_ended_before_is_taken_back() {
        for with_members in [false, true] {
            let root = tempfile::tempdir().expect("a directory");
            let (ledger, pending) = published(root.path());
            begun(&ledger, &pending, b"");
            std::fs::rename(root.path().join("bundle"), &pending.draft).expect("not yet moved");
            if !with_members {
                std::fs::remove_file(ledger.join("members/000001")).expect("not yet written");
            }
            let store = Store::open(&ledger, false).expect("a ledger");
            assert_eq!(store.recovery, Some(Recovery::TakenBack(1)));
            assert_eq!(store.chain().next(), 1);
            assert!(!pending.draft.exists() && !root.path().join("bundle").exists());
            assert!(!ledger.join("members/000001").exists());
            drop(store);
            let again = Store::open(&ledger, false).expect("a ledger");
            assert_eq!(again.recovery, None);
        }
    }

    #[test]
    fn what_no_run_of_ours_leaves_behind_is_refused_and_not_repaired() {
        let root = tempfile::tempdir().expect("a directory");
        let (ledger, pending) = published(root.path());
        // Half an entry without its bundle; other bytes than were announced; the announcement itself.
        begun(&ledger, &pending, &pending.line.as_bytes()[..20]);
        std::fs::rename(root.path().join("bundle"), root.path().join("gone")).expect("moved");
        let refused = |what: &str| {
            let before = std::fs::read(ledger.join("entries")).expect("entries");
            let error = Store::open(&ledger, false).err().expect("an error");
            assert_eq!(error.code(), "ledger-damaged", "{what}");
            assert_eq!(
                std::fs::read(ledger.join("entries")).expect("entries"),
                before
            );
            assert!(ledger.join("pending").exists());
        };
        refused("half an entry");
        begun(&ledger, &pending, b"something else");
        refused("other bytes");
        std::fs::write(ledger.join("pending"), "{").expect("cut");
        refused("the announcement");
    }

    #[test]
    fn only_one_is_at_work() {
        let root = tempfile::tempdir().expect("a directory");
        let store = Store::open(root.path(), true).expect("a ledger");
        let other = Store::open(root.path(), true).err().expect("an error");
        assert_eq!((other.code(), other.exit_code()), ("ledger-busy", 2));
        drop(store);
        assert!(Store::open(root.path(), true).is_ok());
    }
}
