//! Windows of a stream as they are published: their form, the chain of their certificates, and how both are checked.

mod certificate;
mod counts;
mod judge;
mod sightings;
mod walk;
mod window;

pub use certificate::{
    Certificate, Chain, Claims, Column, Measured, Part, Status, columns, no_line, sha256,
    verify_chain, verify_window, window_confidences,
};
pub use counts::Counts;
pub use denym_data::Matching;
pub use denym_policy::PromiseSpec;
pub use denym_policy::stream::{Bound, Form, Horizon, Options, OptionsError, Reference, Rule};
pub use judge::{Asked, codes, shown};
pub use sightings::Sightings;
pub use walk::{BrokenWindow, Lines, VerifiedWindows, walk};
pub use window::{Change, Delta, Place, Record, Window, label_order, to_paths};
