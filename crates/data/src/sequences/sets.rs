//! Transactions: one set of items per subject; an item is a doublet without a time.

use hashbrown::HashMap;

use super::{Doublet, PathsError, Sequences};

impl Sequences {
    /// Codes item sets, with the items in order of first appearance; a repeated item within a set counts once.
    pub fn of_sets<'a, Set>(sets: impl IntoIterator<Item = Set>) -> Result<Self, PathsError>
    where
        Set: IntoIterator<Item = &'a str>,
    {
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut items = Vec::new();
        let mut starts = vec![0];
        let mut codes: Vec<u32> = Vec::new();
        for set in sets {
            let begin = codes.len();
            for label in set {
                let code = *known.entry(label).or_insert_with(|| {
                    items.push(label.to_owned());
                    items.len() as u32 - 1
                });
                codes.push(code);
            }
            codes[begin..].sort_unstable();
            let mut kept = begin;
            for index in begin..codes.len() {
                if kept == begin || codes[kept - 1] != codes[index] {
                    codes[kept] = codes[index];
                    kept += 1;
                }
            }
            codes.truncate(kept);
            starts.push(u32::try_from(kept).map_err(|_| PathsError::TooMany { what: "items" })?);
        }
        Self::of_items(items, starts, codes)
    }

    /// Assembles item sets from codes; each set must be strictly increasing.
    pub fn of_items(
        items: Vec<String>,
        starts: Vec<u32>,
        codes: Vec<u32>,
    ) -> Result<Self, PathsError> {
        let alone = |location| Doublet { time: 0, location };
        let doublets = (0..items.len() as u32).map(alone).collect();
        Self::from_codes(items, vec![String::new()], doublets, starts, codes)
    }

    /// Whether the records are sets: no item has a time.
    pub fn has_no_times(&self) -> bool {
        self.times().iter().all(String::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_counts_each_item_once() {
        let table = Sequences::of_sets([vec!["milk", "bread", "milk"], vec![], vec!["bread"]])
            .expect("fits");
        assert_eq!(table.locations(), ["milk", "bread"]);
        assert_eq!(table.record(0), [0, 1]);
        assert_eq!(table.record(1), &[] as &[u32]);
        assert_eq!(table.record(2), [1]);
        assert_eq!(table.instances(), 3);
        assert!(table.has_no_times());
        assert_eq!(table.label(1), "bread");
    }
}
