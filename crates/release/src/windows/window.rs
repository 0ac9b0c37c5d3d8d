//! A published window: the distinct (path, sensitive values) with how many subjects have each; or what changed.
//!
//! Subjects have no name and no number here, and records stand in the order of their content, so two
//! windows are linked by nothing but what they show. A line of JSON is the form that is hashed.

use std::collections::BTreeMap;
use std::fmt::Write;

use denym_data::paths::{Attribute, Doublet, Paths};
use serde::{Deserialize, Serialize};

use super::judge::{self, Asked};
use crate::Error;

/// A published doublet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// When.
    pub time: i64,
    /// Where.
    pub location: String,
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_time = self.time.cmp(&other.time);
        by_time.then_with(|| label_order(&self.location, &other.location))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Place {
    fn label(&self) -> String {
        format!("{}@{}", self.location, self.time)
    }

    fn parse(label: &str) -> Option<Self> {
        let (location, time) = label.rsplit_once('@')?;
        Some(Self {
            time: time.parse().ok()?,
            location: location.to_owned(),
        })
    }
}

/// Subjects that show the same path and the same sensitive values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Indices into [`Window::places`], in time order.
    pub path: Vec<u32>,
    /// Index into [`Window::profiles`].
    pub profile: u32,
    /// How many subjects.
    pub count: u64,
}

/// A whole window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its number on the grid of windows, from 1.
    pub number: u64,
    /// First timestamp.
    pub from: i64,
    /// Last timestamp.
    pub to: i64,
    /// Names of the sensitive attributes.
    pub attributes: Vec<String>,
    /// The doublets it shows, by time, then location.
    pub places: Vec<Place>,
    /// The distinct combinations of sensitive values, sorted.
    pub profiles: Vec<Vec<String>>,
    /// By path, then profile.
    pub records: Vec<Record>,
}

/// More subjects than people who ever lived: a line that says so is no window, and could not be counted.
const MOST_SUBJECTS: u64 = 1 << 40;

/// A record in full: path, sensitive values.
type Content = (Vec<Place>, Vec<String>);

impl Window {
    /// Subjects in it.
    pub fn subjects(&self) -> u64 {
        self.records.iter().map(|record| record.count).sum()
    }

    /// Doublets shown, over all subjects.
    pub fn doublets(&self) -> u64 {
        let shown = |record: &Record| record.path.len() as u64 * record.count;
        self.records.iter().map(shown).sum()
    }

