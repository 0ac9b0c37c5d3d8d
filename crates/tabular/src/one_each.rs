//! One record of each person: which further records of people are left out where the adversary knows the program.
//!
//! # Idea
//!
//! Subjects are numbered anew in every class, and the numbers show how many records a person has there. Somebody who knows how many the victim has
//! (whoever knows everybody's quasi-identifiers does) finds the number, and with it the victim's values, however many people the class
//! has; no promise that counts people by class speaks of that. So each person publishes one record, drawn from secret randomness.
//!
//! # Guarantee
//!
//! No person has two records among those that stay, and which one stays does not depend on any value. So a table with subjects
//! is to every solver what a table without is, and what was shown of a solver there holds here.
//!
//! *Why.* Take a source, a draw and the release they give. Exchange the values of two records that stay, in one class: that is another source, as likely as
//! the first, and the same draw leaves the same records of it. So the draw gives a reader nothing to tell the two apart by that the
//! solver does not give. What the records that were left out hold, nobody sees: of them a reader believes what they believed before.
//!
//! # Reference
//!
//! Ours.
//!
//! # Cost
//!
//! Linear in the records.

use denym_data::Code;

/// The rows to leave out, ascending: of each subject all but one, which `draw` chooses (a number below its argument, equally likely each).
pub fn surplus(subjects: &[Code], draw: &mut dyn FnMut(u64) -> u64) -> Vec<usize> {
    let people = subjects.iter().map(|&code| code as usize + 1).max();
    let mut seen = vec![0_u64; people.unwrap_or(0)];
    let mut kept = vec![None; seen.len()];
    for (row, &code) in subjects.iter().enumerate() {
        let person = code as usize;
        seen[person] += 1;
        // The n-th record takes the place of the one before with one chance in n: in the end all are equally likely.
        if seen[person] == 1 || draw(seen[person]) == 0 {
            kept[person] = Some(row);
        }
    }
    let stays = |&(row, &code): &(usize, &Code)| kept[code as usize] == Some(row);
    let rows = subjects.iter().enumerate();
    rows.filter(|row| !stays(row)).map(|(row, _)| row).collect()
}

#[cfg(test)]
mod tests {
    use denym_data::SplitMix64;

    use super::*;

    #[test]
    fn everybody_keeps_one_record_and_each_is_as_likely() {
        let subjects = [3, 0, 3, 0, 0, 5, 3];
        let mut random = SplitMix64::new(1);
        let mut kept = [0_u32; 7];
        let draws = 30_000;
        for _ in 0..draws {
            let gone = surplus(&subjects, &mut |n| random.below(n));
            assert_eq!(gone.len(), 4, "three people stay");
            for row in (0..7).filter(|row| !gone.contains(row)) {
                kept[row] += 1;
            }
        }
        assert_eq!(kept[5], draws, "who has one record keeps it");
        // A third each: 1e-6 is about five standard deviations of 82.
        for row in [0, 1, 2, 3, 4, 6] {
            assert!(kept[row].abs_diff(draws / 3) < 410, "{kept:?}");
        }
    }

    #[test]
    fn a_table_without_records_loses_none() {
        assert!(surplus(&[], &mut |_| 0).is_empty());
    }
}
