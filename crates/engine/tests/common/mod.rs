//! Scratch files and plain views of tables.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test file uses a part of this"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use denym_data::Table;
use denym_engine::{Engine, Error, ReadOptions};

/// A directory that is gone when the test is.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("denym-engine-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn engine() -> Engine {
    Engine::new(Some(2)).unwrap()
}

pub fn read(path: &Path) -> Result<Table, Error> {
    engine().read(path, &ReadOptions::default())
}

/// Every row as texts.
pub fn rows(table: &Table) -> Vec<Vec<Option<String>>> {
    (0..table.records())
        .map(|row| {
            let columns = table.columns().iter();
            columns.map(|c| c.text(row).map(str::to_owned)).collect()
        })
        .collect()
}

pub fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|c| c.name.as_str()).collect()
}
