//! Events from files and standard input, line by line, each with the place after it, so that a reader can go on there.

mod line;
mod source;

pub use line::{Columns, Sighting};
pub use source::{EventFormat, EventSource};
