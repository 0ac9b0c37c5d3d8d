//! Released paths and transactions under attack: by a bundle's gate, and alone with a file of the source that the adversary has.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;

use denym_attack::sequences::{Effort, Guarded, ReleasedSequences, SequenceScene};
use denym_attack::{RedTeam, Scene, Shape};
use denym_data::sequences::{Columns, Doublet, Form, SequenceTable, Wanted, seconds};
use denym_data::{Fraction, Sequences};
use denym_engine::{Engine, ReadOptions};
use denym_release::sequences::over_bound;
use denym_release::sets::judged;

use super::certified::{CertifiedRelease, policy_of, shape};
use super::minimality::{SearchedPaths, originals_of_paths, removes_everywhere, too_many_paths};
use super::red_team;
use crate::certificate::Certificate;
use crate::kinds::sequences::{
    EarlierRelease, Elements, SUBJECTS, ladder, read_columns, read_released, wanted,
};
use crate::listener::{Listener, Phase};
use crate::policy::paths::Matching;
use crate::policy::sequences::SequencesSpec;
use crate::policy::{Bounded, Knowledge, Policy, PromiseSpec};
use crate::{Error, threads};

/// A release of paths or transactions and what the adversary has.
#[derive(Debug, Clone, Default)]
pub struct SequencesRequest {
    /// A bundle, the public half of one, or a file of paths or transactions.
    pub release: PathBuf,
    /// The source paths or sets that the adversary knows.
    pub raw: PathBuf,
    /// How many doublets or items the adversary knows; a bundle says it itself.
    pub known: Option<usize>,
    /// What the adversary is after beside paths; a bundle says it itself.
    pub sensitive: Vec<String>,
    /// Sensitive items, and how sure of one is too sure; a bundle says it itself.
    pub items: Vec<(String, Fraction)>,
    /// Columns known beside the path; a bundle says it itself.
    pub quasi: Vec<String>,
    /// The columns of whole paths or sets, of subjects, of places or single items and of times, where they are not the usual ones.
    pub columns: [Option<String>; 4],
    /// What stands between the items of a cell, where it is not the usual one.
    pub separator: Option<char>,
    /// A policy that says how the source is read and what coarser names it has; a bundle has its own.
    pub policy: Option<PathBuf>,
    /// Whether doublets were removed from every record or none; a bundle says it itself.
    pub everywhere: bool,
    /// Try everything on everybody, however long that takes.
    pub exhaustive: bool,
    /// Seed of the draws.
    pub seed: u64,
    /// How to read the files.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What came of looking for people in released paths or transactions.
#[derive(Debug, Clone, PartialEq)]
pub struct SequencesFound {
    /// Records of the release.
    pub records: usize,
    /// People looked for.
    pub people: usize,
    /// Whether it is known which record is whose; without it every record that fits is taken to be right.
    pub aligned: bool,
    /// How many doublets, or items, the adversary knows.
    pub known: usize,
    /// The largest chance of a right guess that the release promises.
    pub promised: Option<f64>,
    /// The attacks that were run, and the others.
    pub team: RedTeam,
}

/// How much is tried by default: a second or two on two cores, however large the data.
pub(crate) fn effort(seed: u64) -> Effort {
    Effort {
        words: 300_000_000,
        least_victims: 400,
        pieces: 3_000,
        seed,
    }
}

/// What must not be inferred under these promises.
pub(crate) fn guarded(promises: &[PromiseSpec]) -> Vec<Guarded> {
    let guarded = promises
        .iter()
        .filter_map(|promise| match promise.bounded()? {
            (Bounded::Values(attribute, values), at_most) => Some(Guarded::Values {
                attribute: attribute?.to_owned(),
                values: values.to_vec(),
                at_most,
            }),
            (Bounded::Items(items), at_most) => Some(Guarded::Items {
                items: items.to_vec(),
                at_most,
            }),
            (Bounded::Places(places), at_most) => Some(Guarded::Places {
                places: places.to_vec(),
                at_most,
            }),
        });
    guarded.collect()
}

/// Sequences as an adversary knows them. Nobody knows a sensitive item: it is an attribute of whoever has it.
pub(crate) fn as_known<'a>(
    elements: Elements,
    sequences: &'a Sequences,
    promises: &[PromiseSpec],
) -> Result<Cow<'a, Sequences>, Error> {
    Ok(match elements {
        Elements::Doublets => Cow::Borrowed(sequences),
        Elements::Items => Cow::Owned(judged(sequences, promises)?),
    })
}

