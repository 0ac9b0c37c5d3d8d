//! Trails as people bring them (one file of ids and institutions, or a folder with one table per institution), under attack.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use denym_attack::trails::linking::{LinkRelation, LinkedTrails, TrailEntry};
use denym_attack::trails::{
    TrailOptions, TrailQuestions, TrailScene, TrailSide, TrailsFound, Truth,
};
use denym_attack::{RedTeam, Scene};
use denym_engine::{Engine, ReadOptions};

use super::certified::{column, policy_with_source, unknown};
use super::{attack_error, red_team};
use crate::anonymize::{OWNERS, trail_owners};
use crate::listener::{Listener, Phase};
use crate::{Error, source, threads, verify};

/// One side's tables.
#[derive(Debug, Clone, Default)]
pub struct TrailSource {
    /// A file with an institution column, or a folder with one file per institution (named for it).
    pub path: PathBuf,
    /// The columns that name a subject; `id` when empty.
    pub id: Vec<String>,
    /// The column that names the institution; `institution` when not given. Folders need none.
    pub institution: Option<String>,
}

/// A pair of attributes that say something about each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkSpec {
    /// Column of the anonymous tables.
    pub anonymous: String,
    /// Column of the identified tables.
    pub identified: String,
    /// `equal`, `same-prefix:N`, `year-of` or `mapping:FILE` (a CSV file: identified value, anonymous value).
    pub relation: String,
}

/// What is to be attacked, and how.
#[derive(Debug, Clone, Default)]
pub struct TrailsRequest {
    /// The identified side.
    pub identified: TrailSource,
    /// The anonymous side.
    pub anonymous: TrailSource,
    /// Linking attributes.
    pub links: Vec<LinkSpec>,
    /// What is asked.
    pub asked: TrailQuestions,
    /// How to read the files.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// Runs every trail attack.
pub fn trails(request: &TrailsRequest, listener: &dyn Listener) -> Result<TrailsFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let (anonymous, identified) = (&request.anonymous, &request.identified);
    let sides = sides(
        &engine,
        anonymous,
        identified,
        &request.links,
        &request.read,
    )?;
    listener.phase(Phase::Attacking);
    let run = || TrailsFound::on(&sides, &request.asked);
    let found = threads::pool(request.threads)?.install(run);
    found.map_err(|error| attack_error(&error))
}

