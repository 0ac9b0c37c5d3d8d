//! The views of a table for one purpose, and the indexes that serve them.
//!
//! # Idea
//! One view with the name of the table, for people and for the gateway. Where the gateway needs more than the cells (which of them are shown, in
//! `filter` mode; a second form of a cell, where a mask looks at columns that not everybody may see), it reads a view of its own, and
//! the people's view is made from that.

use super::cell::Lens;
use super::{PostgresTable, identifier, views_schema};
use crate::consent::{Mode, Storage};
use crate::error::Error;
use crate::mask::Mask;
use std::fmt::Write as _;

/// Before the name of a table: the view that only the gateway reads.
pub(super) const CELLS: &str = "denym_cells_";

/// Before names of columns that only the gateway reads.
pub(super) const OWN: &str = "denym_";

/// Most forms that one cell may have.
const FORMS: usize = 8;

/// A view of a purpose's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresView {
    /// Its name.
    pub name: String,
    /// Its query.
    pub query: String,
    /// Whether people may be let in; the other is the gateway's alone.
    pub is_for_people: bool,
}

/// The column that says whether a cell is shown.
pub(super) fn shown_column(place: usize) -> String {
    format!("{OWN}shown_{place}")
}

/// The column with the form of a cell for those who may not see some columns.
fn form_column(place: usize, hidden: &[usize]) -> String {
    let mut out = format!("{OWN}form_{place}");
    for column in hidden {
        let _ = write!(out, "_{column}");
    }
    out
}

