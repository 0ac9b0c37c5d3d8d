//! Releases of every kind, in memory, for recipients and forgers.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::sha256::sha256;
use crate::support::{self, json, write};

/// The public half of a release.
#[derive(Clone, PartialEq)]
pub(crate) struct Bundle {
    /// What kind of release it is.
    pub(crate) name: &'static str,
    /// The certificate.
    pub(crate) certificate: Value,
    /// The data, by file.
    pub(crate) files: BTreeMap<String, String>,
}

/// A table in memory: names of columns, then rows.
pub(crate) type Rows = (Vec<String>, Vec<Vec<String>>);

impl Bundle {
    fn read(name: &'static str, half: &Path) -> Bundle {
        let mut files = BTreeMap::new();
        let mut certificate = Value::Null;
        for (file, bytes) in support::files(half) {
            let text = String::from_utf8(bytes).expect("text");
            match file.to_str().expect("a name") {
                "certificate.json" => certificate = serde_json::from_str(&text).expect("JSON"),
                "README.md" => {}
                file => {
                    files.insert(file.to_owned(), text);
                }
            }
        }
        Bundle {
            name,
            certificate,
            files,
        }
    }

    /// Writes it into an empty directory.
    pub(crate) fn write(&self, directory: &Path) {
        for (file, text) in &self.files {
            write(directory, file, text);
        }
        write(directory, "certificate.json", self.certificate.to_string());
    }

    /// What `denym verify --json` says of it: its exit code, document, and what it printed beside.
    pub(crate) fn verify(&self) -> (i32, Value, String) {
        let directory = support::empty();
        self.write(directory.path());
        let output = support::run(directory.path(), &["verify", ".", "--json"]);
        let text = String::from_utf8_lossy(&output.stdout);
        let document = serde_json::from_str(&text).unwrap_or(Value::Null);
        let beside = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), document, beside)
    }

    /// The name of the data, as the certificate has it.
    pub(crate) fn main(&self) -> String {
        let name = self.certificate["data"]["file"].as_str();
        name.unwrap_or_default().to_owned()
    }

    /// The data as rows; no cell of these tests has a quote or a comma in it, but a line of one empty cell is two quotes.
    pub(crate) fn rows(&self, file: &str) -> Option<Rows> {
        let text = self.files.get(file)?;
        let mut lines = text.lines();
        let cells = |line: &str| -> Vec<String> {
            let cells = line.split(',').map(|cell| cell.trim_matches('"'));
            cells.map(str::to_owned).collect()
        };
        Some((cells(lines.next()?), lines.map(cells).collect()))
    }

    /// Replaces the data.
    pub(crate) fn put(&mut self, file: &str, (names, rows): &Rows) {
        let mut text = names.join(",") + "\n";
        for row in rows {
            let line = row.join(",");
            text += if line.is_empty() { "\"\"" } else { &line };
            text.push('\n');
        }
        self.files.insert(file.to_owned(), text);
    }

    /// Makes fingerprints and counts fit the data again, as a forger would.
    pub(crate) fn seal(&mut self) {
        let mut entries = vec!["/data"];
        if self.certificate["groups"]["sensitive"].is_object() {
            entries.push("/groups/sensitive");
        }
        for entry in entries {
            let Some(data) = self.certificate.pointer(entry) else {
                continue;
            };
            let file = data["file"].as_str().unwrap_or_default().to_owned();
            let Some(text) = self.files.get(&file) else {
                continue;
            };
            let hash = sha256(text.as_bytes());
            let mut records = text.lines().count().saturating_sub(1);
            if entry == "/data" && (self.has("paths") || self.has("transactions")) {
                records = self.subjects().unwrap_or(records);
            }
            if let Some(data) = self
                .certificate
                .pointer_mut(entry)
                .filter(|d| d.is_object())
            {
                data["sha256"] = hash.into();
                data["records"] = records.into();
            }
        }
    }

    pub(crate) fn has(&self, section: &str) -> bool {
        self.certificate[section].is_object()
    }

    /// People in a long file of paths or transactions; records in a wide one.
    fn subjects(&self) -> Option<usize> {
        let form = ["paths", "transactions"].map(|section| &self.certificate[section]);
        let subject = form.iter().find_map(|f| {
            f.pointer("/form/long/subject")
                .or(f.pointer("/long/subject"))
        })?;
        let (names, rows) = self.rows(&self.main())?;
        let at = names
            .iter()
            .position(|name| Some(name.as_str()) == subject.as_str())?;
        let mut people: Vec<&String> = rows.iter().filter_map(|row| row.get(at)).collect();
        people.sort();
        people.dedup();
        Some(people.len())
    }
}

