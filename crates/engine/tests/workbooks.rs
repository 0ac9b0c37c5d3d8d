//! Workbooks that are bombs: refused before memory is taken; and those that are none, read cell by cell.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod common;

use std::io::{Cursor, Write as _};
use std::path::Path;

use common::{Scratch, engine, read};
use denym_engine::{Error, ReadOptions, SpreadsheetMistake};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

fn mistake(path: &Path) -> SpreadsheetMistake {
    match read(path) {
        Err(Error::Spreadsheet { mistake, .. }) => mistake,
        other => panic!("{other:?}"),
    }
}

/// An archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let options =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A workbook with one part replaced.
fn with_part(book: &[u8], name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut old = ZipArchive::new(Cursor::new(book)).unwrap();
    let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
    for at in 0..old.len() {
        let mut part = old.by_index(at).unwrap();
        let mut own = Vec::new();
        std::io::copy(&mut part, &mut own).unwrap();
        parts.push((part.name().unwrap().into_owned(), own));
    }
    let mut found = false;
    for part in parts.iter_mut().filter(|part| part.0 == name) {
        part.1 = bytes.to_vec();
        found = true;
    }
    assert!(found, "{name}");
    let parts: Vec<(&str, &[u8])> = parts
        .iter()
        .map(|(n, b)| (n.as_str(), b.as_slice()))
        .collect();
    archive(&parts)
}

fn small() -> Workbook {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (at, name) in (0..).zip(["name", "age", "ward"]) {
        sheet.write_string(0, at, name).unwrap();
    }
    for row in 1..=3_u32 {
        sheet.write_string(row, 0, format!("p{row}")).unwrap();
        sheet.write_number(row, 1, f64::from(30 + row)).unwrap();
        sheet.write_string(row, 2, "A").unwrap();
    }
    book
}

