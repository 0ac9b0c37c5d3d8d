//! Random policies over files: the gateway's answer is the in-process view of each record, for every storage, mask and mode.

use denym_gateway::consent_file;
use denym_purpose::{
    Access, AccessPolicy, ConsentBook, IntendedPurpose, IntendedRow, MaskKey, RawRecord,
    RecordConsent, Storage, Value, read_code, read_companion, write_code, write_companion,
};
use denym_testkit::postgres::NULL;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use support::generated::Draws;
use support::{NOON, Plan, csv};

mod support;

const PURPOSES: [&str; 6] = ["g", "a", "b", "a1", "a2", "b1"];
const COLUMNS: [&str; 5] = ["name", "age", "rate", "ok", "born"];

fn intended(draws: &mut Draws) -> String {
    let mut set = || {
        let count = draws.next(3);
        let names: Vec<&str> = (0..count).map(|_| draws.pick(&PURPOSES)).collect();
        names.join(", ")
    };
    let (a, c, mut p) = (set(), set(), set());
    // prohibitions reach far; without thinning them nearly everything is denied
    if p.len() % 3 != 0 {
        p.clear();
    }
    format!("<{{{a}}}, {{{c}}}, {{{p}}}>")
}

fn random_policy(draws: &mut Draws) -> String {
    let storage = draws.pick(&[
        "\"none\"",
        "\"table\"",
        "\"companion\"",
        "{ row-code = \"code\" }",
    ]);
    let mode = draws.pick(&["mask", "mask", "filter"]);
    let text_mask = draws.pick(&[
        "\"null\"",
        "\"value\"",
        "{ first-letters = 2 }",
        "{ characters = { keep-first = 1, keep-last = 1, with = \"#\" } }",
        "{ stored = \"alt\" }",
        "{ level = { hierarchy = \"h\", level = 1 } }",
        "{ pseudonym = {} }",
        "{ pseudonym = { length = 12, reach = \"value\" } }",
    ]);
    let number_mask = draws.pick(&[
        "{ interval = 10 }",
        "{ interval = { width = 7, origin = 3, show = \"lower\" } }",
        "{ interval = { width = 7, origin = -2, show = \"midpoint\" } }",
        "{ where-hidden = { columns = [\"name\"], then = { interval = 10 }, otherwise = \"null\" } }",
        "{ where-hidden = { columns = [\"name\"] } }",
        "{ stored = { column = \"alt\", type = \"text\" } }",
        "{ noise = { spread = 5 } }",
    ]);
    let float_mask = draws.pick(&[
        "{ interval = { width = 0.5, show = \"lower\" } }",
        "{ interval = { width = 2.5, origin = 1.0, show = \"midpoint\" } }",
        "{ interval = 2.5 }",
        "{ noise = { spread = 0.5, shape = \"laplace\" } }",
        "\"null\"",
    ]);
    let date_mask = draws.pick(&["\"value\"", "\"null\"", "{ pseudonym = {} }"]);
    let mut text = format!(
        "[purposes]\ng = {{}}\na = {{ parent = \"g\", retention-days = 400 }}\nb = \"g\"\na1 = \"a\"\na2 = \"a\"\nb1 = \"b\"\n[hierarchies]\nh = {{ rows = [[\"ab'c\", \"x\\\\y\"], [\"Zoë\", \"z\"]] }}\n\
         [roles]\nr = []\n[users]\nanna = {{ roles = [\"r\"] }}\n[[grants]]\nrole = \"r\"\npurposes = [\"g\"]\n\
         [tables.t]\nkey = \"id\"\ngroup = \"grp\"\ncollected = \"taken\"\nmode = \"{mode}\"\nconsent = {storage}\ndefault = \"{}\"\n",
        intended(draws)
    );
    let _ = write!(
        text,
        "[tables.t.columns]\nname = {{ mask = {text_mask} }}\nage = {{ type = \"integer\", mask = {number_mask}, default = \"{}\" }}\n\
         rate = {{ type = \"float\", mask = {float_mask}, always-prohibited = [\"{}\"] }}\nok = {{ type = \"boolean\", mask = \"value\" }}\n\
         born = {{ type = \"date\", mask = {date_mask} }}\n\
         [tables.t.groups]\nx = {{ all = \"{}\", columns = {{ age = \"{}\" }} }}\ny = {{ columns = {{ name = \"{}\" }} }}\n",
        intended(draws),
        draws.pick(&["b1", "a2"]),
        intended(draws),
        intended(draws),
        intended(draws)
    );
    text
}

