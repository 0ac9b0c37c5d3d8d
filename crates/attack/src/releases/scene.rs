//! Several releases of the same people under attack: what they show, whom the adversary looks for, and what is known of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use denym_data::{Column, HierarchyRow, Table};
use serde_json::{Value, json};

use super::{JoinedView, ReleaseView, inserted, intersection, join, m_invariance, stayed};
use crate::finding::{Declined, Finding, Ran};
use crate::table::linkage::group;
use crate::table::{Covers, Linkage, compatible, one_row_each};
use crate::{Error, Evidence};

/// Releases and what the adversary has.
pub struct ReleasesScene<'a> {
    /// The tables, in the order they were published.
    pub tables: &'a [Table],
    /// The quasi-identifiers that all of them show.
    pub quasi: &'a [String],
    /// Whether a column that not all of them show may be known.
    pub may_know: &'a (dyn Fn(&str) -> bool + Sync),
    /// The sensitive attribute.
    pub sensitive: &'a str,
    /// The column that numbers people within a class; every record counts as a person without it.
    pub subject: Option<&'a str>,
    /// People the adversary knows, with every quasi-identifier; those of the first release by what it shows of them without it.
    pub external: Option<&'a Table>,
    /// The external column that names people.
    pub id: Option<&'a str>,
    /// Hierarchies that explain generalized values, by attribute.
    pub hierarchies: &'a BTreeMap<String, Vec<HierarchyRow>>,
    /// The fewest values, records or people that should remain.
    pub least: usize,
    /// What the adversary is taken to know, in words.
    pub knows: String,
    over_time: OnceLock<Result<OverTime, Error>>,
}

/// The most groups or people that are listed.
const MOST: usize = 1000;

/// The most pairs of groups times records that are looked at.
const MOST_WORK: usize = 100_000_000;

/// Why releases do not correspond.
const DELETED: &str = "the records of the first release do not all fit into the second: records were deleted, and the correspondence attack does not apply";

/// What each class shows, and the sensitive values of its people.
type Shown = (Vec<Vec<Option<String>>>, Vec<Vec<u32>>);

/// How a missing sensitive value is shown.
const MISSING: &str = "(missing)";

/// Releases with the same columns, seen by people who are in them.
struct OverTime {
    views: Vec<ReleaseView>,
    /// Codes of the sensitive values that mean the same in all releases, and their texts.
    codes: Vec<Vec<u32>>,
    texts: Vec<String>,
    /// How each person is called.
    names: Vec<String>,
}

impl<'a> ReleasesScene<'a> {
    /// Two or more releases whose sensitive attribute is `sensitive`, with nothing else said.
    pub fn new(
        tables: &'a [Table],
        quasi: &'a [String],
        sensitive: &'a str,
        may_know: &'a (dyn Fn(&str) -> bool + Sync),
        hierarchies: &'a BTreeMap<String, Vec<HierarchyRow>>,
    ) -> Self {
        Self {
            tables,
            quasi,
            may_know,
            sensitive,
            subject: None,
            external: None,
            id: None,
            hierarchies,
            least: 2,
            knows: String::new(),
            over_time: OnceLock::new(),
        }
    }

