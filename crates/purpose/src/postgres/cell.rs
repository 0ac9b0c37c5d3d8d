//! One cell as SQL: the decision over stored bits and literal masks, then the value, the mask or NULL.

use super::{CONSENT_TABLE, PostgresTable, identifier, literal};
use crate::consent::Storage;
use crate::error::Error;
use crate::intended::{Compliance, IntendedPurpose};
use crate::mask::{Bound, Mask, whole};
use crate::value::Kind;
use std::fmt::Write as _;

/// How a table's columns are looked at while SQL is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lens<'a> {
    /// What stands before every column.
    pub(super) alias: &'a str,
    /// Columns that count as not permitted, whatever the grants say.
    pub(super) hidden: &'a [usize],
}

impl<'a> Lens<'a> {
    /// Everything that the grants permit.
    pub(super) fn all(alias: &'a str) -> Self {
        Self { alias, hidden: &[] }
    }
}

impl PostgresTable<'_> {
    /// The cell as this purpose sees it. What may not be seen, by consent or by age, is NULL inside the expression, so that nothing that is
    /// computed from the cell can depend on it.
    pub(super) fn cell(&self, place: usize, lens: Lens<'_>) -> Result<String, Error> {
        let visible = self.table.columns[place].visible_kind();
        let cell = self.decided(place, lens)?;
        Ok(match self.retained(lens.alias) {
            None => cell,
            Some(kept) => format!(
                "CASE WHEN {kept} THEN {cell} ELSE NULL::{} END",
                type_name(visible)
            ),
        })
    }

    /// Whether the record is kept long enough for the purpose, as a condition; `None` when it is kept for ever.
    pub(super) fn retained(&self, alias: &str) -> Option<String> {
        let days = self.policy.purposes.retention_days(self.purpose.id())?;
        Some(match &self.table.collected {
            // the day must not follow a setting of the session, nor stand still in a transaction
            Some(collected) => format!(
                "{alias}{} >= (statement_timestamp() AT TIME ZONE 'UTC')::date - {days}",
                identifier(collected)
            ),
            None => "false".into(),
        })
    }

    /// Whether the cell is shown in any form, as a condition.
    pub(super) fn is_shown(&self, place: usize, lens: Lens<'_>) -> String {
        let shown = match self.decision(place, lens) {
            Decision::Always(Compliance::Denied) => "false".into(),
            Decision::Always(_) => "true".into(),
            Decision::Sql(sql) => format!("{sql} <> 0"),
        };
        match self.retained(lens.alias) {
            None => shown,
            Some(kept) => format!("CASE WHEN {kept} THEN {shown} ELSE false END"),
        }
    }

    /// Whether no record shows anything of the column.
    pub(super) fn is_denied(&self, place: usize) -> bool {
        matches!(
            self.decision(place, Lens::all("")),
            Decision::Always(Compliance::Denied)
        )
    }

    fn decided(&self, place: usize, lens: Lens<'_>) -> Result<String, Error> {
        let column = &self.table.columns[place];
        let visible = column.visible_kind();
        let raw = format!("{}{}", lens.alias, identifier(&column.name));
        let full = self.shown(&raw, column.kind, visible)?;
        let null = format!("NULL::{}", type_name(visible));
        Ok(match self.decision(place, lens) {
            Decision::Always(Compliance::Denied) => null,
            Decision::Always(Compliance::Full) => full,
            Decision::Always(Compliance::Conditional) => {
                self.mask(&column.mask, &raw, column.kind, visible, lens)?
            }
            Decision::Sql(decision) => {
                let masked = self.mask(&column.mask, &raw, column.kind, visible, lens)?;
                format!("CASE {decision} WHEN 2 THEN {full} WHEN 1 THEN {masked} ELSE {null} END")
            }
        })
    }

    /// 0 denied, 1 conditional, 2 full: the record's own consent, else its group's, else the defaults.
    fn decision(&self, place: usize, lens: Lens<'_>) -> Decision {
        let alias = lens.alias;
        if !self.permitted[place] || lens.hidden.contains(&place) {
            return Decision::Always(Compliance::Denied);
        }
        let check = |consent: Option<&IntendedPurpose>| {
            consent.map_or(Compliance::Denied, |ip| ip.check(&self.purpose))
        };
        let fallback = check(self.table.consent(place, None, None).1);
        let mut rest = number(fallback).to_string();
        let mut constant = true;
        if let Some(group) = &self.table.group
            && !self.table.groups.is_empty()
        {
            constant = false;
            let mut sql = format!("CASE {alias}{}::text", identifier(group));
            for name in self.table.groups.keys() {
                let decision = check(self.table.consent(place, Some(name), None).1);
                let _ = write!(sql, " WHEN {} THEN {}", literal(name), number(decision));
            }
            rest = format!("{sql} ELSE {rest} END");
        }
        match (&self.table.storage, &self.table.key) {
            (
                Storage::Companion {
                    allowed,
                    conditional,
                    prohibited,
                },
                _,
            ) => {
                let name = &self.table.columns[place].name;
                let [a, c, p] = [allowed, conditional, prohibited]
                    .map(|suffix| format!("{alias}{}", identifier(&format!("{name}{suffix}"))));
                Decision::Sql(format!("COALESCE({}, {rest})", self.own(&a, &c, &p)))
            }
            (Storage::Table, Some(key)) => {
                let join = |name: &str| {
                    self.own(
                        &format!("{name}.aip"),
                        &format!("{name}.cip"),
                        &format!("{name}.pip"),
                    )
                };
                Decision::Sql(format!(
                    "CASE WHEN {alias}{} IS NULL THEN 0 ELSE COALESCE({}, {}, {rest}) END",
                    identifier(key),
                    join(&format!("c{place}")),
                    join("call")
                ))
            }
            _ if constant => Decision::Always(fallback),
            _ => Decision::Sql(rest),
        }
    }

    /// The check with literal bits; NULL when there is no own consent, 0 when a number is negative and so no code.
    fn own(&self, a: &str, c: &str, p: &str) -> String {
        let (up, related) = (self.up, self.related);
        format!(
            "CASE WHEN {a} IS NULL AND {c} IS NULL AND {p} IS NULL THEN NULL WHEN {a} < 0 OR {c} < 0 OR {p} < 0 THEN 0 \
             WHEN {p} & {related} <> 0 THEN 0 WHEN {c} & {up} <> 0 THEN 1 WHEN {a} & {up} <> 0 THEN 2 ELSE 0 END"
        )
    }

    /// Joins to the consent table: one for the record, one for each column.
    pub(super) fn joins(&self) -> String {
        let (Storage::Table, Some(key)) = (&self.table.storage, &self.table.key) else {
            return String::new();
        };
        let consent = format!("{}.{CONSENT_TABLE}", identifier(&self.consent_schema));
        let mut out = String::new();
        let columns = self.table.columns.iter().map(|column| column.name.as_str());
        let names = std::iter::once(("call".to_owned(), "*")).chain(
            columns
                .enumerate()
                .map(|(place, name)| (format!("c{place}"), name)),
        );
        for (alias, column) in names {
            let _ = write!(
                out,
                " LEFT JOIN {consent} {alias} ON {alias}.table_name = {} AND {alias}.record = t.{}::text AND {alias}.column_name = {}",
                literal(&self.table.name),
                identifier(key),
                literal(column)
            );
        }
        out
    }

    /// An expression of one kind shown in a column of another: itself, or its text.
    fn shown(&self, sql: &str, kind: Kind, visible: Kind) -> Result<String, Error> {
        match (kind, visible) {
            (a, b) if a == b => Ok(sql.to_owned()),
            (Kind::Integer | Kind::Boolean, Kind::Text) => Ok(format!("({sql})::text")),
            (Kind::Date, Kind::Text) => Ok(format!("to_char({sql}, 'YYYY-MM-DD')")),
            _ => Err(self.refuse("numbers with a fraction shown as text")),
        }
    }

    pub(super) fn refuse(&self, what: &'static str) -> Error {
        Error::NotInSql {
            table: self.table.name.clone(),
            what,
        }
    }

    fn mask(
        &self,
        mask: &Mask,
        raw: &str,
        kind: Kind,
        visible: Kind,
        lens: Lens<'_>,
    ) -> Result<String, Error> {
        Ok(match mask {
            Mask::Null => format!("NULL::{}", type_name(visible)),
            Mask::Value => self.shown(raw, kind, visible)?,
            Mask::FirstLetters(count) => format!("left({raw}, {count})"),
            Mask::Characters {
                keep_first,
                keep_last,
                with,
            } => {
                let with = literal(&with.to_string());
                format!(
                    "CASE WHEN char_length({raw}) <= {both} THEN repeat({with}, char_length({raw})) ELSE left({raw}, {keep_first}) || \
                     repeat({with}, char_length({raw}) - {both}) || right({raw}, {keep_last}) END",
                    both = keep_first + keep_last
                )
            }
            Mask::Interval {
                width,
                origin,
                show,
            } => self.interval(raw, kind, visible, (*width, *origin, *show))?,
            Mask::Level { levels, level, .. } => {
                let mut sql = format!("CASE {}", self.shown(raw, kind, Kind::Text)?);
                for (value, general) in levels.pairs(*level) {
                    let _ = write!(sql, " WHEN {} THEN {}", literal(value), literal(general));
                }
                if levels.pairs(*level).next().is_none() {
                    return Ok("NULL::text".into());
                }
                format!("{sql} END")
            }
            Mask::Pseudonym { .. } | Mask::Noise { .. } => {
                return Err(self.refuse("keyed pseudonyms and noise"));
            }
            Mask::Stored { column, kind } => self.shown(
                &format!("{}{}", lens.alias, identifier(column)),
                *kind,
                visible,
            )?,
            Mask::WhereHidden {
                columns,
                then,
                otherwise,
            } => {
                let mut conditions = Vec::new();
                for name in columns {
                    conditions.push(match self.decision(self.table.column(name)?, lens) {
                        Decision::Always(Compliance::Full) => "false".into(),
                        Decision::Always(_) => "true".into(),
                        Decision::Sql(sql) => format!("{sql} <> 2"),
                    });
                }
                format!(
                    "CASE WHEN {} THEN {} ELSE {} END",
                    conditions.join(" AND "),
                    self.mask(then, raw, kind, visible, lens)?,
                    self.mask(otherwise, raw, kind, visible, lens)?
                )
            }
        })
    }

    fn interval(
        &self,
        raw: &str,
        kind: Kind,
        visible: Kind,
        (width, origin, show): (f64, f64, Bound),
    ) -> Result<String, Error> {
        if kind == Kind::Float {
            if visible == Kind::Text {
                return Err(self.refuse("numbers with a fraction shown as text"));
            }
            let low = float_interval(raw, width, origin);
            return Ok(match show {
                Bound::Midpoint => format!("({low} + ({:?}::float8))", width / 2.0),
                _ => low,
            });
        }
        let (Some(width), Some(origin)) = (whole(width), whole(origin)) else {
            return Err(self.refuse("an interval of whole numbers with a fraction"));
        };
        // numeric: no overflow at either end of the type
        let low = format!(
            "({raw}::numeric - mod(mod({raw}::numeric - ({origin}), {width}) + {width}, {width}))"
        );
        // beyond the type the mask answers NULL: an error would tell which records are near its ends
        let fits = |sql: String| {
            let (least, most) = (i64::MIN, i64::MAX);
            format!("CASE WHEN {sql} BETWEEN ({least}) AND {most} THEN ({sql})::bigint END")
        };
        Ok(match show {
            Bound::Range => format!("({low})::text || '-' || ({low} + {width})::text"),
            Bound::Lower => self.shown(&fits(low), Kind::Integer, visible)?,
            Bound::Midpoint => self.shown(
                &fits(format!("({low} + {})", width / 2)),
                Kind::Integer,
                visible,
            )?,
        })
    }
}

