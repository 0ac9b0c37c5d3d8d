//! The rewrite for the embedded backend: the first analyzer rule, which puts masked cells in the place of every governed table.
//!
//! # Idea
//! ```text
//! scan of `person`   becomes   scan of a masked table, which is planned apart:
//!                                 wall         nothing of a client's query is moved below
//!                                   filter       the record is served
//!                                     projection   CASE decision WHEN 2 THEN value WHEN 1 THEN conditional value ELSE NULL END, ..
//!                                       projection   typed raw cells, decisions, whether the record is served
//!                                         scan of the raw file
//! ```
//! Predicates, joins, grouping, ordering and windows above see masked values only, because there is nothing else below them. A record
//! is served when it is within retention and, in `filter` mode, no requested cell is prohibited. One that is not has no cells either: its
//! decisions are 0. So even without the wall there is no value for an expression to fail on.
//!
//! # Guarantee
//! Every governed scan of the plan and of its subqueries is replaced. One that would not be is not answered: the governed provider errors
//! when scanned, and the raw one is in no catalogue.
//!
//! # Departures
//! In `filter` mode the requested cells are those of the columns named anywhere in the statement, as in the PostgreSQL backend.

use super::conditional::{Conditional, Known};
use super::decide::{CompanionDecide, Decide, Numbered, Own, PER_WORD, Rules, number};
use super::governed::Governed;
use super::masked::Masked;
use super::source::{Opened, arrow_type};
use crate::request::Request;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{Column, ScalarValue, plan_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::error::Result;
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, ScalarUDF, ScalarUDFImpl, TableScan, bitwise_and,
    bitwise_shift_right, case, cast, lit, when,
};
use datafusion::optimizer::AnalyzerRule;
use denym_purpose::{Access, Compliance, Kind, Mask, MaskKey, Mode, Storage, TablePolicy};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The rule for one statement under one purpose.
#[derive(Debug)]
pub(super) struct Rewrite {
    pub(super) request: Request,
    pub(super) sources: BTreeMap<String, Arc<Opened>>,
    pub(super) consents: BTreeMap<String, Arc<Numbered>>,
    pub(super) key: MaskKey,
}

impl AnalyzerRule for Rewrite {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let replaced = plan.transform_down_with_subqueries(|node| {
            let LogicalPlan::TableScan(scan) = &node else {
                return Ok(Transformed::no(node));
            };
            match governed(scan)? {
                None => Ok(Transformed::no(node)),
                Some(name) => Ok(Transformed::new(
                    self.masked(&name, scan)?,
                    true,
                    TreeNodeRecursion::Jump,
                )),
            }
        })?;
        Ok(replaced.data)
    }

    fn name(&self) -> &'static str {
        "denym_rewrite"
    }
}

/// The name of the governed table that is scanned, if it is one.
fn governed(scan: &TableScan) -> Result<Option<String>> {
    let provider = source_as_provider(&scan.source)?;
    let any: &dyn Any = provider.as_ref();
    Ok(any
        .downcast_ref::<Governed>()
        .map(|table| table.name.clone()))
}

impl Rewrite {
    fn masked(&self, name: &str, scan: &TableScan) -> Result<LogicalPlan> {
        if !scan.filters.is_empty() || scan.fetch.is_some() || scan.projection.is_some() {
            return Err(plan_datafusion_err!(
                "a governed scan was changed before the rewrite"
            ));
        }
        let request = &self.request;
        let missing = |_| plan_datafusion_err!("a table without policy or data");
        let table = request.policy.table(name).map_err(missing)?;
        let access = request
            .policy
            .access(request.activation.clone(), request.purpose.clone(), name)
            .map_err(missing)?;
        let source = self
            .sources
            .get(name)
            .ok_or_else(|| plan_datafusion_err!("a table without policy or data"))?;
        let masking = Masking::new(self, table, &access, source);
        let plan = masking.plan(source)?;
        let masked = provider_as_source(Arc::new(Masked::new(plan, source.watch.clone())));
        LogicalPlanBuilder::scan(scan.table_name.clone(), masked, None)?.build()
    }
}

/// What is served of a cell: the same for all records, or by an expression.
enum Decision {
    Always(Compliance),
    By(Expr),
}

struct Masking<'a> {
    rewrite: &'a Rewrite,
    table: &'a TablePolicy,
    access: &'a Access<'a>,
    source: &'a Opened,
    /// The inner projection by name: what is worked out once per record.
    inner: BTreeMap<String, Expr>,
    /// Those of them that are decisions.
    decisions: BTreeSet<String>,
    /// Whether some records are not served at all.
    drops: bool,
}

/// The column that says whether a record is served.
const SERVED: &str = "served";

impl<'a> Masking<'a> {
    fn new(
        rewrite: &'a Rewrite,
        table: &'a TablePolicy,
        access: &'a Access<'a>,
        source: &'a Opened,
    ) -> Self {
        Self {
            drops: table.mode != Mode::Mask
                || access.first_served_day(rewrite.request.today).is_some(),
            rewrite,
            table,
            access,
            source,
            inner: BTreeMap::new(),
            decisions: BTreeSet::new(),
        }
    }

