//! How much a statement can hold at a time: an upper bound from its plan, before it runs.
//!
//! # Idea
//! From the leaves up, each column of each step of the plan has a longest cell: measured for governed tables, counted for constants, and
//! following from its arguments for a function. The sum over everything that is worked out for one record, times the records in a batch,
//! is what is in flight; so the number of records in a batch is chosen such that the product is small. What a step collects (sorts, joins,
//! groups) the engine counts itself.
//!
//! Beside its length each column has a size: how many words it is when everything below is written into it. The engine does so when it
//! moves a predicate down, and `a + a` of `a + a` of `a + a` .. doubles each time.
//!
//! # Guarantee
//! A plan that is let through holds at most [`IN_FLIGHT`] for each of its threads, or one record at a time.

use super::failure::{Halt, planning};
use super::functions::{COLLECTING, LONGEST_MADE, Length, length};
use super::masked::Masked;
use super::stop::ASK;
use crate::request::Refusal;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ScalarValue};
use datafusion::datasource::source_as_provider;
use datafusion::error::Result;
use datafusion::logical_expr::{Distinct, Expr, LogicalPlan, TableScan};
use std::any::Any;
use std::collections::BTreeMap;

/// What one thread of a statement may hold in batches on their way, in bytes.
pub(super) const IN_FLIGHT: usize = 4 << 20;
/// Records in a batch, at most.
const BATCH: usize = 8192;
/// Steps of a plan.
const MOST_STEPS: usize = 5_000;
/// Words of one expression with everything below written into it.
const MOST_WORDS: usize = 50_000;
/// A cell of a number, a day, or a text of a few letters.
const SMALL: usize = 16;
const SHORT_TEXT: usize = 128;
/// A cell of the catalogue.
const NAME: usize = 1024;

/// Longest cells of governed tables, by table and column.
pub(super) type Longest = BTreeMap<String, BTreeMap<String, usize>>;

/// What a plan needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Need {
    /// Records in a batch.
    pub(super) batch: usize,
    /// Bytes in flight per thread.
    pub(super) bytes: usize,
}

/// Refuses a plan that would become too large while it is optimized.
pub(super) fn complexity(plan: &LogicalPlan) -> Result<(), Refusal> {
    walked(plan, &Longest::new()).map(|_| ())
}

/// Measures an optimized plan; one that would not fit is refused.
pub(super) fn measure(plan: &LogicalPlan, longest: &Longest, most: usize) -> Result<Need, Refusal> {
    let bytes = walked(plan, longest)?;
    // one record at a time must fit
    if bytes > most {
        return Err(Refusal::from(&Halt::Memory));
    }
    let batch = (IN_FLIGHT / bytes.max(1)).clamp(1, BATCH);
    Ok(Need {
        batch,
        bytes: bytes.saturating_mul(batch),
    })
}

/// The bytes of everything that is worked out for one record.
fn walked(plan: &LogicalPlan, longest: &Longest) -> Result<usize, Refusal> {
    let mut walk = Walk {
        longest,
        bytes: 0,
        steps: 0,
        words: 0,
    };
    let walked = walk.node(plan);
    if walk.steps > MOST_STEPS || walk.words > MOST_WORDS {
        let mut refusal = Refusal::new(
            "54001",
            "statement-too-complex",
            "the statement is too large once its subqueries are written out",
        );
        refusal.hint = Some("write it with fewer nested subqueries and WITH queries".into());
        return Err(refusal);
    }
    walked.map_err(|error| planning(&error))?;
    Ok(walk.bytes)
}

/// A column of a step.
#[derive(Debug, Clone, Copy)]
struct Cell {
    bytes: usize,
    words: usize,
}

struct Walk<'a> {
    longest: &'a Longest,
    /// Of everything that is worked out for one record.
    bytes: usize,
    steps: usize,
    words: usize,
}

