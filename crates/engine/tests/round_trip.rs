//! What is written is read back, in every format, for every kind, and the same bytes every time.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use std::fmt::Write as _;

use arrow_array::builder::{Int32Builder, ListBuilder};
use common::{Scratch, engine, names, read, rows};
use denym_data::{Column, Kind, Table};
use denym_engine::{Detection, Engine, Format, ReadOptions, fingerprint};
use proptest::prelude::*;

fn table(columns: &[(&str, &[Option<&str>])]) -> Table {
    let columns = columns
        .iter()
        .map(|(name, texts)| Column::from_texts(name, texts.iter().copied()));
    Table::new(columns.collect()).unwrap()
}

fn every_kind() -> Table {
    table(&[
        (
            "text, \"quoted\"",
            &[Some("a,b"), Some("c\"d\ne"), None, Some("é"), Some(" x ")],
        ),
        (
            "integer",
            &[
                Some("-5"),
                Some("0"),
                Some("12"),
                None,
                Some("999999999999999999"),
            ],
        ),
        (
            "decimal",
            &[Some("1.5"), Some("-0.25"), None, Some("3"), Some("100")],
        ),
        (
            "date",
            &[
                Some("2024-02-29"),
                None,
                Some("1900-01-01"),
                Some("0001-01-01"),
                Some("9999-12-31"),
            ],
        ),
        (
            "boolean",
            &[
                Some("true"),
                Some("false"),
                None,
                Some("true"),
                Some("true"),
            ],
        ),
        ("missing", &[None; 5]),
        (
            "zip",
            &[Some("02139"), Some("10115"), None, Some("00000"), Some("1")],
        ),
    ])
}

#[test]
fn every_kind_comes_back() {
    let scratch = Scratch::new();
    let original = every_kind();
    for (name, format) in Format::ALL {
        let path = scratch.path(&format!("a.{name}"));
        engine().write(&original, format, &path).unwrap();
        let copy = read(&path).unwrap();
        assert_eq!(names(&copy), names(&original), "{name}");
        assert_eq!(rows(&copy), rows(&original), "{name}");
        for (a, b) in copy.columns().iter().zip(original.columns()) {
            assert_eq!(a.dictionary, b.dictionary, "{name} {}", a.name);
        }
        let first = fingerprint(&path).unwrap();
        let again = scratch.path("again");
        Engine::new(Some(1))
            .unwrap()
            .write(&copy, format, &again)
            .unwrap();
        assert_eq!(fingerprint(&again).unwrap(), first, "{name}");
    }
}

#[test]
fn types_reach_the_file() {
    use arrow_schema::DataType;
    let scratch = Scratch::new();
    let path = scratch.path("a.parquet");
    engine()
        .write(&every_kind(), Format::Parquet, &path)
        .unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let types: Vec<&DataType> = reader
        .schema()
        .fields()
        .iter()
        .map(|f| f.data_type())
        .collect();
    assert_eq!(
        types[1..5],
        [
            &DataType::Int64,
            &DataType::Decimal128(38, 2),
            &DataType::Date32,
            &DataType::Boolean
        ]
    );
    assert_eq!(types[6], &DataType::Utf8);

    let path = scratch.path("a.json");
    engine().write(&every_kind(), Format::Json, &path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(
        text.lines().next().unwrap(),
        r#"{"text, \"quoted\"":"a,b","integer":-5,"decimal":1.5,"date":"2024-02-29","boolean":true,"missing":null,"zip":"02139"}"#
    );

    // A declared kind that not every value fits is written as text.
    let values = ["1", "*"].into_iter().collect();
    let (dictionary, codes) = denym_data::Dictionary::build(&values, false, Some(Kind::Integer));
    let column = Column {
        name: "a".into(),
        dictionary: dictionary.into(),
        codes,
    };
    let mixed = Table::new(vec![column]).unwrap();
    engine().write(&mixed, Format::Json, &path).unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "{\"a\":\"1\"}\n{\"a\":\"*\"}\n"
    );
}

