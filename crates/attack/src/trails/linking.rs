//! From the releases of many institutions to trails with linking attributes.
//!
//! # Idea
//!
//! Each institution publishes two tables. What traces a subject through all tables of one kind (an IP address, a DNA
//! sequence; a name with an address) is the subject key; the institutions whose tables hold a key are its trail. Attributes
//! of the two kinds that say something about each other (birth date and birth year, zip and IP address) narrow the pairs
//! further: the attribute linkage set. Each subject gets a label, and labels relate or do not.
//!
//! # Guarantee
//!
//! A pair is excluded only when some linking pair has values on both sides and none of them relate. An empty cell or a
//! missing linking column is unknown and excludes nothing; several values of one subject exclude only together.
//!
//! # Reference
//!
//! Malin 2002, Definitions 3.1 to 3.4 and the remark after Lemma 3.2.

use crate::Error;
use denym_data::NamedTrails;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// One institution's table of one kind: column names and rows of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Release {
    /// The institution.
    pub institution: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Rows, each with one cell per column.
    pub rows: Vec<Vec<String>>,
}

/// One table with an institution column, split into one release per institution, in name order.
///
/// # Errors
///
/// [`Error::UnknownColumn`] when there is no such column; [`Error::LengthsDiffer`] for a row of another width.
pub fn split_by_institution(
    columns: &[String],
    rows: &[Vec<String>],
    institution: &str,
) -> Result<Vec<Release>, Error> {
    let at = columns
        .iter()
        .position(|column| column == institution)
        .ok_or_else(|| Error::UnknownColumn {
            column: institution.to_owned(),
            institution: 0,
        })?;
    let without = |row: &[String]| -> Vec<String> {
        row.iter()
            .enumerate()
            .filter(|(column, _)| *column != at)
            .map(|(_, cell)| cell.clone())
            .collect()
    };
    let mut releases: BTreeMap<&str, Release> = BTreeMap::new();
    for row in rows {
        if row.len() != columns.len() {
            return Err(Error::LengthsDiffer {
                what: "row",
                expected: columns.len(),
                found: row.len(),
            });
        }
        let release = releases.entry(&row[at]).or_insert_with(|| Release {
            institution: row[at].clone(),
            columns: without(columns),
            rows: Vec::new(),
        });
        release.rows.push(without(row));
    }
    Ok(releases.into_values().collect())
}

/// How two linking attributes say something about each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relation {
    /// The values are the same.
    Equal,
    /// The first so many characters are the same.
    SamePrefix(usize),
    /// The values have the same year: the one run of exactly four digits in each.
    YearOf,
    /// An identified value goes with any of these anonymous values.
    Mapping(BTreeMap<String, BTreeSet<String>>),
}

/// A pair of the attribute linkage set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkingPair {
    /// Column of the anonymous tables.
    pub anonymous: String,
    /// Column of the identified tables.
    pub identified: String,
    /// How they relate.
    pub relation: Relation,
}

/// Trails of both kinds over one institution list, with linking labels.
#[derive(Debug, Clone)]
pub struct LinkedTrails {
    /// The anonymous side.
    pub anonymous: NamedTrails,
    /// The identified side.
    pub identified: NamedTrails,
    /// One label per anonymous subject.
    pub anonymous_labels: Vec<u32>,
    /// One label per identified subject.
    pub identified_labels: Vec<u32>,
    links: Links,
}

impl LinkedTrails {
    /// Trails from the two kinds of tables. A subject is named by its `*_key` columns together.
    ///
    /// # Errors
    ///
    /// When a release lacks a key column or a row has another width than the header.
    pub fn build(
        anonymous: &[Release],
        anonymous_key: &[String],
        identified: &[Release],
        identified_key: &[String],
        linking: &[LinkingPair],
    ) -> Result<Self, Error> {
        let columns = |side: fn(&LinkingPair) -> &String| {
            linking.iter().map(side).cloned().collect::<Vec<_>>()
        };
        let a = Subjects::collect(anonymous, anonymous_key, &columns(|pair| &pair.anonymous))?;
        let i = Subjects::collect(
            identified,
            identified_key,
            &columns(|pair| &pair.identified),
        )?;
        let (anonymous, identified) = NamedTrails::pair(&a.pairs, &i.pairs);
        let (links, anonymous_labels, identified_labels) = Links::of(linking, &a.values, &i.values);
        Ok(Self {
            anonymous,
            identified,
            anonymous_labels,
            identified_labels,
            links,
        })
    }

    /// Whether an anonymous and an identified label may belong to one person.
    pub fn relates(&self, anonymous: u32, identified: u32) -> bool {
        self.links.relates(anonymous, identified)
    }
}

/// Subjects of one side in order of first appearance, with the values of each linking column.
struct Subjects {
    pairs: Vec<(String, String)>,
    values: Vec<Vec<BTreeSet<String>>>,
}

