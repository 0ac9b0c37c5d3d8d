//! Files in, coded tables out: reading, summarizing, applying and writing on `DataFusion`.
//!
//! An [`Engine`] reads a CSV, Parquet or newline-JSON source into a coded [`Table`](denym_data::Table), *summarizes*
//! it into the frequency set a solver sees, *applies* what the solver found, and writes the published table. The two
//! steps in the middle are plain `DataFusion` plans (group-by, join, sort) without functions of our own; rows of few words, which
//! is nearly all there are, are counted by sorting them.
//!
//! Every result is the same for any number of threads. No error quotes a cell: what a library below says is thrown
//! away, and the file is looked through again to name the file and the line.

mod apply;
mod count;
mod engine;
mod error;
pub mod events;
mod fingerprint;
mod options;
mod plan;
mod read;
mod source;
mod subjects;
mod summarize;
mod words;
mod write;

pub use engine::Engine;
pub use error::{BrokerMistake, CsvMistake, Error, JsonMistake};
pub use fingerprint::fingerprint;
pub use options::{Encoding, Format, ReadOptions};
pub use source::files;
