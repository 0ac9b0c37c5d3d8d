//! Attacks on one release: linkage with an external table, and what the candidates have in common.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use denym_attack::attacks::presence::presence;
use denym_attack::catalogue::entry;
use denym_attack::control::Setting;
use denym_attack::table::{
    Attacked, Covers, Lineup, Linkage, LinkedPeople, TableScene, Wish, numbered_apart,
};
use denym_attack::{Controlled, Evidence, Finding, NotRun, Run, Scene, red_team};
use denym_data::{Column, Table};
use denym_engine::{Engine, Format, ReadOptions};
use denym_measure::Roles;

use super::covering::{self, Explained};
use super::{NO_SENSITIVE, at_most, attack_error, numbers_of};
use crate::certificate::Altered;
use crate::listener::{Listener, Phase};
use crate::policy::{Knowledge, names_to_show, suggest_column};
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
    /// The column of the release that tells which records of one class are one person's; a bundle says it itself.
    pub subject: Option<String>,
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
    /// What the adversary was taken to know.
    pub knows: String,
    /// What could not be tried, and why.
    pub notes: Vec<String>,
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
    /// The attacks that were not run, with the reason.
    pub not_run: Vec<NotRun>,
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
    /// The column that tells which records of one class are one person's.
    subject: Option<String>,
    explained: Explained,
    path: PathBuf,
    /// The most quasi-identifiers that the adversary of the release knows, where that is not all of them.
    at_most: Option<usize>,
    /// Columns that do not show single records' values.
    altered: Vec<String>,
    /// The source, where a policy says which it is.
    source: Option<Table>,
}

impl Release {
    fn read(engine: &Engine, request: &TableRequest) -> Result<Release, Error> {
        let mut explained = Explained {
            directory: request.hierarchies.clone(),
            policy: request
                .policy
                .as_deref()
                .map(crate::read_policy)
                .transpose()?,
        };
        let Some(half) = certified_half(&request.release)? else {
            return Ok(Release {
                table: engine.read(&request.release, &request.read)?,
                quasi: None,
                sensitive: request.sensitive.clone(),
                groups: None,
                subject: request.subject.clone(),
                explained,
                path: request.release.clone(),
                at_most: None,
                altered: Vec::new(),
                source: None,
            });
        };
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
                    "use `denym attack {} --policy FILE`, or `denym attack paths` with --raw",
                    request.release.display()
                ),
            });
        }
        if certificate.transactions.is_some() {
            return Err(Error::Argument {
                what: "this is a release of transactions".into(),
                help: format!(
                    "use `denym attack {} --policy FILE`, or `denym attack transactions` with --raw",
                    request.release.display()
                ),
            });
        }
        let path = half.join(&certificate.data.file);
        let format = Format::parse(&certificate.data.format).ok_or_else(|| Error::Bundle {
            what: "the format of the data is unknown",
            path: half.join("certificate.json"),
        })?;
        let policy = half.join("../steward/policy.toml");
        if explained.policy.is_none() && policy.is_file() {
            explained.policy = crate::read_policy(&policy).ok();
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
        let source = match (&request.policy, &explained.policy) {
            (Some(_), Some(policy)) => Some(source::read(policy, engine)?),
            _ => None,
        };
        Ok(Release {
            at_most: at_most(certificate.knows),
            altered: changed_columns(&certificate.altered),
            source,
            table,
            quasi: Some(certificate.quasi_identifiers),
            sensitive,
            groups: certificate.groups.map(|groups| groups.column),
            subject: request.subject.clone().or(certificate.subject),
            explained,
            path,
        })
    }
}