impl Subjects {
    fn collect(releases: &[Release], key: &[String], linking: &[String]) -> Result<Self, Error> {
        let mut rows: HashMap<String, usize> = HashMap::new();
        let mut subjects = Self {
            pairs: Vec::new(),
            values: Vec::new(),
        };
        for (institution, release) in releases.iter().enumerate() {
            let position = |column: &String| release.columns.iter().position(|name| name == column);
            let key: Vec<usize> = key
                .iter()
                .map(|column| {
                    position(column).ok_or_else(|| Error::UnknownColumn {
                        column: column.clone(),
                        institution,
                    })
                })
                .collect::<Result<_, _>>()?;
            let linking: Vec<Option<usize>> = linking.iter().map(position).collect();
            for row in &release.rows {
                if row.len() != release.columns.len() {
                    return Err(Error::LengthsDiffer {
                        what: "row",
                        expected: release.columns.len(),
                        found: row.len(),
                    });
                }
                // The unit separator keeps ("a b", "c") and ("a", "b c") apart.
                let id = key
                    .iter()
                    .map(|&at| row[at].as_str())
                    .collect::<Vec<_>>()
                    .join("\u{1f}");
                let subject = *rows.entry(id.clone()).or_insert_with(|| {
                    subjects.values.push(vec![BTreeSet::new(); linking.len()]);
                    subjects.values.len() - 1
                });
                for (at, column) in linking.iter().enumerate() {
                    if let Some(cell) = column
                        .map(|column| &row[column])
                        .filter(|cell| !cell.is_empty())
                    {
                        subjects.values[subject][at].insert(cell.clone());
                    }
                }
                subjects.pairs.push((id, release.institution.clone()));
            }
        }
        Ok(subjects)
    }
}

/// Values reduced to codes, so that relating two labels needs no text.
#[derive(Debug, Clone, Default)]
struct Links {
    /// Pairs of codes that relate, where the relation is a mapping; equality of codes otherwise.
    mapped: Vec<Option<HashSet<(u32, u32)>>>,
    anonymous: Vec<Vec<Vec<u32>>>,
    identified: Vec<Vec<Vec<u32>>>,
}

impl Links {
    fn of(
        linking: &[LinkingPair],
        anonymous: &[Vec<BTreeSet<String>>],
        identified: &[Vec<BTreeSet<String>>],
    ) -> (Self, Vec<u32>, Vec<u32>) {
        let mut codes: Vec<HashMap<String, u32>> = vec![HashMap::new(); linking.len()];
        let mut coded = |side: &[Vec<BTreeSet<String>>]| -> Vec<Vec<Vec<u32>>> {
            let subject = |values: &Vec<BTreeSet<String>>| {
                let mut columns = Vec::with_capacity(values.len());
                for (at, values) in values.iter().enumerate() {
                    let mut list: Vec<u32> = values
                        .iter()
                        .map(|value| {
                            let next = codes[at].len() as u32;
                            *codes[at]
                                .entry(canonical(&linking[at].relation, value))
                                .or_insert(next)
                        })
                        .collect();
                    list.sort_unstable();
                    list.dedup();
                    columns.push(list);
                }
                columns
            };
            side.iter().map(subject).collect()
        };
        let (anonymous, identified) = (coded(anonymous), coded(identified));
        let mapped = linking
            .iter()
            .zip(&codes)
            .map(|(pair, codes)| match &pair.relation {
                Relation::Mapping(table) => {
                    let pairs = table
                        .iter()
                        .flat_map(|(i, list)| list.iter().map(move |a| (a, i)));
                    Some(
                        pairs
                            .filter_map(|(a, i)| Some((*codes.get(a)?, *codes.get(i)?)))
                            .collect(),
                    )
                }
                _ => None,
            })
            .collect();
        let (anonymous, anonymous_labels) = intern(anonymous);
        let (identified, identified_labels) = intern(identified);
        (
            Self {
                mapped,
                anonymous,
                identified,
            },
            anonymous_labels,
            identified_labels,
        )
    }

    fn relates(&self, anonymous: u32, identified: u32) -> bool {
        let (Some(a), Some(i)) = (
            self.anonymous.get(anonymous as usize),
            self.identified.get(identified as usize),
        ) else {
            return false;
        };
        self.mapped.iter().enumerate().all(|(at, mapped)| {
            a[at].is_empty()
                || i[at].is_empty()
                || a[at].iter().any(|a| match mapped {
                    Some(pairs) => i[at].iter().any(|i| pairs.contains(&(*a, *i))),
                    None => i[at].binary_search(a).is_ok(),
                })
        })
    }
}

/// Distinct labels by first appearance, and the label of each subject.
fn intern(subjects: Vec<Vec<Vec<u32>>>) -> (Vec<Vec<Vec<u32>>>, Vec<u32>) {
    let mut known: HashMap<Vec<Vec<u32>>, u32> = HashMap::new();
    let mut labels = Vec::new();
    let of_subject = subjects
        .into_iter()
        .map(|values| {
            let next = known.len() as u32;
            *known.entry(values.clone()).or_insert_with(|| {
                labels.push(values);
                next
            })
        })
        .collect();
    (labels, of_subject)
}

