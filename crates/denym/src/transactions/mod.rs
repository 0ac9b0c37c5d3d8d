//! Transactions on their way through denym: files to codes, codes to a released table, a released table to the judge of paths.

mod publish;
mod request;
mod source;

pub use denym_release::certificate::TransactionForm;
pub(crate) use denym_release::sets::judged;
pub(crate) use publish::publish;
pub(crate) use request::{coarser_names, items_of, request};
pub(crate) use source::{Baskets, Wanted, read, read_columns, read_released};