/// Attacks the paths of `request`.
pub fn paths(request: &SequencesRequest, listener: &dyn Listener) -> Result<SequencesFound, Error> {
    searched(request, Elements::Doublets, listener)
}

/// Attacks the transactions of `request`. Nobody can tell which record is whose, so every record that fits counts as right.
pub fn transactions(
    request: &SequencesRequest,
    listener: &dyn Listener,
) -> Result<SequencesFound, Error> {
    searched(request, Elements::Items, listener)
}

/// Reads both sides, runs the red team, and says what its figures are measured against.
fn searched(
    request: &SequencesRequest,
    elements: Elements,
    listener: &dyn Listener,
) -> Result<SequencesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let released = Released::read(&engine, request, elements)?;
    let wanted = released.wanted(request);
    let mut options = request.read.clone();
    options.expected = Vec::new();
    let table = read_columns(&engine, &request.raw, options, &wanted)?;
    let known = released.known(request)?;
    let promises = released.promises(request);
    let (raw, own) = released.aligned(&engine, &table)?;
    let originals = released.again(request, &engine, &table);
    let originals = match &originals {
        Ok((source, seed)) => {
            let sequences = &source.source.table.sequences;
            originals_of_paths(sequences, &source.request, &source.recoding, *seed)
        }
        Err(why) => Err(why.clone()),
    };
    let seen = ReleasedSequences {
        stands_for: released.stands_for(&engine, &table)?,
        raw: &*as_known(elements, &raw, &promises)?,
        released: &*as_known(elements, &released.sequences, &promises)?,
        own,
        everywhere: released.everywhere(request),
        guarded: &guarded(&promises),
        hidden: &over_bound(&table.sequences, &promises),
        known,
        consistent: released.consistent(),
        seconds,
    };
    listener.phase(Phase::Attacking);
    let effort = if request.exhaustive {
        Effort {
            seed: request.seed,
            ..Effort::EVERYTHING
        }
    } else {
        effort(request.seed)
    };
    let scene = SequenceScene::new(seen, effort, originals);
    let team = threads::pool(request.threads)?.install(|| attacked(elements, &scene))?;
    let k = promises.iter().find_map(PromiseSpec::size);
    Ok(SequencesFound {
        records: scene.seen.released.len(),
        people: scene.seen.raw.len(),
        aligned: scene.seen.own.is_some(),
        known: scene.seen.known,
        promised: k.map(|k| 1.0 / k as f64),
        team,
    })
}

/// Runs every attack on paths, or every one on transactions.
pub(crate) fn attacked(elements: Elements, scene: &SequenceScene<'_>) -> Result<RedTeam, Error> {
    match elements {
        Elements::Doublets => red_team(&Scene::Paths(scene)),
        Elements::Items => red_team(&Scene::Transactions(scene)),
    }
}

/// Why originals of transactions are not tried.
pub(crate) const ON_PATHS: &str = "it works on paths";

/// A release of sequences and what is known of it.
struct Released {
    elements: Elements,
    sequences: Sequences,
    form: Form,
    certified: Option<CertifiedRelease>,
    policy: Option<Policy>,
    path: PathBuf,
}

