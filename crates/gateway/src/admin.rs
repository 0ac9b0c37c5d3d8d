//! The steward's half: the files behind the gateway, read, checked and changed so that nothing half-written is ever seen.
//!
//! [`PolicyFile`] reads a policy with its hierarchies, [`ConsentStore`] the providers' consent wherever the policy keeps it, [`UsersFile`]
//! the logins, [`log`] the audit log, and [`ddl`] writes what PostgreSQL needs to enforce a purpose by itself.

mod consent;
pub mod ddl;
mod error;
mod files;
mod forms;
pub mod log;
mod passwords;
mod policy;
mod record;
mod sheet;
mod users;

pub use consent::{Change, ConsentStore, Kept, Written};
pub use error::{Error, Fault};
pub use forms::{Form, read_import, write_export};
pub use passwords::PasswordsFile;
pub use policy::PolicyFile;
pub use record::{Found, key_text};
pub(crate) use sheet::Sheet;
pub use users::UsersFile;
