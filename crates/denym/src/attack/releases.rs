//! Several releases about the same people: what each hides, they may show together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use denym_attack::Evidence;
use denym_attack::releases::join::Columns;
use denym_attack::releases::{View, inserted, intersection, join, m_invariance};
use denym_attack::table::{Covers, Linkage};
use denym_data::{Column, Table};
use denym_engine::{Engine, Format, ReadOptions};

use super::attack_error;
use super::covering::{self, Explained, compatible};
use super::table::{certified_half, one_row_each};
use crate::listener::{Listener, Phase};
use crate::policy::{names_to_show, suggest_column};
use crate::{Error, source, threads, verify};

/// What is to be attacked together.
#[derive(Debug, Clone, Default)]
pub struct ReleasesRequest {
    /// Two or more tables, in the order they were published.
    pub releases: Vec<PathBuf>,
    /// People the adversary knows, with their quasi-identifiers; the records of the first release when not given.
    pub external: Option<PathBuf>,
    /// The quasi-identifiers; all columns that all tables have, but the sensitive one, when empty.
    pub quasi: Vec<String>,
    /// The column that tells which records of one class are one person's; certificates beside the tables say it themselves.
    pub subject: Option<String>,
    /// The sensitive attribute.
    pub sensitive: String,
    /// The external column that names people.
    pub id: Option<String>,
    /// The fewest values, records or people that should remain.
    pub least: usize,
    /// Hierarchy files that explain generalized values.
    pub hierarchies: Option<PathBuf>,
    /// A policy whose hierarchies explain them.
    pub policy: Option<PathBuf>,
    /// Name the people found.
    pub victims: bool,
    /// How to read the tables.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the releases show together.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleasesFound {
    /// One line of evidence per attack.
    pub evidence: Vec<Evidence>,
    /// How many people have so many values left.
    pub remaining: BTreeMap<usize, u64>,
    /// People of whom fewer values remain than asked, and those values.
    pub victims: Vec<(String, Vec<String>)>,
    /// Values that may be a newcomer's, by group of the second release (its published quasi-identifiers), where fewer than asked.
    pub newcomers: Vec<(Vec<String>, Vec<String>)>,
    /// Groups of a join with one value or fewer matches than asked: quasi-identifiers of both sides, matches, values.
    pub joined: Vec<(Vec<String>, u64, Vec<String>)>,
    /// What could not be run, and why.
    pub notes: Vec<String>,
    /// What the adversary was taken to know.
    pub knows: String,
}

/// The most groups or people that are listed.
const MOST: usize = 1000;

/// Attacks the releases of `request` together.
pub fn releases(
    request: &ReleasesRequest,
    listener: &dyn Listener,
) -> Result<ReleasesFound, Error> {
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    if request.releases.len() < 2 {
        return Err(Error::Argument {
            what: "one release has nothing to be combined with".into(),
            help: "name two or more tables".into(),
        });
    }
    let (tables, told): (Vec<Table>, Vec<Told>) = request
        .releases
        .iter()
        .map(|path| published(&engine, path, request))
        .collect::<Result<Vec<_>, Error>>()?
        .into_iter()
        .unzip();
    let people = match &request.external {
        Some(path) => Some(engine.read(path, &request.read)?),
        None => None,
    };
    let explained = Explained {
        directory: request.hierarchies.clone(),
        policy: request
            .policy
            .as_deref()
            .map(crate::read_policy)
            .transpose()?,
    };
    listener.phase(Phase::Attacking);
    threads::pool(request.threads)?.install(|| {
        let mut found = ReleasesFound {
            evidence: Vec::new(),
            remaining: BTreeMap::new(),
            victims: Vec::new(),
            newcomers: Vec::new(),
            joined: Vec::new(),
            notes: Vec::new(),
            knows: String::new(),
        };
        let quasi = common(request, &tables, &told);
        let subject = subject(request, &told);
        found.knows = knows(request, &quasi, &told, subject);
        let every = |table: &Table| table.column(&request.sensitive).is_some();
        if tables.iter().all(every) && !quasi.is_empty() {
            over_time(
                request,
                &engine,
                &explained,
                &tables,
                people.as_ref(),
                &quasi,
                subject,
                &mut found,
            )?;
        } else {
            let why = if quasi.is_empty() {
                "the releases have no quasi-identifier in common"
            } else {
                "not all releases show the sensitive attribute"
            };
            found.notes.push(format!(
                "intersection, m-invariance and correspondence were not tried: {why}"
            ));
        }
        joined(request, &tables, &told, subject, &mut found)?;
        let none = tables
            .iter()
            .all(|t| t.column(&request.sensitive).is_none());
        if found.evidence.is_empty() && none {
            return Err(Error::UnknownColumn {
                column: request.sensitive.clone(),
                place: request.releases[0].display().to_string(),
                help: suggest_column(&request.sensitive, &names_to_show(&tables[0])),
            });
        }
        Ok(found)
    })
}

fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|c| c.name.as_str()).collect()
}

/// What a certificate tells about its table; nothing when there is none.
#[derive(Debug, Default)]
struct Told {
    quasi: Option<Vec<String>>,
    subject: Option<String>,
}

/// A table, and what the certificate beside it tells of it.
fn published(
    engine: &Engine,
    path: &Path,
    request: &ReleasesRequest,
) -> Result<(Table, Told), Error> {
    let Some(half) = certified_half(path)? else {
        return Ok((engine.read(path, &request.read)?, Told::default()));
    };
    let certificate = verify::read_certificate(&half)?;
    let format = Format::parse(&certificate.data.format).ok_or_else(|| Error::Bundle {
        what: "the format of the data is unknown",
        path: half.join("certificate.json"),
    })?;
    let table = source::read_release(engine, &half.join(&certificate.data.file), format)?;
    let told = Told {
        quasi: Some(certificate.quasi_identifiers),
        subject: certificate.subject,
    };
    Ok((table, told))
}

/// The column that numbers people within a class, as asked or as the certificates say.
fn subject<'a>(request: &'a ReleasesRequest, told: &'a [Told]) -> Option<&'a str> {
    let certified = told.iter().find_map(|told| told.subject.as_deref());
    request.subject.as_deref().or(certified)
}

/// What the adversary was taken to know, in words.
fn knows(
    request: &ReleasesRequest,
    quasi: &[String],
    told: &[Told],
    subject: Option<&str>,
) -> String {
    let columns: Vec<String> = quasi.iter().map(|name| format!("`{name}`")).collect();
    let whom = match request.external {
        Some(_) => "of the people of the external table",
        None => "of everybody in the first release, as published",
    };
    let said = if !request.quasi.is_empty() {
        "as asked"
    } else if told.iter().all(|told| told.quasi.is_some()) {
        "the quasi-identifiers of the certificates"
    } else {
        "every common column that is not sensitive; say others with --quasi or --subject"
    };
    let counted = match subject {
        Some(_) => "people are counted, once in each class",
        None => "every record counts as a person",
    };
    let columns = if columns.is_empty() {
        "nothing".to_owned()
    } else {
        columns.join(", ")
    };
    format!("{columns} {whom} ({said}); {counted}")
}

/// Whether a column may be known to an adversary: not the sensitive one, not a number within a class, and as the user or the
/// certificates say.
fn is_known(request: &ReleasesRequest, told: &[Told], name: &str) -> bool {
    if name == request.sensitive || subject(request, told) == Some(name) {
        return false;
    }
    if !request.quasi.is_empty() {
        return request.quasi.iter().any(|quasi| quasi == name);
    }
    let certified: Vec<&Vec<String>> = told.iter().filter_map(|t| t.quasi.as_ref()).collect();
    certified.is_empty()
        || certified
            .iter()
            .any(|names| names.iter().any(|n| n == name))
}

