//! Trails as people bring them: one file of ids and institutions, or a folder with one table per institution.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use denym_attack::trails::linking::{LinkedTrails, LinkingPair, Relation, Release};
use denym_data::{Column, NamedTrails, Table, Trails};
use denym_engine::{Engine, ReadOptions};

use super::attack_error;
use crate::Error;
use crate::policy::{names_to_show, suggest_column};

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

/// Both sides over one institution list, with the labels of linking attributes.
pub(crate) struct NamedSides {
    pub(crate) anonymous: NamedTrails,
    pub(crate) identified: NamedTrails,
    pub(crate) anonymous_labels: Vec<u32>,
    pub(crate) identified_labels: Vec<u32>,
    linked: Option<LinkedTrails>,
}

impl NamedSides {
    /// Whether an anonymous and an identified label may belong to one person.
    pub(crate) fn relates(&self, anonymous: u32, identified: u32) -> bool {
        self.linked
            .as_ref()
            .is_none_or(|linked| linked.relates(anonymous, identified))
    }
}

/// Identified labels that one anonymous label may stand for.
pub(crate) struct Confusable(Vec<BTreeSet<u32>>);

impl Confusable {
    /// Whether people with these labels look the same to who has the anonymous side.
    pub(crate) fn confused(&self, a: u32, b: u32) -> bool {
        a == b || !self.0[a as usize].is_disjoint(&self.0[b as usize])
    }
}

impl NamedSides {
    /// Which identified labels the anonymous side's attributes do not tell apart.
    pub(crate) fn alike(&self) -> Confusable {
        let shown: BTreeSet<u32> = self.anonymous_labels.iter().copied().collect();
        let labels = self.identified_labels.iter().copied().max();
        let labels = labels.map_or(0, |last| last + 1);
        let related = |identified: u32| {
            let related = shown.iter().copied();
            related
                .filter(|&anonymous| self.relates(anonymous, identified))
                .collect()
        };
        Confusable((0..labels).map(related).collect())
    }
}

/// Reads both sides.
pub(crate) fn sides(
    engine: &Engine,
    anonymous: &TrailSource,
    identified: &TrailSource,
    links: &[LinkSpec],
    read: &ReadOptions,
) -> Result<NamedSides, Error> {
    if links.is_empty() {
        let (a, i) = (
            pairs(engine, anonymous, read)?,
            pairs(engine, identified, read)?,
        );
        let (anonymous, identified) = paired(&a, &i)?;
        return Ok(NamedSides {
            anonymous_labels: vec![0; anonymous.ids.len()],
            identified_labels: vec![0; identified.ids.len()],
            anonymous,
            identified,
            linked: None,
        });
    }
    let linking = links
        .iter()
        .map(|link| linking_pair(engine, link, read))
        .collect::<Result<Vec<_>, _>>()?;
    let key = |source: &TrailSource| -> Vec<String> {
        if source.id.is_empty() {
            vec!["id".to_owned()]
        } else {
            source.id.clone()
        }
    };
    let (a, i) = (
        tables(engine, anonymous, read)?,
        tables(engine, identified, read)?,
    );
    for link in links {
        for (side, column, path) in [
            (&a, &link.anonymous, &anonymous.path),
            (&i, &link.identified, &identified.path),
        ] {
            if !side.iter().any(|table| table.columns.contains(column)) {
                let known: Vec<&str> = side
                    .first()
                    .map(|table| table.columns.iter().map(String::as_str).collect())
                    .unwrap_or_default();
                return Err(unknown(column, path, &known));
            }
        }
    }
    let linked = LinkedTrails::build(&a, &key(anonymous), &i, &key(identified), &linking)
        .map_err(|error| attack_error(&error))?;
    let readable = |mut side: NamedTrails| {
        for id in &mut side.ids {
            *id = id.replace('\u{1f}', " ");
        }
        side
    };
    Ok(NamedSides {
        anonymous: readable(linked.anonymous.clone()),
        identified: readable(linked.identified.clone()),
        anonymous_labels: linked.anonymous_labels.clone(),
        identified_labels: linked.identified_labels.clone(),
        linked: Some(linked),
    })
}

/// Entries of one side: (id, institution); an empty institution is a subject without entries.
type Entries = Vec<(String, Option<String>)>;

