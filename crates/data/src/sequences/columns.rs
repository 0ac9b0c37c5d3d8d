//! How sequences stand in a table: which columns hold them, by the names given or else by the usual ones.

/// How sequences are laid out, by the names of their columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
    /// A row per doublet; per item where no column has times.
    Long {
        /// Who.
        subject: String,
        /// Where, or what.
        location: String,
        /// When.
        time: Option<String>,
    },
    /// A row per subject, its sequence in one cell.
    Wide {
        /// The column of the cells.
        cell: String,
        /// What stands between the items of a cell; `None` where cells are paths such as `a1>d2>b3`.
        separator: Option<char>,
    },
}

impl Form {
    /// Whether these are paths: doublets with their times, not items.
    pub fn has_times(&self) -> bool {
        matches!(
            self,
            Form::Long { time: Some(_), .. }
                | Form::Wide {
                    separator: None,
                    ..
                }
        )
    }

    /// Its columns.
    pub fn columns(&self) -> Vec<&String> {
        match self {
            Form::Long {
                subject,
                location,
                time,
            } => [subject, location].into_iter().chain(time).collect(),
            Form::Wide { cell, .. } => vec![cell],
        }
    }
}

/// Columns whose names are not the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Columns {
    /// Who.
    pub subject: Option<String>,
    /// Where, or which item.
    pub location: Option<String>,
    /// When.
    pub time: Option<String>,
    /// The whole sequence.
    pub cell: Option<String>,
    /// Degrees north and east of raw points.
    pub point: Option<(String, String)>,
    /// What stands between items in a cell, where the records are sets of items.
    pub separator: Option<char>,
}

/// What stands between the items of a cell where nothing else is said.
pub const SEPARATOR: char = ';';

impl Columns {
    /// Columns of items with the usual names.
    pub fn of_items(separator: Option<char>) -> Columns {
        Columns {
            separator: Some(separator.unwrap_or(SEPARATOR)),
            ..Columns::default()
        }
    }

    /// The form by the names given, else by the usual ones; `known` are the columns of the file once they are known.
    pub fn form(&self, known: Option<&[String]>) -> Form {
        let or = |given: &Option<String>, usual: &str| given.clone().unwrap_or(usual.to_owned());
        let there = |column: &str| known.is_none_or(|known| known.iter().any(|k| k == column));
        let (cell, location) = match self.separator {
            None => ("path", "location"),
            Some(_) => ("items", "item"),
        };
        let long = self.location.is_some() || self.time.is_some() || self.point.is_some();
        if self.cell.is_some() || (!long && there(cell)) {
            return Form::Wide {
                cell: or(&self.cell, cell),
                separator: self.separator,
            };
        }
        Form::Long {
            subject: or(&self.subject, "subject"),
            location: match &self.point {
                Some((latitude, _)) => latitude.clone(),
                None => or(&self.location, location),
            },
            time: (self.separator.is_none()).then(|| or(&self.time, "time")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wide_form_is_looked_for_first_and_given_names_decide() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let wide = |cell: &str, separator| Form::Wide {
            cell: cell.into(),
            separator,
        };
        let long = |location: &str, time: Option<&str>| Form::Long {
            subject: "subject".into(),
            location: location.into(),
            time: time.map(str::to_owned),
        };
        let paths = Columns::default();
        assert_eq!(paths.form(None), wide("path", None));
        let known = names(&["subject", "location", "time"]);
        assert_eq!(paths.form(Some(&known)), long("location", Some("time")));
        let items = Columns::of_items(None);
        assert_eq!(items.form(None), wide("items", Some(';')));
        assert_eq!(items.form(Some(&known)), long("item", None));
        let named = Columns {
            location: Some("product".into()),
            ..Columns::of_items(Some('|'))
        };
        assert_eq!(named.form(None), long("product", None));
        assert!(!named.form(None).has_times() && paths.form(None).has_times());
        let points = Columns {
            point: Some(("lat".into(), "lon".into())),
            ..Columns::default()
        };
        assert_eq!(points.form(None), long("lat", Some("time")));
    }
}
