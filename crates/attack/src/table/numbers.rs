//! Numbers of the source and of a release, side by side: what distance linkage compares.

use denym_data::{Column, Table, numbers};

use super::DistanceLinkage;
use crate::Error;

/// Numbers of the source and of the release.
#[derive(Debug)]
pub struct SourceNumbers {
    /// Which record is nearest to whom.
    pub linkage: DistanceLinkage,
    /// The columns that are compared.
    pub columns: Vec<String>,
    /// What tells whose record is whose, in words.
    pub whose: String,
}

/// Above this many pairs of a source and a written record distance linkage is left out before a release.
const MOST_PAIRS: usize = 100_000_000;

/// Nothing tells whose record is whose.
const NEAREST: &str = "nothing tells whose record is whose, so the nearest counts as right: no guess by distance does better";

/// One table's numbers, column by column; `None` where a record has none.
type Gapped = Vec<Vec<Option<f64>>>;

impl SourceNumbers {
    /// The source's and the written numbers of `columns`, for the red team; why not, where there are none or too many.
    ///
    /// Nothing in a release tells whose record is whose, so records without a number are left out on each side by itself.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub fn between(source: &Table, written: &Table, columns: &[String]) -> Result<Self, String> {
        let numeric = |table: &Table, name: &String| {
            let column = table.column(name)?;
            let numbers = numbers::of(column);
            let any = numbers.iter().any(Option::is_some);
            let gap = |row: usize| column.text(row).is_none_or(|text| text.trim().is_empty());
            let all = (0..numbers.len()).all(|row| numbers[row].is_some() || gap(row));
            (any && all).then_some(numbers)
        };
        let both = |name: &String| Some((numeric(source, name)?, numeric(written, name)?));
        let (ours, theirs): (Gapped, Gapped) = columns.iter().filter_map(both).unzip();
        if ours.is_empty() {
            return Err("no numbers were changed".to_owned());
        }
        if source.records().saturating_mul(written.records()) > MOST_PAIRS {
            return Err("it compares every pair of records, and there are too many".to_owned());
        }
        let (ours, theirs) = (without_gaps(&ours), without_gaps(&theirs));
        let (a, b) = (slices(&ours), slices(&theirs));
        let linkage = DistanceLinkage::unpaired(&a, &b).map_err(|error| error.to_string())?;
        Ok(Self {
            linkage,
            columns: columns.to_vec(),
            whose: NEAREST.to_owned(),
        })
    }

    /// Numbers of `columns`, one list each; `pairs` are the column that names people and the record of each, `None` for those who are
    /// not in the release and cannot be found there.
    ///
    /// # Errors
    ///
    /// As [`DistanceLinkage::paired`].
    pub fn new(
        columns: Vec<String>,
        mut ours: Vec<Vec<f64>>,
        theirs: &[Vec<f64>],
        pairs: Option<(&str, Vec<Option<u32>>)>,
    ) -> Result<Self, Error> {
        let theirs = slices(theirs);
        let Some((key, pairs)) = pairs else {
            return Ok(Self {
                linkage: DistanceLinkage::unpaired(&slices(&ours), &theirs)?,
                columns,
                whose: NEAREST.to_owned(),
            });
        };
        for column in &mut ours {
            let mut pair = pairs.iter();
            column.retain(|_| pair.next().is_some_and(Option::is_some));
        }
        let left = pairs.iter().filter(|pair| pair.is_none()).count();
        let truth = pairs.into_iter().flatten().collect();
        Ok(Self {
            linkage: DistanceLinkage::paired(&slices(&ours), &theirs, truth)?,
            columns,
            whose: format!("equal `{key}` is one person, {left} of whom are not in the release"),
        })
    }
}

/// The numbers of a column; `None` when it has others or misses some.
pub fn whole_numbers(column: &Column) -> Option<Vec<f64>> {
    numbers::of(column).into_iter().collect()
}

/// The records that have a number in every column.
fn without_gaps(columns: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
    let rows = columns.first().map_or(0, Vec::len);
    let whole: Vec<usize> = (0..rows)
        .filter(|&row| columns.iter().all(|column| column[row].is_some()))
        .collect();
    let kept = |column: &Vec<Option<f64>>| whole.iter().filter_map(|&row| column[row]).collect();
    columns.iter().map(kept).collect()
}

fn slices(columns: &[Vec<f64>]) -> Vec<&[f64]> {
    columns.iter().map(Vec::as_slice).collect()
}