/// Both sides over one institution list, ids in order of first appearance.
fn paired(anonymous: &Entries, identified: &Entries) -> Result<(NamedTrails, NamedTrails), Error> {
    let names: BTreeSet<&str> = anonymous
        .iter()
        .chain(identified)
        .filter_map(|(_, institution)| institution.as_deref())
        .collect();
    let institutions: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let code: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
    let side = |entries: &Entries| -> Result<NamedTrails, Error> {
        let mut row_of: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
        let (mut ids, mut rows): (Vec<String>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
        for (id, institution) in entries {
            let row = *row_of.entry(id).or_insert_with(|| {
                ids.push(id.clone());
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[row].extend(institution.as_deref().map(|name| code[name]));
        }
        let trails =
            Trails::from_rows(institutions.len(), rows).map_err(|error| Error::Internal {
                what: error.to_string(),
            })?;
        Ok(NamedTrails {
            ids,
            institutions: institutions.clone(),
            trails,
        })
    };
    Ok((side(anonymous)?, side(identified)?))
}

/// The files of one side with the institution that each is of, when each is of one.
fn files(source: &TrailSource) -> Result<Vec<(PathBuf, Option<String>)>, Error> {
    if !source.path.is_dir() {
        return Ok(vec![(source.path.clone(), None)]);
    }
    Ok(denym_engine::files(&source.path, None)?
        .into_iter()
        .map(|path| {
            let name = path
                .file_stem()
                .map(|stem| stem.to_string_lossy().into_owned())
                .unwrap_or_default();
            let one = source.institution.is_none().then_some(name);
            (path, one)
        })
        .collect())
}

fn pairs(engine: &Engine, source: &TrailSource, read: &ReadOptions) -> Result<Entries, Error> {
    let mut entries = Entries::new();
    for (path, institution) in files(source)? {
        let table = engine.read(&path, read)?;
        let ids = id_columns(&table, source, &path)?;
        let at = match &institution {
            Some(_) => None,
            None => Some(column(
                &table,
                source.institution.as_deref().unwrap_or("institution"),
                &path,
            )?),
        };
        for row in 0..table.records() {
            let mut id = String::new();
            for (position, part) in ids.iter().enumerate() {
                let text = part.text(row).ok_or_else(|| missing_id(row, &path))?;
                if position > 0 {
                    id.push(' ');
                }
                id.push_str(text);
            }
            let place = match (&institution, at) {
                (Some(name), _) => Some(name.clone()),
                (None, Some(column)) => column.text(row).map(str::to_owned),
                (None, None) => None,
            };
            entries.push((id, place));
        }
    }
    Ok(entries)
}

fn id_columns<'a>(
    table: &'a Table,
    source: &TrailSource,
    path: &Path,
) -> Result<Vec<&'a Column>, Error> {
    if source.id.is_empty() {
        return Ok(vec![column(table, "id", path)?]);
    }
    source
        .id
        .iter()
        .map(|name| column(table, name, path))
        .collect()
}

fn column<'a>(table: &'a Table, name: &str, path: &Path) -> Result<&'a Column, Error> {
    table.column(name).ok_or_else(|| {
        let known = names_to_show(table);
        unknown(name, path, &known)
    })
}

fn unknown(name: &str, path: &Path, known: &[&str]) -> Error {
    Error::UnknownColumn {
        column: name.to_owned(),
        place: path.display().to_string(),
        help: suggest_column(name, known),
    }
}

fn missing_id(row: usize, path: &Path) -> Error {
    Error::Argument {
        what: format!("record {} of {} has no id", row + 1, path.display()),
        help: "every record of a trail file names its subject".into(),
    }
}

/// The tables of one side as text, for linking attributes.
fn tables(
    engine: &Engine,
    source: &TrailSource,
    read: &ReadOptions,
) -> Result<Vec<Release>, Error> {
    let mut releases = Vec::new();
    for (path, institution) in files(source)? {
        let table = engine.read(&path, read)?;
        id_columns(&table, source, &path)?;
        let columns: Vec<String> = table.columns().iter().map(|c| c.name.clone()).collect();
        let rows: Vec<Vec<String>> = (0..table.records())
            .map(|row| {
                table
                    .columns()
                    .iter()
                    .map(|column| column.text(row).unwrap_or_default().to_owned())
                    .collect()
            })
            .collect();
        if let Some(institution) = institution {
            releases.push(Release {
                institution,
                columns,
                rows,
            });
        } else {
            let name = source.institution.as_deref().unwrap_or("institution");
            column(&table, name, &path)?;
            releases.extend(
                denym_attack::trails::linking::split_by_institution(&columns, &rows, name)
                    .map_err(|error| attack_error(&error))?,
            );
        }
    }
    Ok(releases)
}

fn linking_pair(
    engine: &Engine,
    link: &LinkSpec,
    read: &ReadOptions,
) -> Result<LinkingPair, Error> {
    let bad = || Error::Argument {
        what: format!("`{}` is no relation", link.relation),
        help: "use equal, same-prefix:N, year-of, or mapping:FILE".into(),
    };
    let relation = match link.relation.split_once(':') {
        None if link.relation == "equal" => Relation::Equal,
        None if link.relation == "year-of" => Relation::YearOf,
        Some(("same-prefix", length)) => Relation::SamePrefix(length.parse().map_err(|_| bad())?),
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
                    map.entry(identified.to_owned())
                        .or_default()
                        .insert(anonymous.to_owned());
                }
            }
            Relation::Mapping(map)
        }
        _ => return Err(bad()),
    };
    Ok(LinkingPair {
        anonymous: link.anonymous.clone(),
        identified: link.identified.clone(),
        relation,
    })
}
