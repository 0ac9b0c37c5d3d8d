//! The same 200 generated queries on both backends through the gateway, equal to the queries on tables masked beforehand.

use crate::support::generated::{Draws, POLICY, copied, set_up};
use crate::support::question::{Question, client, direct, prepared, question, runtime};
use crate::support::{Plan, Site};
use denym_purpose::AccessPolicy;
use denym_testkit::postgres::{NULL, Server, rows};
use std::fmt::Write as _;

type Answer = Result<Vec<Vec<String>>, String>;

/// Asks in one session, those with parameters by prepared statements in another; a line of dashes between answers.
fn answers(site: &Site, questions: &[Question]) -> Vec<Answer> {
    let runtime = runtime();
    let prepares = client(&runtime, site, "anna");
    let mut with_parameters = Vec::new();
    let mut sql = String::new();
    for (place, question) in questions.iter().enumerate() {
        let (purpose, query) = (question.purpose, &question.query);
        if !question.values.is_empty() {
            runtime
                .block_on(prepares.batch_execute(&format!("SET denym.purpose = '{purpose}'")))
                .expect("permitted");
            with_parameters.push((place, prepared(&runtime, &prepares, question)));
            sql.push_str("\\echo -----\n");
            continue;
        }
        // views are made under the other purpose: they carry none
        if !question.views.is_empty() {
            let other = if purpose == "marketing" {
                "research"
            } else {
                "marketing"
            };
            let views = question.views.join(";\n");
            let _ = write!(sql, "SET denym.purpose = '{other}';\n{views};\n");
        }
        // every fifth by a cursor
        let query = if place % 5 == 0 {
            format!("BEGIN; DECLARE c CURSOR FOR {query}; FETCH 7 FROM c; FETCH ALL FROM c; COMMIT")
        } else {
            query.clone()
        };
        let _ = writeln!(sql, "SET denym.purpose = '{purpose}';\n{query};");
        if !question.views.is_empty() {
            sql.push_str("DROP VIEW rich, \"Spent\", chosen;\n");
        }
        sql.push_str("\\echo -----\n");
    }
    let mut command = site.psql("anna");
    command.args(["-v", "ON_ERROR_STOP=0"]);
    let output = crate::support::run_raw(command, &sql);
    let mut answers: Vec<Answer> = output
        .split("-----\n")
        .take(questions.len())
        .map(|part| {
            let mut rows = rows(part);
            rows.sort();
            Ok(rows)
        })
        .collect();
    let (_, told) = output.rsplit_once("-----\n").expect("an end");
    assert!(
        told.lines()
            .all(|line| line.starts_with("NOTICE:  figures are over what this purpose shows")),
        "no question is refused: {told}"
    );
    for (place, answer) in with_parameters {
        answers[place] = answer;
    }
    answers
}

/// The answer on the tables masked beforehand.
fn expected(server: &Server, question: &Question) -> Answer {
    let purpose = question.purpose;
    if question.values.is_empty() {
        let mut rows = server.query(&format!(
            "SET search_path = {purpose}; {}",
            question.script()
        ))?;
        rows.sort();
        return Ok(rows);
    }
    let runtime = runtime();
    let client = direct(&runtime, server);
    runtime
        .block_on(client.batch_execute(&format!("SET search_path = {purpose}")))
        .expect("a schema");
    prepared(&runtime, &client, question)
}

#[test]
fn two_hundred_queries_have_one_answer() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    let mut draws = Draws(8);
    let questions: Vec<Question> = (0..200).map(|_| question(&mut draws)).collect();
    let remote = answers(&Plan::postgres(POLICY, &server).run(), &questions);
    let embedded = answers(&copied(&server), &questions);
    let mut cells = [0, 0];
    let mut wrong = Vec::new();
    for (place, question) in questions.iter().enumerate() {
        let (purpose, query) = (question.purpose, &question.query);
        let expected =
            expected(&server, question).unwrap_or_else(|error| panic!("{error}\n{query}"));
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
    let over_views = questions.iter().filter(|one| !one.views.is_empty()).count();
    let with_parameters = questions
        .iter()
        .filter(|one| !one.values.is_empty())
        .count();
    assert!(
        over_views > 25 && with_parameters > 25,
        "{over_views} over views, {with_parameters} with parameters"
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