/// The quasi-identifiers that all tables have.
fn common(request: &ReleasesRequest, tables: &[Table], told: &[Told]) -> Vec<String> {
    let asked = |name: &String| is_known(request, told, name);
    let columns = tables[0].columns().iter().map(|c| c.name.clone());
    columns
        .filter(|name| asked(name) && tables.iter().all(|table| table.column(name).is_some()))
        .collect()
}

/// Codes of the sensitive values that mean the same in all tables, and the texts of those codes.
fn sensitive(tables: &[Table], name: &str) -> (Vec<Vec<u32>>, Vec<String>) {
    let mut texts: Vec<String> = Vec::new();
    let mut known: HashMap<String, u32> = HashMap::new();
    let codes = tables
        .iter()
        .map(|table| {
            let Some(column) = table.column(name) else {
                return Vec::new();
            };
            (0..table.records())
                .map(|row| {
                    let text = column.text(row).unwrap_or("(missing)").to_owned();
                    *known.entry(text.clone()).or_insert_with(|| {
                        texts.push(text);
                        texts.len() as u32 - 1
                    })
                })
                .collect()
        })
        .collect();
    (codes, texts)
}

/// Intersection, m-invariance and correspondence over releases with the same columns.
#[expect(
    clippy::too_many_arguments,
    reason = "what was read of the releases, each once"
)]
fn over_time(
    request: &ReleasesRequest,
    engine: &Engine,
    explained: &Explained,
    tables: &[Table],
    external: Option<&Table>,
    quasi: &[String],
    subject: Option<&str>,
    found: &mut ReleasesFound,
) -> Result<(), Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let (codes, texts) = sensitive(tables, &request.sensitive);
    let mut own = None;
    if let (None, Some(numbers)) = (external, subject.and_then(|name| tables[0].column(name))) {
        let mut by = vec![numbers];
        by.extend(quasi.iter().filter_map(|name| tables[0].column(name)));
        own = Some(one_row_each(&tables[0], &by)?);
    }
    let people = external.unwrap_or_else(|| own.as_ref().map_or(&tables[0], |(table, _)| table));
    let row_of = |row: usize| own.as_ref().map_or(row, |(_, rows)| rows[row]);
    let mut views = Vec::new();
    let mut groups: Vec<Linkage> = Vec::new();
    for (table, codes) in tables.iter().zip(&codes) {
        let (mut published, mut known, mut relations) = (Vec::new(), Vec::new(), Vec::new());
        for name in quasi {
            let (Some(p), Some(e)) = (table.column(name), people.column(name)) else {
                let place = request.external.clone().unwrap_or_default();
                return Err(Error::UnknownColumn {
                    column: name.clone(),
                    place: place.display().to_string(),
                    help: suggest_column(name, &names_to_show(people)),
                });
            };
            relations.push(if external.is_some() {
                covering::covers(engine, explained, name, p, e)?
            } else {
                texts_meet(p, e)
            });
            published.push(p.codes.as_slice());
            known.push(e.codes.as_slice());
        }
        let linkage = Linkage::of(&published, &known, &relations).map_err(fail)?;
        views.push(view(&linkage, codes));
        groups.push(linkage);
    }
    let (remaining, evidence) = intersection(&views, request.least).map_err(fail)?;
    found.evidence.push(evidence);
    let id = request.id.as_ref().and_then(|name| people.column(name));
    let text = |codes: &mut dyn Iterator<Item = u32>| -> Vec<String> {
        codes.map(|code| texts[code as usize].clone()).collect()
    };
    for left in &remaining {
        *found.remaining.entry(left.values.len()).or_insert(0) += 1;
        let broken = left.values.len() < request.least && left.best_single >= request.least;
        if request.victims && broken && found.victims.len() < MOST {
            let row = left.person as usize;
            let who = id
                .and_then(|column| column.text(row))
                .map_or_else(|| (row_of(row) + 1).to_string(), str::to_owned);
            found
                .victims
                .push((who, text(&mut left.values.iter().copied())));
        }
    }
    let (_, evidence) = m_invariance(&views, request.least).map_err(fail)?;
    found.evidence.push(evidence);
    if let [first, second] = tables {
        correspondence(
            request,
            (first, second),
            (&codes[0], &codes[1]),
            quasi,
            &texts,
            found,
        )?;
    }
    Ok(())
}

