//! Whatever a text or a name holds, it comes back as it went: in every place of a query, in every way of writing it, on both backends.

use crate::support::question::{client, runtime};
use crate::support::random::Draws;
use crate::world::both;
use tokio_postgres::{Client, SimpleQueryMessage};

/// Signs that mean something to somebody on the way.
const SIGNS: [&str; 40] = [
    "'",
    "''",
    "\"",
    "\\",
    "\\'",
    "\\\"",
    "\\\\",
    "--",
    "/*",
    "*/",
    ";",
    "$",
    "$1",
    "$$",
    "$q$",
    "%",
    "_",
    "\n",
    "\r",
    "\t",
    " ",
    "(",
    ")",
    "{",
    "}",
    ":",
    "::",
    "?",
    "@",
    "#",
    "~",
    "`",
    "E'",
    "U&'",
    "N'",
    "é",
    "漢",
    "\u{1F600}",
    "\u{2019}",
    "a",
];

fn text(draws: &mut Draws) -> String {
    (0..draws.next(9)).map(|_| draws.pick(&SIGNS)).collect()
}

/// A name: neither empty nor longer than PostgreSQL keeps, and none of the gateway's own.
fn name(draws: &mut Draws, place: usize) -> String {
    let mut name = format!("c{place}");
    for _ in 0..draws.next(7) {
        let sign = draws.pick(&SIGNS);
        if name.len() + sign.len() <= 63 {
            name.push_str(sign);
        }
    }
    name
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn double(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// One of the ways of writing a text.
fn written(draws: &mut Draws, text: &str) -> String {
    match draws.next(5) {
        0 => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        1 => format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''")),
        2 if !text.contains('$') => format!("$${text}$$"),
        3 if !text.contains('$') => format!("$q${text}$q$"),
        _ => single(text),
    }
}

async fn rows(client: &Client, sql: &str) -> (Vec<String>, Vec<Vec<Option<String>>>) {
    let messages = client
        .simple_query(sql)
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{sql}"));
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for message in messages {
        match message {
            SimpleQueryMessage::RowDescription(columns) => {
                names = columns
                    .iter()
                    .map(|column| column.name().to_owned())
                    .collect();
            }
            SimpleQueryMessage::Row(row) => rows.push(
                (0..row.len())
                    .map(|place| row.get(place).map(str::to_owned))
                    .collect(),
            ),
            _ => {}
        }
    }
    (names, rows)
}

#[test]
fn texts_and_names_come_back_as_they_went() {
    both(|backend, site, _| {
        let mut draws = Draws(41);
        let runtime = runtime();
        let client = client(&runtime, site, "anna");
        runtime.block_on(async {
            client.batch_execute("SET denym.purpose = 'care'").await.expect("permitted");
            for round in 0..40 {
                let texts: Vec<String> = (0..10).map(|_| text(&mut draws)).collect();
                let names: Vec<String> = (0..10).map(|place| name(&mut draws, place)).collect();
                let list = |draws: &mut Draws| -> Vec<String> { texts.iter().map(|text| written(draws, text)).collect() };
                // as columns of the answer, under names of all kinds
                let items: Vec<String> = list(&mut draws).iter().zip(&names).map(|(text, name)| format!("{text} AS {}", double(name))).collect();
                let sql = format!("SELECT {} FROM person WHERE id = 1", items.join(", "));
                let expected: Vec<Option<String>> = texts.iter().cloned().map(Some).collect();
                let (found_names, found) = rows(&client, &sql).await;
                assert_eq!(found, std::slice::from_ref(&expected), "{backend} {round} {sql}");
                assert_eq!(found_names, names, "{backend} {round} {sql}");
                // the same through a subquery, a WITH query and an alias of that name
                let columns: Vec<String> = names.iter().map(|name| double(name)).collect();
                let (with, of) = (double(&names[0]), double(&names[1]));
                let sql = format!(
                    "WITH {with} AS ({sql}) SELECT {} FROM {with} AS {of}",
                    columns.iter().map(|column| format!("{of}.{column}")).collect::<Vec<_>>().join(", ")
                );
                let (found_names, found) = rows(&client, &sql).await;
                assert_eq!(found, std::slice::from_ref(&expected), "{backend} {round} {sql}");
                assert_eq!(found_names, names, "{backend} {round} {sql}");
                // compared, listed, chosen and matched, each text is itself and no other
                for text in &texts {
                    let [a, b, c, d, e, f] = std::array::from_fn(|_| written(&mut draws, text));
                    let pattern = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
                    let pattern = written(&mut draws, &pattern);
                    let sql = format!(
                        "SELECT CASE {a} WHEN {b} THEN 'same' ELSE 'other' END, {c} IN ('no', {d}), {e} LIKE {pattern}, length({f}) FROM person WHERE id = 1"
                    );
                    let (_, found) = rows(&client, &sql).await;
                    let length = text.chars().count().to_string();
                    let expected = ["same", "t", "t", &length].map(|cell| Some(cell.to_owned()));
                    assert_eq!(found, [expected.to_vec()], "{backend} {round} {sql}");
                    let sql = format!("SELECT count(*) FROM (SELECT {a} AS x FROM person) q WHERE x = {b} AND x <> {}", single(&format!("{text}.")));
                    let (_, found) = rows(&client, &sql).await;
                    assert_eq!(found, [[Some("6".to_owned())]], "{backend} {round} {sql}");
                    // as a parameter, by the extended protocol
                    let sql = format!("SELECT id FROM person WHERE id = 1 AND {} = $1", written(&mut draws, text));
                    let found = client.query(&sql, &[text]).await.unwrap_or_else(|error| panic!("{backend} {error:?} {sql}"));
                    assert_eq!(found.len(), 1, "{backend} {round} {sql}");
                }
            }
        });
    });
}
