//! Raw files behind governed tables: CSV and Parquet, checked against the policy at the start and whenever they changed, in no catalogue.
//!
//! # Idea
//! CSV is read as text and typed here; a cell that is not of its declared type is found when the gateway starts, and is NULL should the file
//! change later. So no error of a reader can quote it. What the reader is told about a file, the names of its columns above all, holds
//! for that file only: a [`Source`] is opened anew when its file is another one, and columns are never taken by their place in another file.
//!
//! # Guarantee
//! A file with other columns than at the start, or with the same in another order, is refused by the table's name until it is mended.

use super::contain::Watch;
use super::csv;
use crate::error::Error;
use crate::identity::{Identity, Seen};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Column, ScalarValue, TableReference};
use datafusion::config::CsvOptions;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::{TableProvider, provider_as_source};
use datafusion::execution::SessionState;
use datafusion::functions::expr_fn::octet_length;
use datafusion::functions_aggregate::expr_fn::{max, sum};
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, TableSource, lit, try_cast, when};
use denym_purpose::{Kind, Mask, Storage, TablePolicy};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::Mutex;

/// The name raw scans have inside a plan.
pub(super) const RAW: &str = "#raw";

/// A governed table's file.
pub(super) struct Source {
    table: TablePolicy,
    path: PathBuf,
    opened: Mutex<Arc<Opened>>,
}

/// The file as it was when it was last looked at.
pub(super) struct Opened {
    /// What must be there when a batch was read.
    pub(super) watch: Watch,
    seen: Seen,
    provider: Arc<dyn TableProvider>,
    schema: SchemaRef,
    delimiter: Option<u8>,
    /// The longest text of each column that everyone sees.
    pub(super) longest: BTreeMap<String, usize>,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opened(..)")
    }
}

