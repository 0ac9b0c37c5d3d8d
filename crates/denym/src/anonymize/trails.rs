//! Trails: withhold entries until every published trail has k possible owners, write, read back, attack, and only then release.

use std::collections::HashMap;
use std::path::Path;

use denym_attack::trails::{Options as AttackOptions, Outcome as Attacked, Side, attack};
use denym_attack::{Evidence, Shape};
use denym_data::{Column, NamedTrails, Table, Trails};
use denym_engine::{Engine, Format, ReadOptions};
use denym_paths::trail_defence::{Defence, Options, TrailDefenceError, defend};
use denym_report::Report;
use serde_json::json;

use super::red_team::RedTeam;
use super::{Account, Figures, Outcome, Release, RunOptions, json as document, proceed};
use crate::attack::{Finding, TrailSource, counted, not_run, sides};
use crate::bundle::Draft;
use crate::certificate::{Certificate, Check, Claim, DataFile, FORM, share};
use crate::listener::{Listener, Phase};
use crate::plan::data_name;
use crate::policy::{Policy, PromiseSpec};
use crate::{Error, reporting, source};

/// Makes a release of the anonymous trails.
pub(super) fn run(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let draft = Draft::new(output, options.force)?;
    let engine = Engine::new(options.threads)?;
    listener.phase(Phase::Reading);
    let read = source::read_options(policy)?;
    let side = |path: &str| TrailSource {
        path: policy.resolve(Path::new(path)),
        ..TrailSource::default()
    };
    let sides = sides(
        &engine,
        &side(&policy.data.path),
        &side(&policy.data.identified),
        &[],
        &read,
    )?;
    let (anonymous, identified) = (&sides.anonymous, &sides.identified);
    let owner = owners(policy, &engine, &read, anonymous, identified)?;
    proceed(listener)?;

    listener.phase(Phase::Searching);
    let k = policy
        .promises
        .iter()
        .filter_map(|promised| match promised.promise {
            PromiseSpec::KAnonymity { k } => Some(k),
            _ => None,
        })
        .max()
        .unwrap_or(1);
    let defence = defend(
        &anonymous.trails,
        &identified.trails,
        &owner,
        &Options {
            k: usize::try_from(k).unwrap_or(usize::MAX),
            ..Options::default()
        },
    )
    .map_err(|error| undefended(&error))?;
    proceed(listener)?;

    listener.phase(Phase::Writing);
    let (published, owner_of) = published(policy, anonymous, &defence, &owner)?;
    let format = Format::parse(&policy.release.format).ok_or_else(|| Error::Internal {
        what: "a format that the policy should have refused".into(),
    })?;
    let file = format!("{}.{}", data_name(&policy.data.path), format.name());
    let path = draft.path(&format!("release/{file}"));
    engine.write(&published, format, &path)?;
    proceed(listener)?;

    listener.phase(Phase::Auditing);
    let (ids, trails) = read_back(&engine, &path, format, identified)?;
    listener.phase(Phase::Attacking);
    let before = attacked(&anonymous.trails, &identified.trails)?;
    let after = attacked(&trails, &identified.trails)?;
    let true_owner = |row: u32| owner_of.get(&ids[row as usize]).copied();
    let fewest = after
        .allowed_set_sizes
        .as_ref()
        .map_or(0, |sizes| sizes.iter().copied().min().map_or(k, u64::from));
    let withheld = defence.withheld.len() as u64;
    let was = named(&before, anonymous.ids.len(), &|row| {
        Some(owner[row as usize])
    });
    let is = named(&after, trails.len(), &true_owner);
    let red_team = red_team(was, is);
    let account = Account {
        attempts: Vec::new(),
        measures: None,
        refusal: None,
        algorithm: "trail-defence".into(),
        records: anonymous.ids.len() as u64,
        suppressed_records: (anonymous.ids.len() - trails.len()) as u64,
        metric: (
            "withheld".into(),
            share(withheld, anonymous.trails.entries() as u64),
        ),
        figures: Figures::Trails {
            entries: anonymous.trails.entries() as u64,
            withheld,
            optimal: defence.optimal,
            institutions: anonymous.institutions.len() as u64,
        },
        claims: vec![Claim {
            quasi_identifiers: Vec::new(),
            violating_records: 0,
            promise: "k-anonymity".into(),
            attribute: None,
            asked: k as f64,
            measured: fewest as f64,
            holds: Some(fewest >= k),
            check: Check::Attested,
            terms: PromiseSpec::KAnonymity { k },
        }],
        warnings: Vec::new(),
        attacks: red_team.results(&policy.attack),
    };
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    let certificate = Certificate {
        altered: Vec::new(),
        paths: None,
        transactions: None,
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            file,
            format: format.name().to_owned(),
            records: published.records() as u64,
            sha256: denym_engine::fingerprint(&path)?,
        },
        knows: policy.adversary,
        quasi_identifiers: vec!["institution".into()],
        sensitive: Vec::new(),
        subject: Some("id".into()),
        suppressed_records: account.suppressed_records,
        groups: None,
        claims: account.claims.clone(),
        attacks: account.attacks.clone(),
    };
    proceed(listener)?;

    listener.phase(Phase::Reporting);
    draft.write(
        "release/certificate.json",
        document(&certificate)?.as_bytes(),
    )?;
    draft.write(
        "release/README.md",
        readme(&certificate, trails.len(), k).as_bytes(),
    )?;
    let mut report = report(policy, &account);
    report.attacks = red_team.report();
    draft.write(
        "steward/report.html",
        denym_report::html(&report).as_bytes(),
    )?;
    draft.policy(policy)?;
    draft.write(
        "steward/plan.json",
        document(&json!({
            "denym": env!("CARGO_PKG_VERSION"),
            "algorithm": account.algorithm,
            "k": k,
            "optimal": defence.optimal,
            "withheld": defence.withheld.iter().map(|&(row, at)| json!([
                anonymous.ids[row as usize], anonymous.institutions[at as usize],
            ])).collect::<Vec<_>>(),
        }))?
        .as_bytes(),
    )?;
    draft.write(
        "steward/attacks.json",
        document(&red_team.document())?.as_bytes(),
    )?;
    draft.write(
        "steward/source.json",
        document(&source::fingerprints(policy)?)?.as_bytes(),
    )?;
    proceed(listener)?;
    let bundle = draft.finish()?;
    Ok(Outcome::Released(Box::new(Release {
        bundle,
        certificate,
        account,
    })))
}