    /// The masked table.
    fn plan(mut self, source: &Opened) -> Result<LogicalPlan> {
        let cells = self.cells()?;
        let served = self.served();
        let names: Vec<String> = self.inner.keys().cloned().collect();
        let inner: Vec<Expr> = self
            .inner
            .into_iter()
            .map(|(name, expr)| expr.alias(name))
            .collect();
        let mut plan = source.scan()?;
        if !inner.is_empty() {
            plan = plan.project(inner)?;
        }
        let Some(served) = served else {
            return plan.project(cells)?.build();
        };
        let mut between = vec![served.clone().alias(SERVED)];
        for name in &names {
            between.push(if self.decisions.contains(name) {
                // nothing is decided about a record that is not served
                when(served.clone(), column(name))
                    .otherwise(lit(0u64))?
                    .alias(name.clone())
            } else {
                column(name)
            });
        }
        let shown = self.table.columns.iter().map(|one| column(&one.name));
        let shown: Vec<Expr> = shown.collect();
        plan.project(between)?
            .project(cells.into_iter().chain([column(SERVED)]))?
            .filter(column(SERVED))?
            .project(shown)?
            .build()
    }

    /// Whether a record is served; `None` when all are. It never fails, and unknown is no.
    fn served(&mut self) -> Option<Expr> {
        if !self.drops {
            return None;
        }
        let first = self.access.first_served_day(self.rewrite.request.today);
        let retained = first.map(|first| {
            let retained = self.retained(first);
            self.inner("retained".into(), || retained)
        });
        let both = [retained, self.kept()].into_iter().flatten();
        Some(
            both.reduce(Expr::and)
                .unwrap_or_else(|| lit(true))
                .is_true(),
        )
    }

    fn cells(&mut self) -> Result<Vec<Expr>> {
        let table = self.table;
        table
            .columns
            .iter()
            .enumerate()
            .map(|(place, column)| Ok(self.cell(place)?.alias(column.name.clone())))
            .collect()
    }

    /// PIP, then CIP, then AIP, else nothing.
    fn cell(&mut self, place: usize) -> Result<Expr> {
        let column = &self.table.columns[place];
        let visible = column.visible_kind();
        let nothing = null(visible);
        let always = |cell: Expr, nothing: Expr, drops: bool| {
            if drops {
                return when(self::column(SERVED), cell).otherwise(nothing);
            }
            Ok(cell)
        };
        Ok(match self.decision(place) {
            Decision::Always(Compliance::Denied) => nothing,
            Decision::Always(Compliance::Full) => {
                let raw = self.raw(place);
                let cell = self.shown(raw, place, column.kind);
                always(cell, nothing, self.drops)?
            }
            Decision::Always(Compliance::Conditional) => {
                let cell = self.conditional(&column.mask, place)?;
                always(cell, nothing, self.drops)?
            }
            Decision::By(decision) => {
                let raw = self.raw(place);
                let full = self.shown(raw, place, column.kind);
                let conditional = self.conditional(&column.mask, place)?;
                case(decision)
                    .when(lit(number(Compliance::Full)), full)
                    .when(lit(number(Compliance::Conditional)), conditional)
                    .otherwise(nothing)?
            }
        })
    }

    fn decision(&mut self, place: usize) -> Decision {
        if !self.access.is_permitted(place) {
            return Decision::Always(Compliance::Denied);
        }
        let purpose = self.access.purpose();
        let group = self
            .table
            .group
            .as_deref()
            .filter(|_| !self.table.groups.is_empty())
            .map(|name| self.source.text(self.table, name));
        if let Storage::Companion {
            allowed,
            conditional,
            prohibited,
        } = &self.table.storage
        {
            let table = self.table;
            let source = self.source;
            self.decisions.insert(format!("d{place}"));
            let decided = self.inner(format!("d{place}"), || {
                let name = &table.columns[place].name;
                let mut args: Vec<Expr> = [allowed, conditional, prohibited]
                    .iter()
                    .map(|suffix| {
                        let name = format!("{name}{suffix}");
                        if source.is_text(&name) {
                            Opened::column(&name)
                        } else {
                            source.typed(&name, Kind::Integer)
                        }
                    })
                    .collect();
                args.extend(group);
                call(CompanionDecide::new(table, place, purpose), args)
            });
            return Decision::By(decided);
        }
        let own = match &self.table.storage {
            Storage::Table => self.table.key.as_deref(),
            Storage::RowCode { column } => Some(column.as_str()),
            _ => None,
        };
        if own.is_none() && group.is_none() {
            return Decision::Always(self.access.compliance(place, None, None));
        }
        let word = place / PER_WORD;
        let (rewrite, table, source) = (self.rewrite, self.table, self.source);
        self.decisions.insert(format!("w{word}"));
        let decided = self.inner(format!("w{word}"), || {
            let storage = match &table.storage {
                Storage::Table => rewrite
                    .consents
                    .get(&table.name)
                    .map_or(Own::None, |numbered| Own::Table(numbered.clone())),
                Storage::RowCode { .. } => Own::Code,
                _ => Own::None,
            };
            let mut args: Vec<Expr> = own
                .map(|name| source.text(table, name))
                .into_iter()
                .collect();
            args.extend(group);
            let policy = rewrite.request.policy.clone();
            call(
                Decide::new(Rules::new(policy, table, purpose, word, storage)),
                args,
            )
        });
        let shift = 2 * (place % PER_WORD) as u64;
        let shifted = if shift == 0 {
            decided
        } else {
            bitwise_shift_right(decided, lit(shift))
        };
        Decision::By(bitwise_and(shifted, lit(3u64)))
    }

