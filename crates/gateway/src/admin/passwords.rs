//! The passwords of the gateway's logins to PostgreSQL: drawn here, kept in a file of the steward's, told to the server as verifiers only.

use super::error::Error;
use super::files;
use crate::passwords::Passwords;
use crate::random::random;
use crate::scram::Verifier;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// What the file is.
const WHAT: &str = "the passwords of the PostgreSQL logins";

/// Rounds of the verifier, as PostgreSQL itself makes them.
const ROUNDS: u32 = 4096;

/// A file as libpq's `.pgpass`.
pub struct PasswordsFile {
    path: PathBuf,
}

impl PasswordsFile {
    /// The file of that path; made when it is not there.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// Draws a password for each login that has none, and gives the verifiers of all: nobody can log in with them.
    pub fn verifiers(&self, logins: &[String]) -> Result<BTreeMap<String, String>, Error> {
        let lock = files::lock(WHAT, &self.path)?;
        let unusable = |error| Error::Gateway {
            file: self.path.clone(),
            error,
        };
        let mut text = files::read(WHAT, &self.path)?.unwrap_or_default();
        let known = if text.is_empty() {
            Passwords::default()
        } else {
            Passwords::read(&self.path).map_err(unusable)?
        };
        let mut out = BTreeMap::new();
        let mut is_new = false;
        for login in logins {
            let password = if let Some(password) = known.of(None, login) {
                password.to_owned()
            } else {
                let drawn = drawn();
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                let escaped = login.replace('\\', "\\\\").replace(':', "\\:");
                let _ = writeln!(text, "*:*:*:{escaped}:{drawn}");
                is_new = true;
                drawn
            };
            let salt: [u8; 16] = random();
            let verifier = Verifier::new(&password, &salt, ROUNDS);
            out.insert(login.clone(), verifier.to_text());
        }
        if is_new {
            files::replace(&lock, WHAT, &self.path, &text, true)?;
        }
        Ok(out)
    }
}

/// 256 bits from the operating system, as text.
fn drawn() -> String {
    let bytes: [u8; 32] = random();
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_drawn_once_and_only_its_verifier_leaves() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("passwords");
        let file = PasswordsFile::new(&path);
        let first = file.verifiers(&["denym_a".into()]).expect("writes");
        let text = std::fs::read_to_string(&path).expect("reads");
        let both = file
            .verifiers(&["denym_a".into(), "denym_b".into()])
            .expect("writes");
        let later = std::fs::read_to_string(&path).expect("reads");
        assert!(later.starts_with(&text) && later.lines().count() == 2);
        let passwords = Passwords::read(&path).expect("its owner's alone");
        let password = passwords.of(None, "denym_a").expect("drawn");
        assert_eq!(password.len(), 64);
        for verifier in first.values().chain(both.values()) {
            assert!(!verifier.contains(password), "no password leaves");
        }
        // the verifier is one of that password: the salt alone differs
        let again = Verifier::from_text(&both["denym_a"]).expect("a verifier");
        assert_ne!(first["denym_a"], again.to_text());
    }
}
