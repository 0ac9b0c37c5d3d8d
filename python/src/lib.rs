//! The compiled half of the Python package: the verbs of `denym` on tables that Python holds.
//!
//! Nothing is anonymized, measured or attacked here. This crate turns Python's tables into Arrow record batches ([`table`]), runs a
//! verb of the library without holding the interpreter ([`work`]), and turns what it found into Python's values ([`convert`]). The
//! classes that people use are in `python/denym`, in Python.

mod access;
mod capsule;
mod catalogue;
mod convert;
mod errors;
mod policy;
mod release;
mod table;
mod verbs;
mod work;

use pyo3::prelude::*;

/// The compiled half of `denym`.
#[pymodule]
mod _denym {
    #[pymodule_export]
    use super::access::access_decide;
    #[pymodule_export]
    use super::catalogue::catalogue;
    #[pymodule_export]
    use super::policy::{check_policy, from_toml, to_toml};
    #[pymodule_export]
    use super::release::Release;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::verbs::{
        anonymize, attack, audit, audit_policy, compare, explore, generate, group_sizes, plan,
        profile, verify,
    };

    use pyo3::prelude::*;

    /// A panic becomes an exception; what it says may quote a cell and is shown to nobody.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        std::panic::set_hook(Box::new(|_| {}));
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
