//! Random policies over files: the gateway's answer is the in-process view of each record, for every storage, mask and mode.

use crate::support::random::{
    Draws, PURPOSES, Reach, own_consent, psql_text, random_consents, random_policy, random_rows,
};
use crate::support::{NOON, Plan, csv};
use denym_gateway::consent_file;
use denym_purpose::{
    AccessPolicy, MaskKey, RawRecord, RecordConsent, Storage, Value, write_code, write_companion,
};
use denym_testkit::postgres::NULL;
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[test]
fn random_policies_equal_the_view() {
    let mut draws = Draws(21);
    let mut served = [0usize; 2];
    let mut storages = BTreeMap::new();
    for round in 0..60 {
        let text = random_policy(&mut draws, Reach::Gateway);
        let policy = AccessPolicy::parse(&text, &|_| None)
            .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let rows = random_rows(&mut draws, &policy, Reach::Gateway, 30, NOON.day);
        let consents = random_consents(&mut draws, Reach::Gateway, 30);
        let (book, errors) = policy.read_consent(&consents);
        assert_eq!(errors, []);
        let names = [
            "id", "grp", "name", "age", "rate", "ok", "born", "taken", "alt",
        ];
        let mut file = names.join(",");
        for column in Reach::Gateway.columns() {
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
        // rows about a table that keeps its consent elsewhere would be refused
        let is_listed = policy.tables["t"].storage == Storage::Table;
        let consent = is_listed.then(|| consent_file::write(&consents));
        let site = Plan::embedded(&text, &[("t", file)], consent).run();
        let key = MaskKey::new(b"0123456789abcdef0123456789abcdef".to_vec());
        let purpose = draws.pick(&PURPOSES);
        let access = policy
            .open("anna", Some(purpose), "t", NOON)
            .expect("granted");
        *storages
            .entry(format!("{:?}", access.table().storage))
            .or_insert(0) += 1;
        for requested in [vec![0, 1, 2, 3, 4], vec![1], vec![3, 0]] {
            let columns: Vec<&str> = requested
                .iter()
                .map(|place| Reach::Gateway.columns()[*place])
                .collect();
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
