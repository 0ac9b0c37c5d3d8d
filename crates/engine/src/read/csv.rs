//! CSV files: cut into stretches, each coded by the thread that reads it, and typed by us.

use std::path::{Path, PathBuf};

use denym_data::Table;
use rayon::prelude::*;

use super::cells::Layout;
use super::coder::Coder;
use super::inspect::{Inspected, diagnose, inspect};
use super::{Failed, projection, same_columns};
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
            let inspected = self.on_threads(|| inspect(path, &options, parts))?;
            if let Some(first) = found.first() {
                same_columns(&files[0], &first.header, path, &inspected.header)?;
            }
            // What the first file is, all are.
            options.delimiter = Some(inspected.delimiter);
            options.header = Some(inspected.has_header);
            options.skip_rows = Some(inspected.skip_rows);
            found.push(inspected);
        }
        let first = &found[0];
        self.note(source, |form| {
            form.delimiter = Some(first.delimiter);
            form.encoding = Some(first.encoding);
            form.header = Some(first.has_header);
            form.skip_rows = first.skip_rows;
        });
        let header = first.header.clone();
        let columns = projection(source, &header, found[0].told, &options)?;
        let mut wanted = vec![None; header.len()];
        for (place, &column) in columns.iter().enumerate() {
            wanted[column] = Some(place);
        }
        let layout = Layout {
            delimiter: found[0].delimiter,
            quote: options.quote,
            wanted,
        };
        let stretches: Vec<_> = found
            .iter_mut()
            .flat_map(|file| std::mem::take(&mut file.stretches))
            .collect();
        let parts: Result<Vec<Vec<Coder>>, Failed> = self.on_threads(|| {
            let parts = stretches.par_iter().with_max_len(1);
            parts.map(|stretch| layout.code(stretch)).collect()
        });
        let parts = parts.map_err(|Failed| {
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
