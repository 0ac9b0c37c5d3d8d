//! The attack on transactions, run alone: a release, and a file of the source sets that the adversary has.

use std::collections::HashMap;
use std::path::PathBuf;

use denym_attack::sequences::{Effort, Seen, SequenceScene};
use denym_attack::{Scene, red_team};
use denym_data::Fraction;
use denym_data::paths::Paths;
use denym_engine::{Engine, Format, ReadOptions};

use super::attack_error;
use super::paths::{Searched, effort, guarded, searched};
use super::table::is_bundle;
use crate::certificate::Certificate;
use crate::listener::{Listener, Phase};
use crate::paths::seconds;
use crate::policy::paths::named_column;
use crate::policy::transactions::TransactionColumns;
use crate::policy::{Knowledge, Policy, PromiseSpec};
use crate::transactions::{
    Baskets, TransactionForm, Wanted, coarser_names, judged, read_columns, read_released,
};
use crate::{Error, source, threads, verify};

/// A release of transactions and what the adversary has.
#[derive(Debug, Clone, Default)]
pub struct TransactionsRequest {
    /// A bundle, the public half of one, or a file of transactions.
    pub release: PathBuf,
    /// The source sets that the adversary knows.
    pub raw: PathBuf,
    /// How many items the adversary knows; a bundle says it itself.
    pub items: Option<usize>,
    /// What the adversary is after, and how sure is too sure; a bundle says it itself.
    pub sensitive: Vec<(String, Fraction)>,
    /// The columns of subjects, of single items and of all items of a subject, where they are not the usual ones.
    pub columns: [Option<String>; 3],
    /// What stands between the items of a cell, where it is not the usual one.
    pub separator: Option<char>,
    /// A policy that says how the source is read and how items were generalized; a bundle has its own.
    pub policy: Option<PathBuf>,
    /// Try everything on everybody, however long that takes.
    pub exhaustive: bool,
    /// Seed of the draws.
    pub seed: u64,
    /// How to read the files.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Attacks the release of `request`. Nobody can tell which record is whose, so every record that fits counts as right.
pub fn transactions(
    request: &TransactionsRequest,
    listener: &dyn Listener,
) -> Result<Searched, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let release = Release::read(&engine, request)?;
    let table = read_columns(
        &engine,
        &request.raw,
        request.read.clone(),
        &release.wanted(request),
    )?;
    let known = match (&release.certificate, request.items) {
        (_, Some(items)) => Some(items),
        (Some(certificate), None) => match certificate.knows {
            Knowledge::Items(items) => Some(items),
            _ => None,
        },
        (None, None) => None,
    };
    let known = known
        .filter(|&items| items > 0)
        .ok_or_else(|| Error::Argument {
            what: "it is not said how many items the adversary knows".into(),
            help: "write --items 2, or another number above zero".into(),
        })?;
    let promises = release.promises(request);
    let raw = judged(&table.sets, &promises)?;
    let released = judged(&release.table.sets, &promises)?;
    let chains = release.chains(&engine, &table)?;
    listener.phase(Phase::Attacking);
    let guarded = guarded(&promises);
    let seen = Seen {
        stands_for: stands_for(&raw, &released, &chains),
        raw: &raw,
        released: &released,
        own: None,
        everywhere: true,
        guarded: &guarded,
        hidden: &[],
        known,
        consistent: false,
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
    let pool = threads::pool(request.threads)?;
    let scene = SequenceScene::new(seen, effort, Err("it works on paths".to_owned()));
    let team = pool.install(|| red_team(&Scene::Transactions(&scene)));
    let team = team.map_err(|error| attack_error(&error))?;
    Ok(searched(&scene, &promises, team))
}

/// For each source item the published ones that may stand for it: itself, or one of its ever coarser names.
pub(crate) fn stands_for(raw: &Paths, released: &Paths, chains: &[Vec<String>]) -> Vec<Vec<u32>> {
    let known: HashMap<&str, u32> = (0..)
        .zip(released.locations())
        .map(|(id, name)| (name.as_str(), id))
        .collect();
    let none = Vec::new();
    (0..)
        .zip(raw.locations())
        .map(|(item, name): (usize, &String)| {
            let coarser = chains.get(item).unwrap_or(&none);
            let mut found: Vec<u32> = std::iter::once(name)
                .chain(coarser)
                .filter_map(|name| known.get(name.as_str()).copied())
                .collect();
            found.dedup();
            found
        })
        .collect()
}

/// The release and what is known of it.
struct Release {
    table: Baskets,
    certificate: Option<Certificate>,
    policy: Option<Policy>,
}

impl Release {
    fn read(engine: &Engine, request: &TransactionsRequest) -> Result<Release, Error> {
        let mut policy = request
            .policy
            .as_deref()
            .map(crate::read_policy)
            .transpose()?;
        if !is_bundle(&request.release) {
            let read = request.read.clone();
            return Ok(Release {
                table: read_columns(engine, &request.release, read, &columns(request))?,
                certificate: None,
                policy,
            });
        }
        let half = verify::public_half(&request.release)?;
        let certificate = verify::read_certificate(&half)?;
        let Some(form) = &certificate.transactions else {
            return Err(Error::Argument {
                what: "this is no release of transactions".into(),
                help: format!("use `denym attack {}`", request.release.display()),
            });
        };
        let format = Format::parse(&certificate.data.format).ok_or_else(|| Error::Bundle {
            what: "the format of the data is unknown",
            path: half.join("certificate.json"),
        })?;
        let file = half.join(&certificate.data.file);
        let written = source::read_release(engine, &file, format)?;
        let sensitive: Vec<String> = (certificate.sensitive.iter())
            .map(|own| own.name.clone())
            .collect();
        let table = read_released(&file, &written, form, &sensitive)?;
        let steward = request.release.join("steward/policy.toml");
        if policy.is_none() && steward.is_file() {
            policy = crate::read_policy(&steward).ok();
        }
        Ok(Release {
            table,
            certificate: Some(certificate),
            policy,
        })
    }

