//! The long form: one row per event (subject, location, time), grouped into paths.

use hashbrown::HashMap;

use super::builder::PathsBuilder;
use super::{PathsError, Sequences};

/// One row of the long form.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Who; rows of one subject may be anywhere in the table.
    pub subject: &'a str,
    /// Where.
    pub location: &'a str,
    /// When; compared as numbers when every time is an integer, else as text.
    pub time: &'a str,
}

/// What to do when a subject stays at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Repeats {
    /// Consecutive doublets at one place collapse to the entry time (Al-Hussaeni 2009, section 3.1).
    #[default]
    Collapse,
    /// Every event stays.
    Keep,
}

impl Sequences {
    /// Groups events by subject, in order of first appearance, and returns the paths with the
    /// event number of each subject's first row (for picking up its attributes).
    ///
    /// Two places at one time is an error that names the later of the two events.
    pub fn from_events<'a>(
        events: impl IntoIterator<Item = Event<'a>>,
        repeats: Repeats,
    ) -> Result<(Self, Vec<usize>), PathsError> {
        let mut builder = PathsBuilder::new();
        let mut subjects: HashMap<&str, usize> = HashMap::new();
        let mut first_row = Vec::new();
        let mut visits: Vec<Vec<(u32, usize)>> = Vec::new();
        for (row, event) in events.into_iter().enumerate() {
            let raw = builder.raw_doublet(event.location, event.time);
            let subject = *subjects.entry(event.subject).or_insert_with(|| {
                first_row.push(row);
                visits.push(Vec::new());
                visits.len() - 1
            });
            visits[subject].push((raw, row));
        }
        // Each visit becomes its own record first, so that `finish` gives the doublets their order.
        let mut rows = Vec::new();
        for subject in &visits {
            for &(raw, row) in subject {
                builder.begin_record()?;
                builder.add_raw(raw);
                rows.push(row);
            }
        }
        let coded = builder.finish()?;
        let mut starts = vec![0u32];
        let mut items = Vec::new();
        let mut next = 0;
        for subject in &visits {
            let mut path: Vec<(u32, usize)> = (next..next + subject.len())
                .map(|visit| (coded.record(visit)[0], rows[visit]))
                .collect();
            next += subject.len();
            path.sort_unstable();
            path.dedup_by_key(|(id, _)| *id);
            let doublets = coded.doublets();
            for two in path.windows(2) {
                if doublets[two[0].0 as usize].time == doublets[two[1].0 as usize].time {
                    return Err(PathsError::TwoPlaces {
                        row: two[0].1.max(two[1].1),
                    });
                }
            }
            let mut here = None;
            for &(id, _) in &path {
                let location = doublets[id as usize].location;
                if repeats == Repeats::Keep || here != Some(location) {
                    items.push(id);
                }
                here = Some(location);
            }
            starts.push(items.len() as u32);
        }
        let paths = Self::from_codes(
            coded.locations().to_vec(),
            coded.times().to_vec(),
            coded.doublets().to_vec(),
            starts,
            items,
        )?;
        Ok((paths.without_unused_doublets(), first_row))
    }

    /// The same records with a dictionary of only the doublets, locations and times that occur.
    #[must_use]
    pub fn without_unused_doublets(&self) -> Self {
        let mut used = vec![false; self.doublets.len()];
        for &item in &self.items {
            used[item as usize] = true;
        }
        let mut new_location = vec![u32::MAX; self.locations.len()];
        let mut new_time = vec![u32::MAX; self.times.len()];
        for (doublet, _) in self.doublets.iter().zip(&used).filter(|(_, used)| **used) {
            new_location[doublet.location as usize] = 0;
            new_time[doublet.time as usize] = 0;
        }
        let keep = |labels: &[String], new: &mut [u32]| {
            let mut kept = Vec::new();
            for (label, code) in labels.iter().zip(new) {
                if *code == 0 {
                    *code = kept.len() as u32;
                    kept.push(label.clone());
                }
            }
            kept
        };
        let locations = keep(&self.locations, &mut new_location);
        let times = keep(&self.times, &mut new_time);
        let mut new_id = vec![0u32; self.doublets.len()];
        let mut doublets = Vec::new();
        for (id, doublet) in self.doublets.iter().enumerate() {
            if used[id] {
                new_id[id] = doublets.len() as u32;
                doublets.push(super::Doublet {
                    time: new_time[doublet.time as usize],
                    location: new_location[doublet.location as usize],
                });
            }
        }
        Self {
            locations,
            times,
            doublets,
            starts: self.starts.clone(),
            items: self.items.iter().map(|&id| new_id[id as usize]).collect(),
            sensitive: self.sensitive.clone(),
            quasi: self.quasi.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events<'a>(rows: &'a [(&'a str, &'a str, &'a str)]) -> Vec<Event<'a>> {
        rows.iter()
            .map(|&(subject, location, time)| Event {
                subject,
                location,
                time,
            })
            .collect()
    }

    #[test]
    fn staying_collapses_to_the_entry_time() {
        // Al-Hussaeni 2009, section 3.1: b4 and b6 go, b8 stays.
        let rows = [
            ("x", "b", "8"),
            ("x", "a", "1"),
            ("x", "b", "3"),
            ("y", "a", "1"),
            ("x", "b", "4"),
            ("x", "b", "6"),
            ("x", "c", "7"),
        ];
        let (paths, first) =
            Sequences::from_events(events(&rows), Repeats::Collapse).expect("paths");
        assert_eq!(paths.cell(0), "a1>b3>c7>b8");
        assert_eq!(paths.cell(1), "a1");
        assert_eq!(first, [0, 3]);
        assert_eq!(paths.id_of("b", "4"), None);
        let (kept, _) = Sequences::from_events(events(&rows), Repeats::Keep).expect("paths");
        assert_eq!(kept.cell(0), "a1>b3>b4>b6>c7>b8");
    }

    #[test]
    fn two_places_at_one_time_name_the_row() {
        let rows = [("x", "a", "1"), ("y", "a", "1"), ("x", "secret", "1")];
        let error =
            Sequences::from_events(events(&rows), Repeats::Collapse).expect_err("two places");
        assert_eq!(error, PathsError::TwoPlaces { row: 2 });
        assert!(!format!("{error} {}", error.help()).contains("secret"));
    }
}
