//! People looked up in a release: those of an external table, or everybody in it by what it shows of them.

use std::collections::{BTreeMap, HashSet};

use denym_data::{Column, HierarchyRow, Table};
use serde_json::{Value, json};

use super::scene::sensitive_columns;
use super::{
    Attacked, Covers, Lineup, Linkage, LinkedPeople, SourceNumbers, TableScene, Wish,
    numbered_apart,
};
use crate::attacks::presence::presence;
use crate::catalogue::entry;
use crate::control::Comparison;
use crate::minimality::Originals;
use crate::{Controlled, Error, Finding, RedTeam, Run, Scene, red_team};

/// People, and the columns that say of them what the release says.
#[derive(Debug, Clone)]
pub struct People<'a> {
    /// One record each.
    pub table: &'a Table,
    /// The column of each quasi-identifier of the release.
    pub known: Vec<usize>,
    /// The column of each sensitive attribute of the release, where there is one.
    pub sensitive: Vec<Option<usize>>,
}

/// A release, and what the adversary has and wants.
pub struct Lookup<'a> {
    /// The release; its quasi-identifiers are what is known of people.
    pub shown: Attacked<'a>,
    /// Names of the sensitive attributes, in the order of its roles.
    pub sensitive: &'a [String],
    /// Why there is none, in words, where that is so.
    pub no_sensitive: &'static str,
    /// A table of people; everybody in the release by what it shows of them without it.
    pub external: Option<People<'a>>,
    /// People of the same kind who are not in the data.
    pub control: Option<People<'a>>,
    /// The external column that names people.
    pub id: Option<&'a Column>,
    /// Hierarchies that explain generalized values, by attribute.
    pub hierarchies: &'a BTreeMap<String, Vec<HierarchyRow>>,
    /// The most quasi-identifiers that the adversary knows; all of them when `None`.
    pub at_most: Option<usize>,
    /// How much the adversary asks of an attack.
    pub wish: Wish,
    /// What the adversary is taken to know, in words.
    pub knows: String,
    /// The source's numbers and the written ones.
    pub numbers: Result<SourceNumbers, String>,
    /// What the search makes of other originals.
    pub originals: Result<Originals<'a>, String>,
    /// Whether people are named.
    pub victims: bool,
    /// Attempts of the attacks that draw.
    pub attempts: u64,
    /// Seed of the draws.
    pub seed: u64,
}

/// What looking people up in a table found.
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleFound {
    /// Records of the release, and people looked up.
    pub sizes: (usize, usize),
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
    /// What the attacks found, and those that were not run.
    pub team: RedTeam,
    /// People, worst first, when they were asked for: who, the records that could be theirs, the chance of being there, what follows.
    pub victims: Vec<Value>,
}

impl PeopleFound {
    /// The attacks that were compared with people who are not in the data: what each was after, and the comparison.
    pub fn compared(&self) -> Vec<(Option<String>, Controlled)> {
        let findings = self.team.findings.iter();
        let compared = findings.filter_map(|found| {
            let held_out = found.held_out.clone()?;
            let controlled = Controlled::new(found.after.clone(), held_out);
            Some((found.attribute.clone(), controlled))
        });
        compared.collect()
    }
}

/// The most people that are named.
const MOST_VICTIMS: usize = 1000;

