//! Input that is wrong on purpose: each a clear error that names file and line, or handled; never a panic, never a cell.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use common::{Scratch, engine, names, read, rows};
use denym_data::{Kind, Table};
use denym_engine::{Encoding, Engine, Error, Format, ReadOptions};

/// A word that no message may hold: it stands in every hostile file as a cell.
const SECRET: &str = "s3cr3t";

/// Reads `bytes`, expects the error `code` at `line` and nothing quoted.
fn refuses(name: &str, bytes: impl AsRef<[u8]>, code: &str, line: Option<usize>) -> Error {
    refuses_with(name, bytes, &ReadOptions::default(), code, line)
}

fn refuses_with(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &ReadOptions,
    code: &str,
    line: Option<usize>,
) -> Error {
    let scratch = Scratch::new();
    let path = scratch.file(name, bytes);
    let mut last = None;
    for threads in [1, 2] {
        let engine = Engine::new(Some(threads)).unwrap();
        let error = engine.read(&path, options).expect_err(code);
        assert_eq!(error.code(), code, "{error:?}");
        let location = error.location().unwrap();
        assert!(location.starts_with(path.to_str().unwrap()), "{location}");
        if let Some(line) = line {
            assert!(location.ends_with(&format!(":{line}")), "{location}");
        }
        for text in [error.to_string(), error.help(), format!("{error:?}")] {
            assert!(!text.contains(SECRET), "{text}");
        }
        assert!(!error.help().is_empty());
        if let Some(last) = &last {
            assert_eq!(last, &error, "another error with other threads");
        }
        last = Some(error);
    }
    last.unwrap()
}

fn accepts(name: &str, bytes: impl AsRef<[u8]>) -> Table {
    let scratch = Scratch::new();
    read(&scratch.file(name, bytes)).unwrap()
}

fn cells(table: &Table) -> Vec<Vec<String>> {
    let text = |cell: Option<String>| cell.unwrap_or_else(|| "(missing)".into());
    rows(table)
        .into_iter()
        .map(|row| row.into_iter().map(text).collect())
        .collect()
}

#[test]
fn ragged_records_are_named_by_line() {
    let error = refuses("a.csv", "a,b\n1,2\ns3cr3t\n", "csv-ragged", Some(3));
    assert_eq!(
        error.to_string(),
        "this record has 1 cells where the first has 2"
    );
    refuses("a.csv", "a,b\n1,2\n1,2,s3cr3t\n", "csv-ragged", Some(3));
    // Far into a file that several threads read, behind a quoted line end.
    let mut text = String::from("a,b\n\"x\ny\",1\n");
    for number in 0..400_000 {
        let _ = writeln!(text, "{number},s3cr3t");
    }
    text.push_str("1,2,s3cr3t\n");
    refuses("a.csv", &text, "csv-ragged", Some(400_004));
}

#[test]
fn quotes_must_close() {
    refuses(
        "a.csv",
        "a,b\n1,2\n3,\"s3cr3t\n4,5\n",
        "csv-unclosed-quote",
        Some(3),
    );
    refuses("a.csv", "a,b\n1,\"", "csv-unclosed-quote", Some(2));
    // A quote inside a cell is a character.
    let table = accepts("a.csv", "a,b\n5\" nail,\"say \"\"hi\"\"\"\n");
    assert_eq!(cells(&table), [["5\" nail", "say \"hi\""]]);
}

#[test]
fn nul_bytes_are_refused() {
    refuses("a.csv", "a,b\n1,s3\0cr3t\n", "csv-nul-byte", Some(2));
    refuses("a.csv", "a,b\n1,2\n\"\n\0\",3\n", "csv-nul-byte", Some(4));
}

#[test]
fn headers_must_name_every_column_once() {
    let error = refuses(
        "a.csv",
        "s3cr3t,b,s3cr3t\n1,2,3\n",
        "csv-duplicate-column",
        Some(1),
    );
    assert_eq!(error.to_string(), "columns 1 and 3 have the same name");
    refuses("a.csv", "a,,c\n1,2,3\n", "csv-unnamed-column", Some(1));
    refuses(
        "a.json",
        "{\"a\":1,\"a\":2}\n",
        "json-duplicate-key",
        Some(1),
    );
}

