//! Trails: for each subject, the sorted list of institutions that hold data of that subject.
//!
//! [`Trails`] is the coded form that attacks and defences work on: one row per subject, institutions as
//! numbers below [`Trails::institutions`], each row sorted and without repeats, all rows in one flat array.
//! [`NamedTrails`] is the form people bring: ids and institution names beside the same rows.

use std::collections::{BTreeSet, HashMap};

/// What can be wrong with trails given as numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrailsError {
    /// A row names an institution beyond the stated count.
    #[error(
        "trail {row} names institution number {institution}, but there are only {institutions}"
    )]
    UnknownInstitution {
        /// The row, from 0.
        row: usize,
        /// The institution number it names.
        institution: u32,
        /// How many institutions there are.
        institutions: usize,
    },
}

impl TrailsError {
    /// A stable name for the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownInstitution { .. } => "trails-unknown-institution",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::UnknownInstitution { institutions, .. } => {
                format!(
                    "number the institutions from 0 to {}",
                    institutions.saturating_sub(1)
                )
            }
        }
    }
}

/// Trails of many subjects as institution numbers: sorted rows without repeats, stored flat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trails {
    institutions: usize,
    offsets: Vec<usize>,
    visits: Vec<u32>,
}

impl Default for Trails {
    fn default() -> Self {
        Self {
            institutions: 0,
            offsets: vec![0],
            visits: Vec::new(),
        }
    }
}

impl Trails {
    /// Trails from rows of institution numbers in any order, repeats allowed.
    ///
    /// # Errors
    ///
    /// [`TrailsError::UnknownInstitution`] when a number is not below `institutions`.
    pub fn from_rows<R: AsRef<[u32]>>(
        institutions: usize,
        rows: impl IntoIterator<Item = R>,
    ) -> Result<Self, TrailsError> {
        let mut trails = Self {
            institutions,
            offsets: vec![0],
            visits: Vec::new(),
        };
        let mut sorted = Vec::new();
        for (row, list) in rows.into_iter().enumerate() {
            sorted.clear();
            sorted.extend_from_slice(list.as_ref());
            sorted.sort_unstable();
            sorted.dedup();
            if let Some(&institution) = sorted.last().filter(|&&last| last as usize >= institutions)
            {
                return Err(TrailsError::UnknownInstitution {
                    row,
                    institution,
                    institutions,
                });
            }
            trails.visits.extend_from_slice(&sorted);
            trails.offsets.push(trails.visits.len());
        }
        Ok(trails)
    }

    /// How many subjects there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many institutions the numbers range over.
    pub fn institutions(&self) -> usize {
        self.institutions
    }

    /// How many (subject, institution) entries there are in all.
    pub fn entries(&self) -> usize {
        self.visits.len()
    }

    /// The institutions of subject `row`, ascending.
    pub fn get(&self, row: usize) -> &[u32] {
        &self.visits[self.offsets[row]..self.offsets[row + 1]]
    }

    /// Every subject's institutions, in row order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.offsets.windows(2).map(|w| &self.visits[w[0]..w[1]])
    }

    /// Whether every institution of the ascending list `inner` is in the ascending list `outer`.
    pub fn is_subtrail(inner: &[u32], outer: &[u32]) -> bool {
        if inner.len() > outer.len() {
            return false;
        }
        let mut rest = outer.iter();
        inner.iter().all(|wanted| {
            rest.by_ref()
                .find(|&&have| have >= *wanted)
                .is_some_and(|have| have == wanted)
        })
    }
}

/// Trails with the names people use: ids in order of first appearance, institutions in name order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedTrails {
    /// One id per row of `trails`.
    pub ids: Vec<String>,
    /// One name per institution number.
    pub institutions: Vec<String>,
    /// The rows.
    pub trails: Trails,
}

impl NamedTrails {
    /// Trails from `(id, institution)` pairs in any order, repeats allowed.
    pub fn from_pairs<I: AsRef<str>, J: AsRef<str>>(pairs: &[(I, J)]) -> Self {
        let names: BTreeSet<&str> = pairs
            .iter()
            .map(|(_, institution)| institution.as_ref())
            .collect();
        Self::coded(pairs, names.into_iter().map(str::to_owned).collect())
    }

    /// Two sets of trails over one common institution list, as an attack needs them; an empty name is no institution.
    pub fn pair<I: AsRef<str>, J: AsRef<str>>(first: &[(I, J)], second: &[(I, J)]) -> (Self, Self) {
        let names: BTreeSet<&str> = first
            .iter()
            .chain(second)
            .map(|(_, institution)| institution.as_ref())
            .filter(|name| !name.is_empty())
            .collect();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        (
            Self::coded(first, names.clone()),
            Self::coded(second, names),
        )
    }

    fn coded<I: AsRef<str>, J: AsRef<str>>(pairs: &[(I, J)], institutions: Vec<String>) -> Self {
        let mut row_of: HashMap<&str, usize> = HashMap::new();
        let mut ids: Vec<String> = Vec::new();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for (id, institution) in pairs {
            let row = *row_of.entry(id.as_ref()).or_insert_with(|| {
                ids.push(id.as_ref().to_owned());
                rows.push(Vec::new());
                rows.len() - 1
            });
            // `institutions` holds every name of `pairs`, sorted.
            if let Ok(code) =
                institutions.binary_search_by(|name| name.as_str().cmp(institution.as_ref()))
            {
                rows[row].push(code as u32);
            }
        }
        let mut trails = Trails {
            institutions: institutions.len(),
            offsets: vec![0],
            visits: Vec::new(),
        };
        for mut row in rows {
            row.sort_unstable();
            row.dedup();
            trails.visits.extend_from_slice(&row);
            trails.offsets.push(trails.visits.len());
        }
        Self {
            ids,
            institutions,
            trails,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_sorted_rows_over_one_institution_list() {
        let anonymous = [("x", "store"), ("y", "bank"), ("x", "bank"), ("x", "store")];
        let identified = [("Ann", "clinic"), ("Ann", "bank")];
        let (a, b) = NamedTrails::pair(&anonymous, &identified);
        assert_eq!(a.institutions, ["bank", "clinic", "store"]);
        assert_eq!(a.institutions, b.institutions);
        assert_eq!(a.ids, ["x", "y"]);
        assert_eq!(a.trails.iter().collect::<Vec<_>>(), [&[0, 2][..], &[0]]);
        assert_eq!(b.trails.get(0), [0, 1]);
        assert_eq!((a.trails.len(), a.trails.entries()), (2, 3));
        assert_eq!(
            NamedTrails::from_pairs(&identified).institutions,
            ["bank", "clinic"]
        );
    }

    #[test]
    fn a_number_out_of_range_is_refused() {
        let error = Trails::from_rows(3, [vec![0, 1], vec![3]]).unwrap_err();
        assert_eq!(error.code(), "trails-unknown-institution");
        assert!(error.help().contains('2'));
    }

    #[test]
    fn subtrails_are_subsets() {
        assert!(Trails::is_subtrail(&[], &[]));
        assert!(Trails::is_subtrail(&[1, 4], &[0, 1, 3, 4]));
        assert!(!Trails::is_subtrail(&[1, 4], &[0, 1, 3, 5]));
        assert!(!Trails::is_subtrail(&[1, 2, 3], &[1, 3]));
    }
}
