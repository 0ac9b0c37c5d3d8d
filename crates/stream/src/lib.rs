//! Anonymous windows over live movement: events in, windows out, each verified before it leaves.
//!
//! ```text
//! push(event) -> Accepted | Late | Rejected      poll() -> Slide { window | withheld, certificate }
//!
//!  pending, by time        carried window             candidate            certificate, a chain
//!  7: (s1,b) (s4,c)  --->  distinct paths, counts --> new doublets  -----> published: full or delta
//!  8: (s2,b)   watermark   drop what is outdated      that break: out      withheld: new again next time
//! ```
//!
//! A [`Stream`] is a value: it reads no clock and no file, [`Stream::save`] turns it into bytes and
//! [`Stream::load`] back, and the windows that follow are the same as if nothing had happened.

mod candidate;
mod carried;
mod choice;
mod clock;
mod contradiction;
mod decision;
mod error;
mod event;
mod fresh_violations;
mod labels;
mod memory;
mod slide;
mod state;
mod stream;
mod subjects;
mod suppression;
mod verdict;
mod verify;

pub use denym_release::windows::{
    Asked, Bound, Certificate, Chain, Change, Claims, Column, Counts, Delta, Form, Horizon,
    Matching, Measured, Options, OptionsError, Part, Place, PromiseSpec, Record, Reference, Rule,
    Status, Window, verify_chain, verify_window, window_confidences,
};
pub use error::Error;
pub use event::{Event, Rejection, Verdict};
pub use memory::Memory;
pub use slide::{Phase, Slide, Work};
pub use stream::Stream;
pub use verdict::{program, rule_entry};
