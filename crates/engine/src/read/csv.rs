//! CSV files, read as text by a `DataFusion` scan and typed by us.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{Array as _, ArrayRef, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::config::CsvOptions;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::CsvSource;
use denym_data::Table;

use super::inspect::{Inspected, diagnose, inspect};
use super::scan::Failed;
use super::store::Stretches;
use super::{projection, same_columns};
use crate::{Engine, Error, ReadOptions};

impl Engine {
    pub(super) fn read_csv(
        &self,
        source: &Path,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        // Several stretches per thread: the last ones to finish are then short.
        let parts = if self.threads() == 1 {
            1
        } else {
            self.threads() * 4
        };
        let mut found: Vec<Inspected> = Vec::with_capacity(files.len());
        let mut options = options.clone();
        for path in files {
            let inspected = inspect(path, &options, parts)?;
            if let Some(first) = found.first() {
                same_columns(&files[0], &first.header, path, &inspected.header)?;
            }
            // What the first file is, all are.
            options.delimiter = Some(inspected.delimiter);
            options.header = Some(inspected.has_header);
            found.push(inspected);
        }
        let header = found[0].header.clone();
        let columns = projection(source, &header, &options)?;
        let fields: Vec<Field> = (0..header.len())
            .map(|column| Field::new(format!("c{column}"), DataType::Utf8, true))
            .collect();
        let scan = CsvOptions::default()
            .with_has_header(false)
            .with_delimiter(found[0].delimiter)
            .with_quote(options.quote);
        let source_of_rows =
            Arc::new(CsvSource::new(Arc::new(Schema::new(fields))).with_csv_options(scan));
        let stretches: Vec<_> = found
            .iter_mut()
            .flat_map(|file| std::mem::take(&mut file.stretches))
            .collect();
        let objects = stretches
            .iter()
            .enumerate()
            .map(|(index, stretch)| {
                let size = stretch.range.end - stretch.range.start;
                PartitionedFile::new(index.to_string(), size)
            })
            .collect();
        let parts = self
            .scan(
                Stretches(stretches),
                objects,
                source_of_rows,
                &columns,
                text,
                false,
            )
            .map_err(|Failed| {
                let mistake = files
                    .iter()
                    .zip(&found)
                    .find_map(|(path, inspected)| diagnose(path, inspected, options.quote));
                mistake.unwrap_or(Error::Internal {
                    during: "reading a CSV file",
                })
            })?;
        drop(found);
        let names = columns.iter().map(|&column| header[column].as_str());
        self.merge(source, &names.collect::<Vec<_>>(), parts, &options)
    }
}

fn text(array: &ArrayRef) -> Result<StringArray, Failed> {
    array.as_any().downcast_ref().cloned().ok_or(Failed)
}
