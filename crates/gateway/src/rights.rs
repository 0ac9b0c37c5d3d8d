//! Who may what, as the users file and the policy say it now: both are looked at again at every statement, and read again when they changed.
//!
//! # Idea
//! A look costs two calls to the operating system: identity, length and both times of each file. The time of the last change of a file's
//! inode cannot be set by anyone, so a file replaced with another of the same length and date is noticed. Beside that the gateway reads both files
//! whole once a second. What changed is told to all sessions, also those that are silent.
//!
//! # Guarantee
//! A removed user, a new password and an ended role count at the next message of an open session, and within a second for a silent one.
//! What cannot be read grants nothing: without a readable users file nobody logs in and no statement is answered; with a policy that cannot be
//! read, or whose tables or purposes are not those the gateway started with, no governed table is served until it is mended.

use crate::admin::PolicyFile;
use crate::error::Error;
use crate::identity::Identity;
use crate::users::Users;
use denym_purpose::AccessPolicy;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// A file that is read again when it changed.
#[derive(Debug)]
struct Watched {
    path: PathBuf,
    stamp: Option<Identity>,
    /// Of its text; `None` when it could not be read.
    hash: Option<[u8; 32]>,
}

impl Watched {
    /// A file whose text was just read; the next look reads it again, since it may have changed meanwhile.
    fn new(path: &Path, text: &str) -> Self {
        Self {
            path: path.to_owned(),
            stamp: None,
            hash: Some(Sha256::digest(text).into()),
        }
    }

    /// Its text, if it is another than before; `Some(None)` when it can no longer be read.
    #[expect(clippy::option_option, reason = "the same, gone, or another text")]
    fn change(&mut self, whole: bool) -> Option<Option<String>> {
        // before the text: a change in between is seen next time
        let stamp = Identity::of(&self.path).ok();
        if !whole && stamp.is_some() && stamp == self.stamp {
            return None;
        }
        let text = std::fs::read_to_string(&self.path).ok();
        let hash = text.as_ref().map(|text| Sha256::digest(text).into());
        let is_same = hash == self.hash;
        (self.stamp, self.hash) = (stamp, hash);
        (!is_same).then_some(text)
    }
}

/// Who may what at one moment.
#[derive(Debug, Clone)]
pub(crate) struct Rights {
    /// The users; `None` while their file cannot be read.
    pub(crate) users: Option<Arc<Users>>,
    /// The last policy that could be used.
    pub(crate) policy: Arc<AccessPolicy>,
    /// Why that policy is not served.
    pub(crate) stale: Option<&'static str>,
}

impl Rights {
    /// The policy, if it is the one on disk.
    pub(crate) fn served(&self) -> Result<&Arc<AccessPolicy>, Error> {
        match self.stale {
            None => Ok(&self.policy),
            Some(what) => Err(Error::PolicyStale { what }),
        }
    }
}

/// Both files and what they say.
#[derive(Debug)]
pub(crate) struct RightsFiles {
    state: Mutex<State>,
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    users: Watched,
    policy: Watched,
    rights: Arc<Rights>,
}

impl RightsFiles {
    /// For a policy that was just read; the users file must be readable.
    pub(crate) fn open(users: &Path, policy: &PolicyFile) -> Result<Self, Error> {
        let text = std::fs::read_to_string(users).map_err(Error::file("the users file"))?;
        let rights = Rights {
            users: Some(Arc::new(Users::parse(&text)?)),
            policy: Arc::new(policy.policy.clone()),
            stale: None,
        };
        Ok(Self {
            state: Mutex::new(State {
                users: Watched::new(users, &text),
                policy: Watched::new(&policy.path, &policy.text),
                rights: Arc::new(rights),
            }),
            changes: watch::Sender::new(0),
        })
    }

    /// Who may what now.
    pub(crate) fn now(&self) -> Arc<Rights> {
        self.look(false)
    }

