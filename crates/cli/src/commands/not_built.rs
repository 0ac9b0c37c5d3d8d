//! Commands that this build leaves out: each says how to get it.

use std::ffi::OsString;

use clap::Args;
use denym::Error;

/// Arguments of `gateway`, taken as they are: whatever they ask for, the answer is the same.
#[derive(Args)]
pub(crate) struct GatewayArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<OsString>,
}

/// The answer to `denym gateway`.
pub(crate) fn gateway() -> Error {
    Error::Argument {
        what: "`denym gateway` is not part of this build, which has no query engine".to_owned(),
        help: "build everything with `make full`, or with `cargo install --path crates/cli --features gateway`".to_owned(),
    }
}
