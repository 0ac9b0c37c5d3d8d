//! What a forger may do to a bundle: each a small change, alone or after others, with fingerprints that fit or do not.

use serde_json::{Value, json};

use crate::bundles::{Bundle, Rows};

/// Numbers that look drawn and repeat.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A number below `end`, which is at least 1.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // Knuth's constants; the high bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        (!of.is_empty()).then(|| &of[self.below(of.len())])
    }
}

/// A change, by name.
pub(crate) type Mutation = (&'static str, fn(&mut Bundle, &mut Dice, &[Bundle]));

/// Every change there is.
pub(crate) const MUTATIONS: &[Mutation] = &[
    ("a column is not listed", |b, dice, _| {
        remove(b, dice, "/data/columns");
    }),
    ("no column is listed", |b, _, _| {
        set(b, "/data/columns", json!([]));
    }),
    ("a role is changed", |b, dice, _| {
        let role = *dice.one(&ROLES).expect("roles");
        let count = length(b, "/data/columns");
        set(
            b,
            &format!("/data/columns/{}/role", dice.below(count)),
            json!(role),
        );
    }),
    ("a quasi-identifier is forgotten", |b, dice, _| {
        remove(b, dice, "/quasi_identifiers");
    }),
    ("a quasi-identifier is called insensitive", |b, dice, _| {
        demote(b, dice, 1);
    }),
    ("no quasi-identifiers", |b, _, _| {
        set(b, "/quasi_identifiers", json!([]));
    }),
    (
        "every quasi-identifier is called insensitive",
        |b, dice, _| demote(b, dice, 100),
    ),
    ("a check is changed", |b, dice, _| {
        let check = ["recheckable", "attested"][dice.below(2)];
        claim(b, dice, |claim, _| claim["check"] = check.into());
    }),
    ("a claim holds, or not", |b, dice, _| {
        let holds = [json!(true), json!(false), Value::Null][dice.below(3)].clone();
        claim(b, dice, |claim, _| claim["holds"] = holds);
    }),
    ("another value is stated", |b, dice, _| {
        claim(b, dice, |claim, dice| {
            claim["measured"] = json!([0.0, 0.01, 0.5, 1.0, 2.0, 7.0, 300.0, 1e6][dice.below(8)]);
        });
    }),
    ("another bound is asked in words", |b, dice, _| {
        claim(b, dice, |claim, dice| claim["asked"] = json!(dice.below(9)));
    }),
    ("another k", |b, dice, _| {
        claim(b, dice, |claim, dice| {
            if claim["terms"]["k"].is_u64() {
                let k = [1, 2, 3, 5, 10, 1000][dice.below(6)];
                claim["terms"]["k"] = json!(k);
                claim["asked"] = json!(f64::from(k));
            }
        });
    }),
    ("a laxer share", |b, dice, _| {
        claim(b, dice, |claim, _| {
            for key in ["at_most", "t"] {
                if claim["terms"][key].is_string() {
                    claim["terms"][key] = json!("1/1");
                    claim["asked"] = json!(1.0);
                }
            }
        });
    }),
    ("the claims of another release", |b, dice, others| {
        if let Some(other) = dice.one(others) {
            b.certificate["claims"] = other.certificate["claims"].clone();
        }
    }),
    ("the certificate of another release", |b, dice, others| {
        if let Some(other) = dice.one(others) {
            b.certificate = other.certificate.clone();
        }
    }),
    (
        "the certificate of another release for this file",
        |b, dice, others| {
            let file = b.main();
            if let Some(other) = dice.one(others) {
                b.certificate = other.certificate.clone();
                b.certificate["data"]["file"] = json!(file);
            }
        },
    ),
    ("no claims", |b, _, _| b.certificate["claims"] = json!([])),
    ("a claim is left out", |b, dice, _| {
        remove(b, dice, "/claims");
    }),
    ("a claim that nobody can measure", |b, dice, _| {
        let terms = [
            json!({"promise": "k-map", "k": 5}),
            json!({"promise": "delta-presence", "least": "0/1", "most": "1/2"}),
            json!({"promise": "personalized-privacy", "attribute": "disease", "at_most": "1/2"}),
        ][dice.below(3)]
        .clone();
        let asked = if terms["k"].is_u64() { 5.0 } else { 0.5 };
        let claim = json!({
            "promise": terms["promise"], "attribute": terms["attribute"], "asked": asked,
            "measured": 1e6, "holds": true, "check": "recheckable", "terms": terms,
        });
        if let Some(claims) = b.certificate["claims"].as_array_mut() {
            claims.push(claim);
        }
    }),
    ("an adversary who knows something else", |b, dice, _| {
        let knows = [
            json!("institutions"),
            json!("quasi-identifiers"),
            json!({"at-most": 0}),
            json!({"at-most": 1}),
            json!({"at-most": 9}),
            json!({"doublets": 1}),
            json!({"doublets": 0}),
            json!({"items": 1}),
            json!({"items": 0}),
        ];
        b.certificate["knows"] = knows[dice.below(knows.len())].clone();
    }),
    ("the subject is dropped", |b, _, _| drop_key(b, "subject")),
    (
        "the subject is dropped and called insensitive",
        |b, _, _| {
            if let Some(name) = b.certificate["subject"].as_str().map(str::to_owned) {
                rename_role(b, &name, "insensitive");
                drop_key(b, "subject");
            }
        },
    ),
    ("a subject is invented", |b, dice, _| {
        if let Some(name) = names(b).get(dice.below(9)).cloned() {
            rename_role(b, &name, "subject-number");
            b.certificate["subject"] = json!(name);
        }
    }),
    ("no reference", |b, _, _| {
        set(b, "/sensitive/0/reference", Value::Null);
    }),
    ("an empty reference", |b, _, _| {
        set(b, "/sensitive/0/reference", json!([]));
    }),
    ("a reference of zeros", |b, dice, _| {
        counts(b, dice, |_, _| 0);
    }),
    ("a larger reference", |b, dice, _| {
        counts(b, dice, |count, _| count * 10);
    }),
    ("a flatter reference", |b, dice, _| {
        counts(b, dice, |_, _| 1000);
    }),
    ("a random reference", |b, dice, _| {
        counts(b, dice, |_, dice| dice.below(50) as u64);
    }),
    (
        "a reference that fits a lie about removed records",
        |b, dice, _| {
            counts(b, dice, |count, dice| count + dice.below(500) as u64);
            let all: u64 = reference(b).iter().sum();
            let records = b.certificate["data"]["records"].as_u64().unwrap_or(0);
            b.certificate["suppressed_records"] = json!(all.saturating_sub(records));
        },
    ),
    ("values of the reference change places", |b, dice, _| {
        let count = length(b, "/sensitive/0/reference");
        if count > 1 {
            let (a, z) = (dice.below(count), dice.below(count));
            if let Some(list) = b.certificate["sensitive"][0]["reference"].as_array_mut() {
                list.swap(a, z);
            }
        }
    }),
    ("a value of the reference is left out", |b, dice, _| {
        remove(b, dice, "/sensitive/0/reference");
    }),
    ("another number of removed records", |b, dice, _| {
        b.certificate["suppressed_records"] = json!(dice.below(40));
    }),
    ("a column is said to be altered", |b, dice, _| {
        if let Some(name) = names(b).get(dice.below(9)).cloned() {
            b.certificate["altered"] = json!([{
                "columns": [name], "method": "noise", "reproducible": false, "true_of_records": false,
            }]);
        }
    }),
    ("nothing is said to be altered", |b, _, _| {
        drop_key(b, "altered");
    }),
    ("groups by a constant column", |b, _, _| {
        with_column(b, "all", "group", |_| "1".to_owned());
        let attribute = b.certificate["sensitive"][0]["name"].clone();
        b.certificate["groups"] = json!({"column": "all", "attribute": attribute});
    }),
    ("groups in two files that are one", |b, _, _| {
        let attribute = b.certificate["sensitive"][0]["name"].clone();
        let column = names(b).last().cloned().unwrap_or_default();
        let data = b.certificate["data"].clone();
        b.certificate["groups"] =
            json!({"column": column, "attribute": attribute, "sensitive": data});
    }),
    ("no groups", |b, _, _| drop_key(b, "groups")),
    ("the two files change places", |b, _, _| {
        if b.has("groups") && b.certificate["groups"]["sensitive"].is_object() {
            let data = b.certificate["data"].take();
            b.certificate["data"] = b.certificate["groups"]["sensitive"].take();
            b.certificate["groups"]["sensitive"] = data;
        }
    }),
    ("another file", |b, dice, others| {
        let file = b.main();
        if let Some(other) = dice.one(others)
            && let Some(text) = other.files.get(&other.main())
        {
            b.files.insert(file, text.clone());
        }
    }),
    ("a file elsewhere", |b, dice, _| {
        let file = [
            "../people.csv",
            "/etc/passwd",
            "certificate.json",
            "",
            ".",
            "absent.csv",
        ][dice.below(6)];
        b.certificate["data"]["file"] = json!(file);
    }),
    ("another format", |b, dice, _| {
        b.certificate["data"]["format"] = json!(["json", "parquet", "xml", ""][dice.below(4)]);
    }),
    ("another fingerprint", |b, _, _| {
        b.certificate["data"]["sha256"] = json!("0".repeat(64));
    }),
    ("another number of records", |b, dice, _| {
        b.certificate["data"]["records"] = json!(dice.below(100));
    }),
    ("another form", |b, dice, _| {
        b.certificate["form"] = json!([0, 1, 3, 99][dice.below(4)]);
    }),
    ("a section of another kind", |b, dice, others| {
        let section = ["paths", "transactions", "groups"][dice.below(3)];
        if let Some(other) = others.iter().find(|other| other.has(section)) {
            b.certificate[section] = other.certificate[section].clone();
        }
    }),
    ("a section is dropped", |b, dice, _| {
        drop_key(b, ["paths", "transactions", "groups"][dice.below(3)]);
    }),
    ("another matching", |b, dice, _| {
        if b.has("paths") {
            b.certificate["paths"]["matching"] = json!(["covers", "consistent"][dice.below(2)]);
        }
    }),
    ("a claim on fewer columns", |b, dice, _| {
        let quasi = b.certificate["quasi_identifiers"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let kept: Vec<Value> = quasi.into_iter().filter(|_| dice.below(2) == 0).collect();
        claim(b, dice, |claim, _| claim["quasi_identifiers"] = json!(kept));
    }),
    (
        "a claim on a column twice, or on none that is known",
        |b, dice, _| {
            let first = b.certificate["quasi_identifiers"][0].clone();
            let list = [
                json!([first, first]),
                json!(["nowhere"]),
                json!(["disease"]),
            ][dice.below(3)]
            .clone();
            claim(b, dice, |claim, _| claim["quasi_identifiers"] = list);
        },
    ),
    ("a claim about another column", |b, dice, _| {
        let all = names(b);
        let name = all.get(dice.below(all.len())).cloned().unwrap_or_default();
        claim(b, dice, |claim, _| {
            if claim["attribute"].is_string() {
                claim["attribute"] = json!(name);
                claim["terms"]["attribute"] = json!(name);
            }
        });
    }),
    ("a claim about no column", |b, dice, _| {
        claim(b, dice, |claim, _| {
            if claim["attribute"].is_string() {
                claim["attribute"] = Value::Null;
                claim["terms"]["attribute"] = Value::Null;
            }
        });
    }),
    ("bounded values that nobody has", |b, dice, _| {
        claim(b, dice, |claim, _| {
            for key in ["values", "items"] {
                if claim["terms"][key].is_array() {
                    claim["terms"][key] = json!(["nothing"]);
                }
            }
        });
    }),
    ("no bounded values", |b, dice, _| {
        claim(b, dice, |claim, _| {
            for key in ["values", "items"] {
                if claim["terms"][key].is_array() {
                    claim["terms"][key] = json!([]);
                }
            }
        });
    }),
    ("a sensitive attribute is forgotten", |b, dice, _| {
        remove(b, dice, "/sensitive");
    }),
    ("a sensitive attribute is called insensitive", |b, _, _| {
        if let Some(name) = b.certificate["sensitive"][0]["name"]
            .as_str()
            .map(str::to_owned)
        {
            rename_role(b, &name, "insensitive");
            b.certificate["sensitive"] = json!([]);
        }
    }),
    ("a sensitive attribute of other parts", |b, _, _| {
        let all = names(b);
        set(b, "/sensitive/0/parts", json!(all));
    }),
    ("a taxonomy of nothing", |b, dice, _| {
        let rows =
            [json!([]), json!([[]]), json!([["flu", "any"], ["hiv"]])][dice.below(3)].clone();
        set(b, "/sensitive/0/taxonomy", rows);
    }),
    ("records are there twice", |b, dice, _| {
        rows(b, |(_, rows)| {
            let more = rows
                .iter()
                .take(1 + dice.below(rows.len()))
                .cloned()
                .collect::<Vec<_>>();
            rows.extend(more);
        });
    }),
    ("a record is gone", |b, dice, _| {
        rows(b, |(_, rows)| {
            if !rows.is_empty() {
                rows.remove(dice.below(rows.len()));
            }
        });
    }),
    ("a cell is changed", |b, dice, _| {
        rows(b, |(_, rows)| {
            let at = dice.below(rows.len());
            if let Some(row) = rows.get_mut(at) {
                let cell = dice.below(row.len());
                ["", "flu", "7", "x9", "f"][dice.below(5)].clone_into(&mut row[cell]);
            }
        });
    }),
    ("a column is renamed in the data", |b, dice, _| {
        rows(b, |(names, _)| {
            let at = dice.below(names.len());
            "renamed".clone_into(&mut names[at]);
        });
    }),
    ("a column is renamed everywhere", |b, dice, _| {
        let all = names(b);
        let Some(name) = all.get(dice.below(all.len())).cloned() else {
            return;
        };
        let text = b
            .certificate
            .to_string()
            .replace(&format!("\"{name}\""), "\"renamed\"");
        b.certificate = serde_json::from_str(&text).expect("JSON");
        rows(b, |(names, _)| {
            for other in names.iter_mut().filter(|other| **other == name) {
                "renamed".clone_into(other);
            }
        });
    }),
    ("two columns change names", |b, dice, _| {
        rows(b, |(names, _)| {
            let (a, z) = (dice.below(names.len()), dice.below(names.len()));
            names.swap(a, z);
        });
    }),
    ("a column of names that is not listed", |b, _, _| {
        rows(b, |(names, rows)| {
            names.push("name".to_owned());
            for (at, row) in rows.iter_mut().enumerate() {
                row.push(format!("Name{at}"));
            }
        });
    }),
    ("a column of names called insensitive", |b, _, _| {
        with_column(b, "name", "insensitive", |at| format!("Name{at}"));
    }),
    ("a column of names called a pseudonym", |b, _, _| {
        with_column(b, "name", "pseudonym", |at| format!("Name{at}"));
    }),
    ("names for numbers of people", |b, _, _| {
        let of = |role: &str| {
            let columns = b.certificate["data"]["columns"].as_array()?;
            columns.iter().position(|column| column["role"] == role)
        };
        if let Some(at) = of("subject-number") {
            rows(b, |(_, rows)| {
                for row in rows {
                    row[at] = format!("Name{}", row[at]);
                }
            });
        }
    }),
    ("everybody has a number of their own", |b, _, _| {
        let columns = b.certificate["data"]["columns"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        if let Some(at) = columns
            .iter()
            .position(|column| column["role"] == "subject-number")
        {
            rows(b, |(_, rows)| {
                for (number, row) in rows.iter_mut().enumerate() {
                    row[at] = (number + 1).to_string();
                }
            });
        }
    }),
    ("raw cells for generalized ones", |b, dice, _| {
        rows(b, |(names, rows)| {
            let at = dice.below(names.len());
            for (number, row) in rows.iter_mut().enumerate() {
                row[at] = (10_000 + number).to_string();
            }
        });
    }),
    ("a column of one value", |b, dice, _| {
        rows(b, |(names, rows)| {
            let at = dice.below(names.len());
            for row in rows {
                "1".clone_into(&mut row[at]);
            }
        });
    }),
    ("a header and nothing else", |b, _, _| {
        rows(b, |(_, rows)| rows.clear());
    }),
    ("an empty file", |b, _, _| {
        b.files.insert(b.main(), String::new());
    }),
    ("any leaf", |b, dice, _| leaf(b, dice)),
];

const ROLES: [&str; 12] = [
    "quasi-identifier",
    "sensitive",
    "insensitive",
    "subject-number",
    "pseudonym",
    "group",
    "count",
    "path",
    "place",
    "time",
    "item",
    "institution",
];

fn set(bundle: &mut Bundle, pointer: &str, value: Value) {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    match bundle.certificate.pointer_mut(parent) {
        Some(Value::Object(map)) => {
            map.insert(key.to_owned(), value);
        }
        Some(Value::Array(list)) => {
            if let Some(slot) = key.parse::<usize>().ok().and_then(|at| list.get_mut(at)) {
                *slot = value;
            }
        }
        _ => {}
    }
}

fn length(bundle: &Bundle, pointer: &str) -> usize {
    let list = bundle
        .certificate
        .pointer(pointer)
        .and_then(Value::as_array);
    list.map_or(0, Vec::len)
}

/// Takes one element out of a list.
fn remove(bundle: &mut Bundle, dice: &mut Dice, pointer: &str) {
    let list = bundle
        .certificate
        .pointer_mut(pointer)
        .and_then(Value::as_array_mut);
    if let Some(list) = list.filter(|list| !list.is_empty()) {
        list.remove(dice.below(list.len()));
    }
}

fn drop_key(bundle: &mut Bundle, key: &str) {
    if let Some(map) = bundle.certificate.as_object_mut() {
        map.remove(key);
    }
}

fn claim(bundle: &mut Bundle, dice: &mut Dice, change: impl FnOnce(&mut Value, &mut Dice)) {
    let at = dice.below(length(bundle, "/claims"));
    let claim = bundle.certificate.pointer_mut(&format!("/claims/{at}"));
    if let Some(claim) = claim.filter(|claim| claim["terms"].is_object()) {
        change(claim, dice);
    }
}

/// Names of the data's columns, as listed.
fn names(bundle: &Bundle) -> Vec<String> {
    let columns = bundle.certificate["data"]["columns"].as_array();
    let columns = columns.map(Vec::as_slice).unwrap_or_default().iter();
    columns
        .filter_map(|column| column["name"].as_str().map(str::to_owned))
        .collect()
}

fn rename_role(bundle: &mut Bundle, name: &str, role: &str) {
    let columns = bundle
        .certificate
        .pointer_mut("/data/columns")
        .and_then(Value::as_array_mut);
    for column in columns.into_iter().flatten() {
        if column["name"] == name {
            column["role"] = json!(role);
        }
    }
}

/// Calls so many quasi-identifiers insensitive, everywhere in the certificate.
fn demote(bundle: &mut Bundle, dice: &mut Dice, most: usize) {
    for _ in 0..most.min(length(bundle, "/quasi_identifiers")) {
        let at = dice.below(length(bundle, "/quasi_identifiers"));
        let name = bundle.certificate["quasi_identifiers"]
            .as_array_mut()
            .expect("a list")
            .remove(at);
        rename_role(bundle, name.as_str().unwrap_or_default(), "insensitive");
        let claims = bundle.certificate["claims"].as_array_mut();
        for claim in claims.into_iter().flatten() {
            if let Some(list) = claim
                .get_mut("quasi_identifiers")
                .and_then(Value::as_array_mut)
            {
                list.retain(|other| *other != name);
            }
        }
    }
}

fn reference(bundle: &Bundle) -> Vec<u64> {
    let list = bundle
        .certificate
        .pointer("/sensitive/0/reference")
        .and_then(Value::as_array);
    let list = list.map(Vec::as_slice).unwrap_or_default().iter();
    list.filter_map(|pair| pair[1].as_u64()).collect()
}

/// Changes the counts of the reference.
fn counts(bundle: &mut Bundle, dice: &mut Dice, change: impl Fn(u64, &mut Dice) -> u64) {
    let list = bundle
        .certificate
        .pointer_mut("/sensitive/0/reference")
        .and_then(Value::as_array_mut);
    for pair in list.into_iter().flatten() {
        if let Some(count) = pair[1].as_u64() {
            pair[1] = json!(change(count, dice));
        }
    }
}

/// Changes the rows of the data.
fn rows(bundle: &mut Bundle, change: impl FnOnce(&mut Rows)) {
    let file = bundle.main();
    if let Some(mut table) = bundle.rows(&file).filter(|table| !table.0.is_empty()) {
        let wide = table.1.iter().all(|row| row.len() == table.0.len());
        if wide && !table.1.is_empty() {
            change(&mut table);
            bundle.put(&file, &table);
        }
    }
}

/// Adds a column to the data and to the certificate.
fn with_column(bundle: &mut Bundle, name: &str, role: &str, cell: impl Fn(usize) -> String) {
    rows(bundle, |(names, rows)| {
        names.push(name.to_owned());
        for (at, row) in rows.iter_mut().enumerate() {
            row.push(cell(at));
        }
    });
    let columns = bundle
        .certificate
        .pointer_mut("/data/columns")
        .and_then(Value::as_array_mut);
    if let Some(columns) = columns {
        columns.push(json!({"name": name, "role": role}));
    }
}

/// Deletes a leaf of the certificate, or puts something else there.
fn leaf(bundle: &mut Bundle, dice: &mut Dice) {
    let mut at = &mut bundle.certificate;
    for _ in 0..12 {
        let size = match &*at {
            Value::Object(map) => map.len(),
            Value::Array(list) => list.len(),
            _ => 0,
        };
        if size == 0 {
            break;
        }
        let chosen = dice.below(size);
        if dice.below(12) == 0 {
            match at {
                Value::Object(map) => {
                    let key = map.keys().nth(chosen).cloned().expect("a key");
                    map.remove(&key);
                }
                Value::Array(list) => {
                    list.remove(chosen);
                }
                _ => {}
            }
            return;
        }
        at = match at {
            Value::Object(map) => map.values_mut().nth(chosen).expect("a value"),
            Value::Array(list) => &mut list[chosen],
            _ => return,
        };
    }
    let others = [
        Value::Null,
        json!(0),
        json!(1),
        json!(-1),
        json!(5),
        json!(1e300),
        json!(u64::MAX),
        json!(""),
        json!("age"),
        json!("1/2"),
        json!("0/1"),
        json!("1/0"),
        json!(true),
        json!([]),
        json!({}),
        json!(["age"]),
    ];
    *at = others[dice.below(others.len())].clone();
}
