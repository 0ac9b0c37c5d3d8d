//! Data about people as dictionary codes: tables, roles, hierarchies, recodings.
//!
//! Nothing here reads a file or knows a policy.

pub mod paths;
pub mod transactions;
