//! Parquet files with a damaged schema or footer: bad input, whatever the library below does about it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    DictionaryArray, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use common::{Scratch, engine};
use denym_engine::{Error, ReadOptions};
use parquet::arrow::ArrowWriter;

/// A file as other programs write it: with the schema of Arrow in its footer.
fn parquet() -> Vec<u8> {
    let names: DictionaryArray<Int32Type> = ["Sekretna", "Bob", "Bob"].into_iter().collect();
    let days = TimestampMicrosecondArray::from(vec![1, 2, 3]).with_timezone("Europe/Rome");
    let batch = RecordBatch::try_from_iter([
        ("age", Arc::new(Int64Array::from(vec![34, 35, 36])) as _),
        ("name", Arc::new(names) as _),
        (
            "city",
            Arc::new(StringArray::from(vec!["Boston", "Salem", "Lynn"])) as _,
        ),
        ("day", Arc::new(days) as _),
    ]);
    let batch = batch.unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// Before there was a boundary, six places of the library below ended the process here.
#[test]
fn no_damage_to_a_schema_is_more_than_bad_input() {
    let whole = parquet();
    let key = b"ARROW:schema";
    let schema = whole
        .windows(key.len())
        .position(|part| part == key)
        .unwrap();
    let scratch = Scratch::new();
    let engine = engine();
    let good = scratch.file("people.parquet", &whole);
    assert_eq!(
        engine
            .read(&good, &ReadOptions::default())
            .unwrap()
            .records(),
        3
    );
    // What a caught panic says may quote cells: nobody is to see it.
    std::panic::set_hook(Box::new(|_| {}));
    let mut seed = 14_u64;
    let mut below = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    let mut refused = 0;
    for round in 0..2500 {
        let mut bytes = whole.clone();
        // Mostly in the schema, else in the footer, else anywhere.
        let from = match round % 5 {
            0 => 0,
            1 => bytes.len() / 2,
            _ => schema,
        };
        for _ in 0..=below(4) {
            let at = from + below(bytes.len() - from);
            bytes[at] = if round % 2 == 0 {
                b"ABCDEFGHabcdefgh0123+/=="[below(24)]
            } else {
                below(256) as u8
            };
        }
        let path = scratch.file("people.parquet", &bytes);
        match engine.read(&path, &ReadOptions::default()) {
            Ok(_) => {}
            Err(error) => {
                refused += 1;
                assert!(
                    !matches!(error, Error::Internal { .. }),
                    "{round}: {error:?}"
                );
                assert!(!format!("{error:?}").contains("Sekretna"), "{error:?}");
            }
        }
    }
    let _ = std::panic::take_hook();
    assert!(refused > 500, "{refused}");
}
