//! An access policy with the hierarchies it names, read from files; paths in it are relative to its own.

use super::error::Error;
use super::files;
use super::sheet::Sheet;
use denym_purpose::{AccessPolicy, TablePolicy};
use std::path::{Path, PathBuf};

/// A policy and where it came from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// The policy.
    pub policy: AccessPolicy,
}

impl PolicyFile {
    /// Reads and checks a policy.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = files::need("the policy", path)?;
        let policy = AccessPolicy::parse(&text, &|name| {
            let text = std::fs::read_to_string(beside(path, name)).ok()?;
            Sheet::values(&text)
        });
        match policy {
            Ok(policy) => Ok(Self {
                path: path.to_owned(),
                text,
                policy,
            }),
            Err(mistakes) => Err(Error::Policy {
                file: path.to_owned(),
                text,
                mistakes,
            }),
        }
    }

    /// A file that the policy names.
    pub fn beside(&self, name: &str) -> PathBuf {
        beside(&self.path, name)
    }

    /// Where the consent table is when nobody says otherwise: `consent.csv` beside the policy.
    pub fn consent(&self) -> PathBuf {
        self.beside("consent.csv")
    }

    /// The data of a table, when it is a file.
    pub fn data(&self, table: &TablePolicy) -> Option<PathBuf> {
        table.file().map(|name| self.beside(name))
    }
}

fn beside(policy: &Path, name: &str) -> PathBuf {
    match policy.parent() {
        Some(parent) => parent.join(name),
        None => PathBuf::from(name),
    }
}