#[test]
fn csv_is_plain() {
    let scratch = Scratch::new();
    let path = scratch.path("a.csv");
    engine()
        .write(
            &table(&[("a", &[Some("x"), None, Some("y\rz")])]),
            Format::Csv,
            &path,
        )
        .unwrap();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "a\nx\n\"\"\n\"y\rz\"\n"
    );
    assert_eq!(read(&path).unwrap().records(), 3);
}

#[test]
fn other_parquet_types_become_text() {
    use arrow_array::types::Int32Type;
    use arrow_array::*;
    use arrow_schema::DataType;
    use std::sync::Arc;
    let columns: Vec<(&str, ArrayRef)> = vec![
        (
            "float",
            Arc::new(Float64Array::from(vec![
                Some(1.0),
                Some(-2.5),
                Some(f64::NAN),
                None,
                Some(1e16),
            ])),
        ),
        ("u8", Arc::new(UInt8Array::from(vec![1, 2, 3, 4, 255]))),
        (
            "large",
            Arc::new(LargeStringArray::from(vec!["a", "b", "c", "d", "e"])),
        ),
        (
            "view",
            Arc::new(StringViewArray::from(vec![
                "a",
                "b",
                "c",
                "d",
                "a text longer than twelve bytes",
            ])),
        ),
        (
            "dictionary",
            Arc::new(DictionaryArray::<Int32Type>::from_iter([
                Some("x"),
                None,
                Some("y"),
                Some("x"),
                Some("x"),
            ])),
        ),
        (
            "moment",
            Arc::new(TimestampMicrosecondArray::from(vec![
                0,
                1_000_000,
                86_400_000_000,
                5,
                6,
            ])),
        ),
        ("nothing", Arc::new(NullArray::new(5))),
    ];
    let batch = RecordBatch::try_from_iter(columns.clone()).unwrap();
    let scratch = Scratch::new();
    let path = scratch.path("a.parquet");
    let write = |batch: &RecordBatch| {
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(batch).unwrap();
        writer.close().unwrap();
    };
    write(&batch);
    let table = read(&path).unwrap();
    let column = |name: &str| -> Vec<Option<&str>> {
        let column = table.column(name).unwrap();
        (0..5).map(|row| column.text(row)).collect()
    };
    assert_eq!(
        column("float"),
        [
            Some("1"),
            Some("-2.5"),
            Some("NaN"),
            None,
            Some("10000000000000000")
        ]
    );
    assert_eq!(column("u8"), ["1", "2", "3", "4", "255"].map(Some));
    assert_eq!(column("view")[4], Some("a text longer than twelve bytes"));
    assert_eq!(
        column("dictionary"),
        [Some("x"), None, Some("y"), Some("x"), Some("x")]
    );
    assert_eq!(column("moment")[2], Some("1970-01-02T00:00:00"));
    assert_eq!(
        table.column("moment").unwrap().dictionary.kind(),
        Kind::Date
    );
    assert_eq!(column("nothing"), [None; 5]);

    let mut lists = ListBuilder::new(Int32Builder::new());
    for _ in 0..5 {
        lists.append(true);
    }
    let mut columns = columns;
    columns.push(("list", Arc::new(lists.finish())));
    columns.push((
        "bytes",
        Arc::new(BinaryArray::from(vec![b"s3cr3t".as_slice(); 5])),
    ));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    assert!(matches!(batch.column(7).data_type(), DataType::List(_)));
    write(&batch);
    let error = read(&path).unwrap_err();
    assert_eq!(error.code(), "unsupported-type");
    assert_eq!(
        error.to_string(),
        "column `list` holds lists, which is no text, number, date or boolean"
    );
    let only = ReadOptions {
        columns: Some(vec!["u8".into()]),
        ..ReadOptions::default()
    };
    assert_eq!(engine().read(&path, &only).unwrap().records(), 5);
}