/// What may be new in each group of the second release.
fn correspondence(
    request: &ReleasesRequest,
    tables: (&Table, &Table),
    codes: (&[u32], &[u32]),
    quasi: &[String],
    texts: &[String],
    found: &mut ReleasesFound,
) -> Result<(), Error> {
    let (first, second) = (classes(tables.0, quasi)?, classes(tables.1, quasi)?);
    let values = |classes: &[(Vec<Option<String>>, Vec<u32>)], codes: &[u32]| -> Vec<Vec<u32>> {
        let of = |rows: &Vec<u32>| rows.iter().map(|&row| codes[row as usize]).collect();
        classes.iter().map(|(_, rows)| of(rows)).collect()
    };
    let fits = |a: u32, b: u32| {
        let (a, b) = (&first[a as usize].0, &second[b as usize].0);
        a.iter()
            .zip(b)
            .all(|(a, b)| compatible(a.as_deref(), b.as_deref()))
    };
    match inserted(
        &values(&first, codes.0),
        &values(&second, codes.1),
        &fits,
        request.least,
    ) {
        Ok((groups, evidence)) => {
            found.evidence.push(evidence);
            for group in groups {
                let few = !group.possible.is_empty() && group.possible.len() < request.least;
                if few && found.newcomers.len() < MOST {
                    let shown = &second[group.group as usize].0;
                    found.newcomers.push((
                        shown.iter().map(|t| t.clone().unwrap_or_default()).collect(),
                        group.possible.keys().map(|&code| texts[code as usize].clone()).collect(),
                    ));
                }
            }
        }
        Err(_) => found.notes.push(
            "the records of the first release do not all fit into the second: records were deleted, and the correspondence attack on newcomers does not apply"
                .into(),
        ),
    }
    Ok(())
}

/// Classes of equal quasi-identifiers: what they show, and their rows.
fn classes(table: &Table, quasi: &[String]) -> Result<Vec<(Vec<Option<String>>, Vec<u32>)>, Error> {
    let columns: Vec<&Column> = quasi.iter().filter_map(|name| table.column(name)).collect();
    let slices: Vec<&[u32]> = columns
        .iter()
        .map(|column| column.codes.as_slice())
        .collect();
    let relations: Vec<Covers> = columns
        .iter()
        .map(|c| Covers::equal(c.dictionary.len()))
        .collect();
    let linkage =
        Linkage::of(&slices, &slices, &relations).map_err(|error| attack_error(&error))?;
    Ok(linkage
        .classes()
        .iter()
        .map(|rows| {
            let first = rows[0] as usize;
            let shown = columns.iter().map(|c| c.text(first).map(str::to_owned));
            (shown.collect(), rows.clone())
        })
        .collect())
}

/// Published values of two releases that may stand for one value.
fn texts_meet(published: &Column, other: &Column) -> Covers {
    let (p, o) = (&published.dictionary, &other.dictionary);
    Covers::new(p.len(), o.len(), |a, b| compatible(p.text(a), o.text(b)))
}