/// What must be equal for two values to relate.
fn canonical(relation: &Relation, value: &str) -> String {
    match relation {
        Relation::Equal | Relation::Mapping(_) => value.to_owned(),
        Relation::SamePrefix(length) => value.chars().take(*length).collect(),
        Relation::YearOf => value
            .split(|c: char| !c.is_ascii_digit())
            .find(|digits| digits.len() == 4)
            .unwrap_or(value)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trails::{Options, Side, attack, attack_linked};

    fn text(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    fn release(institution: &str, columns: &[&str], rows: &[&[&str]]) -> Release {
        Release {
            institution: institution.to_owned(),
            columns: text(columns),
            rows: rows.iter().map(|row| text(row)).collect(),
        }
    }

    /// Example 3.1's linkage set: birth date and year, gender, zip code and IP address.
    fn linkage_set() -> Vec<LinkingPair> {
        let pair = |anonymous: &str, identified: &str, relation| LinkingPair {
            anonymous: anonymous.to_owned(),
            identified: identified.to_owned(),
            relation,
        };
        let zips = [
            ("15213", ["10.0.0.1", "10.0.0.2"]),
            ("15217", ["10.0.9.1", "10.0.9.2"]),
        ];
        let table = zips
            .iter()
            .map(|(zip, ips)| ((*zip).to_owned(), text(ips).into_iter().collect()))
            .collect();
        vec![
            pair("year of birth", "date of birth", Relation::YearOf),
            pair("gender", "gender", Relation::Equal),
            pair("ip", "zip", Relation::Mapping(table)),
        ]
    }

    #[test]
    fn linking_attributes_tell_equal_trails_apart() {
        let people = ["name", "date of birth", "gender", "zip"];
        let visits = ["ip", "year of birth", "gender"];
        let ann: &[&str] = &["Ann", "1970-05-02", "F", "15213"];
        let bob: &[&str] = &["Bob", "02/05/1971", "M", "15213"];
        let cid: &[&str] = &["Cid", "1971", "M", "15217"];
        let identified = [
            release("shop", &people, &[ann, bob, cid]),
            release("bank", &people, &[ann, bob, cid]),
        ];
        let x: &[&str] = &["10.0.0.1", "1971", "M"];
        let y: &[&str] = &["10.0.9.2", "", "M"];
        let z: &[&str] = &["10.0.0.2", "1970", ""];
        let anonymous = [
            release("shop", &visits, &[x, y, z]),
            release("bank", &visits, &[x, y, z]),
        ];
        let key = text(&["ip"]);
        let named = text(&["name"]);
        let trails =
            LinkedTrails::build(&anonymous, &key, &identified, &named, &linkage_set()).unwrap();
        let a = Side::labeled(&trails.anonymous.trails, &trails.anonymous_labels).unwrap();
        let i = Side::labeled(&trails.identified.trails, &trails.identified_labels).unwrap();
        let relates = |a: u32, i: u32| trails.relates(a, i);
        let found = attack_linked(a, i, &relates, &Options::default()).unwrap();
        // x: born 1971, male, zip 15213 is Bob only. y: zip 15217 is Cid. z: born 1970 is Ann.
        assert_eq!(found.complete, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(
            (found.complete.clone(), found.complete.clone()),
            (found.incomplete.clone(), found.multiple.clone())
        );
        assert_eq!(found.forced.as_ref(), Some(&found.complete));
        let alone = attack(
            Side::new(&trails.anonymous.trails),
            Side::new(&trails.identified.trails),
            &Options::default(),
        );
        assert!(alone.unwrap().complete.is_empty(), "all trails are equal");
    }

    #[test]
    fn an_institution_column_does_as_well() {
        let columns = text(&["where", "ip"]);
        let rows = [
            text(&["shop", "1"]),
            text(&["bank", "1"]),
            text(&["shop", "2"]),
        ];
        let releases = split_by_institution(&columns, &rows, "where").unwrap();
        assert_eq!(releases[0], release("bank", &["ip"], &[&["1"]]));
        assert_eq!(releases[1], release("shop", &["ip"], &[&["1"], &["2"]]));
        assert_eq!(
            split_by_institution(&columns, &rows, "no")
                .unwrap_err()
                .code(),
            "attack-unknown-column"
        );
        let error =
            LinkedTrails::build(&releases, &text(&["name"]), &releases, &text(&["ip"]), &[])
                .unwrap_err();
        assert_eq!(
            error,
            Error::UnknownColumn {
                column: "name".to_owned(),
                institution: 0
            }
        );
    }

    #[test]
    fn prefixes_and_years() {
        assert_eq!(canonical(&Relation::SamePrefix(3), "15213"), "152");
        assert_eq!(
            canonical(&Relation::YearOf, "3 May 1970"),
            canonical(&Relation::YearOf, "1970-05-03")
        );
        assert_eq!(canonical(&Relation::YearOf, "unknown"), "unknown");
    }
}
