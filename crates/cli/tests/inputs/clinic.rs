//! The export of an ugly clinic, from the first look to the release, in every form that it may have.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use denym_testkit::clinic::{Charset, Clinic, Dates};
use serde_json::Value;

use super::run;
use super::support::{empty, json, write};

/// What a steward writes for it: nothing about the form of the file, codes for missing values where they are.
fn policy(data: &str, more: &str, release: &str) -> String {
    format!(
        r#"[data]
path = "{data}"
{more}

[attributes]
"Pat.-Nr." = "subject"
Nachname = "identifier"
Geburtsdatum = {{ role = "quasi", type = "date", hierarchy = {{ date = ["year", "decade"] }} }}
Geschlecht = "quasi"
PLZ = {{ role = "quasi", hierarchy = {{ redact = "right", step = 2 }} }}
"Größe" = {{ role = "quasi", type = "decimal", missing-values = ["NA"], hierarchy = {{ interval = [5, 20] }} }}
Hauptdiagnose = "sensitive"
Aufnahmedatum = "insensitive"
Gewicht = {{ role = "insensitive", missing = ["k.A."] }}
Temperatur = "insensitive"
"Kosten €" = "insensitive"

[promise]
k-anonymity = 3

[release]
algorithm = "full-domain"
suppress-at-most = 0.2
{release}
"#
    )
}

/// The cells of a file, by column: what a recipient sees.
fn cells(text: &str, delimiter: char) -> BTreeMap<String, Vec<String>> {
    let cut = |line: &str| -> Vec<String> {
        let (mut cells, mut cell, mut quoted) = (Vec::new(), String::new(), false);
        for letter in line.chars() {
            match letter {
                '"' => quoted = !quoted,
                letter if letter == delimiter && !quoted => cells.push(std::mem::take(&mut cell)),
                letter => cell.push(letter),
            }
        }
        cells.push(cell);
        cells
    };
    let mut lines = text.lines();
    let names = cut(lines.next().expect("a header"));
    let rows: Vec<Vec<String>> = lines.map(cut).collect();
    let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect();
    names
        .into_iter()
        .enumerate()
        .map(|(at, name)| (name, column(at)))
        .collect()
}

/// Every released value of these columns is one that the source has, letter by letter.
fn as_written(clinic: &Clinic, released: &BTreeMap<String, Vec<String>>, columns: &[&str]) {
    let source = cells(&clinic.text(), clinic.delimiter);
    for name in columns {
        for cell in &released[*name] {
            assert!(
                cell.is_empty() || source[*name].contains(cell),
                "{name}: {cell}"
            );
        }
    }
}

fn released(at: &Path, bundle: &str, name: &str) -> Vec<u8> {
    std::fs::read(at.join(bundle).join("release").join(name)).expect("a release")
}

fn certificate(at: &Path, bundle: &str) -> Value {
    let path = at.join(bundle).join("release/certificate.json");
    serde_json::from_slice(&std::fs::read(path).expect("a certificate")).expect("JSON")
}

#[track_caller]
fn succeeds(at: &Path, args: &[&str]) -> String {
    let (code, text) = run(at, args);
    assert_eq!(code, 0, "{args:?}: {text}");
    text
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).expect("memory");
    packer.finish().expect("memory")
}

