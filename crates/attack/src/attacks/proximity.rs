//! Proximity: the sensitive numbers of those who could be the victim lie close together, however different they are.
//!
//! # Idea
//!
//! Incomes of 30,000, 30,100 and 30,200 are three values and one secret. The adversary looks for a number such that all candidates (or as
//! large a share as is asked for) are within a distance of it: a tenth of the range of everybody's numbers, unless another is asked for.
//!
//! # Departures
//!
//! The paper's promise bounds the share of *every* interval; this is the attack on the best one. A person with several numbers is within
//! when one of them is.
//!
//! # Reference
//!
//! J. Li, Y. Tao, X. Xiao, "Preservation of proximity privacy in publishing numerical sensitive data", SIGMOD 2008.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::table::{Aim, Candidates, Conclusion, Wish};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "proximity",
    place: 240,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "a narrow range of a numeric sensitive value",
    knows: "everybody's quasi-identifiers, and who is in the data",
    limits: "close is within a tenth of the range of all numbers, unless a distance is asked for; one outlier makes that range wide",
    reference: SURVEY,
    gate: Gate::Named,
    run: Run::Candidates {
        aim: Aim::Number,
        besides: "",
        told,
    },
};

/// The largest share of the candidates within the distance of one candidate's number.
fn told(here: &Candidates<'_>, wish: &Wish) -> Option<Conclusion> {
    let number = |value: u32| here.overall.numbers.get(value as usize).copied().flatten();
    let mut numbers: Vec<(f64, u64)> = here
        .values
        .iter()
        .filter_map(|&(value, count)| Some((number(value)?, count)))
        .collect();
    numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let close = here.overall.close(wish);
    let (mut low, mut high, mut within, mut most) = (0, 0, 0, 0);
    for &(middle, _) in &numbers {
        while high < numbers.len() && numbers[high].0 <= middle + close {
            within += numbers[high].1;
            high += 1;
        }
        while numbers[low].0 < middle - close {
            within -= numbers[low].1;
            low += 1;
        }
        most = most.max(within);
    }
    // Several numbers of one person are within together.
    let sure = here.share(most.min(here.total));
    (most > 0 && sure >= wish.confidence).then_some(Conclusion { value: None, sure })
}