impl PostgresTable<'_> {
    /// The views of the table, in the order in which they are made. The gateway reads the first.
    pub fn views(&self) -> Result<Vec<PostgresView>, Error> {
        let mut cells = Vec::new();
        let mut own = Vec::new();
        for (place, column) in self.table.columns.iter().enumerate() {
            if self.table.mode == Mode::Filter {
                let shown = self.is_shown(place, Lens::all("t."));
                own.push(format!("{shown} AS {}", identifier(&shown_column(place))));
            }
            if self.in_sql(place).is_err() {
                continue;
            }
            let cell = self.cell(place, Lens::all("t."))?;
            cells.push(format!("{cell} AS {}", identifier(&column.name)));
            for hidden in self.forms(place)? {
                let cell = self.cell(
                    place,
                    Lens {
                        alias: "t.",
                        hidden: &hidden,
                    },
                )?;
                own.push(format!(
                    "{cell} AS {}",
                    identifier(&form_column(place, &hidden))
                ));
            }
        }
        if cells.is_empty() {
            return Err(self.refuse("none of its columns"));
        }
        cells.extend(own);
        let mut query = format!(
            "SELECT {} FROM {} t{}",
            cells.join(", "),
            self.source,
            self.joins()
        );
        if let Some(kept) = self.retained("t.") {
            let _ = write!(query, " WHERE {kept}");
        }
        let name = self.cells_view()?;
        let is_for_people = name == self.table.name;
        let mut out = vec![PostgresView {
            name,
            query,
            is_for_people,
        }];
        if !is_for_people {
            out.push(self.people_view(&out[0].name));
        }
        Ok(out)
    }

    /// The columns alone; in `filter` mode of records that show them all.
    fn people_view(&self, cells: &str) -> PostgresView {
        let names: Vec<String> = (0..self.table.columns.len())
            .filter(|place| self.in_sql(*place).is_ok())
            .map(|place| identifier(&self.table.columns[place].name))
            .collect();
        let schema = views_schema(self.purpose_name());
        let mut query = format!(
            "SELECT {} FROM {}.{}",
            names.join(", "),
            identifier(&schema),
            identifier(cells)
        );
        if self.table.mode == Mode::Filter {
            let shown: Vec<String> = (0..self.table.columns.len())
                .map(|place| identifier(&shown_column(place)))
                .collect();
            let _ = write!(query, " WHERE {}", shown.join(" AND "));
        }
        PostgresView {
            name: self.table.name.clone(),
            query,
            is_for_people: true,
        }
    }

    /// An index on the masked expression of a column, so that a predicate on the masked value finds it; `None` where the expression needs
    /// another table or today's date, or is the same for all records.
    pub fn index(&self, place: usize) -> Result<Option<String>, Error> {
        if self.table.storage == Storage::Table || self.is_denied(place) {
            return Ok(None);
        }
        if self.retained("").is_some() {
            return Ok(None);
        }
        let cell = self.cell(place, Lens::all(""))?;
        // the text of a day depends on the session's settings in PostgreSQL's eyes, so it takes no index
        if cell.contains("to_char(") {
            return Ok(None);
        }
        Ok(Some(format!(
            "CREATE INDEX ON {} (({cell}));\n",
            self.source
        )))
    }

    /// Columns that SQL cannot say, and why: the views do not have them, and the gateway refuses to ask for them.
    pub fn left_out(&self) -> Vec<(&str, Error)> {
        (0..self.table.columns.len())
            .filter_map(|place| {
                Some((
                    self.table.columns[place].name.as_str(),
                    self.in_sql(place).err()?,
                ))
            })
            .collect()
    }

    /// Whether a column can be written as SQL at all.
    pub(super) fn in_sql(&self, place: usize) -> Result<(), Error> {
        self.cell(place, Lens::all("")).map(|_| ())
    }

    /// The view that the gateway reads.
    pub(super) fn cells_view(&self) -> Result<String, Error> {
        let mut needs_own = self.table.mode == Mode::Filter;
        for place in 0..self.table.columns.len() {
            needs_own |= !self.forms(place)?.is_empty();
        }
        let name = &self.table.name;
        Ok(if needs_own {
            format!("{CELLS}{name}")
        } else {
            name.clone()
        })
    }

    /// The column of the gateway's view that holds a cell in the asker's form.
    pub(super) fn column_for(&self, place: usize) -> Result<String, Error> {
        let hidden: Vec<usize> = self
            .looks_at(place)
            .into_iter()
            .filter(|place| !self.permitted[*place])
            .collect();
        if hidden.is_empty() {
            return Ok(self.table.columns[place].name.clone());
        }
        if self.forms(place)?.contains(&hidden) {
            Ok(form_column(place, &hidden))
        } else {
            Err(self.refuse("a form of a cell that no grant asks for"))
        }
    }

    /// Columns that somebody may see and that the mask of a column looks at.
    fn looks_at(&self, place: usize) -> Vec<usize> {
        fn collect<'a>(mask: &'a Mask, out: &mut Vec<&'a str>) {
            if let Mask::WhereHidden {
                columns,
                then,
                otherwise,
            } = mask
            {
                out.extend(columns.iter().map(String::as_str));
                collect(then, out);
                collect(otherwise, out);
            }
        }
        let mut names = Vec::new();
        collect(&self.table.columns[place].mask, &mut names);
        let is_among = |other: &usize| {
            self.granted[*other] && names.contains(&self.table.columns[*other].name.as_str())
        };
        (0..self.table.columns.len()).filter(is_among).collect()
    }

    /// The sets of columns that may be hidden from somebody who may see this one, and that its mask looks at.
    fn forms(&self, place: usize) -> Result<Vec<Vec<usize>>, Error> {
        let looked_at = self.looks_at(place);
        if looked_at.is_empty() || !self.granted[place] {
            return Ok(Vec::new());
        }
        if looked_at.len() > 10 {
            return Err(self.refuse("a mask that looks at more than ten columns"));
        }
        let name = |place: usize| self.table.columns[place].name.as_str();
        let mut out = Vec::new();
        for bits in 1u32..1 << looked_at.len() {
            let hidden: Vec<usize> = looked_at
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits & (1 << bit) != 0)
                .map(|(_, place)| *place)
                .collect();
            // the most that somebody sees without them; grants of several roles add up
            let without: Vec<_> = self
                .policy
                .serving(self.purpose.id())
                .filter(|grant| {
                    !hidden
                        .iter()
                        .any(|one| grant.objects.covers(&self.table.name, name(*one)))
                })
                .collect();
            let sees = |place: usize| {
                without
                    .iter()
                    .any(|grant| grant.objects.covers(&self.table.name, name(place)))
            };
            if sees(place)
                && looked_at
                    .iter()
                    .all(|one| hidden.contains(one) || sees(*one))
            {
                out.push(hidden);
            }
        }
        if out.len() >= FORMS {
            return Err(self.refuse("a cell with more than eight forms, by who asks"));
        }
        Ok(out)
    }
}