#[test]
fn empty_files_and_bare_headers_are_refused() {
    for name in ["a.csv", "a.json", "a.parquet"] {
        refuses(name, "", "empty-file", None);
    }
    refuses("a.csv", "\n\n", "empty-file", None);
    refuses("a.csv", "\u{FEFF}", "empty-file", None);
    refuses("a.csv", "a,b\n", "no-records", None);
    refuses("a.csv", "a,b", "no-records", None);
    refuses("a.json", "\n", "no-records", None);
    let scratch = Scratch::new();
    let error = read(&scratch.path("none.csv")).unwrap_err();
    assert_eq!(error.code(), "file-not-found");
    let error = read(&scratch.path("none*.csv")).unwrap_err();
    assert_eq!(error.code(), "file-not-found");
    let error = read(&scratch.file("a.xyz", "a\n1\n")).unwrap_err();
    assert_eq!(error.code(), "unknown-format");
    let error = read(&scratch.path("***.csv")).unwrap_err();
    assert_eq!(error.code(), "file-pattern");
}

#[test]
fn huge_cells_are_read() {
    let huge = "x".repeat(10_000_000);
    for quote in ["", "\""] {
        let text = format!("a,b\n1,{quote}{huge}{quote}\n2,y\n{quote}{huge}{quote},z\n");
        let table = accepts("a.csv", &text);
        assert_eq!(table.records(), 3);
        assert_eq!(table.columns()[1].text(0), Some(huge.as_str()));
        assert_eq!(table.columns()[0].text(2), Some(huge.as_str()));
        assert_eq!(table.columns()[1].text(2), Some("z"));
    }
    let table = accepts("a.csv", format!("a,{huge}\n1,2\n"));
    assert_eq!(names(&table)[1].len(), huge.len());
    let table = accepts("a.json", format!("{{\"a\":\"{huge}\"}}\n{{\"a\":1}}\n"));
    assert_eq!(table.columns()[0].text(0), Some(huge.as_str()));
    refuses(
        "a.csv",
        format!("a,b\n1,{huge}{SECRET}\n2\n"),
        "csv-ragged",
        Some(3),
    );
}

#[test]
fn line_ends_may_be_mixed() {
    let table = accepts("a.csv", "a,b\r\n1,x\n2,y\r3,\"z\r\nz\"\r\n\r\n\n4,w");
    let expected = [["1", "x"], ["2", "y"], ["3", "z\r\nz"], ["4", "w"]];
    assert_eq!(cells(&table), expected);
    let table = accepts("a.csv", "a,b\r1,x\r2,y\r");
    assert_eq!(cells(&table), [["1", "x"], ["2", "y"]]);
    refuses("a.csv", "a,b\r1,x\r\n2,y\ns3cr3t\r", "csv-ragged", Some(4));
}

#[test]
fn encodings_are_found_out() {
    let text = "name,n\nJosé,1\nZoë €,2\n";
    let mark = |mark: &[u8], body: Vec<u8>| [mark, &body].concat();
    let utf16 =
        |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let latin: Vec<u8> = text
        .chars()
        .map(|c| if c == '€' { 0x80 } else { c as u8 })
        .collect();
    for bytes in [
        text.as_bytes().to_vec(),
        mark(&[0xEF, 0xBB, 0xBF], text.into()),
        mark(&[0xFF, 0xFE], utf16(u16::to_le_bytes)),
        mark(&[0xFE, 0xFF], utf16(u16::to_be_bytes)),
        latin.clone(),
    ] {
        let table = accepts("a.csv", bytes);
        assert_eq!(names(&table), ["name", "n"]);
        assert_eq!(cells(&table), [["José", "1"], ["Zoë €", "2"]]);
        assert_eq!(table.columns()[1].dictionary.kind(), Kind::Integer);
    }
    let with = |encoding| ReadOptions {
        encoding: Some(encoding),
        ..ReadOptions::default()
    };
    let scratch = Scratch::new();
    let path = scratch.file("a.csv", utf16(u16::to_le_bytes));
    let table = engine().read(&path, &with(Encoding::UTF_16LE)).unwrap();
    assert_eq!(cells(&table)[0][0], "José");
    // Declared UTF-8, but it is not; a byte that means nothing in any of them; half a UTF-16 unit.
    refuses_with(
        "a.csv",
        &latin,
        &with(Encoding::UTF_8),
        "csv-encoding",
        Some(2),
    );
    refuses(
        "a.csv",
        b"a,b\n1,2\n3,s3cr3t\x81\n",
        "csv-encoding",
        Some(3),
    );
    refuses(
        "a.csv",
        b"\xEF\xBB\xBFa,b\n1,s3cr3t\xFF\n",
        "csv-encoding",
        Some(2),
    );
    refuses("a.csv", b"\xFF\xFEa\0\n\x001", "csv-encoding", Some(2));
    // UTF-16 without a mark is full of NUL bytes, and the help says so.
    let error = refuses("a.csv", b"a\0,\0b\0\n\0", "csv-nul-byte", Some(1));
    assert!(error.help().contains("UTF-16"));
    refuses(
        "a.json",
        b"{\"a\":\"s3cr3t\xFF\"}\n",
        "csv-encoding",
        Some(1),
    );
}

