//! Purpose-based access control: what each cell may be used for, and who may state which purpose when.
//!
//! Pure and default deny: nothing here reads a file, a clock or a socket, and what no rule allows is denied.
//!
//! The way of a request: [`AccessPolicy::parse`] reads the policy, [`AccessPolicy::activate`] finds the active conditional roles,
//! [`AccessPolicy::find_purpose`] the purpose, [`AccessPolicy::access`] opens a table for both, and [`Access::compliance`] (or
//! [`Access::explain`], with reasons) answers for each cell. [`Mask`] says what a conditional value is.

mod activation;
mod attribute;
mod bits;
mod condition;
mod consent;
mod decision;
mod document;
mod error;
mod intended;
mod mask;
mod moment;
mod policy;
mod postgres;
mod review;
mod role;
mod storage;
mod tree;
mod value;
mod view;
mod zone;

pub use activation::Activation;
pub use attribute::{Attribute, Attributes, ClockPart, Domain, Moment, Scope, Values};
pub use bits::PurposeSet;
pub use condition::{Comparison, Condition};
pub use consent::{
    ColumnPolicy, ConsentBook, GroupConsent, Level, Mode, RecordConsent, Storage, TablePolicy,
};
pub use decision::{Access, Decision, Reason};
pub use denym_policy::Mistake;
pub use document::HierarchyReader;
pub use error::Error;
pub use intended::{AccessPurpose, Compliance, IntendedPurpose, check_closed};
pub use mask::{Bound, Cell, Levels, Mask, MaskKey, Reach, Shape};
pub use policy::{AccessPolicy, PurposeMode};
pub use postgres::{
    CONSENT_TABLE, PostgresTable, PostgresView, PurposeNames, identifier, literal, views_schema,
};
pub use review::Finding;
pub use role::{Grant, Objects, Operation, Roles, User};
pub use storage::{
    Companion, IntendedRow, Profiles, read_code, read_companion, write_code, write_companion,
};
pub use tree::{Codes, Purpose, PurposeId, PurposeTree};
pub use value::{Kind, Value};
pub use view::RawRecord;
pub use zone::Zone;
