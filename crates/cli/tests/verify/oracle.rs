//! What may be said of a bundle, computed from its bytes by code that knows nothing of the program: slow, obvious, and strict.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::bundles::{Bundle, Rows};
use crate::sha256::sha256;

/// Asserts that what `verify` says of `bundle` is no more than the bytes show; `how` tells what was done to them.
pub(crate) fn assert_no_more_than_it_is(bundle: &Bundle, how: &str) -> i32 {
    let (code, said, beside) = bundle.verify();
    let at = format!("{} {how}: exit {code}\n{said:#}\n{beside}", bundle.name);
    assert!((0..=2).contains(&code), "an exit of its own: {at}");
    assert!(!beside.contains("panicked"), "a panic: {at}");
    if code == 2 {
        assert!(said["error"]["message"].is_string(), "no reason: {at}");
        return code;
    }
    let claims = said["claims"].as_array().expect("claims");
    assert!(!claims.is_empty(), "a verdict on nothing: {at}");
    let failed = claims.iter().any(|claim| claim["holds"] == false);
    if code == 0 {
        assert!(!failed && said["data_intact"] == true, "{at}");
        assert!(intact(bundle), "changed data passes: {at}");
        assert!(
            listed(bundle, &said),
            "columns that are not the file's: {at}"
        );
    }
    let proven: Vec<&Value> = claims
        .iter()
        .filter(|claim| claim["holds"] == true)
        .collect();
    for claim in &proven {
        let value = measured(bundle, claim);
        let value = value.unwrap_or_else(|| panic!("nobody can measure this: {claim}\n{at}"));
        let stated = claim["measured"].as_f64().expect("a measured value");
        assert!(
            (value - stated).abs() < 1e-9,
            "{value} is measured: {claim}\n{at}"
        );
        let asked = claim["asked"].as_f64().expect("a bound");
        let larger_is_safer = ["k-anonymity", "l-diversity"]
            .iter()
            .any(|name| claim["promise"] == *name);
        assert!(
            if larger_is_safer {
                value >= asked - 1e-9
            } else {
                value <= asked + 1e-9
            },
            "the bound is not met: {claim}\n{at}"
        );
    }
    for claim in claims.iter().filter(|claim| claim["holds"] != true) {
        let attested = claim["check"] == "attested";
        assert!(
            !attested || claim["measured"].is_null(),
            "a word as a measure: {at}"
        );
    }
    let again = claims
        .iter()
        .filter(|claim| !claim["measured"].is_null())
        .count();
    assert_eq!(said["measured_again"], again, "{at}");
    assert_eq!(said["attested"], claims.len() - again, "{at}");
    assert_eq!(said["signed"], false, "{at}");
    let all = proven.len() == claims.len();
    let none_unjudged = said["unjudged_columns"]
        .as_array()
        .is_some_and(Vec::is_empty);
    assert_eq!(said["holds"] == true, code == 0 && all, "{at}");
    if said["verdict"] == "verified" {
        assert!(
            code == 0 && all && none_unjudged,
            "verified without reason: {at}"
        );
    }
    if code == 0 && proven.is_empty() {
        assert_eq!(said["verdict"], "attested", "{at}");
    }
    code
}

/// Whether every file is what its fingerprint says.
fn intact(bundle: &Bundle) -> bool {
    let certificate = &bundle.certificate;
    let second = &certificate["groups"]["sensitive"];
    let files = [&certificate["data"], second];
    files.iter().filter(|file| file.is_object()).all(|file| {
        let text = bundle.files.get(file["file"].as_str().unwrap_or_default());
        text.is_some_and(|text| file["sha256"] == sha256(text.as_bytes()))
    })
}