/// The lower end of a number's interval. Beyond what PostgreSQL computes without an error the mask answers NULL: an error would tell that
/// there is such a record. Numbers that are next to nothing beside the width are told apart by their sign alone.
fn float_interval(raw: &str, width: f64, origin: f64) -> String {
    const MOST: f64 = 1e300;
    let number = |value: f64| format!("({value:?}::float8)");
    let (w, o) = (number(width), number(origin));
    let off = format!("({raw} - {o})");
    let tiny = (width * 1e-290).max(f64::MIN_POSITIVE);
    format!(
        "(CASE WHEN NOT ({raw} BETWEEN {least} AND {most}) THEN NULL WHEN NOT ({off} BETWEEN {low} AND {high}) THEN NULL \
         WHEN {off} BETWEEN {zero} AND {tiny} THEN {o} WHEN {off} BETWEEN {under} AND {zero} THEN {o} - {w} \
         ELSE floor({off} / {w}) * {w} + {o} END)",
        least = number(-MOST),
        most = number(MOST),
        low = number(-(width * 1e290).min(MOST)),
        high = number((width * 1e290).min(MOST)),
        zero = number(0.0),
        tiny = number(tiny),
        under = number(-tiny),
    )
}

enum Decision {
    Always(Compliance),
    Sql(String),
}

fn number(compliance: Compliance) -> u8 {
    match compliance {
        Compliance::Denied => 0,
        Compliance::Conditional => 1,
        Compliance::Full => 2,
    }
}

pub(super) fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Integer => "bigint",
        Kind::Float => "float8",
        Kind::Boolean => "boolean",
        Kind::Date => "date",
    }
}