impl Walk<'_> {
    /// The columns of a step.
    fn node(&mut self, plan: &LogicalPlan) -> Result<Vec<Cell>> {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.words > MOST_WORDS {
            return datafusion::common::plan_err!("too many steps");
        }
        let mut inputs = Vec::new();
        for input in plan.inputs() {
            inputs.push(self.node(input)?);
        }
        let below: Vec<Cell> = inputs.iter().flatten().copied().collect();
        let mut schema = DFSchema::empty();
        for input in plan.inputs() {
            schema = schema.join(input.schema()).unwrap_or(schema);
        }
        let known = Known {
            schema: &schema,
            cells: &below,
        };
        let mut made = Vec::new();
        for expr in plan.expressions() {
            made.push(self.expr(&expr, &known)?);
        }
        let columns = match plan {
            LogicalPlan::TableScan(scan) => {
                let columns = self.scan(scan)?;
                // raw cells, decisions and conditional values, before the masked ones
                for column in &columns {
                    self.add(column.bytes.saturating_mul(3));
                }
                columns
            }
            LogicalPlan::Projection(_) => made,
            LogicalPlan::Aggregate(aggregate) => {
                // groups, perhaps the number of their set, aggregates
                let count = plan.schema().fields().len();
                let own = aggregate.aggr_expr.len().min(made.len());
                let (groups, aggregates) = made.split_at(made.len() - own);
                let widest = groups.iter().fold(small(), |a, b| wider(a, *b));
                let mut out: Vec<Cell> = (0..count.saturating_sub(own))
                    .map(|place| {
                        // of a grouping set nobody knows which is which
                        let is_told = aggregate.group_expr.len() == groups.len();
                        if is_told && groups.len() + own == count {
                            groups[place]
                        } else {
                            widest
                        }
                    })
                    .collect();
                out.extend(aggregates);
                out
            }
            LogicalPlan::Window(_) => {
                let mut out = below.clone();
                out.extend(made);
                out
            }
            LogicalPlan::Union(_) => {
                let mut out: Vec<Cell> = Vec::new();
                for input in &inputs {
                    for (place, cell) in input.iter().enumerate() {
                        match out.get_mut(place) {
                            Some(other) => *other = wider(*other, *cell),
                            None => out.push(*cell),
                        }
                    }
                }
                out
            }
            LogicalPlan::Values(values) => {
                let width = plan.schema().fields().len().max(1);
                let mut out = vec![small(); width];
                for (place, cell) in made.iter().enumerate() {
                    out[place % width] = wider(out[place % width], *cell);
                }
                let _ = values;
                out
            }
            LogicalPlan::Unnest(_) => {
                let widest = below.iter().fold(small(), |a, b| wider(a, *b));
                // an element is as long as its list at most, and a list has so many
                let times = (widest.bytes / 8).max(1);
                let fields = plan.schema().fields().len();
                self.add(widest.bytes.saturating_mul(times).saturating_mul(fields));
                vec![widest; fields]
            }
            LogicalPlan::RecursiveQuery(_) => {
                let cell = Cell {
                    bytes: LONGEST_MADE,
                    words: 1,
                };
                plan.schema()
                    .fields()
                    .iter()
                    .map(|field| fitting(field.data_type(), cell))
                    .collect()
            }
            LogicalPlan::Distinct(Distinct::On(_)) => made
                .into_iter()
                .take(plan.schema().fields().len())
                .collect(),
            _ => below,
        };
        // a step that we do not know as well as the engine does
        let fields = plan.schema().fields();
        let columns: Vec<Cell> = if columns.len() == fields.len() {
            columns
        } else {
            let widest = columns.iter().fold(small(), |a, b| wider(a, *b));
            vec![widest; fields.len()]
        };
        let copies = !matches!(
            plan,
            LogicalPlan::SubqueryAlias(_) | LogicalPlan::Subquery(_) | LogicalPlan::Limit(_)
        );
        if copies {
            for column in &columns {
                self.add(column.bytes);
            }
        }
        Ok(columns)
    }

    fn add(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn scan(&self, scan: &TableScan) -> Result<Vec<Cell>> {
        let provider = source_as_provider(&scan.source)?;
        let any: &dyn Any = provider.as_ref();
        let table = any.downcast_ref::<Masked>().map(Masked::table);
        let measured = table.and_then(|name| self.longest.get(name));
        Ok(scan
            .projected_schema
            .fields()
            .iter()
            .map(|field| {
                let bytes = match measured {
                    Some(longest) => longest.get(field.name()).copied().unwrap_or(LONGEST_MADE),
                    None => NAME,
                };
                fitting(field.data_type(), Cell { bytes, words: 1 })
            })
            .collect())
    }

    /// The result of an expression; everything on the way to it is counted.
    fn expr(&mut self, expr: &Expr, known: &Known<'_>) -> Result<Cell> {
        let mut args = Vec::new();
        let mut failed = None;
        expr.apply_children(|child| {
            match self.expr(child, known) {
                Ok(cell) => args.push(cell),
                Err(error) => {
                    failed = Some(error);
                    return Ok(TreeNodeRecursion::Stop);
                }
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let widest = args.iter().fold(small(), |a, b| wider(a, *b));
        let all = args
            .iter()
            .fold(0, |sum: usize, cell| sum.saturating_add(cell.bytes));
        let bytes = match expr {
            Expr::Alias(_) => return Ok(widest),
            Expr::Column(column) => return Ok(known.cell(column)),
            Expr::Literal(value, _) => literal(value),
            Expr::OuterReferenceColumn(field, _) => {
                return Ok(fitting(
                    field.data_type(),
                    Cell {
                        bytes: LONGEST_MADE,
                        words: 1,
                    },
                ));
            }
            Expr::ScalarFunction(call) => match length(call.name()) {
                Some(Length::Short) => SHORT_TEXT,
                Some(Length::Within) => widest.bytes,
                Some(Length::Recoded) => widest.bytes.saturating_mul(4),
                Some(Length::Sum) => all.saturating_add(SMALL * args.len()),
                Some(Length::Bounded) => bounded(call.name(), &call.args, &args, all),
                None if call.name() == ASK => SMALL,
                None => NAME,
            },
            Expr::AggregateFunction(call) if COLLECTING.contains(&call.func.name()) => LONGEST_MADE,
            // numbers and truths; what joins texts is a function here
            Expr::BinaryExpr(_)
            | Expr::Like(_)
            | Expr::SimilarTo(_)
            | Expr::InList(_)
            | Expr::Between(_)
            | Expr::Not(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::IsUnknown(_)
            | Expr::IsNotTrue(_)
            | Expr::IsNotFalse(_)
            | Expr::IsNotUnknown(_) => SMALL,
            Expr::Cast(_) | Expr::TryCast(_) => widest.bytes.max(SHORT_TEXT),
            Expr::ScalarSubquery(query) => {
                let columns = self.node(&query.subquery)?;
                columns.iter().fold(small(), |a, b| wider(a, *b)).bytes
            }
            Expr::Exists(exists) => {
                self.node(&exists.subquery.subquery)?;
                SMALL
            }
            Expr::InSubquery(inside) => {
                self.node(&inside.subquery.subquery)?;
                SMALL
            }
            Expr::SetComparison(set) => {
                self.node(&set.subquery.subquery)?;
                SMALL
            }
            _ => widest.bytes,
        };
        let words = args
            .iter()
            .fold(1, |sum: usize, cell| sum.saturating_add(cell.words));
        self.words = self.words.max(words);
        self.add(bytes);
        Ok(Cell { bytes, words })
    }
}

/// What the columns below a step are.
struct Known<'a> {
    schema: &'a DFSchema,
    cells: &'a [Cell],
}

impl Known<'_> {
    fn cell(&self, column: &Column) -> Cell {
        let place = self.schema.maybe_index_of_column(column);
        match place.and_then(|place| self.cells.get(place)) {
            Some(cell) => *cell,
            // one of a step further out
            None => Cell {
                bytes: LONGEST_MADE,
                words: 1,
            },
        }
    }
}

/// What a function with a check of its own makes: less than the check allows when its arguments tell.
fn bounded(name: &str, exprs: &[Expr], args: &[Cell], all: usize) -> usize {
    let constant = |place: usize| match exprs.get(place) {
        Some(Expr::Literal(value, _)) => match value.cast_to(&DataType::Int64) {
            Ok(ScalarValue::Int64(Some(number))) => usize::try_from(number).ok(),
            _ => None,
        },
        _ => None,
    };
    let made = match name {
        "repeat" => {
            constant(1).map(|times| times.saturating_mul(args.first().map_or(0, |a| a.bytes)))
        }
        "lpad" | "rpad" => constant(1).map(|letters| letters.saturating_mul(4)),
        "concat" | "overlay" | super::bounded::JOINED => Some(all),
        "concat_ws" => args
            .first()
            .map(|between| all.saturating_add(between.bytes.saturating_mul(args.len()))),
        "to_char" => args
            .get(1)
            .map(|format| format.bytes.saturating_mul(32) + 64),
        _ => None,
    };
    made.unwrap_or(LONGEST_MADE).min(LONGEST_MADE)
}

fn literal(value: &ScalarValue) -> usize {
    match value.try_as_str() {
        Some(text) => text.map_or(0, str::len) + SMALL,
        None if value.data_type().is_nested() => value.size(),
        None => SMALL,
    }
}

fn small() -> Cell {
    Cell {
        bytes: SMALL,
        words: 1,
    }
}

fn wider(a: Cell, b: Cell) -> Cell {
    Cell {
        bytes: a.bytes.max(b.bytes),
        words: a.words.max(b.words),
    }
}

/// A cell of a fixed size has it, whatever is known.
fn fitting(kind: &DataType, cell: Cell) -> Cell {
    match kind.primitive_width() {
        Some(width) => Cell {
            bytes: width,
            ..cell
        },
        None if *kind == DataType::Boolean => Cell { bytes: 1, ..cell },
        None => Cell {
            bytes: cell.bytes + 4,
            ..cell
        },
    }
}