    /// Tells of every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The same; `whole` reads both files whatever their times say.
    pub(crate) fn look(&self, whole: bool) -> Arc<Rights> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let users = state.users.change(whole);
        let policy = state.policy.change(whole);
        if users.is_none() && policy.is_none() {
            return state.rights.clone();
        }
        let mut rights = (*state.rights).clone();
        if let Some(text) = users {
            rights.users = text.and_then(|text| Users::parse(&text).ok()).map(Arc::new);
        }
        if policy.is_some() {
            rights.stale = match PolicyFile::read(&state.policy.path) {
                Err(_) => Some("the policy cannot be read any more"),
                Ok(file) if !is_served(&rights.policy, &file.policy) => {
                    Some("the policy's tables or purposes changed since the start")
                }
                Ok(file) => {
                    if *rights.policy != file.policy {
                        rights.policy = Arc::new(file.policy);
                    }
                    None
                }
            };
        }
        state.rights = Arc::new(rights);
        let rights = state.rights.clone();
        drop(state);
        self.changes.send_modify(|count| *count += 1);
        rights
    }
}

/// Whether what was opened for one policy serves the other: users, roles, grants and attributes may differ.
fn is_served(opened: &AccessPolicy, now: &AccessPolicy) -> bool {
    opened.tables == now.tables && opened.purposes == now.purposes
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "[purposes]\ngeneral = {}\n[roles]\nr = []\n[users]\nanna = { roles = [\"r\"] }\n[[grants]]\nrole = \"r\"\npurposes = [\"general\"]\n\
                          [tables.t]\ndefault = \"<{general}, {}, {}>\"\n[tables.t.columns]\nid = { type = \"integer\" }\n";

    fn files() -> (tempfile::TempDir, RightsFiles) {
        let folder = tempfile::tempdir().expect("a folder");
        let (users, policy) = (folder.path().join("users"), folder.path().join("policy"));
        std::fs::write(&users, "").expect("writes");
        std::fs::write(&policy, POLICY).expect("writes");
        let read = PolicyFile::read(&policy).expect("a policy");
        let files = RightsFiles::open(&users, &read).expect("opens");
        (folder, files)
    }

    #[test]
    fn a_file_of_the_same_length_and_date_is_read() {
        let (folder, files) = files();
        let path = folder.path().join("policy");
        let before = std::fs::metadata(&path).expect("there");
        let other = POLICY.replace("anna", "hugo");
        let changes = files.changes();
        let write = |text: &str| {
            std::fs::write(&path, text).expect("writes");
            let file = std::fs::File::options().write(true).open(&path);
            let file = file.expect("opens");
            file.set_modified(before.modified().expect("a time"))
                .expect("sets");
        };
        write(&other);
        assert_eq!(std::fs::metadata(&path).expect("there").len(), before.len());
        assert!(files.now().policy.users.contains_key("hugo"));
        assert_eq!(*changes.borrow(), 1);
        // what the times do not tell, the whole text does
        files.state.lock().expect("not poisoned").policy.stamp = {
            write(POLICY);
            Identity::of(&path).ok()
        };
        assert!(
            files.now().policy.users.contains_key("hugo"),
            "not seen yet"
        );
        assert!(files.look(true).policy.users.contains_key("anna"));
        files.look(true);
        assert_eq!(*changes.borrow(), 2, "nothing changed");
    }

    #[test]
    fn what_cannot_be_read_grants_nothing() {
        let (folder, files) = files();
        let (users, policy) = (folder.path().join("users"), folder.path().join("policy"));
        assert!(files.now().served().is_ok() && files.now().users.is_some());
        for broken in [
            "",
            "[purposes",
            &POLICY.replace("integer", "text"),
            &POLICY.replace("id =", "ix ="),
        ] {
            std::fs::write(&policy, broken).expect("writes");
            assert!(files.now().served().is_err(), "{broken}");
        }
        std::fs::remove_file(&policy).expect("removes");
        assert!(files.now().served().is_err());
        std::fs::write(&policy, POLICY).expect("writes");
        assert!(files.now().served().is_ok());
        std::fs::write(&users, "anna\n").expect("writes");
        assert!(files.now().users.is_none());
        std::fs::remove_file(&users).expect("removes");
        assert!(files.now().users.is_none());
    }
}
