//! Worst-case disclosure: how sure an adversary can become of somebody's value with k pieces of background knowledge.
//!
//! # Idea
//!
//! One piece of knowledge is an implication between facts about people: "if Bob has flu, so has Alice"; that somebody does *not* have a
//! value is one too. Whatever the k pieces are, the most they can do is reached by k implications with one and the same
//! conclusion A: "if A1 then A", ..., "if Ak then A". Then the chance of A is
//!
//! ```text
//!   P(A) / (P(A) + P(not A and not A1 ... and not Ak))
//! ```
//!
//! so the adversary makes the second term as small as possible: k + 1 facts, one of them A, spread over the classes. Within a
//! class, facts about one person name its most frequent values, and facts about several people are nearly independent.
//! Two small dynamic programs find the minimum: one over the people of a class, one over classes.
//!
//! # Guarantee
//!
//! The exact maximum over all sets of k such implications, under random worlds (every assignment of a class's values to its
//! people is equally likely).
//!
//! # Reference
//!
//! D. Martin, D. Kifer, A. Machanavajjhala, J. Gehrke, J. Halpern, "Worst-case background knowledge for privacy-preserving data
//! publishing", ICDE 2007, theorem 9 and algorithms MINIMIZE1 and MINIMIZE2. Survey section 2.2.
//!
//! # Cost
//!
//! Classes times k squared, after k cubed per distinct shape of a class; k is a handful.

use crate::{Classes, Histogram};

/// The largest probability with which `knowledge` implications let an adversary infer some person's value; 0 without classes.
///
/// # Panics
///
/// When the classes have no sensitive attribute at position `attribute`.
pub fn worst_case_disclosure(classes: &Classes, attribute: usize, knowledge: usize) -> f64 {
    let facts = knowledge + 1;
    // with_a[j]: least (product of chances that j facts all fail) / P(A), over the classes so far, A's among them.
    // without[j]: the same product without A.
    let mut without = vec![f64::INFINITY; facts + 1];
    let mut with_a = vec![f64::INFINITY; facts + 1];
    without[0] = 1.0;
    for class in 0..classes.len() {
        let histogram = classes.histogram(attribute, class);
        if histogram.total == 0 {
            continue;
        }
        let fail = chances_of_failing(&histogram, facts);
        let likeliest = histogram.largest() as f64 / histogram.total as f64;
        let (old_without, old_with) = (without.clone(), with_a.clone());
        for total in 0..=facts {
            for (here, fail) in fail.iter().enumerate().take(total + 1) {
                let rest = total - here;
                without[total] = without[total].min(old_without[rest] * fail);
                with_a[total] = with_a[total].min(old_with[rest] * fail);
                if here > 0 {
                    with_a[total] = with_a[total].min(old_without[rest] * fail / likeliest);
                }
            }
        }
    }
    let least = with_a[facts];
    if least.is_finite() {
        1.0 / (1.0 + least)
    } else {
        0.0
    }
}

/// For each number of facts, the least chance that all of them fail in one class.
fn chances_of_failing(histogram: &Histogram<'_>, facts: usize) -> Vec<f64> {
    let mut counts: Vec<u64> = histogram.counts.iter().map(|&(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    // covered[j]: people with one of the j most frequent values.
    let mut covered = vec![0_u64; facts + 1];
    for j in 1..=facts {
        covered[j] = covered[j - 1] + counts.get(j - 1).copied().unwrap_or(0);
    }
    let size = histogram.total;
    let mut least = vec![f64::INFINITY; facts + 1];
    least[0] = 1.0;
    spread(0, facts, facts, 1.0, 0, size, &covered, &mut least);
    least
}

/// Gives the next person at most `most` facts, in descending order, and notes the product for every number of facts spent.
#[expect(clippy::too_many_arguments, reason = "the state of a small recursion")]
fn spread(
    person: u64,
    left: usize,
    most: usize,
    product: f64,
    spent: usize,
    size: u64,
    covered: &[u64],
    least: &mut [f64],
) {
    least[spent] = least[spent].min(product);
    if person >= size {
        return;
    }
    for here in 1..=most.min(left) {
        // The people before hold none of the most frequent values; so this one's chance of failing falls.
        let open = size - person;
        let failing = open.saturating_sub(covered[here]);
        spread(
            person + 1,
            left - here,
            here,
            product * failing as f64 / open as f64,
            spent + here,
            size,
            covered,
            least,
        );
    }
}
