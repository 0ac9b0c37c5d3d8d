//! Bytes nobody chose: never a panic, never our bug, the same answer for any number of threads.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use common::{Scratch, names, rows};
use denym_engine::{Engine, Error, ReadOptions};
use proptest::prelude::*;

type Answer = Result<(Vec<String>, Vec<Vec<Option<String>>>), Error>;

fn answer(engine: &Engine, path: &std::path::Path, options: &ReadOptions) -> Answer {
    let table = engine.read(path, options)?;
    let names = names(&table).into_iter().map(str::to_owned).collect();
    Ok((names, rows(&table)))
}

fn check(name: &str, bytes: &[u8], options: &ReadOptions) -> Answer {
    let scratch = Scratch::new();
    let path = scratch.file(name, bytes);
    let [one, two] = [1, 2].map(|threads| {
        let engine = Engine::new(Some(threads)).unwrap();
        answer(&engine, &path, options)
    });
    assert_eq!(one, two);
    if let Err(error) = &one {
        assert_ne!(error.code(), "internal", "{error:?}");
        let _ = engine_hierarchy(&path);
    }
    one
}

fn engine_hierarchy(path: &std::path::Path) -> Result<(), Error> {
    let engine = Engine::new(Some(1))?;
    engine.read_hierarchy(path).map(drop)
}

/// CSV by the book, one byte at a time: what the scan must agree with.
fn naive_csv(text: &str) -> Option<Vec<Vec<String>>> {
    let mut records = Vec::new();
    let mut record = Vec::new();
    let mut cell = String::new();
    let mut quoted = false;
    let mut fresh = true;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(char),
            '"' if fresh => {
                quoted = true;
                fresh = false;
            }
            ',' => {
                record.push(std::mem::take(&mut cell));
                fresh = true;
            }
            '\n' | '\r' => {
                if !record.is_empty() || !fresh {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                fresh = true;
            }
            _ => {
                cell.push(char);
                fresh = false;
            }
        }
    }
    if !record.is_empty() || !fresh {
        record.push(cell);
        records.push(record);
    }
    (!quoted).then_some(records)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        for name in ["a.csv", "a.json", "a.parquet"] {
            let _ = check(name, &bytes, &ReadOptions::default());
        }
    }

    #[test]
    fn nearly_json(text in "[{}\":,a1\\\\u\n \\[\\]etnull.-]{0,40}") {
        let _ = check("a.json", text.as_bytes(), &ReadOptions::default());
    }

    #[test]
    fn nearly_csv(text in "[ab,\"\n\ré]{0,60}") {
        let options = ReadOptions {
            delimiter: Some(b','),
            header: Some(false),
            missing: vec![],
            ..ReadOptions::default()
        };
        let found = check("a.csv", text.as_bytes(), &options);
        let Some(expected) = naive_csv(&text) else {
            prop_assert_eq!(found.unwrap_err().code(), "csv-unclosed-quote");
            return Ok(());
        };
        let width = expected.first().map_or(0, Vec::len);
        if expected.is_empty() {
            prop_assert_eq!(found.unwrap_err().code(), "empty-file");
        } else if expected.iter().any(|record| record.len() != width) {
            prop_assert_eq!(found.unwrap_err().code(), "csv-ragged");
        } else {
            let expected: Vec<Vec<Option<String>>> = expected
                .into_iter()
                .map(|record| record.into_iter().map(Some).collect())
                .collect();
            prop_assert_eq!(found.unwrap().1, expected);
        }
    }
}

#[test]
fn one_engine_serves_several_threads() {
    let scratch = Scratch::new();
    let engine = Engine::new(Some(2)).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = scratch.file(&format!("{number}.csv"), format!("a\n{number}\n"));
            let engine = &engine;
            scope.spawn(move || {
                for _ in 0..20 {
                    let table = engine.read(&path, &ReadOptions::default()).unwrap();
                    assert_eq!(
                        table.columns()[0].text(0),
                        Some(number.to_string().as_str())
                    );
                    let summary = engine.summarize(&table, &[0], &[], None).unwrap();
                    assert_eq!(summary.tuples(), 1);
                }
            });
        }
    });
}
