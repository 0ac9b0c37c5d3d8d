//! What a user sees of plain records: the in-process meaning of everything the gateway compiles.
//!
//! # Idea
//! For each record: drop it when its retention is over, drop it in `filter` mode when a requested cell is prohibited, then serve each
//! requested cell in full, in conditional form or as NULL.
//!
//! # Guarantee
//! Slow and obvious: a gateway's answer must equal a plain query on this view.

use crate::consent::RecordConsent;
use crate::decision::Access;
use crate::intended::Compliance;
use crate::mask::{Cell, MaskKey};
use crate::value::Value;

/// A raw record as the view reads it.
pub struct RawRecord<'a> {
    /// The text of the record's key.
    pub key: String,
    /// The provider group.
    pub group: Option<String>,
    /// The day it was collected.
    pub collected: Option<i64>,
    /// The provider's own consent.
    pub consent: Option<&'a RecordConsent>,
    /// Raw cells by column name; NULL for columns it does not have.
    pub raw: &'a dyn Fn(&str) -> Value,
}

impl Access<'_> {
    /// The requested cells of a record as this access sees them, or `None` when the record is not served.
    pub fn view(
        &self,
        record: &RawRecord<'_>,
        requested: &[usize],
        key: &MaskKey,
        today: i64,
    ) -> Option<Vec<Value>> {
        if !self.is_retained(record.collected, today) {
            return None;
        }
        let group = record.group.as_deref();
        if !self.keeps(requested, group, record.consent) {
            return None;
        }
        let served = |name: &str| {
            self.table()
                .column(name)
                .map_or(Compliance::Denied, |column| {
                    self.compliance(column, group, record.consent)
                })
        };
        let cells = requested.iter().map(|place| {
            let column = &self.table().columns[*place];
            let value = (record.raw)(&column.name);
            let shown = match self.compliance(*place, group, record.consent) {
                Compliance::Denied => Value::Null,
                Compliance::Full => value,
                Compliance::Conditional => column.mask.apply(
                    &value,
                    &Cell {
                        key,
                        table: &self.table().name,
                        column: &column.name,
                        purpose: self.purpose_name(),
                        record: &record.key,
                        raw: record.raw,
                        served: &served,
                    },
                ),
            };
            shown.shown_as(column.visible_kind())
        });
        Some(cells.collect())
    }
}
