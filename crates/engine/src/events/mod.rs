//! Live events in and numbered lines out: files and standard input here, brokers by whoever implements [`Brokers`].
//!
//! ```text
//! Origin --Reader (a thread)--> Batch of Lines, each with the Mark after it --> Position: where to go on
//! Outgoing (channel, number, line) --> LineFile, cut back to its known length | LineSink, which skips what is there
//! ```

mod batch;
mod broker;
mod checkpoint;
mod files;
mod line;
mod pace;
mod position;
mod sink;
mod source;
mod trust;

pub use batch::{Batch, Line, Sighting};
pub use broker::{Brokers, EventSource, LineSink, Patience};
pub use checkpoint::{Checkpoint, CheckpointError, Ledger};
pub use denym_data::events::{Address, Columns, EventFormat, Login, Mechanism, Protocol, User};
pub use line::LineReader;
pub use pace::Pace;
pub use position::{Lag, Mark, Position};
pub use sink::{Channel, LineFile, Outgoing};
pub use source::{Filled, Next, Origin, ReadPlan, Reader};
pub use trust::{certificates, check_authority};