    /// Why releases cannot be compared over time, where that is so.
    fn incomparable(&self) -> Option<&'static str> {
        let shows = |table: &Table| table.column(self.sensitive).is_some();
        if self.quasi.is_empty() {
            Some("the releases have no quasi-identifier in common")
        } else if !self.tables.iter().all(shows) {
            Some("not all releases show the sensitive attribute")
        } else {
            None
        }
    }

    fn over_time(&self) -> Result<&OverTime, Declined> {
        if let Some(why) = self.incomparable() {
            return Err(Declined::because(why));
        }
        let seen = self.over_time.get_or_init(|| OverTime::of(self));
        seen.as_ref()
            .map_err(|error| Declined::Failed(error.clone()))
    }

    fn finding(&self, evidence: Evidence, note: String, worst: Vec<Value>) -> Vec<Finding> {
        vec![Finding {
            note,
            worst,
            ..Finding::new(evidence, self.knows.clone())
        }]
    }

    /// How many people have so many values left; nobody where the releases cannot be compared.
    pub fn remaining(&self) -> BTreeMap<usize, u64> {
        let mut people = BTreeMap::new();
        if let Ok(seen) = self.over_time()
            && let Ok((remaining, _)) = intersection(&seen.views, self.least)
        {
            for left in &remaining {
                *people.entry(left.values.len()).or_insert(0) += 1;
            }
        }
        people
    }

    /// Values that remain for people who are in several releases.
    pub(crate) fn intersected(&self) -> Ran {
        let seen = self.over_time()?;
        let (remaining, evidence) = intersection(&seen.views, self.least)?;
        let few = |values: usize| values < self.least;
        let known = remaining
            .iter()
            .filter(|left| few(left.best_single))
            .count();
        let note = match known {
            0 => String::new(),
            _ => format!(
                "{known} people have fewer than {} values in one release already, and do not count as found.",
                self.least
            ),
        };
        let broken = remaining
            .iter()
            .filter(|left| few(left.values.len()) && !few(left.best_single));
        let worst = broken.take(MOST).map(|left| {
            json!({"person": seen.names[left.person as usize], "values": seen.shown(left.values.iter())})
        });
        Ok(self.finding(evidence, note, worst.collect()))
    }

    /// People whose groups show different values.
    pub(crate) fn varied(&self) -> Ran {
        let (_, evidence) = m_invariance(&self.over_time()?.views, self.least)?;
        let note = match evidence.successes {
            0 => String::new(),
            // A large share alone says little: intersection counts whom it harms.
            _ => "That many people stand in groups with other values from one release to the next, so values can be ruled out; how \
                  far that goes, `intersection` counts."
                .to_owned(),
        };
        Ok(self.finding(evidence, note, Vec::new()))
    }

    /// What may be theirs who are in both releases, by both of their groups.
    pub(crate) fn corresponding_stayers(&self) -> Ran {
        let seen = self.over_time()?;
        let ((first, before), (second, after)) = self.two_releases(seen)?;
        let fits = |a: u32, b: u32| all_compatible(&first[a as usize], &second[b as usize]);
        // Every pair of groups is a search of its own over all records.
        let groups = before.len() * after.len();
        if groups.saturating_mul(before.iter().map(Vec::len).sum()) > MOST_WORK {
            return Err(Declined::because(
                "there are more pairs of groups than can be tried",
            ));
        }
        let Ok((pairs, evidence)) = stayed(&before, &after, &fits, self.least) else {
            return Err(Declined::because(DELETED));
        };
        let few = pairs.iter().filter(|pair| pair.possible.len() < self.least);
        let worst = few.take(MOST).map(|pair| {
            let shown = plain(&second[pair.second as usize]);
            json!({"group": shown, "values": seen.shown(pair.possible.keys())})
        });
        Ok(self.finding(evidence, String::new(), worst.collect()))
    }

    /// What each class of two releases shows, and the values of its people.
    fn two_releases(&self, seen: &OverTime) -> Result<(Shown, Shown), Declined> {
        let [first, second] = self.tables else {
            return Err(Declined::because("it compares two releases"));
        };
        let classes = |at: usize, table: &Table| -> Shown {
            let (_, rows, shown) = grouped(table, self.quasi);
            let counted = |rows: &Vec<u32>| self.counted(table, rows, &seen.codes[at]);
            (shown, rows.iter().map(counted).collect())
        };
        Ok((classes(0, first), classes(1, second)))
    }

    /// What may be new in each group of the second release.
    pub(crate) fn corresponding(&self) -> Ran {
        let seen = self.over_time()?;
        let ((first, before), (second, after)) = self.two_releases(seen)?;
        let fits = |a: u32, b: u32| all_compatible(&first[a as usize], &second[b as usize]);
        let Ok((groups, evidence)) = inserted(&before, &after, &fits, self.least) else {
            return Err(Declined::because(DELETED));
        };
        let few = groups
            .iter()
            .filter(|group| !group.possible.is_empty() && group.possible.len() < self.least);
        let worst = few.take(MOST).map(|group| {
            let shown = plain(&second[group.group as usize]);
            json!({"group": shown, "values": seen.shown(group.possible.keys())})
        });
        Ok(self.finding(evidence, String::new(), worst.collect()))
    }

    /// The sensitive values of these rows, once for each person who has them.
    fn counted(&self, table: &Table, rows: &[u32], codes: &[u32]) -> Vec<u32> {
        let subject = self.subject.and_then(|name| table.column(name));
        let mut had = HashSet::new();
        let each = rows.iter().map(|&row| (row, codes[row as usize]));
        let counts = |&(row, value): &(u32, u32)| {
            subject.is_none_or(|subject| had.insert((subject.codes[row as usize], value)))
        };
        each.filter(counts).map(|(_, value)| value).collect()
    }

    /// Two releases with different columns, joined on those they share.
    pub(crate) fn joined(&self) -> Ran {
        let [first, second] = self.tables else {
            return Err(Declined::because("it joins two releases"));
        };
        // The side that shows the sensitive attribute goes right.
        let (left, right) = if second.column(self.sensitive).is_some() {
            (first, second)
        } else {
            (second, first)
        };
        let Some(secret) = right.column(self.sensitive) else {
            return Err(Declined::because(
                "no release shows the sensitive attribute",
            ));
        };
        let own = |table: &Table, other: &Table, shared: bool| -> Vec<String> {
            let names = table.columns().iter().map(|column| column.name.clone());
            names
                .filter(|name| name != self.sensitive && Some(name.as_str()) != self.subject)
                .filter(|name| other.column(name).is_some() == shared)
                .filter(|name| shared || (self.may_know)(name))
                .collect()
        };
        let shared = own(left, right, true);
        let (ours, theirs) = (own(left, right, false), own(right, left, false));
        if shared.is_empty() {
            return Err(Declined::because(
                "the releases share no column to join them on",
            ));
        }
        if ours.is_empty() && theirs.is_empty() {
            return Err(Declined::because(
                "neither release shows what the other does not",
            ));
        }
        let subject = |table: &Table| -> Option<Vec<u32>> {
            let column = table.column(self.subject?)?;
            Some(column.codes.clone())
        };
        let (left_shared, _, left_shown) = grouped(left, &shared);
        let (right_shared, _, right_shown) = grouped(right, &shared);
        let (left_quasi, _, left_texts) = grouped(left, &ours);
        let (right_quasi, _, right_texts) = grouped(right, &theirs);
        let relates =
            |a: u32, b: u32| all_compatible(&left_shown[a as usize], &right_shown[b as usize]);
        let least = self.least as u64;
        let (groups, evidence) = join(
            JoinedView {
                shared: &left_shared,
                quasi: &left_quasi,
                subject: subject(left).as_deref(),
            },
            JoinedView {
                shared: &right_shared,
                quasi: &right_quasi,
                subject: subject(right).as_deref(),
            },
            &secret.codes,
            &relates,
            least,
            1.0,
        )?;
        let told = groups
            .iter()
            .filter(|group| group.size < least || group.histogram.len() == 1);
        let worst = told.take(MOST).map(|group| {
            let mut shown = plain(&left_texts[group.left as usize]);
            shown.extend(plain(&right_texts[group.right as usize]));
            let values = group.histogram.keys();
            let mut values: Vec<&str> = values
                .map(|&code| secret.dictionary.text(code).unwrap_or(MISSING))
                .collect();
            values.sort_unstable();
            json!({"group": shown, "matches": group.size, "values": values})
        });
        Ok(self.finding(evidence, String::new(), worst.collect()))
    }
}