#[test]
fn numbers_as_text_keep_their_zeros() {
    let table = accepts("a.csv", "zip,n,f,mixed\n02139,1,NaN,1\n10115,2,1.5,x\n");
    let kinds: Vec<Kind> = table
        .columns()
        .iter()
        .map(|c| c.dictionary.kind())
        .collect();
    assert_eq!(kinds, [Kind::Text, Kind::Integer, Kind::Text, Kind::Text]);
    assert_eq!(cells(&table)[0], ["02139", "1", "NaN", "1"]);
    let table = accepts(
        "a.json",
        "{\"n\":\"42\"}\n{\"n\":42}\n{\"n\":1.50}\n{\"n\":2e3}\n{\"n\":12345678901234567890}\n",
    );
    let texts: Vec<String> = cells(&table).concat();
    assert_eq!(texts, ["42", "42", "1.50", "2000", "12345678901234567890"]);
}

#[test]
fn declared_kinds_are_held() {
    let with = |kind| ReadOptions {
        kinds: BTreeMap::from([("a".to_owned(), kind)]),
        ..ReadOptions::default()
    };
    let text = "a,b\n1,x\n,x\nNaN,x\n1.5,x\n";
    let scratch = Scratch::new();
    let path = scratch.file("a.csv", text);
    for (kind, record) in [
        (Kind::Integer, 3),
        (Kind::Decimal, 3),
        (Kind::Date, 1),
        (Kind::Boolean, 1),
    ] {
        let error = engine().read(&path, &with(kind)).unwrap_err();
        let expected = Error::WrongKind {
            path: path.clone(),
            column: "a".into(),
            record,
            kind: kind.name(),
        };
        assert_eq!(error, expected);
        assert!(!error.to_string().contains("NaN"));
    }
    let table = engine().read(&path, &with(Kind::Text)).unwrap();
    assert_eq!(table.columns()[0].dictionary.kind(), Kind::Text);
    let mut options = with(Kind::Decimal);
    options.missing.push("NaN".into());
    let table = engine().read(&path, &options).unwrap();
    assert_eq!(rows(&table)[2][0], None);
    options.kinds = BTreeMap::from([("c".to_owned(), Kind::Text)]);
    assert_eq!(
        engine().read(&path, &options).unwrap_err().code(),
        "unknown-column"
    );
}

#[test]
fn json_lines_must_be_flat_objects() {
    refuses(
        "a.json",
        "{\"a\":1}\n[1,2]\n",
        "json-not-an-object",
        Some(2),
    );
    refuses("a.json", "\"s3cr3t\"\n", "json-not-an-object", Some(1));
    refuses(
        "a.json",
        "{\"a\":1}\n\n{\"a\":{\"s3cr3t\":1}}\n",
        "json-nested",
        Some(3),
    );
    refuses("a.json", "{\"a\":1,\"b\":[]}\n", "json-nested", Some(1));
    refuses("a.json", "{\"\":1}\n", "json-empty-key", Some(1));
    for bad in [
        "{\"a\":s3cr3t}",
        "{\"a\":1",
        "{\"a\" 1}",
        "{\"a\":1}}",
        "{\"a\":01}",
        "{\"a\":NaN}",
        "{\"a\":-}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\u12",
        "{\"a\":tru}",
        "{a:1}",
        "{\"a\":1,}",
        "{\"a\":\"s3cr3t",
        "{",
        "{\"a\":1.}",
        "{\"a\":1e}",
        "{\"a\":\"tab\there\"}",
    ] {
        refuses(
            "a.json",
            format!("{{\"a\":1}}\n{bad}\n"),
            "json-malformed",
            Some(2),
        );
    }
    let table = accepts(
        "a.json",
        "\u{FEFF}{\"a\": \"x\\u00e9\\ud83d\\ude00\\n\\\"\", \"b\": true}\r\n {\"c\":null,\"b\":false} \n{}\n",
    );
    assert_eq!(names(&table), ["a", "b", "c"]);
    let expected = [
        ["xé😀\n\"", "true", "(missing)"],
        ["(missing)", "false", "(missing)"],
        ["(missing)"; 3],
    ];
    assert_eq!(cells(&table), expected);
    assert_eq!(table.columns()[1].dictionary.kind(), Kind::Boolean);
}