fn undefended(error: &TrailDefenceError) -> Error {
    match error {
        TrailDefenceError::Infeasible { .. } => Error::Infeasible {
            what: error.to_string(),
            code: error.code(),
            help: error.help(),
        },
        _ => Error::Attack {
            what: error.to_string(),
            code: error.code(),
            help: error.help(),
        },
    }
}

/// The identified row of each anonymous one.
fn owners(
    policy: &Policy,
    engine: &Engine,
    read: &ReadOptions,
    anonymous: &NamedTrails,
    identified: &NamedTrails,
) -> Result<Vec<u32>, Error> {
    let row_of: HashMap<&str, u32> = identified.ids.iter().map(String::as_str).zip(0..).collect();
    let mut owner_of: HashMap<String, String> = HashMap::new();
    if let Some(file) = &policy.data.owners {
        let path = policy.resolve(Path::new(file));
        let table = engine.read(&path, read)?;
        let column = |name: &str| {
            table.column(name).ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
                place: path.display().to_string(),
                help: "the file of owners has the columns `anonymous` and `identified`".into(),
            })
        };
        let (a, i) = (column("anonymous")?, column("identified")?);
        for row in 0..table.records() {
            if let (Some(a), Some(i)) = (a.text(row), i.text(row)) {
                owner_of.insert(a.to_owned(), i.to_owned());
            }
        }
    }
    anonymous
        .ids
        .iter()
        .enumerate()
        .map(|(row, id)| {
            let owner = if policy.data.owners.is_some() {
                owner_of.get(id).map(String::as_str)
            } else {
                Some(id.as_str())
            };
            owner
                .and_then(|owner| row_of.get(owner).copied())
                .ok_or_else(|| Error::Argument {
                    what: format!("anonymous trail number {} has no identified owner", row + 1),
                    help: "name the owners with `owners = \"owners.csv\"` (columns anonymous,identified), or use the same ids on both sides"
                        .into(),
                })
        })
        .collect()
}

/// The table that is published, and the owner of each published id.
///
/// Ids of their own are published as they are; ids shared with the identified side are numbered anew, in the order of what is
/// published, so that a number says nothing.
fn published(
    policy: &Policy,
    anonymous: &NamedTrails,
    defence: &Defence,
    owner: &[u32],
) -> Result<(Table, HashMap<String, u32>), Error> {
    let mut rows: Vec<usize> = (0..anonymous.ids.len())
        .filter(|&row| !defence.published.get(row).is_empty())
        .collect();
    let keep = policy.data.owners.is_some();
    if keep {
        rows.sort_by(|&a, &b| anonymous.ids[a].cmp(&anonymous.ids[b]));
    } else {
        rows.sort_by_key(|&row| defence.published.get(row));
    }
    let mut owner_of = HashMap::new();
    let (mut ids, mut places): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (number, &row) in rows.iter().enumerate() {
        let id = if keep {
            anonymous.ids[row].clone()
        } else {
            (number + 1).to_string()
        };
        for &at in defence.published.get(row) {
            ids.push(id.clone());
            places.push(&anonymous.institutions[at as usize]);
        }
        owner_of.insert(id, owner[row]);
    }
    let table = Table::new(vec![
        Column::from_texts("id", ids.iter().map(|id| Some(id.as_str()))),
        Column::from_texts("institution", places.iter().map(|place| Some(*place))),
    ])?;
    Ok((table, owner_of))
}

