//! The list of attacks, made from the implementations: every file of `src/attacks` is one attack, and there is no other list.
//!
//! An attack's file has its [`AttackEntry`]: what it is called, what it threatens, what it works on, what the adversary knows, what its
//! figures do not say, where it is described, and how it is run.

use std::sync::LazyLock;

use crate::finding::Ran;
use crate::queries::QueryScene;
use crate::releases::ReleasesScene;
use crate::sequences::SequenceScene;
use crate::table::{Aim, Candidates, Conclusion, TableScene, Wish};
use crate::trails::TrailScene;
use crate::windows::WindowScene;

/// What an adversary gains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threat {
    /// A person is linked to a record (survey section 2.1).
    RecordLinkage,
    /// A person is linked to a sensitive value (2.2).
    AttributeLinkage,
    /// A person's presence or absence is learned (2.3).
    TableLinkage,
    /// Beliefs about a person change a lot (2.4).
    Probabilistic,
}

impl Threat {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::RecordLinkage => "record linkage",
            Self::AttributeLinkage => "attribute linkage",
            Self::TableLinkage => "table linkage",
            Self::Probabilistic => "probabilistic",
        }
    }
}

/// What kind of data an attack works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One table.
    Table,
    /// One table of numbers.
    Microdata,
    /// Paths.
    Paths,
    /// Sets of items.
    Transactions,
    /// Trails over institutions.
    Trails,
    /// Windows of a stream.
    Windows,
    /// Two or more releases of the same people.
    Releases,
    /// Answers to statistical queries.
    Queries,
}

impl Shape {
    /// In a word.
    pub fn words(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Microdata => "microdata",
            Self::Paths => "paths",
            Self::Transactions => "transactions",
            Self::Trails => "trails",
            Self::Windows => "windows",
            Self::Releases => "releases",
            Self::Queries => "queries",
        }
    }
}

/// How an attack is run. Each takes one scene: what is published, what the adversary knows, and what only the steward has.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// On the records of a table that could be the victim's, for everybody.
    Candidates {
        /// What it is after.
        aim: Aim,
        /// What the adversary knows beside quasi-identifiers, in words; empty when that is all.
        besides: &'static str,
        /// What one set of candidates tells.
        told: fn(&Candidates<'_>, &Wish) -> Option<Conclusion>,
    },
    /// On a table.
    Table(fn(&TableScene<'_>) -> Ran),
    /// On paths or transactions.
    Sequences(fn(&SequenceScene<'_>) -> Ran),
    /// On trails.
    Trails(fn(&TrailScene<'_>) -> Ran),
    /// On the windows of a stream.
    Windows(fn(&WindowScene<'_>) -> Ran),
    /// On several releases of the same people.
    Releases(fn(&ReleasesScene<'_>) -> Ran),
    /// On a system that answers counts and sums.
    Queries(fn(&QueryScene<'_>) -> Ran),
}

/// What a policy may say about an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// It is tried on every release of its kind; the plain bound speaks of it, because its adversary knows no more than that of the promise.
    Plain,
    /// It is tried on every release of its kind; only a bound with its name speaks of it.
    Named,
    /// It needs more than a release, and no policy can bound it.
    Never,
}

/// One attack.
#[derive(Debug, Clone, Copy)]
pub struct AttackEntry {
    /// Name in policies, certificates, reports and flags.
    pub name: &'static str,
    /// Where it stands in lists, smallest first; by name among equals.
    pub place: u16,
    /// What the adversary gains.
    pub threat: Threat,
    /// What it works on.
    pub shape: Shape,
    /// One line for a reader.
    pub summary: &'static str,
    /// What the adversary is taken to know.
    pub knows: &'static str,
    /// What its figures do not say.
    pub limits: &'static str,
    /// Where it is described.
    pub reference: &'static str,
    /// What a policy may say about it.
    pub gate: Gate,
    /// How it is run.
    pub run: Run,
}

impl AttackEntry {
    /// The command that runs it.
    pub fn command(&self) -> &'static str {
        match self.shape {
            Shape::Microdata => "denym attack DIR --policy FILE, or denym attack numbers",
            Shape::Paths | Shape::Transactions => "denym attack DIR --policy FILE, or --raw FILE",
            Shape::Trails => "denym attack DIR --policy FILE, or denym attack trails",
            Shape::Releases => "denym attack releases A B --sensitive COLUMN",
            Shape::Queries => {
                "denym attack queries DATA [--before BEFORE] --known COLUMNS --number COLUMN"
            }
            _ if self.gate != Gate::Never => "denym attack DIR",
            _ => "denym attack table",
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/attacks.rs"));

/// Every attack.
pub static CATALOGUE: LazyLock<Vec<AttackEntry>> = LazyLock::new(|| {
    let mut all = LISTED.to_vec();
    all.sort_by_key(|entry| (entry.place, entry.name));
    all
});

/// The entry called `name`.
pub fn entry(name: &str) -> Option<&'static AttackEntry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// The names that a policy about this kind of data may bound one by one; numbers are tables, and those of a stream are its windows.
pub fn gated_on(data: &str) -> Vec<&'static str> {
    let gated = CATALOGUE.iter().filter(|entry| entry.gate != Gate::Never);
    let gated = gated.filter(|entry| match entry.shape {
        Shape::Table | Shape::Microdata => data == "table",
        Shape::Paths => data == "paths",
        Shape::Transactions => data == "transactions",
        Shape::Trails => data == "trails",
        Shape::Windows => data == "stream",
        Shape::Releases | Shape::Queries => false,
    });
    gated.map(|entry| entry.name).collect()
}

/// The survey that most attacks on tables come from.
pub(crate) const SURVEY: &str = "Fung, Wang, Chen, Yu, ACM Computing Surveys 42(4), 2010";
/// Trail re-identification.
pub(crate) const MALIN: &str = "Malin, CMU-CALD-02-108, 2002";
/// Attacks on windows of paths.
pub(crate) const ITSA: &str = "Al-Hussaeni, Fung, Cheung, ITSA, section 4.5.1";
/// Attacks with a control group.
pub(crate) const GIOMI: &str = "Giomi et al., PoPETs 2023";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_kebab_case_and_nothing_is_left_unsaid() {
        for (at, one) in CATALOGUE.iter().enumerate() {
            assert!(
                one.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                one.name
            );
            assert!(
                CATALOGUE[..at].iter().all(|other| other.name != one.name),
                "{} twice",
                one.name
            );
            for text in [one.summary, one.knows, one.limits, one.reference] {
                assert!(!text.is_empty(), "{}", one.name);
            }
        }
    }

    #[test]
    fn a_file_is_named_for_its_attack() {
        let files = include_str!(concat!(env!("OUT_DIR"), "/attacks.rs"));
        for entry in CATALOGUE.iter() {
            let module = format!("pub mod {};", entry.name.replace('-', "_"));
            assert!(files.contains(&module), "{}", entry.name);
        }
    }
}
