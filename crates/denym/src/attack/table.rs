//! Attacks on one release: linkage with an external table, and what the candidates have in common.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use denym_attack::control::Setting;
use denym_attack::table::{
    Covers, Linkage, background_knowledge, homogeneity, presence, proximity, skewness,
};
use denym_attack::{Controlled, Evidence};
use denym_data::{Column, Table};
use denym_engine::{Engine, Format, ReadOptions};

use super::attack_error;
use super::covering::{self, Explained};
use crate::listener::{Listener, Phase};
use crate::policy::{Knowledge, Policy, suggest};
use crate::{Error, source, threads, verify};

/// What is to be attacked, and with what.
#[derive(Debug, Clone, Default)]
pub struct TableRequest {
    /// A table, a bundle, or the public half of one.
    pub release: PathBuf,
    /// What the adversary has: a table of people. Without it, everybody's published quasi-identifiers are known.
    pub external: Option<PathBuf>,
    /// Columns (release, external) that mean the same; those of one name when empty.
    pub links: Vec<(String, String)>,
    /// What the adversary is after; a bundle says it itself.
    pub sensitive: Vec<String>,
    /// The external column that names people.
    pub id: Option<String>,
    /// Hierarchy files that explain generalized values.
    pub hierarchies: Option<PathBuf>,
    /// A policy whose hierarchies explain them.
    pub policy: Option<PathBuf>,
    /// People of the same kind who are not in the data.
    pub control: Option<PathBuf>,
    /// How sure the adversary wants to be of a sensitive value; 1 for certain.
    pub confidence: Option<f64>,
    /// How many other values the adversary can rule out.
    pub rule_out: usize,
    /// How many times likelier than overall a value must be.
    pub gain: f64,
    /// How close numbers must be, for the proximity attack.
    pub within: Option<f64>,
    /// Name the people found.
    pub victims: bool,
    /// Attempts of the attacks that draw, and their seed.
    pub attempts: u64,
    /// Seed of the draws.
    pub seed: u64,
    /// How to read the tables.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the attacks on a table found.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFound {
    /// Records of the release, and people looked up.
    pub sizes: (usize, usize),
    /// Columns that were linked: (release, external).
    pub links: Vec<(String, String)>,
    /// People with at least one candidate record.
    pub matched: u64,
    /// People with exactly one: found for certain, if they are in the release.
    pub certain: u64,
    /// Expected number of right guesses over all people.
    pub expected: f64,
    /// How many people have so many candidates.
    pub candidates: BTreeMap<u64, u64>,
    /// The fewest candidates of anybody who has any.
    pub fewest: u64,
    /// One line of evidence per attack and sensitive attribute.
    pub evidence: Vec<(Option<String>, Evidence)>,
    /// Attacks compared with a control group.
    pub controlled: Vec<(Option<String>, Controlled)>,
    /// People, worst first, when they were asked for.
    pub victims: Vec<Victim>,
}

/// One person and what is learned of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Victim {
    /// The person's id, or the record number from 1.
    pub person: String,
    /// Records of the release that could be theirs, from 1.
    pub candidates: Vec<u32>,
    /// The chance of being in the release at all.
    pub presence: f64,
    /// Sensitive values that follow.
    pub inferred: Vec<Conclusion>,
}

/// A sensitive value that follows for one person.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// The attribute.
    pub attribute: String,
    /// The value; `None` when it is missing.
    pub value: Option<String>,
    /// Share of the candidates that support it.
    pub confidence: f64,
}

/// The most people that are named.
const MOST_VICTIMS: usize = 1000;

/// Attacks the release of `request`.
pub fn table(request: &TableRequest, listener: &dyn Listener) -> Result<TableFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let release = Release::read(&engine, request)?;
    let external = match &request.external {
        Some(path) => engine.read(path, &request.read)?,
        None => release.table.clone(),
    };
    let control = match &request.control {
        Some(path) => Some(engine.read(path, &request.read)?),
        None => None,
    };
    listener.phase(Phase::Attacking);
    threads::pool(request.threads)?
        .install(|| run(request, &engine, &release, &external, control.as_ref()))
}

