//! Drafts run as they are: tables of people in four languages, numbers, events, baskets, and what is odd.

use std::fmt::Write as _;

use crate::support;

use support::{json, write};

/// A draw that is the same in every run.
fn draw(row: usize, salt: usize, below: usize) -> usize {
    let mut x = (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (salt as u64 + 7).wrapping_mul(0xD1B5_4A32_D192_ED03);
    x ^= x >> 31;
    x = x.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 27;
    (x % below as u64) as usize
}

/// A table of `rows` records: a header and what each record has.
fn table(rows: usize, header: &str, record: impl Fn(usize) -> String) -> String {
    let mut csv = format!("{header}\n");
    for row in 0..rows {
        let _ = writeln!(csv, "{}", record(row));
    }
    csv
}

/// Profiles, drafts, and releases the draft as it is; the draft.
fn released(name: &str, csv: &str, beside: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "data.csv", csv);
    for (file, text) in beside {
        write(at, file, text);
    }
    let (code, found) = json(at, &["profile", "data.csv", "--init", "draft.toml"]);
    assert_eq!(code, 0, "{name}: {found}");
    let draft = std::fs::read_to_string(at.join("draft.toml")).expect("the draft");
    let mut args = vec!["anonymize", "draft.toml", "-o", "out"];
    let sequences = ["paths", "transactions"].map(|kind| format!("kind = \"{kind}\""));
    if !sequences.iter().any(|kind| draft.contains(kind)) {
        args.extend(["--time-budget", "2s"]);
    }
    let (code, released) = json(at, &args);
    assert_eq!(
        (code, &released["status"]),
        (0, &"released".into()),
        "{name}: {released}\n{draft}"
    );
    draft
}

/// The line of a column in a draft.
fn line<'a>(draft: &'a str, column: &str) -> &'a str {
    draft
        .lines()
        .find(|line| line.trim_start_matches(['#', ' ', '"']).starts_with(column))
        .unwrap_or_else(|| panic!("no {column} in\n{draft}"))
}

/// The line of each column has this text.
fn check(draft: &str, expect: &[(&str, &str)]) {
    for (column, part) in expect {
        let line = line(draft, column);
        assert!(line.contains(part), "{column}: {line}");
    }
}

#[test]
fn people_in_four_languages() {
    let german = table(
        240,
        "Pat.-Nr.,Nachname,Geburtsdatum,Geschlecht,PLZ,Hauptdiagnose,Bemerkung,Löschkz",
        |row| {
            format!(
                "{},Name{row},{}-{:02}-{:02},{},{:05},{},Patient {row} kam mit der Tochter aus dem Ort,",
                1000 + row / 2,
                1940 + draw(row / 2, 1, 60),
                1 + draw(row / 2, 2, 12),
                1 + draw(row / 2, 3, 28),
                ["m", "w"][draw(row / 2, 4, 2)],
                10_000 + draw(row / 2, 5, 40) * 100,
                ["I21.0", "E11.90", "J45.0", "C50.9"][draw(row, 6, 4)],
            )
        },
    );
    check(
        &released("german", &german, &[]),
        &[
            ("Pat.-Nr.", "\"subject\""),
            ("Nachname", "\"identifier\""),
            (
                "Geburtsdatum",
                "date = [\"month\", \"year\", \"five-years\", \"decade\"]",
            ),
            ("Geschlecht", "\"quasi\""),
            ("PLZ", "redact = \"right\""),
            ("Hauptdiagnose", "\"sensitive\""),
            ("Bemerkung", "free text"),
            ("Löschkz", "it is empty"),
        ],
    );
    let french = table(
        200,
        "numéro de dossier,prénom,âge,sexe,code postal,pays,diagnostic principal",
        |row| {
            format!(
                "D{row:05},Nom{row},{},{},{:05},{},{}",
                18 + draw(row, 1, 70),
                ["F", "M"][draw(row, 2, 2)],
                75_001 + draw(row, 3, 20),
                ["France", "DE", "Italy"][draw(row, 4, 3)],
                ["grippe", "asthme", "cancer"][draw(row, 5, 3)],
            )
        },
    );
    check(
        &released("french", &french, &[]),
        &[
            ("numéro de dossier", "\"identifier\""),
            ("prénom", "\"identifier\""),
            ("âge", "interval = [5, 10, 20]"),
            ("code postal", "redact"),
            ("pays", "ready-made = \"countries\""),
            ("diagnostic principal", "\"sensitive\""),
        ],
    );
    let spanish = table(
        200,
        "DNI,apellidos,fecha de nacimiento,sexo,provincia,salario",
        |row| {
            format!(
                "X{row},Apellido{row},{}-{:02}-01,{},{},{}",
                1950 + draw(row, 1, 50),
                1 + draw(row, 2, 12),
                ["H", "M"][draw(row, 3, 2)],
                ["Madrid", "Sevilla", "Lugo"][draw(row, 4, 3)],
                1000 + 100 * draw(row, 5, 20),
            )
        },
    );
    check(
        &released("spanish", &spanish, &[]),
        &[
            ("DNI", "\"identifier\""),
            ("apellidos", "\"identifier\""),
            ("fecha de nacimiento", "date ="),
            ("salario", "\"sensitive\""),
        ],
    );
    let english = table(200, "name,age,zip,job,income,visited", |row| {
        format!(
            "N{row},{},{:05},{},{},2024-{:02}-{:02}",
            18 + draw(row, 1, 70),
            2100 + draw(row, 2, 40),
            ["baker", "miner", "nurse"][draw(row, 3, 3)],
            20_000 + 500 * draw(row, 4, 30),
            1 + draw(row, 5, 12),
            1 + draw(row, 6, 28),
        )
    });
    check(
        &released("english", &english, &[]),
        &[
            ("name", "\"identifier\""),
            ("age", "interval = [5, 10, 20]"),
            ("income", "\"sensitive\""),
            ("visited", "date = [\"month\", \"quarter\", \"year\"]"),
        ],
    );
}

