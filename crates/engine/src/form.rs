//! How a source turned out to be written, so that others can read and write it alike.

use std::collections::BTreeMap;
use std::path::Path;

use denym_data::notation::Notation;

use crate::{Encoding, Engine, Format};

/// What was found of a source while it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceForm {
    /// The format of its files.
    pub format: Option<Format>,
    /// The byte between the cells of a CSV file.
    pub delimiter: Option<u8>,
    /// The encoding of a CSV file.
    pub encoding: Option<Encoding>,
    /// Whether a CSV file names its columns.
    pub header: Option<bool>,
    /// Rows of a CSV file before the header.
    pub skip_rows: usize,
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// How columns are written that are not written as programs do.
    pub notations: BTreeMap<String, Notation>,
    /// Columns whose values can be read in two ways, with what a policy says for the one and for the other.
    pub ambiguous: BTreeMap<String, (String, String)>,
    /// Texts that were taken for missing values, by column, because they looked like it.
    pub missing: BTreeMap<String, Vec<String>>,
}

impl Engine {
    /// How the source at `path` is written, as far as it was read; nothing when it was not.
    pub fn form_of(&self, path: impl AsRef<Path>) -> SourceForm {
        let forms = self.forms.lock();
        let found = forms.map(|forms| forms.get(path.as_ref()).cloned());
        found.ok().flatten().unwrap_or_default()
    }

    /// How a column called `name` is written in any of the sources that were read.
    pub fn notation_of(&self, name: &str) -> Option<Notation> {
        let forms = self.forms.lock().ok()?;
        forms
            .values()
            .find_map(|form| form.notations.get(name).cloned())
    }

    /// Notes what was found of a source.
    pub(crate) fn note(&self, path: &Path, found: impl FnOnce(&mut SourceForm)) {
        // Whoever panicked while noting something left a note that is at worst incomplete.
        let mut forms = match self.forms.lock() {
            Ok(forms) => forms,
            Err(poisoned) => poisoned.into_inner(),
        };
        found(forms.entry(path.to_owned()).or_default());
    }
}