/// The release and what is known of it.
struct Release {
    table: Table,
    /// Quasi-identifiers, when the release says which they are.
    quasi: Option<Vec<String>>,
    sensitive: Vec<String>,
    /// The column of groups, where sensitive values belong to groups instead of records.
    groups: Option<String>,
    explained: Explained,
    path: PathBuf,
}

impl Release {
    fn read(engine: &Engine, request: &TableRequest) -> Result<Release, Error> {
        let mut explained = Explained {
            directory: request.hierarchies.clone(),
            policy: request.policy.as_deref().map(Policy::read).transpose()?,
        };
        if request.release.join("certificates.ndjson").is_file() {
            return Err(Error::Argument {
                what: "these are the windows of a stream".into(),
                help: format!(
                    "`denym verify {}` walks their chain and measures every window again",
                    request.release.display()
                ),
            });
        }
        if !is_bundle(&request.release) {
            return Ok(Release {
                table: engine.read(&request.release, &request.read)?,
                quasi: None,
                sensitive: request.sensitive.clone(),
                groups: None,
                explained,
                path: request.release.clone(),
            });
        }
        let half = verify::public_half(&request.release)?;
        let certificate = verify::read_certificate(&half)?;
        if certificate.knows == Knowledge::Institutions {
            return Err(Error::Argument {
                what: "this is a release of trails".into(),
                help: format!(
                    "use `denym attack trails --anonymous {} --identified FILE`",
                    half.join(&certificate.data.file).display()
                ),
            });
        }
        if certificate.paths.is_some() {
            return Err(Error::Argument {
                what: "this is a release of paths".into(),
                help: format!(
                    "use `denym attack paths {} --raw FILE`",
                    request.release.display()
                ),
            });
        }
        if certificate.transactions.is_some() {
            return Err(Error::Argument {
                what: "this is a release of transactions".into(),
                help: format!(
                    "use `denym attack transactions {} --raw FILE`",
                    request.release.display()
                ),
            });
        }
        let path = half.join(&certificate.data.file);
        let format = Format::parse(&certificate.data.format).ok_or_else(|| Error::Bundle {
            what: "the format of the data is unknown",
            path: half.join("certificate.json"),
        })?;
        let policy = request.release.join("steward/policy.toml");
        if explained.policy.is_none() && policy.is_file() {
            explained.policy = Policy::read(&policy).ok();
        }
        let sensitive = if request.sensitive.is_empty() {
            certificate
                .sensitive
                .iter()
                .map(|s| s.name.clone())
                .collect()
        } else {
            request.sensitive.clone()
        };
        let table = source::read_release(engine, &path, format)?;
        let (table, _) = verify::with_groups(engine, &half, &certificate, table)?;
        Ok(Release {
            table,
            quasi: Some(certificate.quasi_identifiers),
            sensitive,
            groups: certificate.groups.map(|groups| groups.column),
            explained,
            path,
        })
    }
}

/// Whether `path` is a bundle or the public half of one.
pub(super) fn is_bundle(path: &Path) -> bool {
    path.join("certificate.json").is_file() || path.join("release/certificate.json").is_file()
}

fn column<'a>(table: &'a Table, name: &str, path: &Path) -> Result<&'a Column, Error> {
    table.column(name).ok_or_else(|| {
        let known: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        Error::UnknownColumn {
            column: name.to_owned(),
            place: path.display().to_string(),
            help: suggest(name, &known),
        }
    })
}

/// The columns of the release and of the external table that mean the same.
fn links(
    request: &TableRequest,
    release: &Release,
    external: &Table,
) -> Result<Vec<(String, String)>, Error> {
    if !request.links.is_empty() {
        return Ok(request.links.clone());
    }
    let common = |name: &String| {
        (!release.sensitive.contains(name)
            && request.id.as_ref() != Some(name)
            && external.column(name).is_some())
        .then(|| (name.clone(), name.clone()))
    };
    let names: Vec<String> = release.quasi.clone().unwrap_or_else(|| {
        let columns = release.table.columns().iter();
        columns.map(|column| column.name.clone()).collect()
    });
    let links: Vec<(String, String)> = names.iter().filter_map(common).collect();
    if links.is_empty() {
        return Err(Error::Argument {
            what: "the release and the external table have no column in common".into(),
            help: "say which columns mean the same with --link RELEASE=EXTERNAL".into(),
        });
    }
    Ok(links)
}

