//! A proven release as Python holds it: on disk where it was asked for there, else in memory. Only a run of the library makes one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use denym::{Error, RecordBatch};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value;

use crate::convert::to_python;
use crate::errors::exception;
use crate::table::Table;

/// The files of a bundle by their places, such as `release/certificate.json`.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A bundle, on disk or in memory.
#[derive(Clone)]
pub(crate) enum Bundle {
    /// A directory.
    At(PathBuf),
    /// Files in memory.
    Held(Arc<Files>),
}

impl Bundle {
    /// The bundle that Python means: a release of ours, or a path.
    pub(crate) fn of(value: &Bound<'_, PyAny>) -> PyResult<Bundle> {
        match value.cast::<Release>() {
            Ok(release) => Ok(release.get().bundle.clone()),
            Err(_) => Ok(Bundle::At(value.extract()?)),
        }
    }

    /// Does `work` on the bundle as a directory; what is in memory is on the disk only meanwhile, for its owner alone.
    pub(crate) fn within<T>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Bundle::At(path) => work(path),
            Bundle::Held(files) => {
                let directory = private_directory()?;
                work(&written(files, &directory.path().join("bundle"), false)?)
            }
        }
    }
}

/// A directory for its owner alone that is gone when it is dropped.
pub(crate) fn private_directory() -> Result<tempfile::TempDir, Error> {
    tempfile::Builder::new()
        .prefix("denym-")
        .tempdir()
        .map_err(|error| Error::Io {
            action: "create a temporary directory",
            path: std::env::temp_dir(),
            kind: error.kind(),
        })
}

fn written(files: &Files, target: &Path, force: bool) -> Result<PathBuf, Error> {
    let files = files
        .iter()
        .map(|(place, bytes)| (place.as_str(), bytes.as_slice()));
    denym::write_bundle(target, force, files)
}

/// What came through the gate, ready to be handed to Python.
pub(crate) struct Made {
    pub(crate) document: Value,
    pub(crate) bundle: Bundle,
    pub(crate) tables: Vec<(String, Vec<RecordBatch>)>,
}

impl Made {
    /// Reads a bundle that was just written; `keep` leaves it where it is, otherwise its files go to memory.
    pub(crate) fn read(
        document: Value,
        directory: &Path,
        keep: bool,
        threads: Option<usize>,
    ) -> Result<Made, Error> {
        let tables = if keep {
            Vec::new()
        } else {
            denym::released(directory, threads)?
        };
        let bundle = if keep {
            Bundle::At(directory.to_owned())
        } else {
            let mut files = Files::new();
            collect(directory, directory, &mut files)?;
            Bundle::Held(Arc::new(files))
        };
        Ok(Made {
            document,
            bundle,
            tables,
        })
    }
}

fn collect(root: &Path, directory: &Path, files: &mut Files) -> Result<(), Error> {
    let failed = |path: &Path, error: &std::io::Error| Error::Io {
        action: "read the bundle",
        path: path.to_owned(),
        kind: error.kind(),
    };
    for entry in std::fs::read_dir(directory).map_err(|error| failed(directory, &error))? {
        let path = entry.map_err(|error| failed(directory, &error))?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else {
            let parts = path.strip_prefix(root).unwrap_or(&path).iter();
            let parts: Vec<_> = parts.map(|part| part.to_string_lossy()).collect();
            let bytes = std::fs::read(&path).map_err(|error| failed(&path, &error))?;
            files.insert(parts.join("/"), bytes);
        }
    }
    Ok(())
}

/// A proven release; nothing of it can be changed.
#[pyclass(frozen, module = "denym._denym", name = "Release")]
pub(crate) struct Release {
    document: Value,
    bundle: Bundle,
    tables: Vec<(String, Py<Table>)>,
}

impl Release {
    pub(crate) fn new(py: Python<'_>, made: Made) -> PyResult<Release> {
        let mut tables = Vec::new();
        for (name, batches) in made.tables {
            if let Some(table) = Table::of(batches) {
                tables.push((name, Py::new(py, table)?));
            }
        }
        Ok(Release {
            document: made.document,
            bundle: made.bundle,
            tables,
        })
    }
}

#[pymethods]
impl Release {
    /// What `denym anonymize --json` prints of it, without times.
    fn document<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.document)
    }

    /// Where the bundle is; None when it is in memory.
    #[getter]
    fn directory(&self) -> Option<PathBuf> {
        match &self.bundle {
            Bundle::At(path) => Some(path.clone()),
            Bundle::Held(_) => None,
        }
    }

    /// The places of the files of the bundle.
    fn places(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        match &self.bundle {
            Bundle::Held(files) => Ok(files.keys().cloned().collect()),
            Bundle::At(path) => {
                let mut files = Files::new();
                collect(path, path, &mut files).map_err(|error| exception(py, &error))?;
                Ok(files.into_keys().collect())
            }
        }
    }

    /// The bytes of a file of the bundle, by its place such as `release/README.md`.
    fn file<'py>(&self, py: Python<'py>, place: &str) -> PyResult<Bound<'py, PyBytes>> {
        let unknown = || PyKeyError::new_err(place.to_owned());
        match &self.bundle {
            Bundle::Held(files) => Ok(PyBytes::new(py, files.get(place).ok_or_else(unknown)?)),
            Bundle::At(path) => {
                let plain = Path::new(place).components();
                let mut plain = plain.map(|part| matches!(part, std::path::Component::Normal(_)));
                if !plain.all(|normal| normal) {
                    return Err(unknown());
                }
                let bytes = std::fs::read(path.join(place)).map_err(|_| unknown())?;
                Ok(PyBytes::new(py, &bytes))
            }
        }
    }

    /// The data files by name, each as a table.
    fn tables(&self, py: Python<'_>) -> PyResult<Vec<(String, Py<Table>)>> {
        let Bundle::At(path) = &self.bundle else {
            let tables = self.tables.iter();
            return Ok(tables
                .map(|(name, table)| (name.clone(), table.clone_ref(py)))
                .collect());
        };
        let path = path.clone();
        let read = py.detach(|| denym::guarded(|| denym::released(&path, None)));
        let mut tables = Vec::new();
        for (name, batches) in read.map_err(|error| exception(py, &error))? {
            if let Some(table) = Table::of(batches) {
                tables.push((name, Py::new(py, table)?));
            }
        }
        Ok(tables)
    }

    /// Writes the bundle to a directory.
    fn save(&self, py: Python<'_>, target: PathBuf, force: bool) -> PyResult<PathBuf> {
        let bundle = self.bundle.clone();
        let saved = py.detach(|| {
            denym::guarded(|| match &bundle {
                Bundle::Held(files) => written(files, &target, force),
                Bundle::At(path) => {
                    let mut files = Files::new();
                    collect(path, path, &mut files)?;
                    written(&files, &target, force)
                }
            })
        });
        saved.map_err(|error| exception(py, &error))
    }
}