/// Makes a release under `policy` of `files`.
pub(crate) fn release(name: &'static str, policy: &str, files: &[(&str, String)]) -> Bundle {
    let directory = support::empty();
    let at = directory.path();
    for (file, text) in files {
        write(at, file, text);
    }
    write(at, "policy.toml", policy);
    let (code, found) = json(at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{name}: {found}");
    Bundle::read(name, &at.join("out/release"))
}

const DISEASES: [&str; 6] = ["flu", "cancer", "asthma", "hiv", "flu", "gastritis"];

/// Sixty people, some with several stays; nobody's cells repeat by accident.
pub(crate) fn people() -> String {
    let mut text = String::from("patient,name,zip,age,sex,disease,salary,stay\n");
    for row in 0..60 {
        let patient = if row % 10 == 9 { row - 1 } else { row };
        let (age, zip) = (20 + (row * 7) % 40, 10_000 + (row * 31) % 24);
        let disease = DISEASES[(row * 5 + row / 7) % 6];
        let (sex, salary) = (["f", "m"][(row / 3) % 2], 1000 + (row * 137) % 5000);
        text += &format!(
            "p{patient},Name{patient},{zip},{age},{sex},{disease},{salary},{}\n",
            row % 4
        );
    }
    text
}

/// A policy over [`people`]: further attributes, knowledge, promises, the release.
pub(crate) fn policy(attributes: &str, knows: &str, promise: &str, release: &str) -> String {
    format!(
        "[data]\npath = \"people.csv\"\n[attributes]\n\
         zip = {{ role = \"quasi\", hierarchy = {{ redact = \"right\" }} }}\n\
         age = {{ role = \"quasi\", hierarchy = {{ interval = [5, 10, 20, 40] }} }}\nsex = \"quasi\"\n{attributes}\n\
         [adversary]\nknows = {knows}\n[promise]\n{promise}\n[release]\n{release}\n"
    )
}

const ALL: &str = "\"quasi-identifiers\"";
const FULL: &str = "algorithm = \"full-domain\"\nsuppress-at-most = 0";

/// One release of every kind.
pub(crate) fn all() -> Vec<Bundle> {
    let table = || vec![("people.csv", people())];
    let disease = "disease = \"sensitive\"";
    let salary = "salary = \"sensitive\"";
    let on_people = |name, attributes: &str, knows: &str, promise: &str, how: &str| {
        release(name, &policy(attributes, knows, promise, how), &table())
    };
    let mut found = vec![
        on_people(
            "table",
            disease,
            ALL,
            "k-anonymity = 4\nl-diversity = 2",
            FULL,
        ),
        on_people(
            "beside",
            "disease = \"sensitive\"\nstay = \"insensitive\"",
            ALL,
            "k-anonymity = 4\nconfidence = { attribute = \"disease\", values = [\"hiv\"], at-most = 0.6 }",
            FULL,
        ),
        on_people(
            "reference",
            disease,
            ALL,
            "k-anonymity = 2\nt-closeness = 0.6",
            FULL,
        ),
        on_people(
            "removed",
            disease,
            ALL,
            "k-anonymity = 4\nt-closeness = 0.7",
            "algorithm = \"full-domain\"\nsuppress-at-most = 0.3",
        ),
        on_people(
            "subject",
            "patient = \"subject\"\ndisease = \"sensitive\"",
            ALL,
            "k-anonymity = 4\nl-diversity = 2",
            FULL,
        ),
        on_people(
            "few-known",
            disease,
            "{ at-most = 2 }",
            "k-anonymity = 4\nl-diversity = { attribute = \"disease\", l = 2, quasi = [\"sex\", \"age\"] }",
            FULL,
        ),
        on_people(
            "anatomy",
            disease,
            ALL,
            "l-diversity = 2",
            "algorithm = \"anatomy\"",
        ),
        on_people(
            "permutation",
            salary,
            ALL,
            "k-e-anonymity = { k = 3, e = 500 }",
            "algorithm = \"k-e-permutation\"",
        ),
        release(
            "register",
            &policy(
                disease,
                ALL,
                "k-map = { population = \"people.csv\", k = 4 }\nk-anonymity = 2",
                FULL,
            ),
            &table(),
        ),
        release(
            "numbers",
            "[data]\npath = \"people.csv\"\n[attributes]\nage = \"quasi\"\nsalary = \"quasi\"\n\
             disease = \"sensitive\"\n[promise]\nk-anonymity = 3\n[release]\nalgorithm = \"mdav\"\n",
            &table(),
        ),
    ];
    found.extend(sequences());
    found
}

/// Paths, transactions and trails.
fn sequences() -> Vec<Bundle> {
    let thesis = support::paths::TABLE_1.to_owned();
    let long = || {
        let mut text = String::from("subject,location,time,status\n");
        for (person, line) in thesis.lines().skip(1).enumerate() {
            let (path, status) = line.split_once(',').expect("two cells");
            for doublet in path.split('>') {
                let (place, time) = doublet.split_at(1);
                text += &format!("q{person},{place},{time},{status}\n");
            }
        }
        text
    };
    let of = |file: &str, matching: &str| {
        let how = support::paths::GLOBAL;
        support::paths::policy(file, 2, 2, support::paths::WELFARE, matching, how)
    };
    let baskets = |long: bool| {
        let mut text = String::from(if long { "subject,item\n" } else { "items\n" });
        for (person, basket) in support::baskets::BASKETS.iter().enumerate() {
            if long {
                for item in basket.split(';').filter(|item| !item.is_empty()) {
                    text += &format!("b{person},{item}\n");
                }
            } else {
                text += &format!("{basket}\n");
            }
        }
        text
    };
    let mut trails = String::from("id,institution\n");
    for person in 0..24 {
        for place in 0..5 {
            if (person * 7 + place * 3) % 4 < 2 {
                trails += &format!("t{person},area-{place}\n");
            }
        }
    }
    let defended = "[data]\nkind = \"trails\"\nidentified = \"people.csv\"\nanonymous = \"people.csv\"\n[promise]\nk-anonymity = 3\n";
    vec![
        release(
            "paths",
            &of("t.csv", "covers"),
            &[("t.csv", thesis.clone())],
        ),
        release("long-paths", &of("t.csv", "covers"), &[("t.csv", long())]),
        release(
            "raw-paths",
            &of("t.csv", "consistent"),
            &[("t.csv", thesis.clone())],
        ),
        release(
            "baskets",
            support::baskets::POLICY,
            &[("baskets.csv", baskets(false))],
        ),
        release(
            "long-baskets",
            support::baskets::POLICY,
            &[("baskets.csv", baskets(true))],
        ),
        release("trails", defended, &[("people.csv", trails)]),
    ]
}