fn run(
    request: &TableRequest,
    engine: &Engine,
    release: &Release,
    external: &Table,
    control: Option<&Table>,
) -> Result<TableFound, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let external_path = request.external.as_deref().unwrap_or(&release.path);
    let links = links(request, release, external)?;
    let (mut published, mut people, mut relations) = (Vec::new(), Vec::new(), Vec::new());
    for (ours, theirs) in &links {
        let (p, e) = (
            column(&release.table, ours, &release.path)?,
            column(external, theirs, external_path)?,
        );
        relations.push(if request.external.is_none() {
            Covers::equal(p.dictionary.len())
        } else {
            covering::covers(engine, &release.explained, ours, p, e)?
        });
        published.push(p.codes.as_slice());
        people.push(e.codes.as_slice());
    }
    let id = match &request.id {
        Some(name) => Some(column(external, name, external_path)?),
        None => None,
    };
    let linkage = Linkage::of(&published, &people, &relations).map_err(fail)?;
    let counts = linkage.candidate_counts();
    let mut candidates: BTreeMap<u64, u64> = BTreeMap::new();
    for &count in &counts {
        *candidates.entry(count).or_insert(0) += 1;
    }
    let linked = linkage.evidence();
    // What leads to sensitive values: the candidates themselves, or the groups they are in.
    let through = match &release.groups {
        Some(name) => {
            let groups = column(&release.table, name, &release.path)?;
            let through = linkage.through_groups(&groups.codes).map_err(fail)?;
            Cow::Owned(through)
        }
        None => Cow::Borrowed(&linkage),
    };
    let mut evidence = vec![(None, linked.clone())];
    let mut inferred: BTreeMap<u32, Vec<Conclusion>> = BTreeMap::new();
    let confidence = request.confidence.unwrap_or(1.0);
    for name in &release.sensitive {
        let secret = column(&release.table, name, &release.path)?;
        let about = Some(name.clone());
        let (found, shown) = homogeneity(&through, &secret.codes, confidence).map_err(fail)?;
        for person in found {
            inferred.entry(person.person).or_default().push(Conclusion {
                attribute: name.clone(),
                value: secret.dictionary.text(person.value).map(str::to_owned),
                confidence: person.confidence,
            });
        }
        evidence.push((about.clone(), shown));
        let (_, shown) =
            background_knowledge(&through, &secret.codes, request.rule_out, confidence)
                .map_err(fail)?;
        evidence.push((about.clone(), shown));
        let (_, shown) = skewness(&through, &secret.codes, request.gain).map_err(fail)?;
        evidence.push((about.clone(), shown));
        if let Some(within) = request.within {
            let values = secret.dictionary.numbers();
            let numbers: Option<Vec<f64>> = secret
                .codes
                .iter()
                .map(|&code| values[code as usize])
                .collect();
            if let Some(numbers) = numbers {
                // The attack asks for more than a share; the smallest step below it makes that "at least".
                let (_, shown) =
                    proximity(&through, &numbers, within, confidence.next_down().max(0.0))
                        .map_err(fail)?;
                evidence.push((about, shown));
            }
        }
    }
    let (chances, shown) = presence(&linkage, confidence.next_down().max(0.0));
    if request.external.is_some() {
        evidence.push((None, shown));
    }
    let controlled = match control {
        Some(held_out) => controlled(request, engine, release, external, held_out, &links)?,
        None => Vec::new(),
    };
    let victims = if request.victims {
        victims(&linkage, &counts, &chances, inferred, id)
    } else {
        Vec::new()
    };
    Ok(TableFound {
        sizes: (release.table.records(), external.records()),
        matched: linked.attempts,
        certain: linked.successes,
        expected: linkage.expected(),
        fewest: counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0),
        candidates,
        evidence,
        controlled,
        victims,
        links,
    })
}