#[test]
fn an_export_is_profiled_drafted_released_verified_attacked_and_compared() {
    let directory = empty();
    let at = directory.path();
    let clinic = Clinic {
        rows: 150,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    let text = succeeds(at, &["profile", "klinik.csv", "--init", "draft.toml"]);
    assert!(
        text.contains("`Geburtsdatum` is written DD.MM.YYYY"),
        "{text}"
    );
    assert!(
        text.contains("`Kosten €` is written with a decimal `,`, with `.` between thousands"),
        "{text}"
    );
    assert!(
        text.contains("`Puls` has `NA` for missing values"),
        "{text}"
    );
    let draft = std::fs::read_to_string(at.join("draft.toml")).expect("a draft");
    for line in [
        "delimiter = \";\"",
        "encoding = \"windows-1252\"",
        "format = \"DD.MM.YYYY\"",
        "decimal = \",\"",
        "unit = \"kg\"",
        "unit = \"°C\"",
        "missing-values = [\"-9\"]",
        "missing-values = [\"k.A.\"]",
    ] {
        assert!(draft.contains(line), "{line} in {draft}");
    }
    // The draft is a policy that reads the file.
    succeeds(at, &["plan", "draft.toml"]);

    write(at, "policy.toml", policy("klinik.csv", "", ""));
    succeeds(at, &["anonymize", "policy.toml", "-o", "out"]);
    let file = String::from_utf8(released(at, "out", "klinik.csv")).expect("UTF-8");
    let shown = cells(&file, ';');
    as_written(
        &clinic,
        &shown,
        &["Aufnahmedatum", "Temperatur", "Kosten €", "Gewicht"],
    );
    assert!(shown["Gewicht"].iter().any(|cell| cell.ends_with(" kg")));
    assert!(shown["Gewicht"].iter().all(|cell| cell != "k.A."));
    assert!(
        shown["Kosten €"]
            .iter()
            .any(|cell| cell.contains('.') && cell.contains(','))
    );
    let written = &certificate(at, "out")["data"]["written"];
    assert_eq!(written["delimiter"], ";");
    assert_eq!(written["encoding"], "utf-8");
    assert_eq!(
        written["notations"]["Aufnahmedatum"]["dates"][0],
        "DD.MM.YYYY"
    );

    let (code, verdict) = json(at, &["verify", "out"]);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!(verdict["data_intact"], true, "{verdict}");
    succeeds(at, &["attack", "out"]);
    succeeds(at, &["compare", "klinik.csv", "out"]);
    succeeds(at, &["audit", "klinik.csv", "--quasi", "Geschlecht,PLZ"]);
}

#[test]
fn every_form_of_the_export_is_read_alike() {
    let directory = empty();
    let at = directory.path();
    let plain = Clinic {
        rows: 90,
        encoding: Charset::Utf8,
        ..Clinic::default()
    };
    let forms = [
        ("utf8.csv", plain.clone()),
        (
            "marked.csv",
            Clinic {
                encoding: Charset::Utf8Marked,
                ..plain.clone()
            },
        ),
        (
            "latin.csv",
            Clinic {
                encoding: Charset::Windows1252,
                ..plain.clone()
            },
        ),
        (
            "wide.csv",
            Clinic {
                encoding: Charset::Utf16,
                ..plain.clone()
            },
        ),
        (
            "tabs.csv",
            Clinic {
                delimiter: '\t',
                ..plain.clone()
            },
        ),
        (
            "commas.csv",
            Clinic {
                delimiter: ',',
                ..plain.clone()
            },
        ),
        (
            "named.csv",
            Clinic {
                names_delimiter: true,
                ..plain.clone()
            },
        ),
        (
            "titles.csv",
            Clinic {
                titles: 2,
                ..plain.clone()
            },
        ),
        (
            "points.csv",
            Clinic {
                decimal: '.',
                ..plain.clone()
            },
        ),
        (
            "days.csv",
            Clinic {
                dates: Dates::DaysFirst,
                ..plain.clone()
            },
        ),
        (
            "months.csv",
            Clinic {
                dates: Dates::MonthsFirst,
                ..plain.clone()
            },
        ),
        (
            "iso.csv",
            Clinic {
                dates: Dates::Iso,
                ..plain.clone()
            },
        ),
    ];
    let asked = "format = \"csv\"\ndelimiter = \",\"\ndecimal = \".\"\nthousands = \"\"\ndate-format = \"YYYY-MM-DD\"";
    let mut first: Option<Vec<u8>> = None;
    for (name, clinic) in forms {
        write(at, name, clinic.bytes());
        write(at, "policy.toml", policy(name, "", asked));
        let out = format!("out-{name}");
        succeeds(at, &["anonymize", "policy.toml", "-o", &out]);
        succeeds(at, &["verify", &out]);
        let bytes = released(at, &out, name);
        match &first {
            None => first = Some(bytes),
            Some(first) => assert!(*first == bytes, "{name} is released differently"),
        }
    }
    let packed = gzipped(&plain.bytes());
    write(at, "packed.csv.gz", &packed);
    write(
        at,
        "packed.csv.zst",
        zstd::bulk::compress(&plain.bytes(), 1).expect("memory"),
    );
    for name in ["packed.csv.gz", "packed.csv.zst"] {
        write(at, "policy.toml", policy(name, "", asked));
        let out = format!("out-{name}");
        succeeds(at, &["anonymize", "policy.toml", "-o", &out]);
        assert!(Some(released(at, &out, "packed.csv")) == first, "{name}");
    }
}

#[test]
fn a_release_keeps_the_encoding_that_is_asked_for() {
    let directory = empty();
    let at = directory.path();
    let clinic = Clinic {
        rows: 90,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    for (encoding, euro) in [
        ("source", &[0x80][..]),
        ("iso-8859-15", &[0xA4]),
        ("utf-16le", &[0xAC, 0x20]),
    ] {
        let release = format!("encoding = \"{encoding}\"");
        write(
            at,
            "policy.toml",
            policy("klinik.csv", "encoding = \"latin1\"", &release),
        );
        let out = format!("out-{encoding}");
        succeeds(at, &["anonymize", "policy.toml", "-o", &out]);
        let bytes = released(at, &out, "klinik.csv");
        assert!(
            bytes.windows(euro.len()).any(|some| some == euro),
            "{encoding}"
        );
        succeeds(at, &["verify", &out]);
        succeeds(at, &["attack", &out]);
    }
    // What the encoding cannot write is refused, and nothing is released.
    write(
        at,
        "policy.toml",
        policy("klinik.csv", "", "encoding = \"iso-8859-2\""),
    );
    let (code, text) = run(at, &["anonymize", "policy.toml", "-o", "none"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("cannot write"), "{text}");
    assert!(!at.join("none").exists());
}

#[test]
fn a_certificate_that_would_merge_cells_is_not_believed() {
    let directory = empty();
    let at = directory.path();
    let rows = "id;a;ill\n1;1,5;flu\n2;1,5;flu\n3;1.5;flu\n4;1.5;flu\n";
    write(at, "release/x.csv", rows);
    let clinic = Clinic {
        rows: 90,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    write(at, "policy.toml", policy("klinik.csv", "", ""));
    succeeds(at, &["anonymize", "policy.toml", "-o", "out"]);
    // A cell in the plain form beside the same number in the notation of the column.
    let path = at.join("out/release/klinik.csv");
    let text = std::fs::read_to_string(&path).expect("a release");
    let shown = cells(&text, ';');
    let some = shown["Temperatur"]
        .iter()
        .find(|cell| cell.contains(','))
        .expect("a fever");
    let plain = some.trim_end_matches(" °C").replace(',', ".");
    let forged = text.replacen(&format!("{some};"), &format!("{plain};"), 1);
    assert_ne!(forged, text);
    std::fs::write(&path, forged).expect("a file");
    let (code, text) = run(at, &["verify", "out"]);
    assert_ne!(code, 0, "{text}");
}

#[test]
fn two_readings_of_a_date_are_refused_by_name() {
    let directory = empty();
    let at = directory.path();
    write(at, "d.csv", "day,ill\n03/04/2020,flu\n05/06/2020,flu\n");
    let policy = |format: &str| {
        format!(
            "[data]\npath = \"d.csv\"\n[attributes]\nday = {{ role = \"quasi\", type = \"date\"{format}, hierarchy = {{ date = [\"day\", \"week\"] }} }}\nill = \"insensitive\"\n[promise]\nk-anonymity = 1\n[release]\nalgorithm = \"full-domain\"\n"
        )
    };
    write(at, "p.toml", policy(""));
    let (code, text) = run(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("DD/MM/YYYY") && text.contains("MM/DD/YYYY"),
        "{text}"
    );
    assert!(!text.contains("03/04"), "{text}");
    write(at, "p.toml", policy(", format = \"DD/MM/YYYY\""));
    succeeds(at, &["anonymize", "p.toml", "-o", "out"]);
    let file = String::from_utf8(released(at, "out", "d.csv")).expect("UTF-8");
    assert_eq!(file, "day,ill\n03/04/2020,flu\n05/06/2020,flu\n");
    write(at, "p.toml", policy(", format = \"YYYY-MM-DD\""));
    let (code, text) = run(at, &["anonymize", "p.toml", "-o", "other"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("is no date") && text.contains("missing-values"),
        "{text}"
    );
}

#[test]
fn a_cell_is_shown_to_who_asks_and_to_nobody_else() {
    let directory = empty();
    let at = directory.path();
    write(at, "d.csv", "day,ill\n26.08.1992,flu\nsoon,flu\n");
    write(
        at,
        "p.toml",
        "[data]\npath = \"d.csv\"\n[attributes]\nday = { role = \"quasi\", type = \"date\" }\nill = \"insensitive\"\n[promise]\nk-anonymity = 1\n",
    );
    let (code, text) = run(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("record 2") && !text.contains("soon"),
        "{text}"
    );
    let (code, text) = run(at, &["anonymize", "p.toml", "-o", "out", "--show-cells"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("cell: soon"), "{text}");
    let output = super::support::run(
        at,
        &["anonymize", "p.toml", "-o", "out", "--show-cells", "--json"],
    );
    assert!(!String::from_utf8_lossy(&output.stdout).contains("soon"));
}

#[test]
fn the_empty_cell_stays_missing_beside_other_codes() {
    let directory = empty();
    let at = directory.path();
    write(at, "x.csv", "age,deleted\n31,\n32,\nNA,\n34,\n");
    let (_, found) = json(at, &["profile", "x.csv", "--missing", "NA"]);
    assert_eq!(found["columns"][0]["missing"], 1, "{found}");
    assert_eq!(found["columns"][1]["missing"], 4, "{found}");
}

#[test]
fn standard_input_is_a_data_file() {
    let directory = empty();
    let at = directory.path();
    let bytes = Clinic {
        rows: 60,
        ..Clinic::default()
    }
    .bytes();
    write(at, "klinik.csv", &bytes);
    let piped = |args: &[&str], bytes: &[u8]| {
        let mut child = super::support::denym()
            .current_dir(at)
            .args(args)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("denym runs");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(bytes).expect("a pipe");
        drop(pipe);
        let output = child.wait_with_output().expect("an end");
        (output.status.code(), super::said(&output))
    };
    for packed in [bytes.clone(), gzipped(&bytes)] {
        let (code, text) = piped(&["profile", "-", "--json"], &packed);
        assert_eq!(code, Some(0), "{text}");
        let (_, plain) = json(at, &["profile", "klinik.csv"]);
        assert_eq!(
            serde_json::from_str::<Value>(&text).expect("JSON")["columns"],
            plain["columns"]
        );
    }
    let (code, text) = piped(&["audit", "-", "--quasi", "PLZ"], &bytes);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = piped(&["compare", "-", "klinik.csv"], &bytes);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = piped(&["profile", "-", "--init", "draft.toml"], &bytes);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("standard input has none"), "{text}");
}

#[test]
fn a_bomb_is_refused_with_its_bound() {
    let directory = empty();
    let at = directory.path();
    let bomb = zstd::bulk::compress(&vec![b'\n'; 100 << 20], 1).expect("memory");
    write(at, "bomb.csv.zst", bomb);
    let (code, text) = run(at, &["profile", "bomb.csv.zst"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("unpacked, this file has more than"), "{text}");
    let mut cut = gzipped(&Clinic::default().bytes());
    cut.truncate(cut.len() / 2);
    write(at, "cut.csv.gz", cut);
    let (code, text) = run(at, &["profile", "cut.csv.gz"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("damaged or cut short"), "{text}");
}

#[test]
fn times_of_paths_are_taken_as_they_are_written() {
    let directory = empty();
    let at = directory.path();
    let mut rows = String::from("cab,lat,lon,when\n");
    for cab in 0..6 {
        for hour in 8..11 {
            rows += &format!("c{cab},37.77,-122.41,2008/06/08 {hour:02}:40:39\n");
        }
    }
    write(at, "cabs.csv", rows);
    write(
        at,
        "p.toml",
        "[data]\nkind = \"paths\"\npath = \"cabs.csv\"\nsubject = \"cab\"\ntime = \"when\"\nlatitude = \"lat\"\nlongitude = \"lon\"\ngrid = 500\nslot = 3600\n[adversary]\nknows = { doublets = 2 }\n[promise]\nk-anonymity = 2\n",
    );
    succeeds(at, &["anonymize", "p.toml", "-o", "out"]);
    succeeds(at, &["verify", "out"]);
}

#[test]
fn a_workbook_is_read_and_written() {
    let directory = empty();
    let at = directory.path();
    let clinic = Clinic {
        rows: 90,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    let plain = "decimal = \".\"\nthousands = \"\"\ndate-format = \"YYYY-MM-DD\"";
    write(at, "policy.toml", policy("klinik.csv", "", plain));
    succeeds(at, &["anonymize", "policy.toml", "-o", "csv"]);
    write(
        at,
        "policy.toml",
        policy("klinik.csv", "", "format = \"xlsx\""),
    );
    for out in ["one", "two"] {
        succeeds(at, &["anonymize", "policy.toml", "-o", out]);
    }
    let bytes = released(at, "one", "klinik.xlsx");
    assert!(
        bytes == released(at, "two", "klinik.xlsx"),
        "the same bytes every time"
    );
    let (code, verdict) = json(at, &["verify", "one"]);
    assert_eq!(code, 0, "{verdict}");
    assert_eq!(verdict["data_intact"], true, "{verdict}");
    succeeds(at, &["attack", "one"]);
    // The same values as in the CSV release, dates and numbers as such.
    write(at, "again.xlsx", &bytes);
    let (code, book) = json(at, &["profile", "again.xlsx", "--sheet", "data"]);
    assert_eq!(code, 0, "{book}");
    let (_, text) = json(at, &["profile", "csv/release/klinik.csv"]);
    assert_eq!(book["records"], text["records"]);
    for (one, other) in book["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .zip(text["columns"].as_array().into_iter().flatten())
    {
        for key in ["name", "distinct", "missing"] {
            assert_eq!(one[key], other[key], "{one} {other}");
        }
    }
    let kind = |name: &str| {
        let columns = book["columns"].as_array().expect("columns");
        columns
            .iter()
            .find(|column| column["name"] == name)
            .expect("a column")["type"]
            .clone()
    };
    assert_eq!(kind("Aufnahmedatum"), "date");
    let (code, text) = run(at, &["profile", "again.xlsx", "--sheet", "7"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no such sheet"), "{text}");
    write(at, "old.sav", "x");
    let (code, text) = run(at, &["profile", "old.sav"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("convert it to CSV or Parquet"), "{text}");
    write(at, "broken.xlsx", &bytes[..bytes.len() / 2]);
    let (code, text) = run(at, &["profile", "broken.xlsx"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("no readable workbook"), "{text}");
}

/// A file is of one hand: where other columns have decimal commas, `1.234` is a thousand or one and a bit, and nobody guesses.
#[test]
fn points_among_commas_are_asked_for() {
    let directory = empty();
    let at = directory.path();
    let mut text = String::from("size;cost;ill\n");
    for row in 0..20 {
        text += &format!("1{row},5;{}.{:03};flu\n", 1 + row % 3, 100 * (row % 7));
    }
    write(at, "d.csv", &text);
    let policy = |key: &str| {
        format!(
            "[data]\npath = \"d.csv\"\n[attributes]\ncost = {{ role = \"quasi\"{key}, hierarchy = {{ interval = [1000, 5000] }} }}\nill = \"insensitive\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\n"
        )
    };
    // The columns that a policy does not name tell as little as a file without them: the delimiter does.
    for typed in [", type = \"decimal\"", ", type = \"integer\""] {
        write(at, "p.toml", policy(typed));
        let (code, said) = run(at, &["anonymize", "p.toml", "-o", "out"]);
        assert_eq!(code, 2, "{said}");
        assert!(
            said.contains("thousands = \".\"") || said.contains("no integer"),
            "{said}"
        );
    }
    write(at, "p.toml", policy(", thousands = \".\""));
    succeeds(at, &["anonymize", "p.toml", "-o", "out"]);
    let shown = String::from_utf8(released(at, "out", "d.csv")).expect("UTF-8");
    assert!(shown.contains("1.000-1.999"), "{shown}");
    let (_, found) = json(at, &["profile", "d.csv"]);
    let columns = found["columns"].as_array().expect("columns");
    let cost = columns.iter().find(|column| column["name"] == "cost");
    assert_eq!(cost.expect("a column")["type"], "text", "{found}");
    // Where another column has a decimal point for certain, there is no doubt.
    write(at, "d.csv", text.replace(",5;", ".5;"));
    let (_, found) = json(at, &["profile", "d.csv"]);
    let columns = found["columns"].as_array().expect("columns");
    let cost = columns.iter().find(|column| column["name"] == "cost");
    assert_eq!(cost.expect("a column")["type"], "decimal", "{found}");
}

/// Named as the file writes them, values would occur nowhere and guard nobody.
#[test]
fn promises_name_values_as_they_are_compared() {
    let directory = empty();
    let at = directory.path();
    let mut text = String::from("age,seen\n");
    for row in 0..12 {
        text += &format!("{},0{}.08.1992\n", 30 + row % 2, 1 + row % 4);
    }
    write(at, "d.csv", text);
    let policy = |value: &str| {
        format!(
            "[data]\npath = \"d.csv\"\n[attributes]\nage = \"quasi\"\nseen = {{ role = \"sensitive\", format = \"DD.MM.YYYY\" }}\n[promise]\nk-anonymity = 2\nconfidence = {{ attribute = \"seen\", values = [\"{value}\"], at-most = 0.5 }}\n[release]\nalgorithm = \"full-domain\"\n"
        )
    };
    write(at, "p.toml", policy("01.08.1992"));
    let (code, said) = run(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("guard nobody") && said.contains("1992-08-01"),
        "{said}"
    );
    write(at, "p.toml", policy("1992-08-01"));
    let said = succeeds(at, &["anonymize", "p.toml", "-o", "out"]);
    assert!(!said.contains("never occurs"), "{said}");
}

#[test]
fn standard_input_is_the_data_of_a_policy() {
    let directory = empty();
    let at = directory.path();
    let clinic = Clinic {
        rows: 90,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    write(at, "file.toml", policy("klinik.csv", "", ""));
    write(at, "pipe.toml", policy("-", "", ""));
    succeeds(at, &["anonymize", "file.toml", "-o", "file"]);
    let piped = |args: &[&str]| {
        let file = std::fs::File::open(at.join("klinik.csv")).expect("a file");
        let output = super::support::denym()
            .current_dir(at)
            .args(args)
            .stdin(file)
            .output()
            .expect("denym runs");
        assert_eq!(output.status.code(), Some(0), "{}", super::said(&output));
    };
    piped(&["anonymize", "pipe.toml", "-o", "pipe"]);
    piped(&["plan", "pipe.toml"]);
    assert!(released(at, "file", "klinik.csv") == released(at, "pipe", "stdin.csv"));
    // Nothing of the place where it was kept is told.
    let report = std::fs::read_to_string(at.join("pipe/steward/report.html")).expect("a report");
    assert!(!report.contains(std::env::temp_dir().to_str().expect("a path")));
    succeeds(at, &["verify", "pipe"]);
}

#[test]
fn a_released_workbook_explains_itself() {
    let directory = empty();
    let at = directory.path();
    let clinic = Clinic {
        rows: 90,
        ..Clinic::default()
    };
    write(at, "klinik.csv", clinic.bytes());
    write(
        at,
        "policy.toml",
        policy("klinik.csv", "", "format = \"xlsx\""),
    );
    succeeds(
        at,
        &["anonymize", "policy.toml", "-o", "out", "--language", "de"],
    );
    let book = "out/release/klinik.xlsx";
    let (code, found) = json(at, &["profile", book, "--sheet", "codebook"]);
    assert_eq!(code, 0, "{found}");
    let names: Vec<&str> = found["columns"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|column| column["name"].as_str())
        .collect();
    assert_eq!(names, ["Spalte", "Rolle", "Beschriftung", "Bedeutung"]);
    // Whoever changes the sheet changes the file that the certificate speaks of.
    let mut bytes = released(at, "out", "klinik.xlsx");
    let last = bytes.len() / 2;
    bytes[last] ^= 1;
    write(at, book, bytes);
    let (code, verdict) = json(at, &["verify", "out"]);
    assert_ne!(code, 0, "{verdict}");
}

/// Two policies about one file do not write into one directory.
#[test]
fn a_bundle_is_named_after_its_policy_where_several_share_the_data() {
    let directory = empty();
    let at = directory.path();
    write(at, "d.csv", "age,ill\n30,flu\n30,flu\n31,flu\n31,flu\n");
    let policy = "[data]\npath = \"d.csv\"\n[attributes]\nage = \"quasi\"\nill = \"insensitive\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\n";
    write(at, "one.toml", policy);
    succeeds(at, &["anonymize", "one.toml"]);
    assert!(at.join("d-release").is_dir());
    write(at, "two.toml", policy);
    succeeds(at, &["anonymize", "two.toml"]);
    assert!(at.join("two-release").is_dir());
}