#[test]
fn directories_and_patterns_are_read_in_order() {
    let scratch = Scratch::new();
    scratch.file("b.csv", "a,b\n3,z\n");
    scratch.file("a.csv", "a,b\n1,x\n2,y\n");
    scratch.file(".hidden.csv", "c\n1\n");
    scratch.file("README.md", "not data");
    let texts = |table: &Table| {
        rows(table)
            .concat()
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    let expected = ["1", "x", "2", "y", "3", "z"];
    assert_eq!(texts(&read(&scratch.path("")).unwrap()), expected);
    assert_eq!(texts(&read(&scratch.path("[ab].csv")).unwrap()), expected);
    assert_eq!(texts(&read(&scratch.path("b*.csv")).unwrap()), ["3", "z"]);
    scratch.file("c.csv", "a,c\n3,z\n");
    let error = read(&scratch.path("*.csv")).unwrap_err();
    assert_eq!(error.code(), "mixed-columns");
    assert!(error.location().unwrap().ends_with("c.csv"));
    scratch.file("d.json", "{}\n");
    assert_eq!(
        read(&scratch.path("[ad].*")).unwrap_err().code(),
        "mixed-formats"
    );
    std::fs::create_dir(scratch.path("empty")).unwrap();
    assert_eq!(
        read(&scratch.path("empty")).unwrap_err().code(),
        "file-not-found"
    );

    let table = read(&scratch.path("a.csv")).unwrap();
    std::fs::create_dir(scratch.path("p")).unwrap();
    for name in ["p/1.parquet", "p/2.parquet"] {
        engine()
            .write(&table, Format::Parquet, scratch.path(name))
            .unwrap();
    }
    let both = read(&scratch.path("p")).unwrap();
    assert_eq!(texts(&both), ["1", "x", "2", "y", "1", "x", "2", "y"]);
}

#[test]
fn large_files_keep_their_order() {
    let scratch = Scratch::new();
    let mut text = String::from("number;quoted;text\n");
    for number in 0..120_000 {
        let quoted = if number % 1000 == 7 {
            "\"a\nb;\"\"\""
        } else {
            "plain"
        };
        let value = number * 7919 % 1013;
        let _ = writeln!(text, "{number};{quoted};value {value}");
    }
    let path = scratch.file("a.csv", &text);
    let mut tables = Vec::new();
    for threads in [1, 2, 3] {
        let engine = Engine::new(Some(threads)).unwrap();
        let table = engine.read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(table.records(), 120_000);
        for row in 0..table.records() {
            assert_eq!(table.columns()[0].codes[row] as usize, row);
        }
        assert_eq!(table.columns()[1].text(7), Some("a\nb;\""));
        tables.push(table);
    }
    for table in &tables {
        for (a, b) in table.columns().iter().zip(tables[0].columns()) {
            assert_eq!((&a.dictionary, &a.codes), (&b.dictionary, &b.codes));
        }
    }
    for (name, format) in Format::ALL {
        let path = scratch.path(&format!("b.{name}"));
        engine().write(&tables[0], format, &path).unwrap();
        let copy = engine().read(&path, &ReadOptions::default()).unwrap();
        for (a, b) in copy.columns().iter().zip(tables[0].columns()) {
            assert_eq!(
                (&a.dictionary, &a.codes),
                (&b.dictionary, &b.codes),
                "{name}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn any_text_comes_back(cells in prop::collection::vec(prop::collection::vec(prop::option::of("[a1,;\"\n\r\t é.\\-]{1,6}"), 3), 1..12)) {
        let scratch = Scratch::new();
        let columns = (0..3).map(|c| Column::from_texts(["x", "y", "z"][c], cells.iter().map(|row| row[c].as_deref())));
        let original = Table::new(columns.collect()).unwrap();
        let options = ReadOptions { header: Some(true), delimiter: Some(b','), detection: Detection::None, ..ReadOptions::default() };
        let any_empty = cells.iter().any(|row| row.iter().all(Option::is_none));
        for (name, format) in Format::ALL {
            let path = scratch.path(&format!("a.{name}"));
            let written = engine().write(&original, format, &path);
            if format == Format::Excel && any_empty {
                prop_assert_eq!(written.unwrap_err().code(), "workbook-empty-record");
                continue;
            }
            written.unwrap();
            let copy = engine().read(&path, &options).unwrap();
            prop_assert_eq!(rows(&copy), rows(&original), "{}", name);
        }
    }
}

#[test]
fn fingerprints_are_sha_256() {
    let scratch = Scratch::new();
    let path = scratch.file("a", "abc");
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(fingerprint(&path).unwrap(), expected);
    assert_eq!(
        fingerprint(scratch.path("none")).unwrap_err().code(),
        "file-not-found"
    );
}
