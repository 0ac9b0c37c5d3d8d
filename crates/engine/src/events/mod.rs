//! Live events in and numbered lines out: files, standard input, NATS JetStream and the Kafka protocol.
//!
//! ```text
//! Origin --Reader (a thread)--> Batch of Lines, each with the Mark after it --> Position: where to go on
//! Outgoing (channel, number, line) --> LineFile, cut back to its known length | BrokerSink, which skips what is there
//! ```

mod address;
mod batch;
mod broker;
mod files;
mod kafka;
mod line;
mod login;
mod nats;
mod pace;
mod position;
mod sink;
mod source;

pub use address::{Address, AddressMistake, Protocol};
pub use batch::{Batch, Line, Sighting};
pub use broker::Patience;
pub use files::EventFormat;
pub use line::Columns;
pub use login::{Login, Mechanism, User};
pub use pace::Pace;
pub use position::{Lag, Mark, Position};
pub use sink::{BrokerSink, Channel, LineFile, Outgoing};
pub use source::{Next, Origin, ReadPlan, Reader};