impl OverTime {
    fn of(scene: &ReleasesScene<'_>) -> Result<Self, Error> {
        let tables = scene.tables;
        let (codes, texts) = common_codes(tables, scene.sensitive);
        // Without a table of people everybody of the first release is looked for, once in every class they stand in.
        let mut own = None;
        if let (None, Some(numbers)) = (
            scene.external,
            scene.subject.and_then(|name| tables[0].column(name)),
        ) {
            let known = scene.quasi.iter().filter_map(|name| tables[0].column(name));
            let by: Vec<&Column> = std::iter::once(numbers).chain(known).collect();
            own = Some(one_row_each(&tables[0], &by)?);
        }
        let people = scene.external;
        let people = people.unwrap_or_else(|| own.as_ref().map_or(&tables[0], |(table, _)| table));
        let mut views = Vec::new();
        for (table, codes) in tables.iter().zip(&codes) {
            let (mut published, mut known, mut relations) = (Vec::new(), Vec::new(), Vec::new());
            for name in scene.quasi {
                let (Some(p), Some(e)) = (table.column(name), people.column(name)) else {
                    continue;
                };
                relations.push(if scene.external.is_some() {
                    let rows = scene.hierarchies.get(name).map_or(&[][..], Vec::as_slice);
                    Covers::of_texts(rows, name, &p.dictionary, &e.dictionary)?
                } else {
                    Covers::of_releases(&p.dictionary, &e.dictionary)
                });
                published.push(p.codes.as_slice());
                known.push(e.codes.as_slice());
            }
            let linkage = Linkage::of(&published, &known, &relations)?;
            views.push(view(&linkage, codes));
        }
        let id = scene.id.and_then(|name| people.column(name));
        let name = |row: usize| {
            let record = own.as_ref().map_or(row, |(_, rows)| rows[row]) + 1;
            let named = id.and_then(|column| column.text(row));
            named.map_or_else(|| record.to_string(), str::to_owned)
        };
        Ok(Self {
            views,
            codes,
            texts,
            names: (0..people.records()).map(name).collect(),
        })
    }

