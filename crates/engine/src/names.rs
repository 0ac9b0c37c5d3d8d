//! Names of columns, and whether they surely are names: the first record of a file without a header is somebody's.

use std::ops::Deref;

/// The columns of a source, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
    told: bool,
}

impl Names {
    /// Names that the format, the policy or the kinds of values below them tell from data.
    pub(crate) fn new(names: Vec<String>, told: bool) -> Names {
        Names { names, told }
    }

    /// The names, where they may be shown to somebody who asked for another; none where they may be cells.
    pub fn to_show(&self) -> Vec<&str> {
        let names = self.names.iter().filter(|_| self.told);
        names.map(String::as_str).collect()
    }
}

impl Deref for Names {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.names
    }
}
