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

use denym_data::NamedTrails;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// One record of a side's tables: whose data which institution holds, and what it says in each linking column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrailEntry {
    /// What names the subject in all tables of this side.
    pub subject: String,
    /// The institution; empty for a subject of whom nobody holds data.
    pub institution: String,
    /// The value in each linking column; empty where it is not known.
    pub linking: Vec<String>,
}

/// How two linking attributes say something about each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkRelation {
    /// The values are the same.
    Equal,
    /// The first so many characters are the same.
    SamePrefix(usize),
    /// The values have the same year: the one run of exactly four digits in each.
    YearOf,
    /// An identified value goes with any of these anonymous values.
    Mapping(BTreeMap<String, BTreeSet<String>>),
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
    /// Trails from the entries of both sides, which have one linking value for each of `relations`; without any everybody may be anybody.
    pub fn new(
        anonymous: &[TrailEntry],
        identified: &[TrailEntry],
        relations: &[LinkRelation],
    ) -> Self {
        let pairs = |side: &[TrailEntry]| -> Vec<(String, String)> {
            let pairs = side.iter();
            pairs
                .map(|one| (one.subject.clone(), one.institution.clone()))
                .collect()
        };
        let (a, i) = (
            linking_values(anonymous, relations.len()),
            linking_values(identified, relations.len()),
        );
        let (links, anonymous_labels, identified_labels) = Links::of(relations, &a, &i);
        let (anonymous, identified) = NamedTrails::pair(&pairs(anonymous), &pairs(identified));
        Self {
            anonymous,
            identified,
            anonymous_labels,
            identified_labels,
            links,
        }
    }

    /// Whether an anonymous and an identified label may belong to one person.
    pub fn relates(&self, anonymous: u32, identified: u32) -> bool {
        self.links.relates(anonymous, identified)
    }

    /// For each identified label the anonymous ones that may stand for it: two that share one look the same to who has the anonymous side.
    pub fn shown_as(&self) -> Vec<BTreeSet<u32>> {
        let shown: BTreeSet<u32> = self.anonymous_labels.iter().copied().collect();
        let labels = self.identified_labels.iter().max();
        let labels = labels.map_or(0, |&last| last + 1);
        let related = |identified: u32| {
            let related = shown.iter().copied();
            related
                .filter(|&anonymous| self.relates(anonymous, identified))
                .collect()
        };
        (0..labels).map(related).collect()
    }
}