impl Lookup<'_> {
    /// Looks everybody up and runs every attack.
    ///
    /// # Errors
    ///
    /// When the tables do not fit together.
    pub fn run(self) -> Result<PeopleFound, Error> {
        let (release, roles) = (self.shown.table, &self.shown.roles);
        // Without a table of people everybody of the release is looked for, once in every class they stand in.
        let subject = roles.subject.map(|at| &release.columns()[at]);
        let own = match (subject, &self.external) {
            (Some(subject), None) => {
                let known = roles.quasi.iter().map(|&at| &release.columns()[at]);
                let by: Vec<&Column> = std::iter::once(subject).chain(known).collect();
                Some(one_row_each(release, &by)?)
            }
            _ => None,
        };
        let people = self.external.clone().unwrap_or_else(|| People {
            table: own.as_ref().map_or(release, |(table, _)| table),
            known: roles.quasi.clone(),
            sensitive: roles.sensitive.iter().copied().map(Some).collect(),
        });
        let linkage = self.linkage(&people)?;
        let counts = linkage.candidate_counts();
        let apart;
        let mut shown = self.shown.clone();
        if self.at_most.is_some() && self.external.is_none() {
            apart = numbered_apart(&shown)?;
            shown.table = &apart;
        }
        let held = match &self.control {
            Some(control) => Some(HeldOut::new(&self, &people, control)?),
            None => None,
        };
        let slices = held.as_ref().map(HeldOut::slices);
        let scene = TableScene {
            at_most: self.at_most,
            wish: self.wish,
            linked: self.external.as_ref().map(|_| LinkedPeople {
                linkage: &linkage,
                knows: self.knows.clone(),
            }),
            control: slices.as_ref().map(|held| held.comparison(&self)),
            numbers: self.numbers.as_ref().map_err(Clone::clone),
            originals: self.originals.as_ref().map_err(Clone::clone),
            seed: self.seed,
            ..TableScene::new(shown, self.sensitive, self.no_sensitive)
        };
        let team = red_team(&Scene::Table(&scene))?;
        let victims = if self.victims {
            let rows = own.as_ref().map(|(_, rows)| rows.as_slice());
            self.named(&linkage, &counts, rows)?
        } else {
            Vec::new()
        };
        let mut candidates: BTreeMap<u64, u64> = BTreeMap::new();
        for &count in &counts {
            *candidates.entry(count).or_insert(0) += 1;
        }
        let with = |wanted: fn(u64) -> bool| counts.iter().filter(|&&n| wanted(n)).count() as u64;
        Ok(PeopleFound {
            sizes: (release.records(), people.table.records()),
            matched: with(|count| count > 0),
            certain: with(|count| count == 1),
            expected: linkage.expected(),
            fewest: counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0),
            candidates,
            notes: self.notes(&team),
            team,
            victims,
        })
    }

    /// Who could be where.
    fn linkage(&self, people: &People<'_>) -> Result<Linkage, Error> {
        let (release, roles) = (self.shown.table, &self.shown.roles);
        let (mut published, mut known, mut relations) = (Vec::new(), Vec::new(), Vec::new());
        for (&ours, &theirs) in roles.quasi.iter().zip(&people.known) {
            let (p, e) = (&release.columns()[ours], &people.table.columns()[theirs]);
            relations.push(match self.external {
                None => Covers::equal(p.dictionary.len()),
                Some(_) => self.covers(p, e)?,
            });
            published.push(p.codes.as_slice());
            known.push(e.codes.as_slice());
        }
        let linkage = Linkage::of(&published, &known, &relations)?;
        match roles.subject {
            Some(at) => linkage.with_subjects(&release.columns()[at].codes),
            None => Ok(linkage),
        }
    }

    /// Which external values the published ones may stand for.
    fn covers(&self, published: &Column, external: &Column) -> Result<Covers, Error> {
        let name = &published.name;
        let rows = self.hierarchies.get(name).map_or(&[][..], Vec::as_slice);
        Covers::of_texts(rows, name, &published.dictionary, &external.dictionary)
    }

    fn notes(&self, team: &RedTeam) -> Vec<String> {
        let mut notes = Vec::new();
        if self.sensitive.is_empty() {
            notes.push(
                "nothing was inferred: no sensitive attribute is named; say which with --sensitive"
                    .to_owned(),
            );
        }
        for name in self.wish.within.iter().flat_map(|_| self.sensitive) {
            let tried = |found: &Finding| {
                found.attack == "proximity" && found.attribute.as_ref() == Some(name)
            };
            if !team.findings.iter().any(tried) {
                notes.push(format!(
                    "proximity on `{name}` was not tried: not all its values are numbers, or they are all the same"
                ));
            }
        }
        notes
    }

    /// People by how few candidates they have; those of whom something follows first among equals. `rows` are theirs in the release.
    fn named(
        &self,
        linkage: &Linkage,
        counts: &[u64],
        rows: Option<&[usize]>,
    ) -> Result<Vec<Value>, Error> {
        let mut inferred = self.inferred(linkage)?;
        let (chances, _) = presence(linkage, 1.0);
        let mut order: Vec<usize> = (0..counts.len()).filter(|&at| counts[at] > 0).collect();
        order.sort_by_key(|&person| {
            let told = inferred.contains_key(&(person as u32));
            (counts[person], !told, person)
        });
        let named = order.into_iter().take(MOST_VICTIMS).map(|person| {
            let record = rows.map_or(person, |rows| rows[person]) + 1;
            let name = self.id.and_then(|column| column.text(person));
            let candidates = linkage.candidates(person);
            json!({
                "person": name.map_or_else(|| record.to_string(), str::to_owned),
                "candidates": candidates.iter().map(|row| row + 1).collect::<Vec<u32>>(),
                "presence": chances[person],
                "inferred": inferred.remove(&(person as u32)).unwrap_or_default(),
            })
        });
        Ok(named.collect())
    }

    /// What follows of whom, by the homogeneity attack.
    fn inferred(&self, linkage: &Linkage) -> Result<BTreeMap<u32, Vec<Value>>, Error> {
        let mut inferred: BTreeMap<u32, Vec<Value>> = BTreeMap::new();
        let Some(Run::Candidates { told, .. }) = entry("homogeneity").map(|entry| entry.run) else {
            return Ok(inferred);
        };
        let columns = sensitive_columns(&self.shown);
        let lineup = Lineup::linked(linkage, &columns, self.shown.group_codes())?;
        for (at, name) in self.sensitive.iter().enumerate() {
            let found = lineup.told(told, Some(at), &self.wish);
            for (person, told) in lineup.of_each(&found) {
                let text = told.value.and_then(|code| columns[at].1.get(code as usize));
                inferred.entry(person).or_default().push(json!({
                    "attribute": name, "value": text.copied().flatten(), "confidence": told.sure,
                }));
            }
        }
        Ok(inferred)
    }
}

