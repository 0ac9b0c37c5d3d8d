//! The bundled examples: invented people, so that nobody needs data of their own to look around.

use std::path::Path;

use crate::app::write_whole;

/// An example: a name and its files.
pub(crate) struct Example {
    /// Its name.
    pub(crate) name: &'static str,
    files: &'static [(&'static str, &'static [u8])],
}

macro_rules! example {
    ($name:literal, $($file:literal),+) => {
        Example {
            name: $name,
            files: &[$(($file, include_bytes!(concat!("../../../examples/", $name, "/", $file)))),+],
        }
    };
}

/// Every example that is released as a bundle.
pub(crate) const EXAMPLES: &[Example] = &[
    example!(
        "hospital",
        "policy.toml",
        "patients.csv",
        "hierarchies/zip.csv",
        "hierarchies/diagnosis.csv"
    ),
    example!("numbers", "policy.toml", "companies.csv"),
    example!("paths", "policy.toml", "trips.csv"),
    example!("baskets", "policy.toml", "baskets.csv", "groups.csv"),
    example!(
        "trails",
        "policy.toml",
        "samples.csv",
        "discharges.csv",
        "owners.csv"
    ),
];

impl Example {
    /// Writes its files into `directory`, the policy last: what has a policy is whole.
    pub(crate) fn write(&self, directory: &Path) -> std::io::Result<()> {
        for (name, content) in self.files.iter().rev() {
            let path = directory.join(name);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            write_whole(&path, content)?;
        }
        Ok(())
    }
}