impl Source {
    /// Opens the file of a governed table: its columns and the types of its cells must be the policy's.
    pub(super) async fn open(
        state: &SessionState,
        table: &TablePolicy,
        path: &Path,
    ) -> Result<Self, Error> {
        let mut opened = Opened::read_apart(state, table, path).await?;
        opened.measure(state, table, true).await?;
        opened.unchanged(table)?;
        Ok(Self {
            table: table.clone(),
            path: path.to_owned(),
            opened: Mutex::new(Arc::new(opened)),
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file as it is now; an error that names the table when it has other columns than at the start.
    pub(super) async fn current(&self, state: &SessionState) -> Result<Arc<Opened>, Error> {
        let mut kept = self.opened.lock().await;
        let changed = |what: &str| Error::Changed {
            table: self.table.name.clone(),
            what: what.into(),
        };
        let gone = |_| changed("its file cannot be read any more");
        let now = Identity::of(&self.path).map_err(gone)?;
        if kept.seen.still_is(now) {
            return Ok(kept.clone());
        }
        // cheap, and right even within one tick of the clock of files
        if let Some(delimiter) = kept.delimiter {
            let found = csv::header(&self.path).map_err(gone)?;
            let same = found.is_some_and(|(header, found)| {
                found == delimiter
                    && header
                        .iter()
                        .eq(kept.schema.fields().iter().map(|field| field.name()))
            });
            if !same {
                return Err(changed("its file has other columns than at the start"));
            }
            if kept.seen.identity == now {
                return Ok(kept.clone());
            }
        }
        let mut opened = Opened::read_apart(state, &self.table, &self.path)
            .await
            .map_err(|_| changed("its file has other columns than at the start"))?;
        if opened.schema != kept.schema || opened.delimiter != kept.delimiter {
            return Err(changed("its file has other columns than at the start"));
        }
        if opened.watch.identity == kept.watch.identity {
            return Ok(kept.clone());
        }
        opened.measure(state, &self.table, false).await?;
        opened.unchanged(&self.table)?;
        *kept = Arc::new(opened);
        Ok(kept.clone())
    }
}

impl Opened {
    /// Reads it, and says nothing of a panic: a damaged file may make the reader panic, which is the file's fault and nobody else's.
    async fn read_apart(
        state: &SessionState,
        table: &TablePolicy,
        path: &Path,
    ) -> Result<Self, Error> {
        let damaged = Error::Table {
            table: table.name.clone(),
            what: "its file cannot be read".into(),
        };
        let mut read = Box::pin(Self::read(state, table, path));
        let quietly = std::future::poll_fn(|context| {
            let polled = denym_engine::caught(|| read.as_mut().poll(context));
            polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
        });
        quietly.await.unwrap_or(Err(damaged))
    }

    async fn read(state: &SessionState, table: &TablePolicy, path: &Path) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Table {
            table: table.name.clone(),
            what: what.to_owned(),
        };
        let identity = Identity::of(path).map_err(Error::file("a table's file"))?;
        let url = std::path::absolute(path)
            .ok()
            .and_then(|path| ListingTableUrl::parse(path.to_string_lossy()).ok())
            .ok_or_else(|| wrong("its path cannot be used"))?;
        let is_parquet = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
        let mut delimiter = None;
        let (format, schema): (Arc<dyn FileFormat>, Schema) = if is_parquet {
            let format = Arc::new(ParquetFormat::default());
            let options = ListingOptions::new(format.clone()).with_file_extension("");
            let schema = options
                .infer_schema(state, &url)
                .await
                .map_err(|_| wrong("its Parquet file cannot be read"))?;
            (format, plain_schema(&schema))
        } else {
            let shape = csv::shape(path).map_err(Error::file("a table's file"))?;
            let shape = shape.ok_or_else(|| wrong("its CSV header cannot be read"))?;
            let names: BTreeSet<&str> = shape.header.iter().map(String::as_str).collect();
            if names.len() != shape.header.len() {
                return Err(wrong("a column name occurs twice in its header"));
            }
            let fields: Vec<Field> = shape
                .header
                .iter()
                .map(|name| Field::new(name, DataType::Utf8, true))
                .collect();
            delimiter = Some(shape.delimiter);
            let options = CsvOptions::default()
                .with_has_header(true)
                .with_delimiter(shape.delimiter)
                .with_newlines_in_values(shape.lines_in_cells);
            (
                Arc::new(CsvFormat::default().with_options(options)),
                Schema::new(fields),
            )
        };
        let schema = Arc::new(schema);
        for name in needed(table) {
            if schema.field_with_name(&name).is_err() {
                return Err(wrong(&format!("the data has no column `{name}`")));
            }
        }
        let options = ListingOptions::new(format).with_file_extension("");
        let config = ListingTableConfig::new(url)
            .with_listing_options(options)
            .with_schema(schema.clone());
        let provider =
            ListingTable::try_new(config).map_err(|_| wrong("its file cannot be used"))?;
        Ok(Self {
            watch: Watch {
                table: table.name.clone(),
                path: path.to_owned(),
                identity,
            },
            seen: Seen::now(identity),
            provider: Arc::new(provider),
            schema,
            delimiter,
            longest: BTreeMap::new(),
        })
    }

    /// What was read is of one file.
    fn unchanged(&self, table: &TablePolicy) -> Result<(), Error> {
        match Identity::of(&self.watch.path) {
            Ok(now) if now == self.watch.identity => Ok(()),
            _ => Err(Error::Changed {
                table: table.name.clone(),
                what: "its file changed while it was read".into(),
            }),
        }
    }

    /// Finds the longest texts; with `typed`, any cell that is not of its declared type is an error that names the column.
    async fn measure(
        &mut self,
        state: &SessionState,
        table: &TablePolicy,
        typed: bool,
    ) -> Result<(), Error> {
        let wrong = |what: String| Error::Table {
            table: table.name.clone(),
            what,
        };
        let unreadable = |_| wrong("its file cannot be read".into());
        let names: Vec<String> = needed(table).into_iter().collect();
        let mut asked = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let length = octet_length(self.typed(name, Kind::Text));
            asked.push(max(length).alias(format!("l{place}")));
        }
        let checked: Vec<_> = table
            .columns
            .iter()
            .filter(|column| typed && arrow_type(column.kind) != DataType::Utf8)
            .collect();
        for (place, column) in checked.iter().enumerate() {
            let bad = Self::column(&column.name)
                .is_not_null()
                .and(self.typed(&column.name, column.kind).is_null());
            let one = when(bad, lit(1i64))
                .otherwise(lit(0i64))
                .map_err(unreadable)?;
            asked.push(sum(one).alias(format!("n{place}")));
        }
        let plan = self
            .scan()
            .and_then(|plan| plan.aggregate(Vec::<Expr>::new(), asked)?.build())
            .map_err(unreadable)?;
        let batches = datafusion::dataframe::DataFrame::new(state.clone(), plan)
            .collect()
            .await
            .map_err(unreadable)?;
        let found = |place: usize| {
            let batch = batches.first()?;
            let value = ScalarValue::try_from_array(batch.column(place), 0).ok()?;
            match value.cast_to(&DataType::Int64).ok()? {
                ScalarValue::Int64(count) => Some(count.unwrap_or(0)),
                _ => None,
            }
        };
        let missing = || wrong("its file cannot be read".into());
        for (place, column) in checked.iter().enumerate() {
            let count = found(names.len() + place).ok_or_else(missing)?;
            if count > 0 {
                return Err(wrong(format!(
                    "column `{}` has {count} cells that are not of its type",
                    column.name
                )));
            }
        }
        let mut raw = BTreeMap::new();
        for (place, name) in names.into_iter().enumerate() {
            let length = found(place).ok_or_else(missing)?;
            raw.insert(name, usize::try_from(length).unwrap_or(usize::MAX));
        }
        self.longest = table
            .columns
            .iter()
            .map(|column| {
                let own = raw.get(&column.name).copied().unwrap_or(0);
                (column.name.clone(), shown(&column.mask, own, &raw))
            })
            .collect();
        Ok(())
    }

    /// A scan of it, to build a plan on.
    pub(super) fn scan(&self) -> datafusion::error::Result<LogicalPlanBuilder> {
        let source: Arc<dyn TableSource> = provider_as_source(self.provider.clone());
        LogicalPlanBuilder::scan(RAW, source, None)
    }

    /// A raw column as it is.
    pub(super) fn column(name: &str) -> Expr {
        Expr::Column(Column::new(Some(TableReference::bare(RAW)), name))
    }

    /// Whether the column is read as text.
    pub(super) fn is_text(&self, name: &str) -> bool {
        self.schema
            .field_with_name(name)
            .is_ok_and(|field| *field.data_type() == DataType::Utf8)
    }

    /// A raw column in the type of a kind.
    pub(super) fn typed(&self, name: &str, kind: Kind) -> Expr {
        let target = arrow_type(kind);
        let raw = Self::column(name);
        match self.schema.field_with_name(name) {
            Ok(field) if *field.data_type() == target => raw,
            _ => try_cast(raw, target),
        }
    }

    /// A raw column as text, through its declared kind when it has one: the key of a record reads the same everywhere.
    pub(super) fn text(&self, table: &TablePolicy, name: &str) -> Expr {
        match kind_of(table, name) {
            Kind::Text => self.typed(name, Kind::Text),
            kind => try_cast(self.typed(name, kind), DataType::Utf8),
        }
    }
}

/// The declared kind of a column; one that is not declared is text.
pub(super) fn kind_of(table: &TablePolicy, name: &str) -> Kind {
    table
        .columns
        .iter()
        .find(|column| column.name == name)
        .map_or(Kind::Text, |column| column.kind)
}

/// The Arrow type of a kind.
pub(super) fn arrow_type(kind: Kind) -> DataType {
    match kind {
        Kind::Text => DataType::Utf8,
        Kind::Integer => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Boolean => DataType::Boolean,
        Kind::Date => DataType::Date32,
    }
}

/// The longest text that a column shows, by what its raw texts are.
fn shown(mask: &Mask, own: usize, raw: &BTreeMap<String, usize>) -> usize {
    // a range of numbers, a pseudonym, a number with noise
    const MADE: usize = 64;
    let masked = match mask {
        Mask::Characters { .. } => own.saturating_mul(4),
        Mask::Level { levels, level, .. } => levels
            .pairs(*level)
            .map(|(_, label)| label.len())
            .max()
            .unwrap_or(0),
        Mask::Stored { column, .. } => raw.get(column).copied().unwrap_or(0),
        Mask::WhereHidden {
            then, otherwise, ..
        } => shown(then, own, raw).max(shown(otherwise, own, raw)),
        Mask::Interval { .. } | Mask::Pseudonym { .. } | Mask::Noise { .. } => MADE,
        Mask::Null | Mask::Value | Mask::FirstLetters(_) => 0,
    };
    masked.max(own)
}

/// The raw columns a policy needs of a table.
fn needed(table: &TablePolicy) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = table.columns.iter().map(|c| c.name.clone()).collect();
    out.extend(table.key.clone());
    out.extend(table.group.clone());
    out.extend(table.collected.clone());
    match &table.storage {
        Storage::None | Storage::Table => {}
        Storage::Companion {
            allowed,
            conditional,
            prohibited,
        } => {
            for column in &table.columns {
                for suffix in [allowed, conditional, prohibited] {
                    out.insert(format!("{}{suffix}", column.name));
                }
            }
        }
        Storage::RowCode { column } => {
            out.insert(column.clone());
        }
    }
    for column in &table.columns {
        stored(&column.mask, &mut out);
    }
    out
}

fn stored(mask: &Mask, out: &mut BTreeSet<String>) {
    match mask {
        Mask::Stored { column, .. } => {
            out.insert(column.clone());
        }
        Mask::WhereHidden {
            then, otherwise, ..
        } => {
            stored(then, out);
            stored(otherwise, out);
        }
        _ => {}
    }
}

/// Plain strings instead of views, everything nullable: the masked schema never depends on how a file was written.
fn plain_schema(schema: &Schema) -> Schema {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            let kind = match field.data_type() {
                DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
                other => other.clone(),
            };
            Field::new(field.name(), kind, true)
        })
        .collect();
    Schema::new(fields)
}
