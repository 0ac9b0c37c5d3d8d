//! Raw files behind governed tables: CSV and Parquet, opened once, checked against the policy, in no catalogue.
//!
//! CSV is read as text and typed here; a cell that is not of its declared type is found when the gateway starts, and is NULL should the file
//! change later. So no error of a reader can quote it.

use crate::error::Error;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Column, TableReference};
use datafusion::config::CsvOptions;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::csv::CsvFormat;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::datasource::{TableProvider, provider_as_source};
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder, TableSource, try_cast};
use denym_purpose::{Kind, Mask, Storage, TablePolicy};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

/// The name raw scans have inside a plan.
pub(super) const RAW: &str = "#raw";

/// A raw file.
#[derive(Clone)]
pub(super) struct Source {
    provider: Arc<dyn TableProvider>,
    schema: SchemaRef,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Source(..)")
    }
}

impl Source {
    /// Opens the file of a governed table.
    pub(super) async fn open(
        state: &SessionState,
        table: &TablePolicy,
        path: &Path,
    ) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Table {
            table: table.name.clone(),
            what: what.to_owned(),
        };
        std::fs::metadata(path).map_err(Error::file("a table's file"))?;
        let url = std::path::absolute(path)
            .ok()
            .and_then(|path| ListingTableUrl::parse(path.to_string_lossy()).ok())
            .ok_or_else(|| wrong("its path cannot be used"))?;
        let is_parquet = path
            .extension()
            .is_some_and(|end| end.eq_ignore_ascii_case("parquet"));
        let (format, schema): (Arc<dyn FileFormat>, Schema) = if is_parquet {
            let format = Arc::new(ParquetFormat::default());
            let options = ListingOptions::new(format.clone()).with_file_extension("");
            let schema = options
                .infer_schema(state, &url)
                .await
                .map_err(|_| wrong("its Parquet file cannot be read"))?;
            (format, plain_schema(&schema))
        } else {
            let shape = csv_shape(path).map_err(Error::file("a table's file"))?;
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
        let options = ListingOptions::new(format).with_file_extension("");
        let config = ListingTableConfig::new(url)
            .with_listing_options(options)
            .with_schema(schema.clone());
        let provider =
            ListingTable::try_new(config).map_err(|_| wrong("its file cannot be used"))?;
        let source = Self {
            provider: Arc::new(provider),
            schema,
        };
        for name in needed(table) {
            if source.schema.field_with_name(&name).is_err() {
                return Err(wrong(&format!("the data has no column `{name}`")));
            }
        }
        Ok(source)
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
        let kind = table
            .columns
            .iter()
            .find(|column| column.name == name)
            .map_or(Kind::Text, |column| column.kind);
        match kind {
            Kind::Text => self.typed(name, Kind::Text),
            kind => try_cast(self.typed(name, kind), DataType::Utf8),
        }
    }
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

struct CsvShape {
    header: Vec<String>,
    delimiter: u8,
    lines_in_cells: bool,
}

/// Header, delimiter, and whether a quoted cell has a line end; `None` when there is no header.
fn csv_shape(path: &Path) -> std::io::Result<Option<CsvShape>> {
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(path)?);
    let mut first = Vec::new();
    let mut quoted = false;
    let mut in_header = true;
    let mut lines_in_cells = false;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        for byte in bytes {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if quoted => lines_in_cells = true,
                b'\n' => in_header = false,
                _ => {}
            }
            if in_header {
                first.push(*byte);
            }
        }
        reader.consume(length);
    }
    let Ok(line) = String::from_utf8(first) else {
        return Ok(None);
    };
    let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
    let delimiter = [b',', b';', b'\t', b'|']
        .into_iter()
        .max_by_key(|one| {
            (
                line.bytes().filter(|byte| byte == one).count(),
                *one == b',',
            )
        })
        .unwrap_or(b',');
    let mut header = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c as u32 == u32::from(delimiter) && !quoted => header.push(String::new()),
            c => {
                if let Some(last) = header.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    let empty = header.iter().any(|name| name.trim().is_empty());
    Ok((!empty).then_some(CsvShape {
        header,
        delimiter,
        lines_in_cells,
    }))
}
