//! Fresh subject numbers within each class, so that nobody can be followed from one class to another.
//!
//! # Idea
//!
//! Within a class the subjects are put in order of what their records show, and numbered 1, 2, 3 and so on. Subjects
//! whose records show the same are interchangeable: either order gives the same release.
//!
//! # Guarantee
//!
//! The numbers depend on published values only. Numbering in order of the original identifiers would tell which of two
//! people has the smaller identifier (the earlier admission, the earlier name).

use std::fmt::Write as _;

use denym_data::{Code, Dictionary, Kind, Strings};

/// The new number of the subject of each row, as a code of the returned dictionary; a missing subject stays missing.
///
/// Rows are distinct, stand for `counts` records each, and are sorted by `classes`, then `subject`, then `rest`.
pub(crate) fn renumber(
    subject: &[Code],
    missing: Option<Code>,
    classes: &[&[Code]],
    rest: &[&[Code]],
    counts: &[u64],
) -> (Vec<Code>, Dictionary) {
    let rows: Vec<usize> = (0..subject.len()).collect();
    let mut numbers = vec![0; rows.len()];
    let mut most = 0;
    let shows = |row: usize| (rest.iter().map(move |codes| codes[row]), counts[row]);
    let same_class = |&a: &usize, &b: &usize| classes.iter().all(|codes| codes[a] == codes[b]);
    for class in rows.chunk_by(same_class) {
        let mut people: Vec<&[usize]> = class
            .chunk_by(|&a, &b| subject[a] == subject[b])
            .filter(|rows| Some(subject[rows[0]]) != missing)
            .collect();
        people.sort_by(|a, b| {
            for (&a, &b) in a.iter().zip(b.iter()) {
                let ((a, a_count), (b, b_count)) = (shows(a), shows(b));
                let order = a.cmp(b).then(a_count.cmp(&b_count));
                if order.is_ne() {
                    return order;
                }
            }
            a.len().cmp(&b.len())
        });
        for (number, rows) in people.iter().enumerate() {
            for &row in *rows {
                numbers[row] = number as Code;
            }
        }
        most = most.max(people.len());
    }
    if let Some(missing) = missing {
        for (number, &subject) in numbers.iter_mut().zip(subject) {
            if subject == missing {
                *number = most as Code;
            }
        }
    }
    let mut values = Strings::new();
    let mut text = String::new();
    for number in 1..=most {
        text.clear();
        let _ = write!(text, "{number}");
        values.push(&text);
    }
    let (dictionary, _) = Dictionary::build(&values, missing.is_some(), Some(Kind::Integer));
    (numbers, dictionary)
}