/// People by how few candidates they have; those of whom something follows first among equals.
fn victims(
    linkage: &Linkage,
    counts: &[u64],
    chances: &[f64],
    mut inferred: BTreeMap<u32, Vec<Conclusion>>,
    id: Option<&Column>,
) -> Vec<Victim> {
    let mut order: Vec<u32> = (0..counts.len() as u32)
        .filter(|&person| counts[person as usize] > 0)
        .collect();
    order.sort_by_key(|&person| {
        (
            counts[person as usize],
            !inferred.contains_key(&person),
            person,
        )
    });
    order.truncate(MOST_VICTIMS);
    order
        .into_iter()
        .map(|person| {
            let row = person as usize;
            Victim {
                person: id
                    .and_then(|column| column.text(row))
                    .map_or_else(|| (row + 1).to_string(), str::to_owned),
                candidates: linkage.candidates(row).iter().map(|row| row + 1).collect(),
                presence: chances[row],
                inferred: inferred.remove(&person).unwrap_or_default(),
            }
        })
        .collect()
}

/// The attacks that are compared with people who are not in the data.
fn controlled(
    request: &TableRequest,
    engine: &Engine,
    release: &Release,
    members: &Table,
    held_out: &Table,
    links: &[(String, String)],
) -> Result<Vec<(Option<String>, Controlled)>, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let control_path = request.control.as_deref().unwrap_or(&release.path);
    let member_path = request.external.as_deref().unwrap_or(&release.path);
    let (mut published, mut ours, mut theirs, mut relations) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut add = |name: &str, external: &str| -> Result<(), Error> {
        let p = column(&release.table, name, &release.path)?;
        let (m, h) = (
            column(members, external, member_path)?,
            column(held_out, external, control_path)?,
        );
        // Both kinds of people over one dictionary, so that one relation serves both.
        let texts = (0..m.codes.len())
            .map(|row| m.text(row))
            .chain((0..h.codes.len()).map(|row| h.text(row)));
        let both = Column::from_texts(external, texts);
        relations.push(covering::covers(
            engine,
            &release.explained,
            name,
            p,
            &both,
        )?);
        published.push(p.codes.clone());
        ours.push(both.codes[..m.codes.len()].to_vec());
        theirs.push(both.codes[m.codes.len()..].to_vec());
        Ok(())
    };
    for (name, external) in links {
        add(name, external)?;
    }
    let linked = links.len();
    let mut secrets = Vec::new();
    for name in &release.sensitive {
        if members.column(name).is_some() && held_out.column(name).is_some() {
            add(name, name)?;
            secrets.push(name.clone());
        }
    }
    let mut found = Vec::new();
    let mut attack = |keep: &[usize],
                      about: Option<String>,
                      run: &dyn Fn(Setting<'_>) -> Result<Controlled, denym_attack::Error>|
     -> Result<(), Error> {
        let [ps, ms, hs] = [&published, &ours, &theirs].map(|columns: &Vec<Vec<u32>>| {
            let kept = keep.iter().map(|&at| columns[at].as_slice());
            kept.collect::<Vec<&[u32]>>()
        });
        let relations: Vec<Covers> = keep.iter().map(|&at| relations[at].clone()).collect();
        let setting = Setting {
            published: &ps,
            covers: &relations,
            members: &ms,
            held_out: &hs,
            attempts: request.attempts,
            seed: request.seed,
        };
        found.push((about, run(setting).map_err(fail)?));
        Ok(())
    };
    // The known attributes alone for singling out and linkability, then with one secret each for inference.
    let known: Vec<usize> = (0..linked).collect();
    attack(&known, None, &|setting| setting.singling_out(linked))?;
    if linked > 1 {
        let half: Vec<usize> = (0..linked / 2).collect();
        attack(&known, None, &|setting| setting.linkability(&half))?;
    }
    for (position, name) in secrets.iter().enumerate() {
        let mut keep = known.clone();
        keep.push(linked + position);
        attack(&keep, Some(name.clone()), &|setting| {
            setting.inference(linked)
        })?;
    }
    Ok(found)
}
