//! People who fare alike: the same raw path, the same quasi-identifiers, and records that show the same.
//!
//! # Idea
//!
//! Whether an attack finds somebody depends on nothing else, so it is tried once on all of them. Records that show the same
//! are told apart by nobody and become one with a count. A release is sorted by what it shows: most records repeat the
//! one before, and need no look into a table.
//!
//! # Cost
//!
//! One comparison per record that repeats its neighbor, one hash per other; memory for the distinct ones and one number
//! per person and record.

use super::DoubletRows;
use hashbrown::HashMap;

/// Lists of doublets with a number beside each.
type Listed<'a> = (&'a [u32], (u32, u32));

/// People and records of a setting, each kind once; kinds of many come first.
#[derive(Debug, Clone)]
pub struct Alike {
    /// Raw paths.
    pub raw: DoubletRows,
    /// Published records.
    pub published: DoubletRows,
    /// The published record of each raw path, where it is known.
    pub own: Option<Vec<u32>>,
    /// Classes of both, as in [`super::Exposure`].
    pub classes: (Vec<u32>, Vec<u32>),
    /// How many of each there are.
    pub counts: (Vec<u32>, Vec<u32>),
    /// The kind of each person.
    pub kind_of_person: Vec<u32>,
    /// The kind of each record.
    pub kind_of_record: Vec<u32>,
    /// The first person of each kind.
    pub first: Vec<u32>,
}

impl Alike {
    /// Groups people and records; `own` is the record of each person, `classes` are numbers of equal quasi-identifiers.
    pub fn new<'a>(
        raw: impl ExactSizeIterator<Item = &'a [u32]>,
        published: impl ExactSizeIterator<Item = &'a [u32]>,
        own: Option<&[u32]>,
        classes: &(Vec<u32>, Vec<u32>),
    ) -> Self {
        let class = |of: &[u32], at: usize| of.get(at).copied().unwrap_or(0);
        let records = published.enumerate();
        let records = Kinds::new(records.map(|(at, list)| (list, (class(&classes.1, at), 0))));
        let shown = |at: usize| own.map_or(0, |own| records.kind_of[own[at] as usize]);
        let people = raw.enumerate();
        let people =
            Kinds::new(people.map(|(at, list)| (list, (class(&classes.0, at), shown(at)))));
        let with_classes = !(classes.0.is_empty() && classes.1.is_empty());
        let of_class = |kinds: &Kinds| -> Vec<u32> {
            let lists = kinds.lists.iter().filter(|_| with_classes);
            lists.map(|&(_, (class, _))| class).collect()
        };
        Self {
            raw: DoubletRows::new(people.lists.iter().map(|&(list, _)| list)),
            published: DoubletRows::new(records.lists.iter().map(|&(list, _)| list)),
            own: own.map(|_| people.lists.iter().map(|&(_, (_, shown))| shown).collect()),
            classes: (of_class(&people), of_class(&records)),
            counts: (people.counts, records.counts),
            kind_of_person: people.kind_of,
            kind_of_record: records.kind_of,
            first: people.first,
        }
    }
}

/// Distinct lists, those that come most often first (an attack counts these one by one), then in the order they come.
struct Kinds<'a> {
    lists: Vec<Listed<'a>>,
    counts: Vec<u32>,
    first: Vec<u32>,
    kind_of: Vec<u32>,
}

impl<'a> Kinds<'a> {
    fn new(all: impl ExactSizeIterator<Item = Listed<'a>>) -> Self {
        let mut known: HashMap<Listed<'a>, u32> = HashMap::new();
        let mut kinds = Self {
            lists: Vec::new(),
            counts: Vec::new(),
            first: Vec::new(),
            kind_of: Vec::with_capacity(all.len()),
        };
        let mut last: Option<(Listed<'a>, u32)> = None;
        for (at, one) in (0..).zip(all) {
            let kind = match last {
                Some((before, kind)) if before == one => kind,
                _ => *known.entry(one).or_insert_with(|| {
                    kinds.lists.push(one);
                    kinds.counts.push(0);
                    kinds.first.push(at);
                    kinds.lists.len() as u32 - 1
                }),
            };
            last = Some((one, kind));
            kinds.counts[kind as usize] += 1;
            kinds.kind_of.push(kind);
        }
        kinds.ordered()
    }

    fn ordered(mut self) -> Self {
        let mut order: Vec<usize> = (0..self.lists.len()).collect();
        order.sort_by_key(|&kind| std::cmp::Reverse(self.counts[kind]));
        let mut rank = vec![0; order.len()];
        for (place, &kind) in (0..).zip(&order) {
            rank[kind] = place;
        }
        for kind in &mut self.kind_of {
            *kind = rank[*kind as usize];
        }
        Self {
            lists: order.iter().map(|&kind| self.lists[kind]).collect(),
            counts: order.iter().map(|&kind| self.counts[kind]).collect(),
            first: order.iter().map(|&kind| self.first[kind]).collect(),
            kind_of: self.kind_of,
        }
    }
}