#[test]
fn damaged_parquet_is_refused() {
    let scratch = Scratch::new();
    let table = accepts("a.csv", "a,b\ns3cr3t,1\nx,2\n");
    let path = scratch.path("a.parquet");
    engine().write(&table, Format::Parquet, &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in [1, 4, 12, whole.len() / 2, whole.len() - 1] {
        refuses("a.parquet", &whole[..length], "parquet-damaged", None);
    }
    refuses("a.parquet", "a,b\ns3cr3t,2\n", "parquet-damaged", None);
    // A byte turned over anywhere: an error or a table, no panic.
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        let path = scratch.file("b.parquet", &bytes);
        if let Err(error) = read(&path) {
            assert!(!error.to_string().contains(SECRET), "{error}");
        }
    }
}

#[test]
fn settings_can_be_overridden() {
    let scratch = Scratch::new();
    let path = scratch.file("a.csv", "1;'x;y'\n2;?\n");
    let options = ReadOptions {
        quote: b'\'',
        missing: vec!["?".into()],
        ..ReadOptions::default()
    };
    let table = engine().read(&path, &options).unwrap();
    assert_eq!(names(&table), ["column1", "column2"]);
    assert_eq!(cells(&table), [["1", "x;y"], ["2", "(missing)"]]);
    let forced = ReadOptions {
        header: Some(true),
        delimiter: Some(b','),
        ..options.clone()
    };
    let table = engine().read(&path, &forced).unwrap();
    assert_eq!(names(&table), ["1;'x;y'"]);
    let empty = ReadOptions {
        missing: vec![],
        ..ReadOptions::default()
    };
    let path = scratch.file("b.csv", "a,b\n,\"\"\nx,y\n");
    assert_eq!(cells(&engine().read(&path, &empty).unwrap())[0], ["", ""]);
    let only = ReadOptions {
        columns: Some(vec!["b".into()]),
        ..ReadOptions::default()
    };
    let table = engine().read(&path, &only).unwrap();
    assert_eq!((names(&table), table.records()), (vec!["b"], 2));
    // A record that is ragged in a column nobody asked for is still ragged.
    let path = scratch.file("c.csv", "a,b\n1,2\n3,4,5\n");
    assert_eq!(
        engine().read(&path, &only).unwrap_err().code(),
        "csv-ragged"
    );
}

#[test]
fn hierarchies_are_read_with_their_lines() {
    let scratch = Scratch::new();
    let read = |text: &str| {
        let path = scratch.file("h.csv", text);
        engine().read_hierarchy(path)
    };
    let found = read("\u{FEFF}34;[30, 40[;*\r\n\n\"x;y\";[0, 30[;*\n").unwrap();
    let lines: Vec<(usize, Vec<&str>)> = found
        .iter()
        .map(|row| (row.line, row.labels.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        lines,
        [
            (1, vec!["34", "[30, 40[", "*"]),
            (3, vec!["x;y", "[0, 30[", "*"])
        ]
    );
    assert_eq!(read("a,b\nc,d\n").unwrap()[1].labels, ["c", "d"]);
    assert_eq!(read("a\nb\n").unwrap()[1].labels, ["b"]);
    // Uneven rows are for the hierarchy's own check, which names them all.
    assert_eq!(read("a,b\nc\n").unwrap()[1].labels, ["c"]);
    let code = |text: &str| read(text).unwrap_err();
    assert_eq!(code("").code(), "empty-file");
    assert_eq!(
        code("a,b\n\"c,d\n").location().unwrap(),
        format!("{}:2", scratch.path("h.csv").display())
    );
    assert_eq!(code("a,b\nc\0,d\n").code(), "csv-nul-byte");
}

#[test]
fn what_cannot_be_written_says_so() {
    let scratch = Scratch::new();
    let table = accepts("a.csv", "a\nx\n");
    for (_, format) in Format::ALL {
        let error = engine()
            .write(&table, format, scratch.path("none/a.csv"))
            .unwrap_err();
        assert_eq!(error.code(), "file-not-found");
        // A device that is always full.
        if std::path::Path::new("/dev/full").exists() {
            let error = engine().write(&table, format, "/dev/full").unwrap_err();
            assert_eq!(error.code(), "disk-full", "{format:?}");
        }
    }
}
