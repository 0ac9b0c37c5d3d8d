//! Every way in which a program that draws may go, each with its probability.

use std::collections::BTreeMap;

/// A source of random choices that follows one path through all of them.
#[derive(Debug, Default)]
pub struct Draws {
    /// (what was drawn, out of how many), in the order of the draws.
    tape: Vec<(u64, u64)>,
    at: usize,
}

impl Draws {
    /// A number below `n`, equally likely each.
    ///
    /// # Panics
    ///
    /// When the program draws otherwise than before after the same draws: then it depends on something else.
    pub fn draw(&mut self, n: u64) -> u64 {
        if self.at == self.tape.len() {
            self.tape.push((0, n));
        }
        let (drawn, of) = self.tape[self.at];
        assert_eq!(of, n, "the same draws lead to the same next draw");
        self.at += 1;
        drawn
    }

    fn chance(&self) -> f64 {
        self.tape.iter().map(|&(_, of)| 1.0 / of as f64).product()
    }

    /// Goes on to the next path; `false` when all were taken.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((drawn, of)) = self.tape.pop() {
            if drawn + 1 < of {
                self.tape.push((drawn + 1, of));
                return true;
            }
        }
        false
    }
}

/// What `program` answers with which probability, over every sequence of its draws.
///
/// # Panics
///
/// When there are more than `limit` sequences.
pub fn every_run<T: Ord>(limit: u64, mut program: impl FnMut(&mut Draws) -> T) -> BTreeMap<T, f64> {
    let mut answers = BTreeMap::new();
    let mut draws = Draws::default();
    for _ in 0..limit {
        let answer = program(&mut draws);
        *answers.entry(answer).or_insert(0.0) += draws.chance();
        if !draws.advance() {
            return answers;
        }
    }
    panic!("more than {limit} sequences of draws: sample instead");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dice_fall_as_two_dice_do() {
        let sums = every_run(36, |draws| 2 + draws.draw(6) + draws.draw(6));
        for (sum, chance) in sums {
            let ways = 6.0 - (7.0 - sum as f64).abs();
            assert!((chance - ways / 36.0).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn draws_may_depend_on_earlier_draws() {
        let found = every_run(10, |draws| draws.draw(2) == 0 || draws.draw(3) == 0);
        assert!((found[&true] - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    #[should_panic(expected = "sample instead")]
    fn too_many_sequences_are_refused() {
        every_run(35, |draws| draws.draw(6) + draws.draw(6));
    }
}