/// The rows of `table` that differ from all before them in `columns`, one for each person, and which rows these are.
///
/// # Errors
///
/// When the table's columns do not fit together.
pub(crate) fn one_row_each(
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

/// Members and people who are not in the data, in the codes of one relation per column: what is known first, then the secrets.
struct HeldOut {
    /// Published, members', others'.
    columns: [Vec<Vec<u32>>; 3],
    relations: Vec<Covers>,
    known: usize,
    secrets: Vec<String>,
}

/// The same, borrowed.
struct HeldOutSlices<'a> {
    columns: [Vec<&'a [u32]>; 3],
    held: &'a HeldOut,
}

impl HeldOut {
    fn new(lookup: &Lookup<'_>, members: &People<'_>, others: &People<'_>) -> Result<Self, Error> {
        let roles = &lookup.shown.roles;
        let known = roles
            .quasi
            .iter()
            .zip(members.known.iter().zip(&others.known));
        let mut triples: Vec<(usize, usize, usize)> = known
            .map(|(&ours, (&member, &other))| (ours, member, other))
            .collect();
        let mut held = Self {
            columns: [Vec::new(), Vec::new(), Vec::new()],
            relations: Vec::new(),
            known: triples.len(),
            secrets: Vec::new(),
        };
        for (at, &ours) in roles.sensitive.iter().enumerate() {
            if let (Some(member), Some(other)) = (members.sensitive[at], others.sensitive[at]) {
                held.secrets.push(lookup.sensitive[at].clone());
                triples.push((ours, member, other));
            }
        }
        for (ours, member, other) in triples {
            let published = &lookup.shown.table.columns()[ours];
            let (m, h) = (
                &members.table.columns()[member],
                &others.table.columns()[other],
            );
            // Both kinds of people over one dictionary, so that one relation serves both.
            let texts = (0..m.codes.len()).map(|row| m.text(row));
            let texts = texts.chain((0..h.codes.len()).map(|row| h.text(row)));
            let both = Column::from_texts(&m.name, texts);
            held.relations.push(lookup.covers(published, &both)?);
            let (m, h) = both.codes.split_at(m.codes.len());
            let [shown, ours, theirs] = &mut held.columns;
            shown.push(published.codes.clone());
            ours.push(m.to_vec());
            theirs.push(h.to_vec());
        }
        Ok(held)
    }

    fn slices(&self) -> HeldOutSlices<'_> {
        let columns = self.columns.each_ref();
        HeldOutSlices {
            columns: columns.map(|columns| columns.iter().map(Vec::as_slice).collect()),
            held: self,
        }
    }
}

impl HeldOutSlices<'_> {
    fn comparison(&self, lookup: &Lookup<'_>) -> (Comparison<'_>, Vec<String>) {
        let comparison = Comparison {
            known: self.held.known,
            published: &self.columns[0],
            covers: &self.held.relations,
            members: &self.columns[1],
            held_out: &self.columns[2],
            attempts: lookup.attempts,
            seed: lookup.seed,
        };
        (comparison, self.held.secrets.clone())
    }
}