/// The values of each linking column, subject by subject in order of first appearance.
fn linking_values(entries: &[TrailEntry], columns: usize) -> Vec<Vec<BTreeSet<String>>> {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    let mut values: Vec<Vec<BTreeSet<String>>> = Vec::new();
    for entry in entries {
        let subject = *rows.entry(&entry.subject).or_insert_with(|| {
            values.push(vec![BTreeSet::new(); columns]);
            values.len() - 1
        });
        for (known, cell) in values[subject].iter_mut().zip(&entry.linking) {
            if !cell.is_empty() {
                known.insert(cell.clone());
            }
        }
    }
    values
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
        relations: &[LinkRelation],
        anonymous: &[Vec<BTreeSet<String>>],
        identified: &[Vec<BTreeSet<String>>],
    ) -> (Self, Vec<u32>, Vec<u32>) {
        let mut codes: Vec<HashMap<String, u32>> = vec![HashMap::new(); relations.len()];
        let mut coded = |side: &[Vec<BTreeSet<String>>]| -> Vec<Vec<Vec<u32>>> {
            let subject = |values: &Vec<BTreeSet<String>>| {
                let mut columns = Vec::with_capacity(values.len());
                for (at, values) in values.iter().enumerate() {
                    let mut list: Vec<u32> = values
                        .iter()
                        .map(|value| {
                            let next = codes[at].len() as u32;
                            *codes[at]
                                .entry(canonical(&relations[at], value))
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
        let mapped = relations
            .iter()
            .zip(&codes)
            .map(|(relation, codes)| match relation {
                LinkRelation::Mapping(table) => {
                    let pairs = table
                        .iter()
                        .flat_map(|(i, list)| list.iter().map(move |a| (a, i)));
                    let coded = pairs.filter_map(|(a, i)| Some((*codes.get(a)?, *codes.get(i)?)));
                    Some(coded.collect())
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
fn canonical(relation: &LinkRelation, value: &str) -> String {
    match relation {
        LinkRelation::Equal | LinkRelation::Mapping(_) => value.to_owned(),
        LinkRelation::SamePrefix(length) => value.chars().take(*length).collect(),
        LinkRelation::YearOf => value
            .split(|c: char| !c.is_ascii_digit())
            .find(|digits| digits.len() == 4)
            .unwrap_or(value)
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trails::{TrailOptions, TrailSide, attack, attack_linked};

    fn text(cells: &[&str]) -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).collect()
    }

    /// The same people at every institution; the first cell names them.
    fn entries(institutions: &[&str], people: &[&[&str]], linking: &[usize]) -> Vec<TrailEntry> {
        let entry = |institution: &str, cells: &[&str]| TrailEntry {
            subject: cells[0].to_owned(),
            institution: institution.to_owned(),
            linking: linking.iter().map(|&at| cells[at].to_owned()).collect(),
        };
        let each = institutions.iter();
        each.flat_map(|one| people.iter().map(|cells| entry(one, cells)))
            .collect()
    }

    /// Example 3.1's linkage set: birth date and year, gender, zip code and IP address.
    fn linkage_set() -> [LinkRelation; 3] {
        let zips = [
            ("15213", ["10.0.0.1", "10.0.0.2"]),
            ("15217", ["10.0.9.1", "10.0.9.2"]),
        ];
        let table = zips
            .iter()
            .map(|(zip, ips)| ((*zip).to_owned(), text(ips).into_iter().collect()))
            .collect();
        [
            LinkRelation::YearOf,
            LinkRelation::Equal,
            LinkRelation::Mapping(table),
        ]
    }

    #[test]
    fn linking_attributes_tell_equal_trails_apart() {
        let ann: &[&str] = &["Ann", "1970-05-02", "F", "15213"];
        let bob: &[&str] = &["Bob", "02/05/1971", "M", "15213"];
        let cid: &[&str] = &["Cid", "1971", "M", "15217"];
        let identified = entries(&["shop", "bank"], &[ann, bob, cid], &[1, 2, 3]);
        let x: &[&str] = &["10.0.0.1", "1971", "M"];
        let y: &[&str] = &["10.0.9.2", "", "M"];
        let z: &[&str] = &["10.0.0.2", "1970", ""];
        let anonymous = entries(&["shop", "bank"], &[x, y, z], &[1, 2, 0]);
        let trails = LinkedTrails::new(&anonymous, &identified, &linkage_set());
        let a = TrailSide::labeled(&trails.anonymous.trails, &trails.anonymous_labels).unwrap();
        let i = TrailSide::labeled(&trails.identified.trails, &trails.identified_labels).unwrap();
        let relates = |a: u32, i: u32| trails.relates(a, i);
        let found = attack_linked(a, i, &relates, &TrailOptions::default()).unwrap();
        // x: born 1971, male, zip 15213 is Bob only. y: zip 15217 is Cid. z: born 1970 is Ann.
        assert_eq!(found.complete, [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(
            (found.complete.clone(), found.complete.clone()),
            (found.incomplete.clone(), found.multiple.clone())
        );
        assert_eq!(found.forced.as_ref(), Some(&found.complete));
        let alone = attack(
            TrailSide::new(&trails.anonymous.trails),
            TrailSide::new(&trails.identified.trails),
            &TrailOptions::default(),
        );
        assert!(alone.unwrap().complete.is_empty(), "all trails are equal");
    }

    #[test]
    fn a_subject_of_whom_nobody_holds_data_stays() {
        let mut side = entries(&["shop"], &[&["Ann"], &["Bob"]], &[]);
        side[1].institution = String::new();
        let trails = LinkedTrails::new(&side, &side, &[]);
        assert_eq!(trails.anonymous.ids, ["Ann", "Bob"]);
        assert_eq!(trails.anonymous.institutions, ["shop"]);
        assert!(trails.anonymous.trails.get(1).is_empty());
        assert!(trails.relates(0, 0), "nothing tells anybody apart");
    }

    #[test]
    fn prefixes_and_years() {
        assert_eq!(canonical(&LinkRelation::SamePrefix(3), "15213"), "152");
        assert_eq!(
            canonical(&LinkRelation::YearOf, "3 May 1970"),
            canonical(&LinkRelation::YearOf, "1970-05-03")
        );
        assert_eq!(canonical(&LinkRelation::YearOf, "unknown"), "unknown");
    }
}