/// The columns whose values were changed.
pub(crate) fn changed_columns(altered: &[Altered]) -> Vec<String> {
    let mut names: Vec<String> = altered.iter().flat_map(|one| one.columns.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether `path` is a bundle or the public half of one.
pub(crate) fn is_bundle(path: &Path) -> bool {
    path.join("certificate.json").is_file() || path.join("release/certificate.json").is_file()
}

/// The public half that `path` is, holds, or is the data of; `None` for a table without a certificate.
pub(super) fn certified_half(path: &Path) -> Result<Option<PathBuf>, Error> {
    if is_bundle(path) {
        return verify::public_half(path).map(Some);
    }
    let (Some(half), Some(file)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    if !path.is_file() || !half.join("certificate.json").is_file() {
        return Ok(None);
    }
    let certificate = verify::read_certificate(half)?;
    let own = file.to_str() == Some(certificate.data.file.as_str());
    Ok(own.then(|| half.to_owned()))
}

/// The rows of `table` that differ from all before them in `columns`, one for each person, and which rows these are.
pub(super) fn one_row_each(
    table: &Table,
    columns: &[&Column],
) -> Result<(Table, Vec<usize>), Error> {
    let mut seen = HashSet::new();
    let first: Vec<usize> = (0..table.records())
        .filter(|&row| {
            let shown: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
            seen.insert(shown)
        })
        .collect();
    let columns = table.columns().iter().map(|column| Column {
        name: column.name.clone(),
        dictionary: column.dictionary.clone(),
        codes: first.iter().map(|&row| column.codes[row]).collect(),
    });
    Ok((Table::new(columns.collect())?, first))
}

fn column<'a>(table: &'a Table, name: &str, path: &Path) -> Result<&'a Column, Error> {
    table.column(name).ok_or_else(|| {
        let known = names_to_show(table);
        Error::UnknownColumn {
            column: name.to_owned(),
            place: path.display().to_string(),
            help: suggest_column(name, &known),
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
            && release.subject.as_ref() != Some(name)
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
    let subject = match &release.subject {
        Some(name) => Some(column(&release.table, name, &release.path)?),
        None => None,
    };
    // Without a table of people everybody of the release is looked for, once in every class they stand in.
    let (mut own, mut rows) = (None, None);
    if let Some(subject) = subject
        && request.external.is_none()
    {
        let mut by = vec![subject];
        for (ours, _) in &links {
            by.push(column(&release.table, ours, &release.path)?);
        }
        let (table, first) = one_row_each(external, &by)?;
        (own, rows) = (Some(table), Some(first));
    }
    let external = own.as_ref().unwrap_or(external);
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
    let mut linkage = Linkage::of(&published, &people, &relations).map_err(fail)?;
    if let Some(subject) = subject {
        linkage = linkage.with_subjects(&subject.codes).map_err(fail)?;
    }
    let counts = linkage.candidate_counts();
    let mut candidates: BTreeMap<u64, u64> = BTreeMap::new();
    for &count in &counts {
        *candidates.entry(count).or_insert(0) += 1;
    }
    let mut quasi = Vec::new();
    for (ours, _) in &links {
        quasi.push(position(release, ours)?);
    }
    let mut sensitive = Vec::new();
    for name in &release.sensitive {
        sensitive.push(position(release, name)?);
    }
    let mut shown = Attacked {
        table: &release.table,
        roles: Roles {
            quasi,
            sensitive,
            subject: subject.and_then(|column| position(release, &column.name).ok()),
        },
        groups: release
            .groups
            .as_ref()
            .and_then(|name| position(release, name).ok()),
        classes: None,
    };
    let at_most = release.at_most.filter(|_| request.links.is_empty());
    let apart;
    if at_most.is_some() && request.external.is_none() {
        apart = numbered_apart(&shown)?;
        shown = Attacked {
            table: &apart,
            ..shown
        };
    }
    let told = knows(request, release, &links);
    let setting;
    let held = match control {
        Some(held_out) => {
            setting = Held::new(request, engine, release, external, held_out, &links)?;
            Some(setting.slices())
        }
        None => None,
    };
    let numbers = match (&release.source, &release.altered) {
        (Some(source), altered) if !altered.is_empty() => {
            numbers_of(source, &release.table, altered)
        }
        (_, altered) if altered.is_empty() => Err("no numbers were changed".to_owned()),
        _ => Err("it needs the source: name the policy with --policy".to_owned()),
    };
    let scene = TableScene {
        shown,
        source: None,
        sensitive: &release.sensitive,
        no_sensitive: if release.quasi.is_some() {
            NO_SENSITIVE
        } else {
            "no sensitive attribute is named; say which with --sensitive"
        },
        at_most,
        wish: Wish {
            confidence: request.confidence.unwrap_or(1.0),
            rule_out: request.rule_out,
            gain: request.gain,
            within: request.within,
        },
        linked: request.external.as_ref().map(|_| LinkedPeople {
            linkage: &linkage,
            knows: told.clone(),
        }),
        control: held.as_ref().map(|held| held.setting(request)),
        numbers,
        originals: Err(
            "it needs the policy and the source: see `denym attack minimality`".to_owned(),
        ),
        no_register: "it needs a table of people: see `denym attack table --external`",
        seed: request.seed,
    };
    let team = red_team(&Scene::Table(&scene)).map_err(fail)?;
    let mut notes = Vec::new();
    if release.sensitive.is_empty() {
        notes.push(
            "nothing was inferred: no sensitive attribute is named; say which with --sensitive"
                .into(),
        );
    }
    for name in request.within.iter().flat_map(|_| &release.sensitive) {
        let tried =
            |found: &Finding| found.attack == "proximity" && found.attribute.as_ref() == Some(name);
        if !team.findings.iter().any(tried) {
            notes.push(format!(
                "proximity on `{name}` was not tried: not all its values are numbers, or they are all the same"
            ));
        }
    }
    let (mut evidence, mut controlled) = (Vec::new(), Vec::new());
    for found in team.findings {
        match found.held_out {
            Some(held_out) => {
                controlled.push((found.attribute, Controlled::new(found.after, held_out)));
            }
            None => evidence.push((found.attribute, found.after)),
        }
    }
    let (chances, _) = presence(&linkage, 1.0);
    let certain = counts.iter().filter(|&&count| count == 1).count() as u64;
    let matched = counts.iter().filter(|&&count| count > 0).count() as u64;
    let inferred = if request.victims {
        conclusions(&scene, &linkage, release)?
    } else {
        BTreeMap::new()
    };
    let victims = if request.victims {
        let number = |row: usize| rows.as_ref().map_or(row, |rows| rows[row]) + 1;
        victims(&linkage, &counts, &chances, inferred, id, &number)
    } else {
        Vec::new()
    };
    Ok(TableFound {
        sizes: (release.table.records(), external.records()),
        matched,
        certain,
        expected: linkage.expected(),
        fewest: counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0),
        candidates,
        evidence,
        controlled,
        victims,
        knows: told,
        not_run: team.not_run,
        notes,
        links,
    })
}

/// What the adversary was taken to know, in words.
fn knows(request: &TableRequest, release: &Release, links: &[(String, String)]) -> String {
    let columns: Vec<String> = links.iter().map(|(ours, _)| format!("`{ours}`")).collect();
    let whom = if request.external.is_some() {
        "of the people of the external table"
    } else {
        "of everybody in the release, as published"
    };
    let told = match (&release.quasi, request.links.is_empty()) {
        (_, false) => "as asked",
        (Some(_), true) => "the quasi-identifiers of its certificate",
        (None, true) => "every column that is not sensitive; say others with --link or --subject",
    };
    let counted = if release.subject.is_some() {
        "people are counted, once in each class"
    } else {
        "every record counts as a person"
    };
    format!("{} {whom} ({told}); {counted}", columns.join(", "))
}

/// People by how few candidates they have; those of whom something follows first among equals.
fn victims(
    linkage: &Linkage,
    counts: &[u64],
    chances: &[f64],
    mut inferred: BTreeMap<u32, Vec<Conclusion>>,
    id: Option<&Column>,
    number: &dyn Fn(usize) -> usize,
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
                    .map_or_else(|| number(row).to_string(), str::to_owned),
                candidates: linkage.candidates(row).iter().map(|row| row + 1).collect(),
                presence: chances[row],
                inferred: inferred.remove(&person).unwrap_or_default(),
            }
        })
        .collect()
}

