//! Released paths and transactions under attack: by a bundle's gate, and alone with a file of the source that the adversary has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use denym_attack::minimality::Originals;
use denym_attack::sequences::{Effort, Guarded, ReleasedSequences, SequenceScene};
use denym_attack::{RedTeam, Scene, Shape};
use denym_data::Fraction;
use denym_data::paths::{Attribute, Paths};
use denym_engine::{Engine, ReadOptions};

use super::certified::{CertifiedRelease, policy_of};
use super::minimality::{SearchedPaths, originals_of_paths, removes_everywhere, too_many_paths};
use super::red_team;
use crate::certificate::Certificate;
use crate::listener::{Listener, Phase};
use crate::paths::{EarlierRelease, PathTable, SUBJECTS, ladder, over_bound, reordered, seconds};
use crate::policy::paths::{Matching, PathColumns, named_column};
use crate::policy::transactions::TransactionColumns;
use crate::policy::{Bounded, Knowledge, Policy, PromiseSpec};
use crate::transactions::{Baskets, TransactionForm, coarser_names, judged};
use crate::{Error, paths as path_files, threads, transactions as set_files};

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

/// Attacks the paths of `request`.
pub fn paths(request: &SequencesRequest, listener: &dyn Listener) -> Result<SequencesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let released = Released::read(&engine, request, Shape::Paths)?;
    let release = match &released.certified {
        None => {
            let wanted = path_files::Wanted {
                columns: path_columns(request),
                keep_repeats: true,
                several_places: true,
                sensitive: request.sensitive.clone(),
                quasi: request.quasi.clone(),
                ..path_files::Wanted::default()
            };
            let read = request.read.clone();
            path_files::read_columns(&engine, &request.release, read, &wanted)?.paths
        }
        Some(own) => {
            let form = own.certificate.paths.as_ref().map(|layout| &layout.form);
            let form = form.ok_or_else(|| released.not_of(Shape::Paths))?;
            let (sensitive, quasi) = (own.sensitive(), &own.certificate.quasi_identifiers);
            path_files::read_released(&own.file, &own.table, form, &sensitive, quasi)?
        }
    };
    let spec = released.policy.as_ref();
    let spec = spec.and_then(|policy| Some((policy, policy.paths.as_ref()?)));
    let mut wanted = spec.map_or_else(path_files::Wanted::default, |(policy, spec)| {
        path_files::wanted(policy, spec)
    });
    if request.columns.iter().any(Option::is_some) {
        wanted.columns = path_columns(request);
    }
    let names = |attributes: &[Attribute]| attributes.iter().map(|own| own.name.clone()).collect();
    // Secrets are read off the release; the source need not have them.
    (wanted.sensitive, wanted.other) = (Vec::new(), Vec::new());
    wanted.quasi = names(release.quasi());
    let mut options = request.read.clone();
    options.expected = Vec::new();
    let table = path_files::read_columns(&engine, &request.raw, options, &wanted)?;
    let known = released.known(request, "doublets")?;
    // Whose record is whose: the steward's list, when source and bundle both have it.
    let (mut raw, mut own) = (None, None);
    if request.release.join(SUBJECTS).is_file() && table.subjects.is_some() {
        let listed = EarlierRelease::read(&request.release, &table, &engine)?.record_of;
        let there = (0..).zip(&listed).filter(|(_, record)| record.is_some());
        let there: Vec<u32> = there.map(|(victim, _)| victim).collect();
        raw = Some(reordered(&table.paths, &there)?);
        own = Some(listed.into_iter().flatten().collect());
    }
    let rungs = match spec {
        Some((policy, spec)) => ladder(policy, spec, &table, &engine)?,
        None => None,
    };
    let coarser = rungs.map(|ladder| ladder.rungs).unwrap_or_default();
    let coarser = |place: usize, time: usize| -> Vec<(&str, &str)> {
        let rungs = coarser.iter();
        let names = rungs.map(|rung| (rung.places[place].as_str(), rung.slots[time].as_str()));
        names.collect()
    };
    let promises = released.promises(request);
    let again = released.again(request, &engine, &table);
    let originals = again.as_ref().map_err(Clone::clone).and_then(|again| {
        let seed = released
            .policy
            .as_ref()
            .map_or(0, |policy| policy.release.seed);
        originals_of_paths(&again.table.paths, &again.request, &again.recoding, seed)
    });
    let scene = ReleasedSequences {
        stands_for: stands_for(&table.paths, &release, coarser),
        raw: raw.as_ref().unwrap_or(&table.paths),
        released: &release,
        own,
        everywhere: request.everywhere || everywhere(&request.release.join("steward/plan.json")),
        guarded: &guarded(&promises),
        hidden: &over_bound(&table.paths, &promises),
        known,
        consistent: released.consistent(),
        seconds,
    };
    listener.phase(Phase::Attacking);
    searched(request, scene, originals, &promises, Shape::Paths)
}