impl Released {
    fn read(
        engine: &Engine,
        request: &SequencesRequest,
        elements: Elements,
    ) -> Result<Self, Error> {
        let path = request.release.clone();
        let certified = CertifiedRelease::read(engine, &path)?;
        let policy = policy_of(request.policy.as_deref(), Some(&path.join("steward")))?;
        let (sequences, form) = match &certified {
            None => {
                let wanted = Wanted {
                    columns: columns(request, elements),
                    ..Wanted::released(&request.sensitive, &request.quasi)
                };
                let table = read_columns(engine, &path, request.read.clone(), &wanted)?;
                (table.sequences, table.form)
            }
            Some(own) => {
                let kind = match elements {
                    Elements::Doublets => Shape::Paths,
                    Elements::Items => Shape::Transactions,
                };
                let form = own.certificate.sequences();
                let form = form.filter(|_| shape(&own.certificate) == kind);
                let (form, _) = form.ok_or_else(|| Error::Argument {
                    what: format!("this is no release of {}", kind.words()),
                    help: format!("use `denym attack {}`", path.display()),
                })?;
                let (sensitive, quasi) = (own.sensitive(), &own.certificate.quasi_identifiers);
                let read = read_released(&own.file, &own.table, &form, &sensitive, quasi)?;
                (read, form)
            }
        };
        Ok(Self {
            elements,
            sequences,
            form,
            certified,
            policy,
            path,
        })
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certified.as_ref().map(|own| &own.certificate)
    }

    /// The policy, where it speaks of such sequences.
    fn policy(&self) -> Option<(&Policy, &SequencesSpec)> {
        let policy = self.policy.as_ref()?;
        let spec = policy.sequences.as_ref()?;
        let items = self.elements == Elements::Items;
        (spec.separator.is_some() == items).then_some((policy, spec))
    }

    /// How the source is read: as flags say, as the policy says, or as is usual; sets are else laid out like the release.
    fn wanted(&self, request: &SequencesRequest) -> Wanted {
        let policy = self.policy();
        let mut found = policy.map_or_else(Wanted::default, |(policy, spec)| wanted(policy, spec));
        if request.columns.iter().any(Option::is_some) {
            found.columns = columns(request, self.elements);
        } else if self.elements == Elements::Items {
            if policy.is_none() {
                found.columns = like(&self.form);
            }
            found.columns.separator = request.separator.or(found.columns.separator);
        }
        // Secrets are read off the release; the source need not have them.
        (found.sensitive, found.other) = (Vec::new(), Vec::new());
        let quasi = self.sequences.quasi().iter();
        found.quasi = quasi.map(|own| own.name.clone()).collect();
        found
    }

    /// How many parts of a record the adversary knows.
    fn known(&self, request: &SequencesRequest) -> Result<usize, Error> {
        let certified = match self.certificate().map(|certificate| certificate.knows) {
            Some(Knowledge::Doublets(known) | Knowledge::Items(known)) => Some(known),
            _ => None,
        };
        let what = match self.elements {
            Elements::Doublets => "doublets",
            Elements::Items => "items",
        };
        let known = request.known.or(certified).filter(|&known| known > 0);
        known.ok_or_else(|| Error::Argument {
            what: format!("it is not said how many {what} the adversary knows"),
            help: format!("write --{what} 2, or another number above zero"),
        })
    }

    /// What is promised: of paths as their policy says it, else as the certificate does; and what was asked for.
    fn promises(&self, request: &SequencesRequest) -> Vec<PromiseSpec> {
        if let (Elements::Doublets, Some((policy, _))) = (self.elements, self.policy()) {
            let promised = policy.promises.iter();
            return promised.map(|promised| promised.promise.clone()).collect();
        }
        let certified = self.certificate().into_iter().flat_map(|own| &own.claims);
        let asked = request
            .items
            .iter()
            .map(|(item, bound)| PromiseSpec::items(vec![item.clone()], *bound));
        certified
            .map(|claim| claim.terms.clone())
            .chain(asked)
            .collect()
    }