/// Two cells span seventeen thousand million: the full rectangle of them would be 550 GB.
#[test]
fn cells_in_the_far_corners_take_no_memory() {
    let scratch = Scratch::new();
    let mut book = small();
    let sheet = book.worksheet_from_index(0).unwrap();
    sheet.write_string(1_048_575, 16_383, "x").unwrap();
    let path = scratch.file("far.xlsx", book.save_to_buffer().unwrap());
    assert_eq!(
        mistake(&path),
        SpreadsheetMistake::UnnamedColumn { column: 4 }
    );
    // Without a header every column would have a cell in every record.
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for row in 0..4000 {
        sheet.write_number(row, 0, row).unwrap();
    }
    sheet.write_number(4000, 16_383, 1).unwrap();
    let path = scratch.file("wide.xlsx", book.save_to_buffer().unwrap());
    let options = ReadOptions {
        header: Some(false),
        ..ReadOptions::default()
    };
    match engine().read(&path, &options) {
        Err(Error::Spreadsheet { mistake, .. }) => {
            assert_eq!(mistake, SpreadsheetMistake::Scattered);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_unpacks_to_far_more_is_refused() {
    let scratch = Scratch::new();
    let book = small().save_to_buffer().unwrap();
    let spaces = vec![b' '; 100 << 20];
    let path = scratch.file(
        "bomb.xlsx",
        with_part(&book, "xl/sharedStrings.xml", &spaces),
    );
    assert!(matches!(read(&path), Err(Error::TooLarge { .. })));
    // Nor does it help to hide it in a part that nobody reads.
    let parts = [("notes/bomb.bin", spaces.as_slice())];
    let path = scratch.file("other.xlsx", archive(&parts));
    assert!(matches!(read(&path), Err(Error::TooLarge { .. })));
}

#[test]
fn a_list_of_texts_has_no_more_than_fit_into_it() {
    let scratch = Scratch::new();
    let book = small().save_to_buffer().unwrap();
    let text = format!(
        "<?xml version=\"1.0\"?><sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" uniqueCount=\"{}\"><si><t>a</t></si></sst>",
        1_u64 << 40
    );
    let path = scratch.file(
        "claims.xlsx",
        with_part(&book, "xl/sharedStrings.xml", text.as_bytes()),
    );
    assert_eq!(mistake(&path), SpreadsheetMistake::Damaged);
}

fn open_document(rows: &str) -> Vec<u8> {
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content><office:body><office:spreadsheet><table:table table:name=\"S\">{rows}</table:table></office:spreadsheet></office:body></office:document-content>"
    );
    archive(&[
        (
            "mimetype",
            b"application/vnd.oasis.opendocument.spreadsheet",
        ),
        ("META-INF/manifest.xml", b"<manifest:manifest/>"),
        ("content.xml", content.as_bytes()),
    ])
}

#[test]
fn repetitions_are_counted_before_they_are_made() {
    let scratch = Scratch::new();
    let cell = |text: &str, times: usize| {
        format!(
            "<table:table-cell office:value-type=\"string\" table:number-columns-repeated=\"{times}\"><text:p>{text}</text:p></table:table-cell>"
        )
    };
    let row = |cells: &str, times: usize| {
        format!("<table:table-row table:number-rows-repeated=\"{times}\">{cells}</table:table-row>")
    };
    let head = row(&(cell("a", 1) + &cell("b", 1) + &cell("c", 1)), 1);
    let plain = head.clone() + &row(&cell("x", 3), 2);
    // As spreadsheets write them: all that is empty is repeated to the ends of the sheet.
    let ends = "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row>";
    let path = scratch.file("good.ods", open_document(&(plain.clone() + ends)));
    assert_eq!(read(&path).unwrap().records(), 2);
    for rows in [
        // Cells, rows, long texts.
        row(&cell("x", 16_384), 100_000),
        (0..2000).map(|_| row(&cell("x", 16_384), 1)).collect(),
        row(&cell(&"x".repeat(1 << 16), 16_384), 1),
        // Empty cells in front of a filled one, and empty rows between.
        row(&cell("x", 1), 1)
            + ends
            + &row(
                &("<table:table-cell table:number-columns-repeated=\"16383\"/>".to_owned()
                    + &cell("x", 1)),
                1,
            ),
    ] {
        let path = scratch.file("bomb.ods", open_document(&(plain.clone() + &rows)));
        assert_eq!(mistake(&path), SpreadsheetMistake::Scattered);
    }
}

/// A compound file with one stream of records, as `.xls` files are.
fn compound(stream: &[u8]) -> Vec<u8> {
    let mut stream = stream.to_vec();
    stream.resize(stream.len().max(4096).next_multiple_of(512), 0);
    let sectors = (stream.len() / 512) as u32;
    // The table of which sector follows which has a number for each of them, itself and the directory included.
    let tables = (sectors + 2).div_ceil(127);
    let mut file = vec![0; 512];
    file[..8].copy_from_slice(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
    let put = |file: &mut Vec<u8>, at: usize, number: u32| {
        file[at..at + 4].copy_from_slice(&number.to_le_bytes());
    };
    put(&mut file, 24, 3 << 16 | 0x3e);
    put(&mut file, 28, 9 << 16 | 0xfffe);
    put(&mut file, 32, 6);
    put(&mut file, 44, tables);
    put(&mut file, 48, tables);
    put(&mut file, 60, 0xffff_fffe);
    put(&mut file, 68, 0xffff_fffe);
    for at in (76..512).step_by(4) {
        put(&mut file, at, 0xffff_ffff);
    }
    for table in 0..tables {
        put(&mut file, 76 + 4 * table as usize, table);
    }
    let mut next = vec![0xffff_fffd_u32; tables as usize];
    next.push(0xffff_fffe);
    let first = tables + 1;
    let last = first + sectors - 1;
    next.extend((first..last).map(|at| at + 1));
    next.push(0xffff_fffe);
    next.resize(128 * tables as usize, 0xffff_ffff);
    file.extend(next.iter().flat_map(|id| id.to_le_bytes()));
    let mut entry = |name: &str, kind: u8, start: u32, length: u32| {
        let mut own = vec![0_u8; 128];
        for (at, unit) in name.encode_utf16().enumerate() {
            own[2 * at..2 * at + 2].copy_from_slice(&unit.to_le_bytes());
        }
        own[64] = 2 * (name.len() as u8 + 1);
        own[66] = kind;
        own[116..120].copy_from_slice(&start.to_le_bytes());
        own[120..124].copy_from_slice(&length.to_le_bytes());
        file.extend(own);
    };
    entry("Root Entry", 5, 0xffff_fffe, 0);
    entry("Workbook", 2, first, stream.len() as u32);
    entry("", 0, 0, 0);
    entry("", 0, 0, 0);
    file.extend(stream);
    file
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let mut own = kind.to_le_bytes().to_vec();
    own.extend((data.len() as u16).to_le_bytes());
    own.extend(data);
    own
}

/// A workbook of the old format with these records on its sheet.
fn old_book(records: &[Vec<u8>], shared: &[&str]) -> Vec<u8> {
    let begin = |kind: u16| {
        let mut data = 0x0600_u16.to_le_bytes().to_vec();
        data.extend(kind.to_le_bytes());
        data.extend([0; 12]);
        record(0x0809, &data)
    };
    let end = record(0x000a, &[]);
    let mut texts = vec![0; 8];
    for text in shared {
        texts.extend((text.len() as u16).to_le_bytes());
        texts.push(0);
        texts.extend(text.bytes());
    }
    let texts = record(0x00fc, &texts);
    let globals = |offset: u32| {
        let mut data = offset.to_le_bytes().to_vec();
        data.extend([0, 0, 1, 0, b'S']);
        [begin(5), record(0x0085, &data), texts.clone(), end.clone()].concat()
    };
    let offset = globals(0).len() as u32;
    let mut stream = globals(offset);
    stream.extend(begin(0x10));
    stream.extend(records.concat());
    stream.extend(end);
    compound(&stream)
}

fn cell_at(row: u16, column: u16) -> Vec<u8> {
    [row.to_le_bytes(), column.to_le_bytes(), [0, 0]].concat()
}

fn number(row: u16, column: u16, value: f64) -> Vec<u8> {
    record(
        0x0203,
        &[cell_at(row, column), value.to_le_bytes().to_vec()].concat(),
    )
}

fn shown(row: u16, column: u16, text: u32) -> Vec<u8> {
    record(
        0x00fd,
        &[cell_at(row, column), text.to_le_bytes().to_vec()].concat(),
    )
}

#[test]
fn old_workbooks_are_counted_too() {
    let scratch = Scratch::new();
    let mut cells = vec![shown(0, 0, 0), shown(0, 1, 1)];
    cells.extend((1..4).flat_map(|row| [number(row, 0, 5.0), number(row, 1, 2.5)]));
    let names = ["age", "cost"];
    let good = old_book(&cells, &names);
    let path = scratch.file("good.xls", &good);
    let table = read(&path).unwrap();
    assert_eq!((table.records(), table.columns().len()), (3, 2));
    assert_eq!(table.column("cost").unwrap().text(0), Some("2.5"));
    // One cell far away.
    let mut far = cells.clone();
    far.push(number(u16::MAX, u16::MAX, 1.0));
    let path = scratch.file("far.xls", old_book(&far, &names));
    assert_eq!(mistake(&path), SpreadsheetMistake::Scattered);
    // A long text that many cells show.
    let long = "x".repeat(8000);
    let mut many = cells.clone();
    many.extend((4..60_000).flat_map(|row| [shown(row, 0, 2), shown(row, 1, 2)]));
    let path = scratch.file("long.xls", old_book(&many, &["age", "cost", &long]));
    assert_eq!(mistake(&path), SpreadsheetMistake::Scattered);
    // A chain of sectors that goes in a circle.
    let mut circle = good;
    let directory = 512 + 4;
    circle[directory..directory + 4].copy_from_slice(&1_u32.to_le_bytes());
    let path = scratch.file("circle.xls", circle);
    assert_eq!(mistake(&path), SpreadsheetMistake::Damaged);
}

#[test]
fn times_of_day_have_no_day() {
    let scratch = Scratch::new();
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    sheet.write_string(0, 0, "seen").unwrap();
    let clock = Format::new().set_num_format("hh:mm:ss");
    for (row, hour) in (1..).zip([0, 8, 23]) {
        let time = ExcelDateTime::from_hms(hour, 0, 0).unwrap();
        sheet
            .write_datetime_with_format(row, 0, &time, &clock)
            .unwrap();
    }
    let path = scratch.file("times.xlsx", book.save_to_buffer().unwrap());
    let table = read(&path).unwrap();
    let column = table.column("seen").unwrap();
    let texts: Vec<Option<&str>> = (0..3).map(|row| column.text(row)).collect();
    assert_eq!(
        texts,
        [Some("00:00:00"), Some("08:00:00"), Some("23:00:00")]
    );
}
