//! Random policies over one table, with records and consent for it: what the SQL text and the gateway are both judged on.
#![allow(dead_code, reason = "each test file uses its own part")]

use denym_purpose::{
    Access, AccessPolicy, ConsentBook, IntendedPurpose, IntendedRow, RecordConsent, Storage, Value,
    read_code, read_companion, write_code, write_companion,
};
use denym_testkit::postgres::NULL;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The `SplitMix64` generator.
pub(crate) struct Draws(pub(crate) u64);

impl Draws {
    pub(crate) fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % below
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.next(list.len() as u64) as usize]
    }

    fn number(&mut self, below: u64) -> i64 {
        i64::try_from(self.next(below)).expect("small")
    }
}

pub(crate) const PURPOSES: [&str; 6] = ["g", "a", "b", "a1", "a2", "b1"];

/// What a policy may use: the last column, the last storages and the last masks of each list are the gateway's alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// What SQL can say.
    Sql,
    /// Everything: keyed masks, dates, retention and a code per record.
    Gateway,
}

impl Reach {
    /// The columns of the table.
    pub(crate) fn columns(self) -> &'static [&'static str] {
        let all = &["name", "age", "rate", "ok", "born"];
        self.of(all, 1)
    }

    /// All but the last few of a list for SQL.
    fn of(self, list: &'static [&'static str], last: usize) -> &'static [&'static str] {
        match self {
            Self::Sql => &list[..list.len() - last],
            Self::Gateway => list,
        }
    }
}