#[test]
fn numbers_events_and_baskets_have_policies_of_their_own() {
    let numbers = table(150, "serial,assets,sales,profit,xval", |row| {
        format!(
            "{},{},{},{}.{},{}",
            row + 1,
            1000 + draw(row, 1, 90_000),
            500 + draw(row, 2, 50_000),
            draw(row, 3, 9000),
            draw(row, 4, 10),
            row * 977
        )
    });
    let draft = released("numbers", &numbers, &[]);
    assert!(!draft.contains("interval"), "{draft}");
    check(
        &draft,
        &[
            ("serial", "\"identifier\""),
            ("xval", "\"quasi\""),
            ("assets", "\"quasi\""),
            ("profit", "groups of people publish their means"),
        ],
    );
    let events = table(900, "card,station,hour", |row| {
        format!("{},S{},{}", row / 6, draw(row, 1, 4), row % 6)
    });
    let draft = released("events", &events, &[]);
    for part in [
        "kind = \"paths\"",
        "subject = \"card\"",
        "location = \"station\"",
        "time = \"hour\"",
        "doublets = 2",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
    let points = table(600, "cab,lat,lon,timestamp", |row| {
        format!(
            "{},37.{},-122.{},2008-06-08 {:02}:10:00",
            row / 6,
            70 + draw(row, 1, 2),
            40 + draw(row, 2, 2),
            row % 6
        )
    });
    let draft = released("points", &points, &[]);
    for part in [
        "latitude = \"lat\"",
        "longitude = \"lon\"",
        "grid =",
        "slot =",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
    let wide = table(200, "basket", |row| {
        format!(
            "{};{};{}",
            ["bread", "milk", "eggs"][draw(row, 1, 3)],
            ["beer", "wine"][draw(row, 2, 2)],
            ["soap", "salt"][draw(row, 3, 2)]
        )
    });
    let draft = released("wide baskets", &wide, &[]);
    for part in [
        "kind = \"transactions\"",
        "items-column = \"basket\"",
        "items = 2",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
    let bars = released("other marks", &wide.replace(';', "|"), &[]);
    assert!(bars.contains("separator = \"|\""), "{bars}");
    let long = table(600, "customer,product", |row| {
        format!(
            "{},{}",
            row / 3,
            ["bread", "milk", "eggs", "beer", "wine"][draw(row, 1, 5)]
        )
    });
    let draft = released("long baskets", &long, &[]);
    for part in [
        "kind = \"transactions\"",
        "subject = \"customer\"",
        "item = \"product\"",
    ] {
        assert!(draft.contains(part), "{part}: {draft}");
    }
}

#[test]
fn odd_tables_are_drafted_too() {
    // Many columns of which nothing is known: the draft keeps few.
    let header: Vec<String> = (0..20).map(|at| format!("v{at}")).collect();
    let wide = table(150, &header.join(","), |row| {
        let cells: Vec<String> = (0..20).map(|at| format!("x{}", draw(row, at, 3))).collect();
        cells.join(",")
    });
    let draft = released("wide", &wide, &[]);
    let quasi = draft.lines().filter(|line| line.starts_with('v')).count();
    assert_eq!(quasi, 10, "{draft}");
    assert!(draft.contains("left out"), "{draft}");
    // Files beside the data that cover a column are taken, others are not.
    let adult = table(150, "age,workclass,sex", |row| {
        format!(
            "{},{},{}",
            20 + draw(row, 1, 10),
            ["private", "state", "none"][draw(row, 2, 3)],
            ["f", "m"][draw(row, 3, 2)]
        )
    });
    let ages: String = (20..30)
        .map(|age| format!("{age};{}-;*\n", age / 5 * 5))
        .collect();
    let draft = released(
        "beside",
        &adult,
        &[
            ("adult_hierarchy_age.csv", &ages),
            ("workclass.csv", "private;paid;*\nstate;paid;*\n"),
        ],
    );
    check(
        &draft,
        &[
            ("age", "\"adult_hierarchy_age.csv\""),
            ("workclass", "\"quasi\""),
        ],
    );
    assert!(
        !line(&draft, "workclass").contains("workclass.csv"),
        "{draft}"
    );
    for (name, csv) in [
        (
            "one column",
            table(40, "city", |row| ["Rome", "Oslo"][row % 2].to_owned()),
        ),
        ("constant", table(40, "a,b", |row| format!("x,{}", row % 2))),
        ("few", table(3, "age,sex", |row| format!("3{row},f"))),
        (
            "flags",
            table(60, "sex,PhoneService,party", |row| {
                format!(
                    "{},{},{}",
                    ["f", "m"][draw(row, 1, 2)],
                    ["yes", "no"][draw(row, 2, 2)],
                    ["a", "b"][draw(row, 3, 2)]
                )
            }),
        ),
    ] {
        released(name, &csv, &[]);
    }
}