/// Whether the columns that were told are those of the files, and each is judged by a claim or told to be judged by none.
fn listed(bundle: &Bundle, said: &Value) -> bool {
    let told = said["columns"].as_array().expect("columns");
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for column in told {
        let file = column["file"].as_str().expect("a file");
        names
            .entry(file)
            .or_default()
            .push(column["name"].as_str().expect("a name"));
    }
    let unjudged: BTreeSet<&str> = said["unjudged_columns"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut judged: BTreeSet<&str> = BTreeSet::new();
    for claim in said["claims"].as_array().expect("claims") {
        let columns = claim["columns"].as_array().expect("columns");
        judged.extend(columns.iter().filter_map(Value::as_str));
    }
    let main = bundle.main();
    names.contains_key(main.as_str())
        && names.iter().all(|(file, names)| {
            let (header, _) = bundle.rows(file).expect("a table");
            let second = *file != main;
            header == *names
                && names.iter().enumerate().all(|(at, name)| {
                    // The count of the second table belongs to the value beside it.
                    (second && at == 2) || judged.contains(name) != unjudged.contains(name)
                })
        })
}

/// The value of a claim that is said to be measured, from the bytes; `None` where only a publisher could know it.
fn measured(bundle: &Bundle, claim: &Value) -> Option<f64> {
    let certificate = &bundle.certificate;
    if bundle.has("paths") {
        // What contradicts the source is not in the release.
        (certificate["paths"]["matching"] == "covers").then_some(())?;
        return on_sequences(
            &paths(bundle)?,
            claim,
            certificate["knows"]["doublets"].as_u64()?,
            certificate,
        );
    }
    if bundle.has("transactions") {
        return on_sequences(
            &baskets(bundle)?,
            claim,
            certificate["knows"]["items"].as_u64()?,
            certificate,
        );
    }
    // Who owns trails and who is who is not in the release.
    if certificate["knows"] == "institutions" || !certificate["subject"].is_null() {
        return None;
    }
    let table = match (&certificate["groups"]["sensitive"], bundle.has("groups")) {
        (second, true) if second.is_object() => meeting(bundle, second)?,
        // That values were shuffled is not in the release.
        (_, true) => return None,
        _ => bundle.rows(&bundle.main())?,
    };
    let quasi = if bundle.has("groups") {
        vec![certificate["groups"]["column"].as_str()?.to_owned()]
    } else {
        let own = texts(&claim["quasi_identifiers"]);
        if own.is_empty() {
            texts(&certificate["quasi_identifiers"])
        } else {
            own
        }
    };
    if quasi.is_empty() {
        return None;
    }
    let sets = match certificate["knows"]["at-most"].as_u64() {
        Some(most) => subsets(&quasi, usize::try_from(most).ok()?),
        None => vec![quasi],
    };
    // An adversary who knows nothing is none.
    sets.iter().any(|set| !set.is_empty()).then_some(())?;
    let values: Option<Vec<f64>> = sets
        .iter()
        .map(|set| on_groups(&table, set, claim, certificate))
        .collect();
    let smallest = ["k-anonymity", "l-diversity"]
        .iter()
        .any(|name| claim["promise"] == *name);
    let worse = |a: f64, b: f64| if smallest { a.min(b) } else { a.max(b) };
    values?.into_iter().reduce(worse)
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|text| text.as_str().map(str::to_owned))
        .collect()
}

/// Every choice of up to `most` names.
fn subsets(names: &[String], most: usize) -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    for name in names {
        for at in 0..found.len() {
            let mut larger: Vec<String> = found[at].clone();
            larger.push(name.clone());
            if larger.len() <= most {
                found.push(larger);
            }
        }
    }
    found
}

/// The two tables of a release in groups, values dealt to the records of their group in any order.
fn meeting(bundle: &Bundle, second: &Value) -> Option<Rows> {
    let (mut names, mut rows) = bundle.rows(&bundle.main())?;
    let (other, values) = bundle.rows(second["file"].as_str()?)?;
    let group = names.iter().position(|name| *name == other[0])?;
    let mut left: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &values {
        for _ in 0..row.get(2)?.parse::<usize>().ok()? {
            left.entry(&row[0]).or_default().push(&row[1]);
        }
    }
    for row in &mut rows {
        let value = left.get_mut(row[group].as_str())?.pop()?;
        row.push(value.to_owned());
    }
    names.push(other[1].clone());
    left.values().all(Vec::is_empty).then_some((names, rows))
}