    /// One line of JSON, the same for the same window.
    pub fn line(&self) -> String {
        let places: Vec<String> = self.places.iter().map(|p| quoted(&p.label())).collect();
        let profiles: Vec<String> = self.profiles.iter().map(|p| list(p)).collect();
        let mut out = String::with_capacity(64 + self.records.len() * 64);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{{\"window\":{},\"from\":{},\"to\":{},\"attributes\":{},\"records\":[",
            self.number,
            self.from,
            self.to,
            list(&self.attributes)
        );
        for (at, record) in self.records.iter().enumerate() {
            out.push_str(if at == 0 {
                "{\"path\":["
            } else {
                ",{\"path\":["
            });
            for (at, &place) in record.path.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&places[place as usize]);
            }
            let profile = &profiles[record.profile as usize];
            let _ = write!(
                out,
                "],\"sensitive\":{profile},\"count\":{}}}",
                record.count
            );
        }
        out.push_str("]}");
        out
    }

    /// Reads a line back.
    pub fn from_line(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Line {
            window: u64,
            from: i64,
            to: i64,
            attributes: Vec<String>,
            records: Vec<LineRecord>,
        }
        #[derive(Deserialize)]
        struct LineRecord {
            path: Vec<String>,
            sensitive: Vec<String>,
            count: u64,
        }
        let line: Line = serde_json::from_str(line).ok()?;
        let mut contents = BTreeMap::new();
        let mut subjects = 0_u64;
        for record in line.records {
            subjects = subjects.checked_add(record.count)?;
            let path: Option<Vec<Place>> = record.path.iter().map(|l| Place::parse(l)).collect();
            let path = path.filter(|path| path.windows(2).all(|two| two[0].time < two[1].time))?;
            if record.sensitive.len() != line.attributes.len() {
                return None;
            }
            *contents.entry((path, record.sensitive)).or_insert(0) += record.count;
        }
        if subjects > MOST_SUBJECTS {
            return None;
        }
        Some(Self::assemble(
            line.window,
            line.from,
            line.to,
            line.attributes,
            contents,
        ))
    }

    /// The window of a line, put together with the window before it if the line is a difference, and whether it is one.
    pub fn of_line(line: &str, before: Option<&Window>) -> Result<(Window, bool), &'static str> {
        if let Some(window) = Window::from_line(line) {
            return Ok((window, false));
        }
        let delta = Delta::from_line(line).ok_or("the line is no window")?;
        let before = before.ok_or("the window is a difference to one that is not here")?;
        let whole = delta.apply(before);
        let whole =
            whole.map_err(|_| "the window is a difference to another than the one before it")?;
        Ok((whole, true))
    }

    /// Puts records in their order.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the contents belong to the window"
    )]
    pub fn assemble(
        number: u64,
        from: i64,
        to: i64,
        attributes: Vec<String>,
        contents: BTreeMap<Content, u64>,
    ) -> Self {
        let live = || contents.iter().filter(|(_, count)| **count > 0);
        let mut places: Vec<Place> = live().flat_map(|((path, _), _)| path).cloned().collect();
        places.sort();
        places.dedup();
        let mut profiles: Vec<Vec<String>> = live().map(|((_, p), _)| p.clone()).collect();
        profiles.sort();
        profiles.dedup();
        let id = |place: &Place| places.binary_search(place).unwrap_or(0) as u32;
        let mut records: Vec<Record> = live()
            .map(|((path, profile), &count)| Record {
                path: path.iter().map(id).collect(),
                profile: profiles.binary_search(profile).unwrap_or(0) as u32,
                count,
            })
            .collect();
        records.sort_by(|a, b| (&a.path, a.profile).cmp(&(&b.path, b.profile)));
        Self {
            number,
            from,
            to,
            attributes,
            places,
            profiles,
            records,
        }
    }

    /// Keeps only the combinations of sensitive values that some record has.
    pub fn drop_unused_profiles(&mut self) {
        let mut used = vec![false; self.profiles.len()];
        for record in &self.records {
            used[record.profile as usize] = true;
        }
        let mut new = vec![0; used.len()];
        let kept = (0..used.len()).filter(|&profile| used[profile]);
        for (number, profile) in (0..).zip(kept) {
            new[profile] = number;
        }
        for record in &mut self.records {
            record.profile = new[record.profile as usize];
        }
        let mut used = used.into_iter();
        self.profiles.retain(|_| used.next() == Some(true));
    }

    /// Records in full, without the places before `from`.
    fn contents(&self, from: i64) -> BTreeMap<Content, i64> {
        let mut contents = BTreeMap::new();
        for record in &self.records {
            let places = record.path.iter().map(|&at| &self.places[at as usize]);
            let path: Vec<Place> = places.filter(|p| p.time >= from).cloned().collect();
            let profile = self.profiles[record.profile as usize].clone();
            *contents.entry((path, profile)).or_insert(0) += record.count.cast_signed();
        }
        contents
    }

    /// One record per subject, for a judge that counts for itself.
    pub fn to_paths(&self, asked: &Asked<'_>) -> Result<Paths, Error> {
        let all: Vec<(&[u32], u32, u64)> = self
            .records
            .iter()
            .map(|record| (record.path.as_slice(), record.profile, record.count))
            .collect();
        to_paths(&self.places, &self.attributes, &self.profiles, &all, asked)
    }
}

/// Codes records as paths with one record per subject; attributes have the codes of [`Asked::attribute`].
pub fn to_paths(
    places: &[Place],
    attributes: &[String],
    profiles: &[Vec<String>],
    records: &[(&[u32], u32, u64)],
    asked: &Asked<'_>,
) -> Result<Paths, Error> {
    let mut times: Vec<i64> = places.iter().map(|place| place.time).collect();
    times.dedup();
    let mut locations: Vec<&str> = places.iter().map(|p| p.location.as_str()).collect();
    locations.sort_by(|a, b| label_order(a, b));
    locations.dedup();
    let doublets = places
        .iter()
        .map(|place| Doublet {
            time: times.binary_search(&place.time).unwrap_or(0) as u32,
            location: locations
                .binary_search_by(|known| label_order(known, &place.location))
                .unwrap_or(0) as u32,
        })
        .collect();
    let (mut starts, mut items) = (vec![0u32], Vec::new());
    let mut codes: Vec<Vec<u32>> = vec![Vec::new(); attributes.len()];
    let mut labels: Vec<Vec<String>> = Vec::new();
    let mut code_of: Vec<Vec<u32>> = Vec::new();
    for at in 0..attributes.len() {
        let name = &attributes[at];
        let own = asked.attribute(name, profiles.iter().map(|p| p[at].as_str()));
        let known = judge::codes(&own);
        code_of.push(profiles.iter().map(|p| known[p[at].as_str()]).collect());
        let texts = own.values.into_iter().map(Option::unwrap_or_default);
        labels.push(texts.collect());
    }
    for &(path, profile, count) in records {
        for _ in 0..count {
            items.extend_from_slice(path);
            starts.push(items.len() as u32);
        }
        for (codes, code_of) in codes.iter_mut().zip(&code_of) {
            codes.extend(std::iter::repeat_n(
                code_of[profile as usize],
                count as usize,
            ));
        }
    }
    let mut paths = Paths::from_codes(
        locations.into_iter().map(str::to_owned).collect(),
        times.iter().map(i64::to_string).collect(),
        doublets,
        starts,
        items,
    )?;
    for ((name, values), codes) in attributes.iter().zip(labels).zip(codes) {
        paths = paths.with_sensitive(Attribute {
            name: name.clone(),
            values,
            codes,
        })?;
    }
    Ok(paths)
}

