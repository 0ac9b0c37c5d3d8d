//! The attacks on paths, run alone: a release, and a file of the source paths that the adversary has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use denym_attack::sequences::{Effort, Seen, SequenceScene};
use denym_attack::{Finding, NotRun, RedTeam, Scene, red_team};
use denym_data::paths::Paths;
use denym_engine::{Engine, Format, ReadOptions};

use super::super::attack_error;
use super::super::table::is_bundle;
use super::{effort, guarded};
use crate::certificate::Certificate;
use crate::listener::{Listener, Phase};
use crate::paths::{
    EarlierRelease, PathTable, SUBJECTS, Wanted, ladder, over_bound, read_columns, read_released,
    reordered, seconds, wanted,
};
use crate::policy::paths::{Matching, PathColumns, named_column};
use crate::policy::{Knowledge, Policy, PromiseSpec};
use crate::{Error, source, threads, verify};

/// A release of paths and what the adversary has.
#[derive(Debug, Clone, Default)]
pub struct PathsRequest {
    /// A bundle, the public half of one, or a file of paths.
    pub release: PathBuf,
    /// The source paths that the adversary knows.
    pub raw: PathBuf,
    /// How many doublets the adversary knows; a bundle says it itself.
    pub doublets: Option<usize>,
    /// What the adversary is after; a bundle says it itself.
    pub sensitive: Vec<String>,
    /// Columns known beside the path; a bundle says it itself.
    pub quasi: Vec<String>,
    /// The column of whole paths, subjects, places and times of the source, where they are not the usual ones.
    pub columns: [Option<String>; 4],
    /// A policy that says how the source is read and how places and times were coarsened; a bundle has its own.
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
pub struct Searched {
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
    /// The attacks that were run.
    pub findings: Vec<Finding>,
    /// The others, with the reason.
    pub not_run: Vec<NotRun>,
}

/// Attacks the release of `request`.
pub fn paths(request: &PathsRequest, listener: &dyn Listener) -> Result<Searched, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let release = Release::read(&engine, request)?;
    let (wanted, mut options) = release.wanted(request);
    options.expected = Vec::new();
    let table = read_columns(&engine, &request.raw, options, &wanted)?;
    let doublets = request
        .doublets
        .or(match release.certificate.as_ref().map(|c| c.knows) {
            Some(Knowledge::Doublets(doublets)) => Some(doublets),
            _ => None,
        })
        .filter(|&doublets| doublets > 0)
        .ok_or_else(|| Error::Argument {
            what: "it is not said how many doublets the adversary knows".into(),
            help: "write --doublets 2, or another number above zero".into(),
        })?;
    // Whose record is whose: the steward's list, when source and bundle both have it.
    let has_list = request.release.join(SUBJECTS).is_file() && table.subjects.is_some();
    let aligned = if has_list {
        let known = EarlierRelease::read(&request.release, &table, &engine)?;
        let there: Vec<u32> = (0..)
            .zip(&known.record_of)
            .filter_map(|(victim, record)| record.map(|_| victim))
            .collect();
        let own: Vec<u32> = known.record_of.iter().copied().flatten().collect();
        Some((there, own))
    } else {
        None
    };
    let stands_for = release.stands_for(&engine, &table)?;
    let (raw, own) = match &aligned {
        Some((victims, own)) => (reordered(&table.paths, victims)?, Some(own.clone())),
        None => (table.paths.clone(), None),
    };
    let promises = release.promises();
    let hidden = over_bound(&table.paths, &promises);
    listener.phase(Phase::Attacking);
    let guarded = guarded(&promises);
    let seen = Seen {
        raw: &raw,
        released: &release.paths,
        own,
        stands_for,
        everywhere: request.everywhere || release.everywhere,
        guarded: &guarded,
        hidden: &hidden,
        known: doublets,
        consistent: release.consistent(),
        seconds,
    };
    let effort = if request.exhaustive {
        Effort {
            seed: request.seed,
            ..Effort::EVERYTHING
        }
    } else {
        effort(request.seed)
    };
    let why = "it needs the policy and the source: see `denym attack minimality`";
    let scene = SequenceScene::new(seen, effort, Err(why.to_owned()));
    let found = threads::pool(request.threads)?.install(|| red_team(&Scene::Paths(&scene)));
    let team = found.map_err(|error| attack_error(&error))?;
    Ok(searched(&scene, &promises, team))
}

/// What was found, with what it is measured against.
pub(in super::super) fn searched(
    scene: &SequenceScene<'_>,
    promises: &[PromiseSpec],
    team: RedTeam,
) -> Searched {
    let k = promises.iter().find_map(PromiseSpec::size);
    let seen = &scene.seen;
    Searched {
        records: seen.released.len(),
        people: seen.raw.len(),
        aligned: seen.own.is_some(),
        known: seen.known,
        promised: k.map(|k| 1.0 / k as f64),
        not_run: team.not_run,
        findings: team.findings,
    }
}

/// The release and what is known of it.
struct Release {
    paths: Paths,
    certificate: Option<Certificate>,
    policy: Option<Policy>,
    everywhere: bool,
}