/// The worst value of a promise over the groups of some columns.
fn on_groups(
    (names, rows): &Rows,
    quasi: &[String],
    claim: &Value,
    certificate: &Value,
) -> Option<f64> {
    let place = |name: &str| names.iter().position(|other| other == name);
    let at: Vec<usize> = quasi
        .iter()
        .map(|name| place(name))
        .collect::<Option<_>>()?;
    let mut groups: BTreeMap<Vec<&str>, Vec<&Vec<String>>> = BTreeMap::new();
    for row in rows {
        let key = at.iter().map(|&at| row[at].as_str()).collect();
        groups.entry(key).or_default().push(row);
    }
    let terms = terms(claim, certificate)?;
    let sensitive = || place(claim["attribute"].as_str()?);
    let counts = |group: &Vec<&Vec<String>>, at: usize| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for row in group {
            *counts.entry(row[at].clone()).or_default() += 1;
        }
        counts
    };
    let each: Vec<f64> = match claim["promise"].as_str()? {
        "k-anonymity" => groups.values().map(|group| group.len() as f64).collect(),
        "l-diversity" if terms["kind"]["kind"] == "distinct" => {
            let at = sensitive()?;
            groups
                .values()
                .map(|group| counts(group, at).len() as f64)
                .collect()
        }
        "confidence" => {
            let (at, bounded) = (sensitive()?, texts(&terms["values"]));
            let share = |group: &Vec<&Vec<String>>| {
                let counts = counts(group, at);
                let shown = counts
                    .iter()
                    .filter(|(v, _)| bounded.is_empty() || bounded.contains(v));
                let most = shown.map(|(_, count)| *count).max().unwrap_or(0);
                most as f64 / group.len() as f64
            };
            groups.values().map(share).collect()
        }
        "t-closeness" if terms["distance"] == "equal" => {
            let at = sensitive()?;
            // The reference must be what is published, to the last record.
            let all: Vec<&Vec<String>> = rows.iter().collect();
            let whole = counts(&all, at);
            let mut listed = certificate["sensitive"].as_array()?.iter();
            let listed =
                listed.find(|s| s["name"] == claim["attribute"])?["reference"].as_array()?;
            let mut reference: BTreeMap<String, usize> = BTreeMap::new();
            for pair in listed {
                let count = usize::try_from(pair[1].as_u64()?).ok()?;
                *reference
                    .entry(pair[0].as_str().unwrap_or("").to_owned())
                    .or_default() += count;
            }
            reference.retain(|_, count| *count > 0);
            (reference == whole).then_some(())?;
            let distance = |group: &Vec<&Vec<String>>| {
                let counts = counts(group, at);
                let gap = |(value, all): (&String, &usize)| {
                    let here = counts.get(value).copied().unwrap_or(0) as f64 / group.len() as f64;
                    (here - *all as f64 / rows.len() as f64).abs()
                };
                whole.iter().map(gap).sum::<f64>() / 2.0
            };
            groups.values().map(distance).collect()
        }
        _ => return None,
    };
    let smallest = ["k-anonymity", "l-diversity"]
        .iter()
        .any(|name| claim["promise"] == *name);
    let worse = |a: f64, b: f64| if smallest { a.min(b) } else { a.max(b) };
    each.into_iter().reduce(worse)
}

/// The terms of a claim, from the certificate: that of its promise, attribute and columns with the bound that was told.
fn terms<'a>(claim: &Value, certificate: &'a Value) -> Option<&'a Value> {
    let all = certificate["claims"].as_array()?.iter();
    let own = |other: &&Value| {
        other["promise"] == claim["promise"]
            && other["attribute"] == claim["attribute"]
            && texts(&other["quasi_identifiers"]) == texts(&claim["quasi_identifiers"])
            && other["asked"].as_f64() == claim["asked"].as_f64()
    };
    all.filter(own).map(|claim| &claim["terms"]).next()
}

/// What each person shows: known things, and sensitive values by attribute.
type Sequences = Vec<(BTreeSet<String>, BTreeMap<String, String>)>;

fn paths(bundle: &Bundle) -> Option<Sequences> {
    let form = &bundle.certificate["paths"]["form"];
    let quasi = texts(&bundle.certificate["quasi_identifiers"]);
    quasi.is_empty().then_some(())?;
    let (names, rows) = bundle.rows(&bundle.main())?;
    let place = |name: &Value| {
        names
            .iter()
            .position(|other| Some(other.as_str()) == name.as_str())
    };
    let beside = |row: &Vec<String>| names.iter().cloned().zip(row.iter().cloned()).collect();
    if let Some(path) = form.pointer("/wide/path") {
        let at = place(path)?;
        let shown = |row: &Vec<String>| {
            let things = row[at].split('>').filter(|thing| !thing.is_empty());
            (things.map(str::to_owned).collect(), beside(row))
        };
        return Some(rows.iter().map(shown).collect());
    }
    let at = ["subject", "location", "time"].map(|name| place(&form["long"][name]));
    let [who, location, time] = [at[0]?, at[1]?, at[2]?];
    let mut people: BTreeMap<&str, (BTreeSet<String>, BTreeMap<String, String>)> = BTreeMap::new();
    for row in &rows {
        let person = people
            .entry(&row[who])
            .or_insert_with(|| (BTreeSet::new(), beside(row)));
        if !row[location].is_empty() {
            person.0.insert(format!("{}@{}", row[location], row[time]));
        }
    }
    Some(people.into_values().collect())
}

