//! Who may log in: a file of salted verifiers, and decoys for names that nobody has.

use crate::error::Error;
use crate::scram::{Shape, Verifier};
use std::collections::{BTreeMap, BTreeSet};

/// Users and their verifiers.
#[derive(Debug, Clone, Default)]
pub struct Users {
    verifiers: BTreeMap<String, Verifier>,
}

impl Users {
    /// Reads a users file: one `name:verifier` per line, `#` begins a comment.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut verifiers = BTreeMap::new();
        for (place, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let user = line.split_once(':').and_then(|(name, verifier)| {
                Some((name.to_owned(), Verifier::from_text(verifier)?))
            });
            let (name, verifier) = user.ok_or(Error::UsersLine { line: place + 1 })?;
            verifiers.insert(name, verifier);
        }
        Ok(Self { verifiers })
    }

    /// Adds or replaces a user.
    pub fn set(&mut self, name: &str, verifier: Verifier) {
        self.verifiers.insert(name.to_owned(), verifier);
    }

    /// Removes a user; whether there was one.
    pub fn remove(&mut self, name: &str) -> bool {
        self.verifiers.remove(name).is_some()
    }

    /// The file.
    pub fn to_text(&self) -> String {
        let lines = self.verifiers.iter().map(|(name, verifier)| {
            [
                name,
                ":",
                &verifier.to_text(),
                "
",
            ]
            .concat()
        });
        lines.collect()
    }

    /// The user's verifier, or a decoy for nobody.
    pub fn verifier(&self, name: &str, secret: &[u8]) -> Verifier {
        // the decoy is made in either case: both names take the same time
        let shapes: BTreeSet<Shape> = self.verifiers.values().map(Verifier::shape).collect();
        let decoy = Verifier::decoy(name, secret, &shapes);
        self.verifiers.get(name).cloned().unwrap_or(decoy)
    }

    /// Whether this is the user's verifier.
    pub fn has(&self, name: &str, verifier: &Verifier) -> bool {
        self.verifiers.get(name) == Some(verifier)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_reads_back() {
        let mut users = Users::default();
        users.set("anna", Verifier::new("one", b"salt", 2));
        users.set("ben", Verifier::new("two", b"pepper", 2));
        let again = Users::parse(&format!("# users\n\n{}", users.to_text())).expect("our own file");
        assert_eq!(again.to_text(), users.to_text());
        assert!(users.remove("ben") && !users.remove("ben"));
        let broken = Users::parse("anna:SCRAM-SHA-256$1:$:\n").map(|_| ());
        assert!(matches!(broken, Err(Error::UsersLine { line: 1 })));
    }
}