impl Release {
    fn read(engine: &Engine, request: &PathsRequest) -> Result<Release, Error> {
        let mut policy = request
            .policy
            .as_deref()
            .map(crate::read_policy)
            .transpose()?;
        if !is_bundle(&request.release) {
            let wanted = Wanted {
                columns: columns(&request.columns),
                keep_repeats: true,
                several_places: true,
                sensitive: request.sensitive.clone(),
                quasi: request.quasi.clone(),
                ..Wanted::default()
            };
            let table = read_columns(engine, &request.release, request.read.clone(), &wanted)?;
            return Ok(Release {
                paths: table.paths,
                certificate: None,
                policy,
                everywhere: false,
            });
        }
        let half = verify::public_half(&request.release)?;
        let certificate = verify::read_certificate(&half)?;
        let broken = |what| Error::Bundle {
            what,
            path: half.join("certificate.json"),
        };
        let Some(layout) = &certificate.paths else {
            return Err(Error::Argument {
                what: "this is no release of paths".into(),
                help: format!("use `denym attack {}`", request.release.display()),
            });
        };
        let format = Format::parse(&certificate.data.format)
            .ok_or_else(|| broken("the format of the data is unknown"))?;
        let file = half.join(&certificate.data.file);
        let written = source::read_release(engine, &file, format)?;
        let names: Vec<String> = certificate
            .sensitive
            .iter()
            .map(|sensitive| sensitive.name.clone())
            .collect();
        let paths = read_released(
            &file,
            &written,
            &layout.form,
            &names,
            &certificate.quasi_identifiers,
        )?;
        let steward = request.release.join("steward/policy.toml");
        if policy.is_none() && steward.is_file() {
            policy = crate::read_policy(&steward).ok();
        }
        Ok(Release {
            everywhere: everywhere(&request.release.join("steward/plan.json")),
            paths,
            policy,
            certificate: Some(certificate),
        })
    }

    /// What is read of the source, and how.
    fn wanted(&self, request: &PathsRequest) -> (Wanted, ReadOptions) {
        let spec = self
            .policy
            .as_ref()
            .and_then(|policy| Some((policy, policy.paths.as_ref()?)));
        let mut found = spec.map_or_else(Wanted::default, |(policy, spec)| wanted(policy, spec));
        if request.columns.iter().any(Option::is_some) {
            found.columns = columns(&request.columns);
        }
        let names = |attributes: &[denym_data::paths::Attribute]| {
            let names = attributes.iter().map(|attribute| attribute.name.clone());
            names.collect::<Vec<String>>()
        };
        // Secrets are read off the release; the source need not have them.
        found.sensitive = Vec::new();
        found.quasi = names(self.paths.quasi());
        found.other = Vec::new();
        (found, request.read.clone())
    }

    /// For each source doublet the published ones that may stand for it: the same label, or a coarser one of the policy.
    fn stands_for(&self, engine: &Engine, table: &PathTable) -> Result<Vec<Vec<u32>>, Error> {
        let released = &self.paths;
        let known: HashMap<(&str, &str), u32> = (0..)
            .zip(released.doublets())
            .map(|(id, doublet)| {
                let place = released.locations()[doublet.location as usize].as_str();
                (
                    (place, released.times()[doublet.time as usize].as_str()),
                    id,
                )
            })
            .collect();
        let spec = self
            .policy
            .as_ref()
            .and_then(|policy| Some((policy, policy.paths.as_ref()?)));
        let ladder = match spec {
            Some((policy, spec)) => ladder(policy, spec, table, engine)?,
            None => None,
        };
        let rungs = ladder.map(|ladder| ladder.rungs).unwrap_or_default();
        let paths = &table.paths;
        let chain = |doublet: &denym_data::paths::Doublet| {
            let (place, time) = (doublet.location as usize, doublet.time as usize);
            let own = (
                paths.locations()[place].as_str(),
                paths.times()[time].as_str(),
            );
            let coarser = rungs
                .iter()
                .map(|rung| (rung.places[place].as_str(), rung.slots[time].as_str()));
            let mut chain: Vec<u32> = std::iter::once(own)
                .chain(coarser)
                .filter_map(|label| known.get(&label).copied())
                .collect();
            chain.dedup();
            chain
        };
        Ok(paths.doublets().iter().map(chain).collect())
    }

    fn promises(&self) -> Vec<PromiseSpec> {
        let certified = self.certificate.iter().flat_map(|c| &c.claims);
        let certified: Vec<PromiseSpec> = certified.map(|claim| claim.terms.clone()).collect();
        match &self.policy {
            Some(policy) if policy.paths.is_some() => {
                let promised = policy.promises.iter();
                promised.map(|promised| promised.promise.clone()).collect()
            }
            _ => certified,
        }
    }

    fn consistent(&self) -> bool {
        let layout = self.certificate.as_ref().and_then(|c| c.paths.as_ref());
        layout.is_none_or(|layout| layout.matching == Matching::Consistent)
    }
}

/// Whether the steward's plan says that doublets were removed everywhere.
fn everywhere(plan: &Path) -> bool {
    let text = std::fs::read(plan).unwrap_or_default();
    let plan: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let algorithm = plan["algorithm"].as_str().unwrap_or_default();
    denym_sequences::Algorithm::from_name(algorithm).is_some_and(|algorithm| {
        matches!(
            algorithm,
            denym_sequences::Algorithm::GlobalSuppression | denym_sequences::Algorithm::Optimum
        )
    })
}

fn columns([path, subject, location, time]: &[Option<String>; 4]) -> PathColumns {
    PathColumns {
        subject: named_column(subject.as_ref()),
        location: named_column(location.as_ref()),
        time: named_column(time.as_ref()),
        path: named_column(path.as_ref()),
        ..PathColumns::default()
    }
}