/// Attacks a bundle of trails as its gate did: who is whose is known from the steward's half, or where the policy has a file of owners.
pub fn trail_bundle(
    release: &Path,
    policy: Option<&Path>,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<RedTeam, Error> {
    let command = "denym attack trails --anonymous FILE --identified FILE";
    let mut policy = policy_with_source(release, policy, command)?;
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let half = verify::public_half(release)?;
    let certificate = verify::read_certificate(&half)?;
    let read = source::read_options(&policy);
    let side = |path: PathBuf| TrailSource {
        path,
        ..TrailSource::default()
    };
    let anonymous = side(half.join(&certificate.data.file));
    let identified = side(policy.resolve(Path::new(&policy.data.identified)));
    let sides = sides(&engine, &anonymous, &identified, &[], &read)?;
    // Whose the published trails are, the steward's half says; without it only a policy whose ids are published as they are.
    let list = release.join(OWNERS);
    if list.is_file() {
        let list = std::path::absolute(&list)
            .map_err(|error| Error::io("find the list of owners", &list, &error))?;
        policy.data.owners = Some(list.display().to_string());
    }
    let owners: Option<Vec<Option<u32>>> = match policy.data.owners {
        Some(_) => {
            let (ours, theirs) = (&sides.anonymous, &sides.identified);
            let owners = trail_owners(&policy, &engine, &read, ours, theirs)?;
            Some(owners.into_iter().map(Some).collect())
        }
        None => None,
    };
    listener.phase(Phase::Attacking);
    let mut scene = TrailScene::new(
        TrailSide::new(&sides.anonymous.trails),
        TrailSide::new(&sides.identified.trails),
        &|_, _| true,
        TrailOptions::default(),
    );
    scene.truth = owners.as_ref().map(|owners| Truth {
        owners,
        source: None,
    });
    threads::pool(threads)?.install(|| red_team(&Scene::Trails(&scene)))
}

/// Reads both sides.
pub(crate) fn sides(
    engine: &Engine,
    anonymous: &TrailSource,
    identified: &TrailSource,
    links: &[LinkSpec],
    read: &ReadOptions,
) -> Result<LinkedTrails, Error> {
    let relations = links.iter().map(|link| relation(engine, link, read));
    let relations = relations.collect::<Result<Vec<_>, _>>()?;
    let (ours, theirs): (Vec<&str>, Vec<&str>) = links
        .iter()
        .map(|link| (link.anonymous.as_str(), link.identified.as_str()))
        .unzip();
    let (ours, theirs) = (
        entries(engine, anonymous, &ours, read)?,
        entries(engine, identified, &theirs, read)?,
    );
    let mut sides = LinkedTrails::new(&ours, &theirs, &relations);
    for id in sides
        .anonymous
        .ids
        .iter_mut()
        .chain(&mut sides.identified.ids)
    {
        *id = id.replace(BETWEEN, " ");
    }
    Ok(sides)
}

/// Keeps ("a b", "c") and ("a", "b c") apart, where several columns name a subject.
const BETWEEN: char = '\u{1f}';

/// The records of one side in the order of its files, with their values in the columns of `linking`.
fn entries(
    engine: &Engine,
    source: &TrailSource,
    linking: &[&str],
    read: &ReadOptions,
) -> Result<Vec<TrailEntry>, Error> {
    let mut files = vec![(source.path.clone(), None)];
    if source.path.is_dir() {
        let named = |path: PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let one = source.institution.is_none().then(|| name.into_owned());
            (path, one)
        };
        let found = denym_engine::files(&source.path, None)?;
        files = found.into_iter().map(named).collect();
    }
    let default = ["id".to_owned()];
    let key = if source.id.is_empty() {
        &default[..]
    } else {
        &source.id
    };
    let mut entries = Vec::new();
    let mut known = vec![false; linking.len()];
    let mut first: Option<Vec<String>> = None;
    for (path, institution) in files {
        let table = engine.read(&path, read)?;
        let key = key.iter().map(|name| column(&table, name, &path));
        let key = key.collect::<Result<Vec<_>, _>>()?;
        let name = source.institution.as_deref().unwrap_or("institution");
        let at = match institution {
            Some(_) => None,
            None => Some(column(&table, name, &path)?),
        };
        let columns: Vec<_> = linking.iter().map(|name| table.column(name)).collect();
        for (known, column) in known.iter_mut().zip(&columns) {
            *known |= column.is_some();
        }
        first.get_or_insert_with(|| {
            let names = table.columns().iter().map(|column| column.name.clone());
            names.filter(|own| at.is_none() || own != name).collect()
        });
        for row in 0..table.records() {
            let id: Option<Vec<&str>> = key.iter().map(|part| part.text(row)).collect();
            let id = id.ok_or_else(|| Error::Argument {
                what: format!("record {} of {} has no id", row + 1, path.display()),
                help: "every record of a trail file names its subject".into(),
            })?;
            let cell = |column: Option<&denym_data::Column>| {
                let text = column.and_then(|column| column.text(row));
                text.unwrap_or_default().to_owned()
            };
            entries.push(TrailEntry {
                subject: id.join(&BETWEEN.to_string()),
                institution: institution.clone().unwrap_or_else(|| cell(at)),
                linking: columns.iter().copied().map(cell).collect(),
            });
        }
    }
    if let Some(at) = known.iter().position(|known| !known) {
        let first = first.unwrap_or_default();
        let names: Vec<&str> = first.iter().map(String::as_str).collect();
        return Err(unknown(linking[at], &source.path, &names));
    }
    Ok(entries)
}

/// How the values of a link relate.
fn relation(engine: &Engine, link: &LinkSpec, read: &ReadOptions) -> Result<LinkRelation, Error> {
    let bad = || Error::Argument {
        what: format!("`{}` is no relation", link.relation),
        help: "use equal, same-prefix:N, year-of, or mapping:FILE".into(),
    };
    Ok(match link.relation.split_once(':') {
        None if link.relation == "equal" => LinkRelation::Equal,
        None if link.relation == "year-of" => LinkRelation::YearOf,
        Some(("same-prefix", length)) => {
            LinkRelation::SamePrefix(length.parse().map_err(|_| bad())?)
        }
        Some(("mapping", file)) => {
            let table = engine.read(Path::new(file), read)?;
            let [first, second, ..] = table.columns() else {
                return Err(Error::Argument {
                    what: "a mapping file needs two columns".into(),
                    help: "write the identified value, then the anonymous value it goes with"
                        .into(),
                });
            };
            let mut map: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for row in 0..table.records() {
                if let (Some(identified), Some(anonymous)) = (first.text(row), second.text(row)) {
                    let with = map.entry(identified.to_owned()).or_default();
                    with.insert(anonymous.to_owned());
                }
            }
            LinkRelation::Mapping(map)
        }
        _ => return Err(bad()),
    })
}
