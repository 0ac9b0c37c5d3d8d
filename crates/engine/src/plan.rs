//! Words as in-memory tables of `DataFusion`, and the plans' answers back as words.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, UInt64Array};
use datafusion::arrow::buffer::ScalarBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::dataframe::DataFrame;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{Expr, SortExpr, lit};
use datafusion::prelude::col;

use crate::count::counted;
use crate::{Engine, Error};

/// Rows handed to an operator at a time: few enough to stay in the cache, many enough to hide the call.
const BATCH: usize = 8192;

/// Below this many rows one thread is done before others have started.
const FEW: usize = 1 << 15;

/// Rows with equal words, counted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// The words of each distinct row, ascending.
    pub(crate) words: Vec<Vec<u64>>,
    /// How many rows have them.
    pub(crate) counts: Vec<u64>,
}

/// The names of `count` columns of words: `k0`, `k1`, ...
pub(crate) fn names(prefix: char, count: usize) -> Vec<String> {
    (0..count).map(|word| format!("{prefix}{word}")).collect()
}

impl Engine {
    /// A table of 64-bit columns, one partition per thread.
    pub(crate) fn table(
        &self,
        columns: Vec<(String, Vec<u64>)>,
    ) -> Result<DataFrame, DataFusionError> {
        let rows = columns.first().map_or(0, |(_, values)| values.len());
        let fields: Vec<Field> = columns
            .iter()
            .map(|(name, _)| Field::new(name, DataType::UInt64, false))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays: Vec<ArrayRef> = columns
            .into_iter()
            .map(|(_, values)| {
                Arc::new(UInt64Array::new(ScalarBuffer::from(values), None)) as ArrayRef
            })
            .collect();
        let whole = RecordBatch::try_new(Arc::clone(&schema), arrays)?;
        let parts = if rows < FEW { 1 } else { self.threads() };
        let per_part = rows.div_ceil(parts).max(1);
        let partitions = (0..parts)
            .map(|part| {
                let end = rows.min((part + 1) * per_part);
                (rows.min(part * per_part)..end)
                    .step_by(BATCH)
                    .map(|start| whole.slice(start, BATCH.min(end - start)))
                    .collect()
            })
            .collect();
        self.session()
            .read_table(Arc::new(MemTable::try_new(schema, partitions)?))
    }

    /// The distinct rows of `words` in ascending order with their counts: `SELECT words, count(*) GROUP BY words ORDER BY words`.
    pub(crate) fn count_rows(
        &self,
        words: Vec<Vec<u64>>,
        during: &'static str,
    ) -> Result<Counted, Error> {
        let words = match counted(words, None) {
            Ok(counted) => return Ok(counted),
            Err(words) => words,
        };
        let names = names('k', words.len());
        let columns = names.iter().cloned().zip(words).collect();
        self.table(columns)
            .and_then(|table| self.count_frame(table, &names))
            .map_err(|_| Error::Internal { during })
    }

    /// As [`Engine::count_rows`], over the columns `names` of any plan.
    pub(crate) fn count_frame(
        &self,
        frame: DataFrame,
        names: &[String],
    ) -> Result<Counted, DataFusionError> {
        let keys: Vec<Expr> = names.iter().map(col).collect();
        let order: Vec<SortExpr> = names
            .iter()
            .map(|name| col(name).sort(true, false))
            .collect();
        let plan = frame
            .aggregate(keys, vec![count(lit(1_i64)).alias("count")])?
            .sort(order)?;
        let batches = self.runtime().block_on(plan.collect())?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let mut counted = Counted {
            words: names.iter().map(|_| Vec::with_capacity(rows)).collect(),
            counts: Vec::with_capacity(rows),
        };
        for batch in batches {
            for (index, words) in counted.words.iter_mut().enumerate() {
                words.extend_from_slice(numbers::<UInt64Array>(&batch, index)?.values());
            }
            let counts = numbers::<Int64Array>(&batch, names.len())?;
            counted
                .counts
                .extend(counts.values().iter().map(|&count| count.cast_unsigned()));
        }
        Ok(counted)
    }
}

fn numbers<A: Array + 'static>(batch: &RecordBatch, column: usize) -> Result<&A, DataFusionError> {
    batch
        .column(column)
        .as_any()
        .downcast_ref::<A>()
        .ok_or_else(|| DataFusionError::Internal("a column has another type".into()))
}
