//! Cells that a spreadsheet would run as formulas: published with an apostrophe before them, refused, or kept.
//!
//! # Idea
//!
//! Who opens a CSV file in a spreadsheet runs every cell that begins with `=`, `+`, `-` or `@`, and whoever could write a cell of
//! the source (a name in a form) could write a program there. An apostrophe before such a cell makes it text. Some programs cut
//! lines at `;` as well, so a formula behind one counts too.
//!
//! # Guarantee
//!
//! Escaping is undone without loss: two different cells stay different. So what is judged on the cells holds of the file as it
//! is written. A release that has both escaped and bare formulas was not written by us and is read as it stands.

use std::borrow::Cow;

use denym_data::{Column, Error, Table};

/// What a formula begins with; full-width forms are read as the others in some languages.
const BEGINNINGS: [char; 11] = [
    '=', '+', '-', '@', '\t', '\r', '\n', '\u{FF1D}', '\u{FF0B}', '\u{FF0D}', '\u{FF20}',
];

/// Whether this stretch of a cell would be run: more than a number, and more than a sign alone.
fn runs(stretch: &str) -> bool {
    let mut letters = stretch.chars();
    letters
        .next()
        .is_some_and(|first| BEGINNINGS.contains(&first))
        && letters.next().is_some()
        && !is_number(stretch)
}

fn is_number(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(plain) && text.parse::<f64>().is_ok()
}

/// Whether a spreadsheet would run something in this cell.
fn is_formula(cell: &str) -> bool {
    cell.split(';').any(runs)
}

/// The cell with an apostrophe more before every formula, and before one that has apostrophes already; itself when there is none.
fn escaped(cell: &str) -> Cow<'_, str> {
    changed(cell, |stretch| Some(format!("'{stretch}")))
}

/// What [`escaped`] was given.
fn restored(cell: &str) -> Cow<'_, str> {
    changed(cell, |stretch| {
        stretch.strip_prefix('\'').map(str::to_owned)
    })
}

/// The cell with `change` made to every stretch that is a formula behind any number of apostrophes.
fn changed(cell: &str, change: impl Fn(&str) -> Option<String>) -> Cow<'_, str> {
    let is_one = |stretch: &str| runs(stretch.trim_start_matches('\''));
    if !cell.split(';').any(is_one) {
        return Cow::Borrowed(cell);
    }
    let stretches: Vec<String> = cell
        .split(';')
        .map(|stretch| {
            let one = is_one(stretch).then(|| change(stretch)).flatten();
            one.unwrap_or_else(|| stretch.to_owned())
        })
        .collect();
    Cow::Owned(stretches.join(";"))
}

/// The first column with a formula: its position from 1, whether its name is one, and how many different cells are.
pub fn first_formula(table: &Table) -> Option<(usize, bool, usize)> {
    (1..).zip(table.columns()).find_map(|(position, column)| {
        let cells = column.dictionary.values().filter(|text| is_formula(text));
        let (name, cells) = (is_formula(&column.name), cells.count());
        (name || cells > 0).then_some((position, name, cells))
    })
}

/// The table with formulas escaped in names and cells; itself when there are none.
pub fn without_formulas(table: &Table) -> Result<Cow<'_, Table>, Error> {
    mapped(table, escaped)
}

/// A table as it was before [`without_formulas`]: the apostrophes that escaping put there are gone.
pub fn with_formulas(table: Table) -> Result<Table, Error> {
    let bare =
        |column: &Column| is_formula(&column.name) || column.dictionary.values().any(is_formula);
    if table.columns().iter().any(bare) {
        return Ok(table);
    }
    let restored = match mapped(&table, restored)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(restored) => Some(restored),
    };
    Ok(restored.unwrap_or(table))
}

/// The table with every name and cell mapped; itself when nothing changes.
fn mapped<'t>(
    table: &'t Table,
    map: impl for<'a> Fn(&'a str) -> Cow<'a, str>,
) -> Result<Cow<'t, Table>, Error> {
    let same = |text: &str| matches!(map(text), Cow::Borrowed(_));
    let stays = |column: &Column| same(&column.name) && column.dictionary.values().all(same);
    if table.columns().iter().all(stays) {
        return Ok(Cow::Borrowed(table));
    }
    let columns = table.columns().iter().map(|column| {
        let name = map(&column.name).into_owned();
        if column.dictionary.values().all(same) {
            return Column {
                name,
                ..column.clone()
            };
        }
        let texts: Vec<Option<String>> = (0..column.dictionary.len() as u32)
            .map(|code| {
                column
                    .dictionary
                    .text(code)
                    .map(|text| map(text).into_owned())
            })
            .collect();
        let cell = |&code: &u32| texts[code as usize].as_deref();
        Column::from_texts(&name, column.codes.iter().map(cell))
    });
    Ok(Cow::Owned(Table::new(columns.collect())?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_runs_is_told_from_numbers_and_signs() {
        for cell in [
            "=1+1",
            "+49 170",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "=cmd|' /C calc'!A0",
            "-5-3",
            "x;=1+1",
            "＝1+1",
            "-1e",
            "+-5",
            "-inf",
        ] {
            assert!(is_formula(cell), "{cell:?}");
            assert!(!is_formula(&escaped(cell)), "{cell:?}");
        }
        for cell in [
            "-5", "+5.25", "-1e5", "-", "+", "=", "*", "", "a=b", "[-5, 3)", "'=1+1", "1;-2",
            "-0.5", "a@b",
        ] {
            assert!(!is_formula(cell), "{cell:?}");
        }
        assert_eq!(escaped("=1+1"), "'=1+1");
        assert_eq!(escaped("'=1+1"), "''=1+1");
        assert_eq!(escaped("a;-b"), "a;'-b");
        assert_eq!(escaped("-5"), "-5");
        assert_eq!(escaped("'tis"), "'tis");
    }

    proptest! {
        /// Two different cells are never published as one, and none of them runs.
        #[test]
        fn escaping_is_undone(cell in "['=+@;a5\\-\t. ]{0,12}") {
            let written = escaped(&cell);
            prop_assert!(!is_formula(&written), "{:?}", written);
            prop_assert_eq!(restored(&written), cell.as_str());
        }
    }

    #[test]
    fn a_table_comes_back_as_it_was_judged() {
        let column =
            |name, texts: &[&str]| Column::from_texts(name, texts.iter().map(|text| Some(*text)));
        let table = Table::new(vec![
            column("=name", &["=1+1", "'=1+1", "plain"]),
            column("age", &["-5", "7", "-5"]),
        ])
        .unwrap();
        assert_eq!(first_formula(&table), Some((1, true, 1)));
        let written = without_formulas(&table).unwrap();
        assert_eq!(written.columns()[0].name, "'=name");
        assert_eq!(written.columns()[0].text(0), Some("'=1+1"));
        assert_eq!(written.columns()[1].text(0), Some("-5"));
        let back = with_formulas(written.into_owned()).unwrap();
        for (before, after) in table.columns().iter().zip(back.columns()) {
            assert_eq!(before.name, after.name);
            for row in 0..table.records() {
                assert_eq!(before.text(row), after.text(row));
            }
        }
        // What nobody escaped is read as it stands.
        let kept = with_formulas(table).unwrap();
        assert_eq!(kept.columns()[0].text(1), Some("'=1+1"));
    }
}
