//! Attacks on answers to statistical queries: what counts and sums give away about one person.
//!
//! # Idea
//!
//! A formula over attributes selects people; the system answers how many they are and the sum of a sensitive number, or
//! refuses. *Difference*: two answers whose people differ by the victim. *Individual tracker*: the victim is A and B, and
//! A alone and A without B are answered, so their difference is the victim. *General tracker*: any formula T that selects
//! neither few nor nearly all answers everything: `f(C) = f(C or T) + f(C or not T) - f(T) - f(not T)`.
//!
//! # Reference
//!
//! Survey section 8.1, Example 8.1; D. Denning, P. Denning, M. Schwartz, "The tracker", TODS 4(1), 1979.

mod formula;
mod scene;
mod tracker;

pub use formula::{Answers, Formula, Restricted};
pub use scene::{Answered, QueryScene};
pub use tracker::{
    Learned, added_between, asked_directly, everybody_added, general_tracker, individual_tracker,
    track_everybody,
};