/// What follows of whom, by the homogeneity attack.
fn conclusions(
    scene: &TableScene<'_>,
    linkage: &Linkage,
    release: &Release,
) -> Result<BTreeMap<u32, Vec<Conclusion>>, Error> {
    let Some(Run::Candidates { told, .. }) = entry("homogeneity").map(|entry| entry.run) else {
        return Ok(BTreeMap::new());
    };
    let mut columns = Vec::new();
    for name in &release.sensitive {
        let column = column(&release.table, name, &release.path)?;
        let texts = (0..column.dictionary.len() as u32).map(|code| column.dictionary.text(code));
        columns.push((column.codes.as_slice(), texts.collect::<Vec<_>>()));
    }
    let groups = match &release.groups {
        Some(name) => Some(
            column(&release.table, name, &release.path)?
                .codes
                .as_slice(),
        ),
        None => None,
    };
    let lineup = Lineup::linked(linkage, &columns, groups).map_err(|error| attack_error(&error))?;
    let mut inferred: BTreeMap<u32, Vec<Conclusion>> = BTreeMap::new();
    for (at, name) in release.sensitive.iter().enumerate() {
        let found = lineup.told(told, Some(at), &scene.wish);
        for (person, told) in lineup.of_each(&found) {
            let text = told.value.and_then(|code| columns[at].1.get(code as usize));
            inferred.entry(person).or_default().push(Conclusion {
                attribute: name.clone(),
                value: text.copied().flatten().map(str::to_owned),
                confidence: told.sure,
            });
        }
    }
    Ok(inferred)
}

