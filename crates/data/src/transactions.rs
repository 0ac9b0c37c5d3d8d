//! Transactions: one set of items per subject, as codes.

use hashbrown::HashMap;

use crate::paths::PathsError;

/// Item sets of subjects in one list, with the items in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transactions {
    items: Vec<String>,
    starts: Vec<u32>,
    codes: Vec<u32>,
}

impl Transactions {
    /// Codes the item sets; a repeated item within a set counts once.
    pub fn from_labels<'a, Set>(sets: impl IntoIterator<Item = Set>) -> Result<Self, PathsError>
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
        Ok(Self {
            items,
            starts,
            codes,
        })
    }

    /// Assembles transactions from codes; each set must be strictly increasing.
    pub fn from_codes(
        items: Vec<String>,
        starts: Vec<u32>,
        codes: Vec<u32>,
    ) -> Result<Self, PathsError> {
        let framed = starts.first() == Some(&0)
            && starts.last().map(|&end| end as usize) == Some(codes.len())
            && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if !framed {
            return Err(PathsError::BadCodes);
        }
        for (row, pair) in starts.windows(2).enumerate() {
            let set = &codes[pair[0] as usize..pair[1] as usize];
            let increasing = set.windows(2).all(|two| two[0] < two[1]);
            if !increasing || set.last().is_some_and(|&code| code as usize >= items.len()) {
                return Err(PathsError::BadRecord { row });
            }
        }
        Ok(Self {
            items,
            starts,
            codes,
        })
    }

    /// Number of transactions.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Label of each item code.
    pub fn items(&self) -> &[String] {
        &self.items
    }

    /// The item codes of one transaction, increasing.
    pub fn set(&self, row: usize) -> &[u32] {
        &self.codes[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// All transactions in source order.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &[u32]> + Clone {
        self.starts
            .windows(2)
            .map(|pair| &self.codes[pair[0] as usize..pair[1] as usize])
    }

    /// Number of items over all transactions.
    pub fn instances(&self) -> usize {
        self.codes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_counts_each_item_once() {
        let table =
            Transactions::from_labels([vec!["milk", "bread", "milk"], vec![], vec!["bread"]])
                .expect("fits");
        assert_eq!(table.items(), ["milk", "bread"]);
        assert_eq!(table.set(0), [0, 1]);
        assert_eq!(table.set(1), &[] as &[u32]);
        assert_eq!(table.set(2), [1]);
        assert_eq!(table.instances(), 3);
    }
}