/// More or fewer subjects with one content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The path, in time order.
    pub path: Vec<Place>,
    /// The sensitive values.
    pub sensitive: Vec<String>,
    /// Subjects more (or, below zero, fewer) than in the base.
    pub gained: i64,
}

/// What changed since the window published before, once its outdated doublets are dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delta {
    /// Number of the window.
    pub number: u64,
    /// Number of the window it is against.
    pub base: u64,
    /// First timestamp; what the base shows before it is dropped.
    pub from: i64,
    /// Last timestamp.
    pub to: i64,
    /// By content.
    pub changes: Vec<Change>,
}

impl Delta {
    /// The difference between two windows.
    pub fn between(base: &Window, window: &Window) -> Self {
        let mut difference = window.contents(window.from);
        for (content, count) in base.contents(window.from) {
            *difference.entry(content).or_insert(0) -= count;
        }
        let changes = difference
            .into_iter()
            .filter(|(_, gained)| *gained != 0)
            .map(|((path, sensitive), gained)| Change {
                path,
                sensitive,
                gained,
            })
            .collect();
        Self {
            number: window.number,
            base: base.number,
            from: window.from,
            to: window.to,
            changes,
        }
    }

    /// The window that follows from its base.
    pub fn apply(&self, base: &Window) -> Result<Window, Error> {
        if base.number != self.base {
            return Err(Error::OtherBase {
                base: self.base,
                found: base.number,
            });
        }
        let mut contents = base.contents(self.from);
        for change in &self.changes {
            let content = (change.path.clone(), change.sensitive.clone());
            let count = contents.entry(content).or_insert(0);
            *count = count.saturating_add(change.gained);
        }
        let contents = contents
            .into_iter()
            .map(|(content, count)| (content, count.max(0).cast_unsigned()))
            .collect();
        let attributes = base.attributes.clone();
        Ok(Window::assemble(
            self.number,
            self.from,
            self.to,
            attributes,
            contents,
        ))
    }

    /// One line of JSON.
    pub fn line(&self) -> String {
        let mut out = format!(
            "{{\"window\":{},\"base\":{},\"from\":{},\"to\":{},\"changes\":[",
            self.number, self.base, self.from, self.to
        );
        for (at, change) in self.changes.iter().enumerate() {
            let path: Vec<String> = change.path.iter().map(Place::label).collect();
            let _ = write!(
                out,
                "{}{{\"path\":{},\"sensitive\":{},\"gained\":{}}}",
                if at == 0 { "" } else { "," },
                list(&path),
                list(&change.sensitive),
                change.gained
            );
        }
        out.push_str("]}");
        out
    }

    /// Reads a line back.
    pub fn from_line(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Line {
            window: u64,
            base: u64,
            from: i64,
            to: i64,
            changes: Vec<LineChange>,
        }
        #[derive(Deserialize)]
        struct LineChange {
            path: Vec<String>,
            sensitive: Vec<String>,
            gained: i64,
        }
        let line: Line = serde_json::from_str(line).ok()?;
        let changes: Option<Vec<Change>> = line
            .changes
            .into_iter()
            .map(|change| {
                let path: Option<Vec<Place>> =
                    change.path.iter().map(|l| Place::parse(l)).collect();
                Some(Change {
                    path: path?,
                    sensitive: change.sensitive,
                    gained: change.gained,
                })
            })
            .collect();
        Some(Self {
            number: line.window,
            base: line.base,
            from: line.from,
            to: line.to,
            changes: changes?,
        })
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(texts: &[String]) -> String {
    serde_json::Value::from(texts).to_string()
}

/// Whole numbers by value, before texts by content: the order of a table of paths when all are of one kind.
pub fn label_order(a: &str, b: &str) -> std::cmp::Ordering {
    match (a.parse::<i64>(), b.parse::<i64>()) {
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => std::cmp::Ordering::Less,
        (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}