    /// The conditional value of a cell as an expression.
    fn conditional(&mut self, mask: &Mask, place: usize) -> Result<Expr> {
        let column = &self.table.columns[place];
        let visible = column.visible_kind();
        Ok(match mask {
            Mask::Null => null(visible),
            Mask::Value => {
                let raw = self.raw(place);
                self.shown(raw, place, column.kind)
            }
            Mask::Stored { column, kind } => {
                let source = self.source;
                let stored =
                    self.inner(format!("s{kind:?}{column}"), || source.typed(column, *kind));
                self.shown(stored, place, *kind)
            }
            Mask::WhereHidden {
                columns,
                then,
                otherwise,
            } => {
                let mut hidden = lit(true);
                for name in columns {
                    let other = self
                        .table
                        .column(name)
                        .map_err(|_| plan_datafusion_err!("a condition on an unknown column"))?;
                    hidden = hidden.and(match self.decision(other) {
                        Decision::Always(compliance) => lit(compliance != Compliance::Full),
                        Decision::By(decision) => decision.not_eq(lit(number(Compliance::Full))),
                    });
                }
                let then = self.conditional(then, place)?;
                let otherwise = self.conditional(otherwise, place)?;
                when(hidden, then).otherwise(otherwise)?
            }
            mask => {
                let raw = self.raw(place);
                let mut args = vec![raw];
                // only keyed masks tell records apart
                if matches!(mask, Mask::Pseudonym { .. } | Mask::Noise { .. })
                    && let Some(key) = &self.table.key
                {
                    let (source, table) = (self.source, self.table);
                    args.push(self.inner("k".into(), || source.text(table, key)));
                }
                self.masked(mask.clone(), place, column.kind, args)
            }
        })
    }

    fn masked(&self, mask: Mask, place: usize, kind: Kind, args: Vec<Expr>) -> Expr {
        let column = &self.table.columns[place];
        let known = Known {
            mask,
            kind,
            visible: column.visible_kind(),
            table: self.table.name.clone(),
            column: column.name.clone(),
            purpose: self.access.purpose_name().to_owned(),
            key: self.rewrite.key.clone(),
        };
        call(Conditional::new(known), args)
    }

    /// An expression of one kind in a column that may show another.
    fn shown(&self, expr: Expr, place: usize, kind: Kind) -> Expr {
        let visible = self.table.columns[place].visible_kind();
        match kind {
            kind if kind == visible => expr,
            Kind::Float => self.masked(Mask::Value, place, kind, vec![expr]),
            _ => cast(expr, arrow_type(visible)),
        }
    }

    fn raw(&mut self, place: usize) -> Expr {
        let column = &self.table.columns[place];
        let source = self.source;
        self.inner(format!("r{place}"), || {
            source.typed(&column.name, column.kind)
        })
    }

    /// A column of the inner projection.
    fn inner(&mut self, name: String, make: impl FnOnce() -> Expr) -> Expr {
        let column = column(&name);
        self.inner.entry(name).or_insert_with(make);
        column
    }

    /// In `filter` mode: no requested cell is prohibited.
    fn kept(&mut self) -> Option<Expr> {
        if self.table.mode == Mode::Mask {
            return None;
        }
        let requested = self.rewrite.request.names.requested(self.table);
        let mut conditions = Vec::new();
        for place in requested {
            match self.decision(place) {
                Decision::Always(Compliance::Denied) => conditions.push(lit(false)),
                Decision::Always(_) => {}
                Decision::By(decision) => {
                    conditions.push(decision.not_eq(lit(number(Compliance::Denied))));
                }
            }
        }
        conditions.into_iter().reduce(Expr::and)
    }

    fn retained(&self, first: i64) -> Expr {
        let first = i32::try_from(first).unwrap_or(i32::MAX);
        match &self.table.collected {
            Some(name) => self
                .source
                .typed(name, Kind::Date)
                .gt_eq(lit(ScalarValue::Date32(Some(first)))),
            None => lit(false),
        }
    }
}

fn column(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

fn call(function: impl ScalarUDFImpl + 'static, args: Vec<Expr>) -> Expr {
    ScalarUDF::new_from_impl(function).call(args)
}

fn null(kind: Kind) -> Expr {
    let nothing = match kind {
        Kind::Text => ScalarValue::Utf8(None),
        Kind::Integer => ScalarValue::Int64(None),
        Kind::Float => ScalarValue::Float64(None),
        Kind::Boolean => ScalarValue::Boolean(None),
        Kind::Date => ScalarValue::Date32(None),
    };
    lit(nothing)
}

#[cfg(test)]
mod tests;