    /// How the source is read: as flags say, as the policy says, or laid out like the release.
    fn wanted(&self, request: &TransactionsRequest) -> Wanted {
        if request.columns.iter().any(Option::is_some) {
            return columns(request);
        }
        if let Some(spec) = self.policy.as_ref().and_then(|p| p.transactions.as_ref()) {
            return Wanted {
                columns: spec.columns.clone(),
                separator: Some(request.separator.unwrap_or(spec.separator)),
                ..Wanted::default()
            };
        }
        let (columns, separator) = match &self.table.form {
            TransactionForm::Long { subject, item } => (
                [Some(subject), Some(item), None].map(named_column),
                request.separator,
            ),
            TransactionForm::Wide { items, separator } => (
                [None, None, Some(items)].map(named_column),
                Some(request.separator.unwrap_or(*separator)),
            ),
        };
        let [subject, item, items] = columns;
        Wanted {
            columns: TransactionColumns {
                subject,
                item,
                items,
            },
            separator,
            ..Wanted::default()
        }
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

    fn promises(&self, request: &TransactionsRequest) -> Vec<PromiseSpec> {
        let certified = self.certificate.iter().flat_map(|c| &c.claims);
        let certified = certified.map(|claim| claim.terms.clone());
        let asked = request.sensitive.iter();
        certified
            .chain(asked.map(|(item, bound)| PromiseSpec::items(vec![item.clone()], *bound)))
            .collect()
    }
}

fn columns(request: &TransactionsRequest) -> Wanted {
    let [subject, item, items] = &request.columns;
    Wanted {
        columns: TransactionColumns {
            subject: named_column(subject.as_ref()),
            item: named_column(item.as_ref()),
            items: named_column(items.as_ref()),
        },
        separator: request.separator,
        ..Wanted::default()
    }
}
