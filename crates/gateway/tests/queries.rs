//! The same 200 generated queries on both backends through the gateway, equal to the queries on tables masked beforehand.

use denym_purpose::AccessPolicy;
use denym_testkit::postgres::{NULL, Server};
use std::fmt::Write as _;
use support::generated::{Draws, POLICY, copied, generated, set_up};
use support::{Plan, Site};

mod support;

/// Runs queries in one session; a line of dashes between their answers.
fn answers(site: &Site, queries: &[(String, String)]) -> Vec<Result<Vec<Vec<String>>, String>> {
    let mut sql = String::new();
    for (place, (purpose, query)) in queries.iter().enumerate() {
        // every fifth by a cursor
        let query = if place % 5 == 0 {
            format!("BEGIN; DECLARE c CURSOR FOR {query}; FETCH 7 FROM c; FETCH ALL FROM c; COMMIT")
        } else {
            query.clone()
        };
        let _ = write!(
            sql,
            "SET denym.purpose = '{purpose}';\n{query};\n\\echo -----\n"
        );
    }
    let mut command = site.psql("anna");
    command.args(["-v", "ON_ERROR_STOP=0"]);
    let output = support::run_raw(command, &sql);
    output
        .split("-----\n")
        .take(queries.len())
        .map(|part| {
            if part.contains("ERROR:") {
                return Err(part.to_owned());
            }
            let part = part.strip_suffix('\n').unwrap_or(part);
            let mut rows: Vec<Vec<String>> = if part.is_empty() {
                Vec::new()
            } else {
                part.split(['\u{1e}', '\n'])
                    .map(|record| record.split('\u{1f}').map(str::to_owned).collect())
                    .collect()
            };
            rows.sort();
            Ok(rows)
        })
        .collect()
}

#[test]
fn two_hundred_queries_have_one_answer() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    let mut draws = Draws(8);
    let queries: Vec<(String, String)> = (0..200)
        .map(|_| {
            let purpose = draws.pick(&["marketing", "research"]).to_owned();
            (purpose, generated(&mut draws))
        })
        .collect();
    let remote = answers(&Plan::postgres(POLICY, &server).run(), &queries);
    let embedded = answers(&copied(&server), &queries);
    let mut cells = [0, 0];
    let mut wrong = Vec::new();
    for (place, (purpose, query)) in queries.iter().enumerate() {
        let mut expected = server
            .query(&format!("SET search_path = {purpose}; {query};"))
            .unwrap_or_else(|error| panic!("{error}\n{query}"));
        expected.sort();
        for (name, found) in [("postgres", &remote[place]), ("embedded", &embedded[place])] {
            if found.as_ref() != Ok(&expected) {
                wrong.push(format!(
                    "{name} {purpose}: {query}\n  {:.300}\n  {:.300}",
                    format!("{found:?}"),
                    format!("{expected:?}")
                ));
            }
        }
        for cell in expected.iter().flatten() {
            cells[usize::from(cell == NULL)] += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        cells[0] > 2000 && cells[1] > 200,
        "values and NULLs occur: {cells:?}"
    );
}

#[test]
fn filter_mode_is_the_same_on_both() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    let sites = [Plan::postgres(POLICY, &server).run(), copied(&server)];
    for query in [
        "SELECT id, name, income FROM member",
        "SELECT name FROM member",
        "SELECT count(*) FROM member",
        "SELECT id FROM member WHERE income IS NULL",
        "SELECT m.id FROM member m JOIN person p ON p.id = m.id WHERE p.age > 30",
    ] {
        let [a, b] = sites.each_ref().map(|site| {
            let mut rows = site.ask("anna", "marketing", query).expect("permitted");
            rows.sort();
            rows
        });
        assert_eq!(a, b, "{query}");
    }
    let all = sites[1]
        .ask("anna", "marketing", "SELECT name FROM member")
        .expect("permitted")
        .len();
    let kept = sites[1]
        .ask("anna", "marketing", "SELECT name, income FROM member")
        .expect("permitted")
        .len();
    assert!(kept < all && kept > 10, "{kept} of {all}");
}