fn baskets(bundle: &Bundle) -> Option<Sequences> {
    let form = &bundle.certificate["transactions"];
    let (names, rows) = bundle.rows(&bundle.main())?;
    let place = |name: &Value| {
        names
            .iter()
            .position(|other| Some(other.as_str()) == name.as_str())
    };
    let sets: Vec<BTreeSet<String>> = if form["wide"].is_object() {
        let at = place(&form["wide"]["items"])?;
        let separator = form["wide"]["separator"].as_str()?;
        let set = |row: &Vec<String>| {
            let items = row[at].split(separator).filter(|item| !item.is_empty());
            items.map(str::to_owned).collect()
        };
        rows.iter().map(set).collect()
    } else {
        let (who, what) = (
            place(&form["long"]["subject"])?,
            place(&form["long"]["item"])?,
        );
        let mut people: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for row in &rows {
            let set = people.entry(&row[who]).or_default();
            if !row[what].is_empty() {
                set.insert(row[what].clone());
            }
        }
        people.into_values().collect()
    };
    // A sensitive item is a value that nobody knows, not a thing that somebody may know.
    let mut secret: BTreeSet<String> = BTreeSet::new();
    for claim in bundle.certificate["claims"].as_array()? {
        secret.extend(texts(&claim["terms"]["items"]));
    }
    let person = |set: BTreeSet<String>| {
        let has = |item: &String| (item.clone(), set.contains(item).to_string());
        let carried = secret.iter().map(has).collect();
        (set.difference(&secret).cloned().collect(), carried)
    };
    Some(sets.into_iter().map(person).collect())
}

/// The worst value over the people who show any `most` of the things that somebody shows.
fn on_sequences(people: &Sequences, claim: &Value, most: u64, certificate: &Value) -> Option<f64> {
    let terms = terms(claim, certificate)?;
    (most > 0 && !people.is_empty()).then_some(())?;
    let mut known: BTreeSet<Vec<String>> = BTreeSet::new();
    for (things, _) in people {
        let things: Vec<String> = things.iter().cloned().collect();
        known.extend(subsets(&things, usize::try_from(most).ok()?));
    }
    let groups = known.iter().map(|set| {
        let shows = |(things, _): &&(BTreeSet<String>, BTreeMap<String, String>)| {
            set.iter().all(|thing| things.contains(thing))
        };
        people.iter().filter(shows).collect::<Vec<_>>()
    });
    let groups: Vec<_> = groups.collect();
    match claim["promise"].as_str()? {
        "k-anonymity" => groups
            .iter()
            .map(|group| group.len() as f64)
            .reduce(f64::min),
        "confidence" => {
            let (attribute, values) = (claim["attribute"].as_str(), texts(&terms["values"]));
            let items = texts(&terms["items"]);
            let share = |group: &Vec<&(BTreeSet<String>, BTreeMap<String, String>)>| {
                let with = |name: &str, value: &str| {
                    let has = group
                        .iter()
                        .filter(|person| person.1.get(name).is_some_and(|v| v == value));
                    has.count() as f64 / group.len() as f64
                };
                match attribute {
                    Some(name) if values.is_empty() => {
                        let all = people.iter().filter_map(|person| person.1.get(name));
                        all.map(|value| with(name, value)).fold(0.0, f64::max)
                    }
                    Some(name) => values
                        .iter()
                        .map(|value| with(name, value))
                        .fold(0.0, f64::max),
                    None => items
                        .iter()
                        .map(|item| with(item, "true"))
                        .fold(0.0, f64::max),
                }
            };
            groups.iter().map(share).reduce(f64::max)
        }
        _ => None,
    }
}