struct Row {
    cells: BTreeMap<&'static str, Value>,
    own: Vec<Option<IntendedPurpose>>,
}

fn random_rows(draws: &mut Draws, policy: &AccessPolicy) -> Vec<Row> {
    (0..30)
        .map(|id| {
            let text = |draws: &mut Draws, list: &[&str]| match draws.pick(list) {
                "" => Value::Null,
                text => Value::Text(text.into()),
            };
            let number =
                |draws: &mut Draws, below: u64| i64::try_from(draws.next(below)).expect("small");
            let id = if id == 29 {
                Value::Null
            } else {
                Value::Text(format!("k{id}"))
            };
            let age = match draws.next(8) {
                0 => Value::Null,
                1 => Value::Integer(i64::MIN),
                2 => Value::Integer(i64::MAX),
                _ => Value::Integer(number(draws, 200) - 100),
            };
            let rate = match draws.next(5) {
                0 => Value::Null,
                _ => Value::Float(draws.next(4000) as f64 / 64.0 - 20.0),
            };
            let ok = match draws.next(3) {
                0 => Value::Null,
                other => Value::Boolean(other == 1),
            };
            let cells = BTreeMap::from([
                ("id", id),
                ("grp", text(draws, &["x", "y", "other", ""])),
                (
                    "name",
                    text(
                        draws,
                        &[
                            "ab'c",
                            "Zoë",
                            "a\\b",
                            "q",
                            "",
                            "Alice",
                            "with, comma\nand line",
                        ],
                    ),
                ),
                ("age", age),
                ("rate", rate),
                ("ok", ok),
                (
                    "born",
                    if draws.next(4) == 0 {
                        Value::Null
                    } else {
                        Value::Date(number(draws, 30_000))
                    },
                ),
                (
                    "taken",
                    if draws.next(4) == 0 {
                        Value::Null
                    } else {
                        Value::Date(NOON.day - number(draws, 800))
                    },
                ),
                ("alt", text(draws, &["alternative", "", "'"])),
            ]);
            let own = COLUMNS
                .iter()
                .map(|_| match draws.next(3) {
                    0 => None,
                    _ => IntendedPurpose::from_text(&policy.purposes, &intended(draws)),
                })
                .collect();
            Row { cells, own }
        })
        .collect()
}

fn own_consent(access: &Access<'_>, row: &Row, book: &ConsentBook) -> Option<RecordConsent> {
    let cells = || {
        row.own
            .iter()
            .enumerate()
            .filter_map(|(place, ip)| Some((place, ip.clone()?)))
    };
    match access.table().storage {
        Storage::None => None,
        Storage::Table => match row.cells["id"].to_text() {
            Some(id) => book.record("t", &id).cloned(),
            // a record without key is nobody's
            None => Some(RecordConsent {
                all: Some(IntendedPurpose::default()),
                cells: BTreeMap::new(),
            }),
        },
        Storage::Companion { .. } => {
            let cells = cells().filter_map(|(place, ip)| {
                Some((place, read_companion(write_companion(Some(&ip))?)?))
            });
            Some(RecordConsent {
                all: None,
                cells: cells.collect(),
            })
        }
        Storage::RowCode { .. } => {
            let consent = RecordConsent {
                all: None,
                cells: cells().collect(),
            };
            let (read, fine) = read_code(
                access.table(),
                &access.policy().purposes,
                &write_code(&consent),
            );
            assert!(fine);
            Some(read)
        }
    }
}

/// psql's text of a value.
fn psql_text(value: &Value) -> String {
    match value {
        Value::Null => NULL.into(),
        Value::Float(number) => format!("{number}"),
        Value::Boolean(truth) => if *truth { "t" } else { "f" }.into(),
        other => other.to_string(),
    }
}