/// Attacks the transactions of `request`. Nobody can tell which record is whose, so every record that fits counts as right.
pub fn transactions(
    request: &SequencesRequest,
    listener: &dyn Listener,
) -> Result<SequencesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let released = Released::read(&engine, request, Shape::Transactions)?;
    let read = |path: &Path, wanted: &set_files::Wanted| {
        set_files::read_columns(&engine, path, request.read.clone(), wanted)
    };
    let release = match &released.certified {
        None => read(&request.release, &set_columns(request))?,
        Some(own) => {
            let form = own.certificate.transactions.as_ref();
            let form = form.ok_or_else(|| released.not_of(Shape::Transactions))?;
            set_files::read_released(&own.file, &own.table, form, &own.sensitive())?
        }
    };
    let table = read(&request.raw, &released.sets_wanted(request, &release.form))?;
    let known = released.known(request, "items")?;
    let promises = released.promises(request);
    let raw = judged(&table.sets, &promises)?;
    let shown = judged(&release.sets, &promises)?;
    let chains = released.chains(&engine, &table)?;
    let scene = ReleasedSequences {
        stands_for: items_standing_for(&raw, &shown, &chains),
        raw: &raw,
        released: &shown,
        own: None,
        everywhere: true,
        guarded: &guarded(&promises),
        hidden: &[],
        known,
        consistent: false,
        seconds,
    };
    listener.phase(Phase::Attacking);
    let originals = Err("it works on paths".to_owned());
    searched(request, scene, originals, &promises, Shape::Transactions)
}

/// Runs the red team, and says what its figures are measured against.
fn searched(
    request: &SequencesRequest,
    seen: ReleasedSequences<'_>,
    originals: Result<Originals<'_>, String>,
    promises: &[PromiseSpec],
    shape: Shape,
) -> Result<SequencesFound, Error> {
    let effort = if request.exhaustive {
        Effort {
            seed: request.seed,
            ..Effort::EVERYTHING
        }
    } else {
        effort(request.seed)
    };
    let scene = SequenceScene::new(seen, effort, originals);
    let team = threads::pool(request.threads)?.install(|| match shape {
        Shape::Transactions => red_team(&Scene::Transactions(&scene)),
        _ => red_team(&Scene::Paths(&scene)),
    })?;
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

/// For each source doublet the published ones that may stand for it: of the same name, or of one of its `coarser` ones by place and time.
fn stands_for<'n>(
    raw: &'n Paths,
    released: &Paths,
    coarser: impl Fn(usize, usize) -> Vec<(&'n str, &'n str)>,
) -> Vec<Vec<u32>> {
    let known: HashMap<(&str, &str), u32> = (0..)
        .zip(released.doublets())
        .map(|(id, doublet)| (name(released, doublet.location, doublet.time), id))
        .collect();
    let each = raw.doublets().iter();
    each.map(|doublet| {
        let own = name(raw, doublet.location, doublet.time);
        let coarser = coarser(doublet.location as usize, doublet.time as usize);
        let names = std::iter::once(own).chain(coarser);
        let mut found: Vec<u32> = names.filter_map(|name| known.get(&name).copied()).collect();
        found.dedup();
        found
    })
    .collect()
}

fn name(paths: &Paths, place: u32, time: u32) -> (&str, &str) {
    let (places, times) = (paths.locations(), paths.times());
    (&places[place as usize], &times[time as usize])
}

/// For each source item the published ones that may stand for it: itself, or one of its ever coarser names.
pub(crate) fn items_standing_for(
    raw: &Paths,
    released: &Paths,
    chains: &[Vec<String>],
) -> Vec<Vec<u32>> {
    let known: HashMap<&str, u32> = (0..)
        .zip(released.locations())
        .map(|(id, name)| (name.as_str(), id))
        .collect();
    let items = raw.locations().iter().enumerate();
    items
        .map(|(item, name)| {
            let coarser = chains.get(item).into_iter().flatten();
            let names = std::iter::once(name).chain(coarser);
            let mut found: Vec<u32> = names
                .filter_map(|name| known.get(name.as_str()).copied())
                .collect();
            found.dedup();
            found
        })
        .collect()
}

/// A release of sequences and what is known of it.
struct Released {
    certified: Option<CertifiedRelease>,
    policy: Option<Policy>,
    path: PathBuf,
}