    /// The people looked for, and whose record is whose: by the steward's list, when source and bundle both have it.
    fn aligned<'a>(
        &self,
        engine: &Engine,
        table: &'a SequenceTable,
    ) -> Result<(Cow<'a, Sequences>, Option<Vec<u32>>), Error> {
        let all = &table.sequences;
        let listed = self.elements == Elements::Doublets && self.path.join(SUBJECTS).is_file();
        if !listed || table.subjects.is_none() {
            return Ok((Cow::Borrowed(all), None));
        }
        let listed = EarlierRelease::read(&self.path, table, engine)?.record_of;
        let there = (0..).zip(&listed).filter(|(_, record)| record.is_some());
        let there: Vec<u32> = there.map(|(victim, _)| victim).collect();
        let victims = all.of_records(&there, |record| all.record(record))?;
        Ok((
            Cow::Owned(victims),
            Some(listed.into_iter().flatten().collect()),
        ))
    }

    /// For each source doublet the published ones that may stand for it: of the same name, or of a coarser one of the policy.
    fn stands_for(&self, engine: &Engine, table: &SequenceTable) -> Result<Vec<Vec<u32>>, Error> {
        let (source, released) = (&table.sequences, &self.sequences);
        let known: HashMap<(&str, &str), u32> = (0..)
            .zip(released.doublets())
            .map(|(id, doublet)| (name(released, *doublet), id))
            .collect();
        let ladder = match self.policy() {
            Some((policy, _)) => ladder(policy, table, engine)?,
            None => None,
        };
        let rungs = ladder.map(|ladder| ladder.rungs).unwrap_or_default();
        let each = source.doublets().iter().map(|doublet| {
            let (place, time) = (doublet.location as usize, doublet.time as usize);
            let coarser = rungs.iter();
            let coarser =
                coarser.map(|rung| (rung.places[place].as_str(), rung.slots[time].as_str()));
            let names = std::iter::once(name(source, *doublet)).chain(coarser);
            let mut found: Vec<u32> = names.filter_map(|name| known.get(&name).copied()).collect();
            found.dedup();
            found
        });
        Ok(each.collect())
    }

    /// Whether parts of records were removed from all of them or from none: of paths as asked, or as the steward's plan says.
    fn everywhere(&self, request: &SequencesRequest) -> bool {
        if self.elements == Elements::Items || request.everywhere {
            return true;
        }
        let text = std::fs::read(self.path.join("steward/plan.json")).unwrap_or_default();
        let plan: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let algorithm = plan["algorithm"].as_str().unwrap_or_default();
        denym_sequences::Algorithm::from_name(algorithm).is_some_and(removes_everywhere)
    }

    fn consistent(&self) -> bool {
        let layout = self.certificate().and_then(Certificate::sequences);
        let consistent = layout.is_none_or(|(_, matching)| matching == Matching::Consistent);
        self.elements == Elements::Doublets && consistent
    }

    /// The search of a policy that was named, run again with its seed, where that is little work; why not, where it is not.
    fn again(
        &self,
        request: &SequencesRequest,
        engine: &Engine,
        table: &SequenceTable,
    ) -> Result<(SearchedPaths, u64), String> {
        if self.elements == Elements::Items {
            return Err(ON_PATHS.to_owned());
        }
        let named = request.policy.as_ref().and_then(|_| self.policy());
        let (Some((policy, _)), Some(_)) = (named, &self.certified) else {
            return Err("it needs the policy and the source: see `denym attack minimality`".into());
        };
        too_many_paths(&table.sequences)?;
        let again = SearchedPaths::again(policy, engine).map_err(|error| error.to_string())?;
        Ok((again, policy.release.seed))
    }
}

fn name(sequences: &Sequences, doublet: Doublet) -> (&str, &str) {
    let (places, times) = (sequences.locations(), sequences.times());
    (
        &places[doublet.location as usize],
        &times[doublet.time as usize],
    )
}

/// The columns that flags name.
fn columns(request: &SequencesRequest, elements: Elements) -> Columns {
    let [cell, subject, location, time] = request.columns.clone();
    Columns {
        subject,
        location,
        time,
        cell,
        ..match elements {
            Elements::Doublets => Columns::default(),
            Elements::Items => Columns::of_items(request.separator),
        }
    }
}

/// The columns of sets laid out like this.
fn like(form: &Form) -> Columns {
    match form.clone() {
        Form::Long {
            subject, location, ..
        } => Columns {
            subject: Some(subject),
            location: Some(location),
            ..Columns::of_items(None)
        },
        Form::Wide { cell, separator } => Columns {
            cell: Some(cell),
            ..Columns::of_items(separator)
        },
    }
}