    fn shown<'c>(&self, codes: impl Iterator<Item = &'c u32>) -> Vec<&str> {
        codes
            .map(|&code| self.texts[code as usize].as_str())
            .collect()
    }
}

/// Codes of the sensitive values that mean the same in all tables, and the texts of those codes.
fn common_codes(tables: &[Table], name: &str) -> (Vec<Vec<u32>>, Vec<String>) {
    let mut texts: Vec<String> = Vec::new();
    let mut known: HashMap<String, u32> = HashMap::new();
    let mut code = |text: Option<&str>| {
        let text = text.unwrap_or(MISSING).to_owned();
        *known.entry(text.clone()).or_insert_with(|| {
            texts.push(text);
            texts.len() as u32 - 1
        })
    };
    let columns = tables.iter().filter_map(|table| table.column(name));
    let codes = columns
        .map(|column| {
            (0..column.codes.len())
                .map(|row| code(column.text(row)))
                .collect()
        })
        .collect();
    (codes, texts)
}

/// One release as the adversary sees it: a person's group is everything that could be theirs.
fn view(linkage: &Linkage, codes: &[u32]) -> ReleaseView {
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
    ReleaseView { group_of, values }
}

/// Groups of records that are equal in these columns: that of each record, the records of each, and what each shows.
fn grouped(table: &Table, names: &[String]) -> (Vec<u32>, Vec<Vec<u32>>, Vec<Vec<Option<String>>>) {
    let columns: Vec<&Column> = names.iter().filter_map(|name| table.column(name)).collect();
    let codes: Vec<&[u32]> = columns
        .iter()
        .map(|column| column.codes.as_slice())
        .collect();
    let (of_row, rows) = group(&codes, table.records());
    let text = |column: &&Column, row: u32| column.text(row as usize).map(str::to_owned);
    let shown = rows
        .iter()
        .map(|rows| columns.iter().map(|column| text(column, rows[0])).collect());
    let shown = shown.collect();
    (of_row, rows, shown)
}

fn all_compatible(one: &[Option<String>], other: &[Option<String>]) -> bool {
    let mut both = one.iter().zip(other);
    both.all(|(a, b)| compatible(a.as_deref(), b.as_deref()))
}

fn plain(texts: &[Option<String>]) -> Vec<String> {
    texts
        .iter()
        .map(|text| text.clone().unwrap_or_default())
        .collect()
}