impl Released {
    fn read(engine: &Engine, request: &SequencesRequest, shape: Shape) -> Result<Self, Error> {
        let released = Self {
            certified: CertifiedRelease::read(engine, &request.release)?,
            policy: policy_of(
                request.policy.as_deref(),
                Some(&request.release.join("steward")),
            )?,
            path: request.release.clone(),
        };
        let other = |own: &CertifiedRelease| super::certified::shape(&own.certificate) != shape;
        if released.certified.as_ref().is_some_and(other) {
            return Err(released.not_of(shape));
        }
        Ok(released)
    }

    fn not_of(&self, shape: Shape) -> Error {
        Error::Argument {
            what: format!("this is no release of {}", shape.words()),
            help: format!("use `denym attack {}`", self.path.display()),
        }
    }

    fn certificate(&self) -> Option<&Certificate> {
        self.certified.as_ref().map(|own| &own.certificate)
    }

    /// How many of `what` the adversary knows.
    fn known(&self, request: &SequencesRequest, what: &str) -> Result<usize, Error> {
        let certified = match self.certificate().map(|certificate| certificate.knows) {
            Some(Knowledge::Doublets(known) | Knowledge::Items(known)) => Some(known),
            _ => None,
        };
        let known = request.known.or(certified).filter(|&known| known > 0);
        known.ok_or_else(|| Error::Argument {
            what: format!("it is not said how many {what} the adversary knows"),
            help: format!("write --{what} 2, or another number above zero"),
        })
    }

    /// What is promised: of paths as their policy says it, else as the certificate does; and what was asked for.
    fn promises(&self, request: &SequencesRequest) -> Vec<PromiseSpec> {
        if let Some(policy) = self.policy.as_ref().filter(|policy| policy.paths.is_some()) {
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

    fn consistent(&self) -> bool {
        let layout = self.certificate().and_then(|own| own.paths.as_ref());
        layout.is_none_or(|layout| layout.matching == Matching::Consistent)
    }

    /// The search of a policy that was named, run again, where that is little work; why not, where it is not.
    fn again(
        &self,
        request: &SequencesRequest,
        engine: &Engine,
        table: &PathTable,
    ) -> Result<SearchedPaths, String> {
        let (Some(_), Some(policy), Some(_)) = (&request.policy, &self.policy, &self.certified)
        else {
            return Err("it needs the policy and the source: see `denym attack minimality`".into());
        };
        too_many_paths(&table.paths)?;
        SearchedPaths::again(policy, engine).map_err(|error| error.to_string())
    }

    /// How source sets are read: as flags say, as the policy says, or laid out like the release.
    fn sets_wanted(&self, request: &SequencesRequest, form: &TransactionForm) -> set_files::Wanted {
        let mut wanted = set_columns(request);
        if request.columns.iter().any(Option::is_some) {
            return wanted;
        }
        let spec = self
            .policy
            .as_ref()
            .and_then(|policy| policy.transactions.as_ref());
        if let Some(spec) = spec {
            wanted.columns = spec.columns.clone();
            wanted.separator = Some(request.separator.unwrap_or(spec.separator));
            return wanted;
        }
        match form {
            TransactionForm::Long { subject, item } => {
                wanted.columns.subject = named_column(Some(subject));
                wanted.columns.item = named_column(Some(item));
            }
            TransactionForm::Wide { items, separator } => {
                wanted.columns.items = named_column(Some(items));
                wanted.separator = Some(request.separator.unwrap_or(*separator));
            }
        }
        wanted
    }

    /// The ever coarser names of each source item, where a policy says them.
    fn chains(&self, engine: &Engine, table: &Baskets) -> Result<Vec<Vec<String>>, Error> {
        match &self.policy {
            Some(policy) if policy.transactions.is_some() => {
                Ok(coarser_names(policy, table, engine)?.unwrap_or_default())
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Whether the steward's plan says that doublets were removed everywhere.
fn everywhere(plan: &Path) -> bool {
    let text = std::fs::read(plan).unwrap_or_default();
    let plan: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let algorithm = plan["algorithm"].as_str().unwrap_or_default();
    denym_sequences::Algorithm::from_name(algorithm).is_some_and(removes_everywhere)
}

fn path_columns(request: &SequencesRequest) -> PathColumns {
    let [path, subject, location, time] = &request.columns;
    PathColumns {
        subject: named_column(subject.as_ref()),
        location: named_column(location.as_ref()),
        time: named_column(time.as_ref()),
        path: named_column(path.as_ref()),
        ..PathColumns::default()
    }
}

fn set_columns(request: &SequencesRequest) -> set_files::Wanted {
    let [items, subject, item, _] = &request.columns;
    set_files::Wanted {
        columns: TransactionColumns {
            subject: named_column(subject.as_ref()),
            item: named_column(item.as_ref()),
            items: named_column(items.as_ref()),
        },
        separator: request.separator,
        ..set_files::Wanted::default()
    }
}