fn position(release: &Release, name: &str) -> Result<usize, Error> {
    column(&release.table, name, &release.path)?;
    let mut columns = release.table.columns().iter();
    Ok(columns.position(|column| column.name == name).unwrap_or(0))
}

/// Members and people who are not in the data, in the codes of one relation per column: what is known first, then the secrets.
struct Held {
    published: Vec<Vec<u32>>,
    ours: Vec<Vec<u32>>,
    theirs: Vec<Vec<u32>>,
    relations: Vec<Covers>,
    known: usize,
    secrets: Vec<String>,
}

/// The same, borrowed.
struct HeldSlices<'a> {
    columns: [Vec<&'a [u32]>; 3],
    held: &'a Held,
}

impl Held {
    fn new(
        request: &TableRequest,
        engine: &Engine,
        release: &Release,
        members: &Table,
        held_out: &Table,
        links: &[(String, String)],
    ) -> Result<Held, Error> {
        let control_path = request.control.as_deref().unwrap_or(&release.path);
        let member_path = request.external.as_deref().unwrap_or(&release.path);
        let both_have =
            |name: &&String| members.column(name).is_some() && held_out.column(name).is_some();
        let secrets: Vec<String> = release
            .sensitive
            .iter()
            .filter(both_have)
            .cloned()
            .collect();
        let mut held = Held {
            published: Vec::new(),
            ours: Vec::new(),
            theirs: Vec::new(),
            relations: Vec::new(),
            known: links.len(),
            secrets: secrets.clone(),
        };
        let pairs = secrets.iter().map(|name| (name, name));
        for (name, external) in links.iter().map(|(a, b)| (a, b)).chain(pairs) {
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
            let relation = covering::covers(engine, &release.explained, name, p, &both)?;
            held.relations.push(relation);
            held.published.push(p.codes.clone());
            held.ours.push(both.codes[..m.codes.len()].to_vec());
            held.theirs.push(both.codes[m.codes.len()..].to_vec());
        }
        Ok(held)
    }

    fn slices(&self) -> HeldSlices<'_> {
        let columns = [&self.published, &self.ours, &self.theirs];
        HeldSlices {
            columns: columns.map(|columns| columns.iter().map(Vec::as_slice).collect()),
            held: self,
        }
    }
}

impl HeldSlices<'_> {
    fn setting(&self, request: &TableRequest) -> (Setting<'_>, Vec<String>) {
        let setting = Setting {
            known: self.held.known,
            published: &self.columns[0],
            covers: &self.held.relations,
            members: &self.columns[1],
            held_out: &self.columns[2],
            attempts: request.attempts,
            seed: request.seed,
        };
        (setting, self.held.secrets.clone())
    }
}
