//! Files in, coded tables out: reading, summarizing, applying and writing, on packed words and all cores.
//!
//! An [`Engine`] reads a CSV, Parquet or newline-JSON source into a coded [`Table`](denym_data::Table), *summarizes*
//! it into the frequency set a solver sees, *applies* what the solver found, and writes the published table. The two
//! steps in the middle count equal rows by sorting packed words: no query engine, no asynchronous runtime.
//!
//! Every result is the same for any number of threads. No error quotes a cell: what a library below says is thrown
//! away, and the file is looked through again to name the file and the line.

mod apply;
mod count;
mod engine;
mod error;
pub mod events;
mod fingerprint;
mod form;
pub mod formulas;
mod hash;
mod names;
pub mod notations;
mod options;
mod panics;
mod places;
pub mod private;
pub mod pseudonyms;
mod read;
mod source;
mod subjects;
mod summarize;
mod unpack;
mod words;
mod write;

pub use arrow_array::RecordBatch;
pub use engine::Engine;
pub use error::{BrokerMistake, CsvMistake, Error, JsonMistake, SpreadsheetMistake};
pub use fingerprint::fingerprint;
pub use form::SourceForm;
pub use names::Names;
pub use options::{Detection, Encoding, Format, ReadOptions};
pub use panics::{caught, panic_is_caught_here};
pub use read::memory::InMemory;
pub use source::files;
pub use write::{WriteOptions, batches};