#[test]
fn random_policies_equal_the_view() {
    let mut draws = Draws(21);
    let mut served = [0usize; 2];
    let mut storages = BTreeMap::new();
    for round in 0..60 {
        let text = random_policy(&mut draws);
        let policy = AccessPolicy::parse(&text, &|_| None)
            .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let rows = random_rows(&mut draws, &policy);
        let mut consents = Vec::new();
        for id in 0..29 {
            for column in ["*", "name", "age", "rate", "ok", "born"] {
                if draws.next(3) == 0 {
                    consents.push(IntendedRow {
                        table: "t".into(),
                        record: format!("k{id}"),
                        column: column.into(),
                        intended: intended(&mut draws),
                    });
                }
            }
        }
        let (book, errors) = policy.read_consent(&consents);
        assert_eq!(errors, []);
        let names = [
            "id", "grp", "name", "age", "rate", "ok", "born", "taken", "alt",
        ];
        let mut file = names.join(",");
        for column in COLUMNS {
            let _ = write!(file, ",{column}_aip,{column}_cip,{column}_pip");
        }
        file.push_str(",code,unnamed\n");
        for row in &rows {
            for name in names {
                let cell = row.cells[name].to_text();
                let _ = write!(
                    file,
                    "{},",
                    cell.map_or_else(String::new, |cell| csv(&cell))
                );
            }
            let mut consent = RecordConsent::default();
            for (place, ip) in row.own.iter().enumerate() {
                for code in write_companion(ip.as_ref()).expect("six purposes fit") {
                    let _ = write!(
                        file,
                        "{},",
                        code.map_or_else(String::new, |code| code.to_string())
                    );
                }
                if let Some(ip) = ip {
                    consent.cells.insert(place, ip.clone());
                }
            }
            let _ = writeln!(file, "{},hidden", write_code(&consent));
        }
        let site =
            Plan::embedded(&text, &[("t", file)], Some(consent_file::write(&consents))).run();
        let key = MaskKey::new(b"0123456789abcdef0123456789abcdef".to_vec());
        let purpose = draws.pick(&PURPOSES);
        let access = policy
            .open("anna", Some(purpose), "t", NOON)
            .expect("granted");
        *storages
            .entry(format!("{:?}", access.table().storage))
            .or_insert(0) += 1;
        for requested in [vec![0, 1, 2, 3, 4], vec![1], vec![3, 0]] {
            let columns: Vec<&str> = requested.iter().map(|place| COLUMNS[*place]).collect();
            let mut found = site
                .ask(
                    "anna",
                    purpose,
                    &format!("SELECT {} FROM t", columns.join(", ")),
                )
                .unwrap_or_else(|error| panic!("{round}: {error}\n{text}"));
            let mut expected: Vec<Vec<String>> = rows
                .iter()
                .filter_map(|row| {
                    let raw = |column: &str| row.cells.get(column).cloned().unwrap_or(Value::Null);
                    let own = own_consent(&access, row, &book);
                    let record = RawRecord {
                        key: row.cells["id"].to_text().unwrap_or_default(),
                        group: row.cells["grp"].to_text(),
                        collected: match row.cells["taken"] {
                            Value::Date(day) => Some(day),
                            _ => None,
                        },
                        consent: own.as_ref(),
                        raw: &raw,
                    };
                    access.view(&record, &requested, &key, NOON.day)
                })
                .map(|row| {
                    row.iter()
                        .map(|cell| psql_text(cell).replace('\n', "\u{2424}"))
                        .collect()
                })
                .collect();
            // psql's records of a cell with a line end are put together again by the harness' separators only
            found = joined(found, requested.len());
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{round} {purpose} {columns:?}\n{text}");
            for cell in found.iter().flatten() {
                served[usize::from(cell != NULL)] += 1;
            }
        }
    }
    assert!(
        served[0] > 500 && served[1] > 500,
        "both kinds of cells occur: {served:?}"
    );
    assert_eq!(storages.len(), 4, "{storages:?}");
}

/// The harness cuts at line ends too; a cell with one is the end of one piece and the beginning of the next.
fn joined(rows: Vec<Vec<String>>, width: usize) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut open = false;
    for row in rows {
        if open && let (Some(last), Some((first, rest))) = (out.last_mut(), row.split_first()) {
            if let Some(cell) = last.last_mut() {
                let _ = write!(cell, "\u{2424}{first}");
            }
            last.extend(rest.iter().cloned());
        } else {
            out.push(row);
        }
        open = out.last().is_some_and(|last| {
            last.len() < width || last.last().is_some_and(|cell| cell == "with, comma")
        });
    }
    out
}