/// The written trails over the identified side's institutions; an empty release has none.
fn read_back(
    engine: &Engine,
    path: &Path,
    format: Format,
    identified: &NamedTrails,
) -> Result<(Vec<String>, Trails), Error> {
    let broken = || Error::Internal {
        what: "the written trails cannot be read back".into(),
    };
    let table = match source::read_release(engine, path, format) {
        Ok(table) => table,
        Err(Error::Engine(denym_engine::Error::NoRecords { .. })) => Table::default(),
        Err(error) => return Err(error),
    };
    let code: HashMap<&str, u32> = identified
        .institutions
        .iter()
        .map(String::as_str)
        .zip(0..)
        .collect();
    let (mut ids, mut rows): (Vec<String>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
    let mut row_of: HashMap<String, usize> = HashMap::new();
    if let (Some(id), Some(place)) = (table.column("id"), table.column("institution")) {
        for row in 0..table.records() {
            let (Some(id), Some(at)) = (
                id.text(row),
                place.text(row).and_then(|name| code.get(name)),
            ) else {
                return Err(broken());
            };
            let at_row = *row_of.entry(id.to_owned()).or_insert_with(|| {
                ids.push(id.to_owned());
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[at_row].push(*at);
        }
    }
    let trails = Trails::from_rows(identified.institutions.len(), rows).map_err(|_| broken())?;
    Ok((ids, trails))
}

fn attacked(anonymous: &Trails, identified: &Trails) -> Result<Attacked, Error> {
    attack(
        Side::new(anonymous),
        Side::new(identified),
        &AttackOptions::default(),
    )
    .map_err(|error| Error::Attack {
        what: error.to_string(),
        code: error.code(),
        help: error.help(),
    })
}

/// How many trails each method names rightly.
fn named(
    found: &Attacked,
    trails: usize,
    owner: &dyn Fn(u32) -> Option<u32>,
) -> Vec<(&'static str, Evidence)> {
    let none = Vec::new();
    [
        ("reidit-c", &found.complete),
        ("reidit-i", &found.incomplete),
        ("reidit-m", &found.multiple),
        ("forced", found.forced.as_ref().unwrap_or(&none)),
    ]
    .into_iter()
    .map(|(name, pairs)| {
        let right = pairs.iter().filter(|&&(a, i)| owner(a) == Some(i)).count() as u64;
        let rate = share(right, trails as u64);
        (name, counted(name, trails as u64, right, rate))
    })
    .collect()
}

/// Every attack of the catalogue: what it names before and after, or why it was not run.
fn red_team(
    before: Vec<(&'static str, Evidence)>,
    after: Vec<(&'static str, Evidence)>,
) -> RedTeam {
    let findings: Vec<Finding> = before
        .into_iter()
        .zip(after)
        .map(|((name, was), (_, is))| Finding {
            attack: name,
            attribute: None,
            knows: "which institutions hold data of everybody".into(),
            bounded: name != "reidit-c",
            before: Some(was),
            after: is,
            note: if name == "reidit-c" {
                "Believes that nothing was withheld, and is wrong about others.".into()
            } else {
                String::new()
            },
            worst: Vec::new(),
        })
        .collect();
    let rates = "it needs to be told how often entries are false or missing: see `denym attack trails --posterior`";
    let shared =
        "it looks for one person behind several trails: see `denym attack trails --find-multiple`";
    let reasons = [
        ("trail-posterior", rates.to_owned()),
        ("find-multiple", shared.to_owned()),
    ];
    RedTeam {
        not_run: not_run(Shape::Trails, &findings, &reasons),
        findings,
    }
}

fn report(policy: &Policy, account: &Account) -> Report {
    let Figures::Trails {
        entries, withheld, ..
    } = account.figures
    else {
        return Report::default();
    };
    Report {
        title: format!("Release of {}", policy.data_name()),
        data_name: policy.data.path.clone(),
        outcome: denym_report::Outcome::Released,
        unit: "people".into(),
        summary: vec![format!(
            "{} of {} trails are published; {} of {} entries ({}) are withheld. Every published trail has at least {} possible owners.",
            denym_report::count(account.records - account.suppressed_records),
            denym_report::count(account.records),
            denym_report::count(withheld),
            denym_report::count(entries),
            denym_report::percent(share(withheld, entries)),
            account.claims[0].measured,
        )],
        claims: account.claims.iter().map(reporting::claim).collect(),
        ..Report::default()
    }
}

fn readme(certificate: &Certificate, trails: usize, k: u64) -> String {
    format!(
        "# What this is\n\n`{}` lists which institutions hold data of {} people who are not named. It was made and checked by denym {}.\n\n\
         # What is promised\n\nSomebody who knows of everybody at which institutions they were finds at least {k} possible owners of every \
         trail (the publisher vouches for it).\n\n# How to check it\n\n    denym verify .\n\ntells whether a byte of the data was changed. \
         Please do not try to find out who the people are.\n",
        certificate.data.file, trails, certificate.denym
    )
}