pub(crate) fn intended(draws: &mut Draws) -> String {
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

/// A policy for the table `t`, whose one user is `anna`.
pub(crate) fn random_policy(draws: &mut Draws, reach: Reach) -> String {
    let storages = [
        "\"none\"",
        "\"table\"",
        "\"companion\"",
        "{ row-code = \"code\" }",
    ];
    let storage = draws.pick(&storages[..if reach == Reach::Sql { 3 } else { 4 }]);
    let mode = draws.pick(&["mask", "mask", "filter"]);
    let text_mask = draws.pick(reach.of(
        &[
            "\"null\"",
            "\"value\"",
            "{ first-letters = 2 }",
            "{ characters = { keep-first = 1, keep-last = 1, with = \"#\" } }",
            "{ stored = \"alt\" }",
            "{ level = { hierarchy = \"h\", level = 1 } }",
            "{ pseudonym = {} }",
            "{ pseudonym = { length = 12, reach = \"value\" } }",
        ],
        2,
    ));
    let number_mask = draws.pick(reach.of(
        &[
            "{ interval = 10 }",
            "{ interval = { width = 7, origin = 3, show = \"lower\" } }",
            "{ interval = { width = 7, origin = -2, show = \"midpoint\" } }",
            "{ where-hidden = { columns = [\"name\"], then = { interval = 10 }, otherwise = \"null\" } }",
            "{ where-hidden = { columns = [\"name\"] } }",
            "{ stored = { column = \"alt\", type = \"text\" } }",
            "{ noise = { spread = 5 } }",
        ],
        1,
    ));
    let float_mask = draws.pick(reach.of(
        &[
            "{ interval = { width = 0.5, show = \"lower\" } }",
            "{ interval = { width = 2.5, origin = 1.0, show = \"midpoint\" } }",
            "\"null\"",
            "{ interval = 2.5 }",
            "{ noise = { spread = 0.5, shape = \"laplace\" } }",
        ],
        2,
    ));
    let (retention, collected, born) = match reach {
        Reach::Sql => ("\"g\"", "", String::new()),
        Reach::Gateway => {
            let mask = draws.pick(&["\"value\"", "\"null\"", "{ pseudonym = {} }"]);
            (
                "{ parent = \"g\", retention-days = 400 }",
                "collected = \"taken\"\n",
                format!("born = {{ type = \"date\", mask = {mask} }}\n"),
            )
        }
    };
    let mut text = format!(
        "[purposes]\ng = {{}}\na = {retention}\nb = \"g\"\na1 = \"a\"\na2 = \"a\"\nb1 = \"b\"\n[hierarchies]\nh = {{ rows = [[\"ab'c\", \"x\\\\y\"], [\"Zoë\", \"z\"]] }}\n\
         [roles]\nr = []\n[users]\nanna = {{ roles = [\"r\"] }}\n[[grants]]\nrole = \"r\"\npurposes = [\"g\"]\n\
         [tables.t]\nkey = \"id\"\ngroup = \"grp\"\n{collected}mode = \"{mode}\"\nconsent = {storage}\ndefault = \"{}\"\n",
        intended(draws)
    );
    let _ = write!(
        text,
        "[tables.t.columns]\nname = {{ mask = {text_mask} }}\nage = {{ type = \"integer\", mask = {number_mask}, default = \"{}\" }}\n\
         rate = {{ type = \"float\", mask = {float_mask}, always-prohibited = [\"{}\"] }}\nok = {{ type = \"boolean\", mask = \"value\" }}\n{born}\
         [tables.t.groups]\nx = {{ all = \"{}\", columns = {{ age = \"{}\" }} }}\ny = {{ columns = {{ name = \"{}\" }} }}\n",
        intended(draws),
        draws.pick(&["b1", "a2"]),
        intended(draws),
        intended(draws),
        intended(draws)
    );
    text
}

/// A record with what its provider said beside it.
pub(crate) struct Row {
    pub(crate) cells: BTreeMap<&'static str, Value>,
    pub(crate) own: Vec<Option<IntendedPurpose>>,
}

/// Records of the table; the last has no key. `today` is the day they are collected before.
pub(crate) fn random_rows(
    draws: &mut Draws,
    policy: &AccessPolicy,
    reach: Reach,
    count: usize,
    today: i64,
) -> Vec<Row> {
    let text = |draws: &mut Draws, list: &[&str]| match draws.pick(list) {
        "" => Value::Null,
        text => Value::Text(text.into()),
    };
    let names = [
        "ab'c",
        "Zoë",
        "a\\b",
        "q",
        "",
        "Alice",
        "with, comma\nand line",
    ];
    let names = &names[..if reach == Reach::Sql { 6 } else { 7 }];
    let mut rows = Vec::new();
    for id in 0..count {
        let id = if id + 1 == count {
            Value::Null
        } else {
            Value::Text(format!("k{id}"))
        };
        let age = match draws.next(8) {
            0 => Value::Null,
            1 => Value::Integer(i64::MIN),
            2 => Value::Integer(i64::MAX),
            _ => Value::Integer(draws.number(200) - 100),
        };
        let rate = match draws.next(5) {
            0 => Value::Null,
            _ => Value::Float(draws.next(4000) as f64 / 64.0 - 20.0),
        };
        let ok = match draws.next(3) {
            0 => Value::Null,
            other => Value::Boolean(other == 1),
        };
        let date = |draws: &mut Draws, day: i64| match draws.next(4) {
            0 => Value::Null,
            _ => Value::Date(day),
        };
        let (born, taken) = (draws.number(30_000), today - draws.number(800));
        let cells = BTreeMap::from([
            ("id", id),
            ("grp", text(draws, &["x", "y", "other", ""])),
            ("name", text(draws, names)),
            ("age", age),
            ("rate", rate),
            ("ok", ok),
            ("born", date(draws, born)),
            ("taken", date(draws, taken)),
            ("alt", text(draws, &["alternative", "", "'"])),
        ]);
        let own = reach
            .columns()
            .iter()
            .map(|_| match draws.next(3) {
                0 => None,
                _ => IntendedPurpose::from_text(&policy.purposes, &intended(draws)),
            })
            .collect();
        rows.push(Row { cells, own });
    }
    rows
}

/// Rows of a consent table about records and single cells.
pub(crate) fn random_consents(draws: &mut Draws, reach: Reach, count: usize) -> Vec<IntendedRow> {
    let mut consents = Vec::new();
    for id in 0..count - 1 {
        for column in ["*"].iter().chain(reach.columns()) {
            if draws.next(3) == 0 {
                consents.push(IntendedRow {
                    table: "t".into(),
                    record: format!("k{id}"),
                    column: (*column).into(),
                    intended: intended(draws),
                });
            }
        }
    }
    consents
}

/// What counts as a record's own consent, from wherever the policy keeps it.
pub(crate) fn own_consent(
    access: &Access<'_>,
    row: &Row,
    book: &ConsentBook,
) -> Option<RecordConsent> {
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
pub(crate) fn psql_text(value: &Value) -> String {
    match value {
        Value::Null => NULL.into(),
        Value::Float(number) => format!("{number}"),
        Value::Boolean(truth) => if *truth { "t" } else { "f" }.into(),
        other => other.to_string(),
    }
}
