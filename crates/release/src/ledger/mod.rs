//! The ledger: everything ever published about the same people, entry by entry, and promises judged on all of it together.
//!
//! # The adversary
//!
//! - *Who has every public half*, knows everybody's quasi-identifiers and who is in which release. Two people whom this adversary cannot
//!   tell apart stand in the same classes of the same releases; such people form a *block* ([`history`]). Promises are judged on blocks.
//!   Arrivals who came alone, leavers who left alone and people whom two groupings isolate are blocks of their own.
//! - *Who edits the ledger*: every entry carries the hash of the one before ([`chain`]), lists of members carry theirs in the entry, and
//!   entries can be signed. What was changed, cut off or exchanged is named; nothing is put right in silence. Without signatures, who
//!   may write to the ledger and knows the program can write another one: keep a signature's key elsewhere.
//! - *Who reads the ledger*: people are in it as keyed tokens ([`members`]); without the key nobody can be looked up.
//! - *Who runs the program backwards*: not covered; a policy that says so is refused.
//!
//! No file is opened here: callers bring bytes and write bytes.

pub mod chain;
pub mod entry;
pub mod history;
pub mod members;
pub mod spent;

pub use chain::{Chain, Damage};
pub use entry::{Entry, Published, What};
pub use history::{Exposed, History, Issued};
pub use members::{Members, Token};
pub use spent::{Amount, Charge, PrivacyAccount, Total};