/// One release as the adversary sees it: a person's group is everything that could be theirs.
fn view(linkage: &Linkage, codes: &[u32]) -> View {
    let mut known: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    let mut values: Vec<Vec<u32>> = Vec::new();
    let group_of = (0..linkage.people())
        .map(|person| {
            let classes = linkage.matching_classes(person);
            if classes.is_empty() {
                return None;
            }
            let next = values.len() as u32;
            Some(*known.entry(classes.to_vec()).or_insert_with(|| {
                let rows = classes
                    .iter()
                    .flat_map(|&class| &linkage.classes()[class as usize]);
                values.push(rows.map(|&row| codes[row as usize]).collect());
                next
            }))
        })
        .collect();
    View { group_of, values }
}

/// The join of two releases with different columns on those they share.
fn joined(
    request: &ReleasesRequest,
    tables: &[Table],
    told: &[Told],
    subject: Option<&str>,
    found: &mut ReleasesFound,
) -> Result<(), Error> {
    let [first, second] = tables else {
        return Ok(());
    };
    // The side that shows the sensitive attribute goes right.
    let (left, right) = if second.column(&request.sensitive).is_some() {
        (first, second)
    } else {
        (second, first)
    };
    let Some(secret) = right.column(&request.sensitive) else {
        return Ok(());
    };
    let wanted = |name: &&str| is_known(request, told, name);
    let own = |table: &Table, other: &Table, shared: bool| -> Vec<String> {
        let columns = names(table)
            .into_iter()
            .filter(|name| *name != request.sensitive && Some(*name) != subject);
        columns
            .filter(|name| other.column(name).is_some() == shared && (shared || wanted(name)))
            .map(str::to_owned)
            .collect()
    };
    let (shared, ours, theirs) = (
        own(left, right, true),
        own(left, right, false),
        own(right, left, false),
    );
    if shared.is_empty() || ours.is_empty() && theirs.is_empty() {
        return Ok(());
    }
    let (left_shared, left_shown) = codes(left, &shared);
    let (right_shared, right_shown) = codes(right, &shared);
    let (left_quasi, left_texts) = codes(left, &ours);
    let (right_quasi, right_texts) = codes(right, &theirs);
    let relates = |a: u32, b: u32| {
        left_shown[a as usize]
            .iter()
            .zip(&right_shown[b as usize])
            .all(|(a, b)| compatible(a.as_deref(), b.as_deref()))
    };
    let least = request.least as u64;
    let (groups, evidence) = join(
        Columns {
            shared: &left_shared,
            quasi: &left_quasi,
        },
        Columns {
            shared: &right_shared,
            quasi: &right_quasi,
        },
        &secret.codes,
        &relates,
        least,
        1.0,
    )
    .map_err(|error| attack_error(&error))?;
    found.evidence.push(evidence);
    for group in groups {
        if (group.size < least || group.histogram.len() == 1) && found.joined.len() < MOST {
            let shown = left_texts[group.left as usize]
                .iter()
                .chain(&right_texts[group.right as usize])
                .map(|text| text.clone().unwrap_or_default())
                .collect();
            let values = group.histogram.keys();
            let values: BTreeSet<String> = values
                .map(|&code| {
                    secret
                        .dictionary
                        .text(code)
                        .unwrap_or("(missing)")
                        .to_owned()
                })
                .collect();
            found
                .joined
                .push((shown, group.size, values.into_iter().collect()));
        }
    }
    Ok(())
}

/// One code per record for several columns together, and what each code shows.
fn codes(table: &Table, names: &[String]) -> (Vec<u32>, Vec<Vec<Option<String>>>) {
    let columns: Vec<&Column> = names.iter().filter_map(|name| table.column(name)).collect();
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut shown = Vec::new();
    let codes = (0..table.records())
        .map(|row| {
            let key: Vec<u32> = columns.iter().map(|column| column.codes[row]).collect();
            *known.entry(key).or_insert_with(|| {
                shown.push(
                    columns
                        .iter()
                        .map(|c| c.text(row).map(str::to_owned))
                        .collect(),
                );
                shown.len() as u32 - 1
            })
        })
        .collect();
    (codes, shown)
}
