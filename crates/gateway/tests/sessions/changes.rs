//! Consent that matches nothing and files that change: the gateway does not start, or serves nothing of that table until it is mended.

use crate::support::{Plan, Site};
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use datafusion::parquet::arrow::ArrowWriter;
use denym_gateway::Backend;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

const POLICY: &str = r#"
[purposes]
general = {}
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["general"]
[tables.person]
key = "id"
consent = "table"
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = {}
city = {}
[tables.open]
consent = "none"
default = "<{general}, {}, {}>"
[tables.open.columns]
id = { type = "integer" }
word = {}
"#;

const PERSON: &str =
    "id,name,city,secret\n007,Bond,London,secret-1\n8,Q,Berlin,secret-2\n9,M,Ulm,secret-3\n";
const OPEN: &str = "id,word\n1,a\n2,b\n";
const NO: &str = "\"<{}, {}, {general}>\"";

fn plan(consent: &str) -> Plan {
    let files = [("person", PERSON.to_owned()), ("open", OPEN.to_owned())];
    let consent = format!("table,record,column,intended\n{consent}");
    Plan::embedded(POLICY, &files, Some(consent))
}

fn names(site: &Site) -> Result<Vec<String>, String> {
    let rows = site.ask(
        "anna",
        "general",
        "SELECT coalesce(name, '-') FROM person ORDER BY id",
    );
    rows.map(|rows| rows.concat())
}

fn words(site: &Site) -> Vec<Vec<String>> {
    site.ask("anna", "general", "SELECT word FROM open ORDER BY id")
        .expect("another table")
}

/// Writes a file in its place and gives it a time.
fn overwrite(path: &Path, text: &str, time: SystemTime) {
    std::fs::write(path, text).expect("writes");
    let file = File::options().write(true).open(path).expect("opens");
    file.set_modified(time).expect("a time");
}

#[test]
fn consent_keys_are_read_as_the_data_is() {
    for key in ["007", "7", "+7", "\"7 \"", "\" 07\""] {
        let site = plan(&format!("person,{key},*,{NO}\n")).run();
        assert_eq!(
            names(&site),
            Ok(["Q", "M", "-"].map(String::from).to_vec()),
            "{key}"
        );
    }
    let site = plan(&format!("person,\"8 \",name,{NO}\n")).run();
    assert_eq!(
        names(&site),
        Ok(["Bond", "-", "M"].map(String::from).to_vec())
    );
}

/// Rows that count for nothing, and what is said of each.
const FAULTS: [(&str, &str); 8] = [
    (
        "person,99,*,NO\n",
        "row 1 of the consent file: it matches no record",
    ),
    (
        "person,8,*,NO\nperson,9x,*,NO\n",
        "row 2 of the consent file: its record cannot be read",
    ),
    (
        "person,8,name,NO\nperson,008,city,NO\n",
        "of the consent file: another row is about the same record",
    ),
    (
        "persons,8,*,NO\n",
        "row 1 of the consent file: it names no governed table",
    ),
    (
        "person,8,nam,NO\n",
        "row 1 of the consent file: it names no column",
    ),
    (
        "person,8,*,nonsense\n",
        "row 1 of the consent file: its purposes cannot be read",
    ),
    (
        "person,8,*,\"<{}, {}, {generall}>\"\n",
        "row 1 of the consent file: its purposes cannot be read",
    ),
    (
        "open,1,*,NO\n",
        "row 1 of the consent file: the policy says",
    ),
];

#[test]
fn consent_that_matches_nothing_stops_the_start() {
    for (rows, told) in FAULTS {
        let error = plan(&rows.replace("NO", NO))
            .start()
            .map(|_| ())
            .expect_err(rows);
        assert_eq!(error.code(), "consent-does-not-match", "{rows}: {error}");
        assert!(error.to_string().contains(told), "{rows}: {error}");
        assert!(
            !error.to_string().contains("99") && !error.to_string().contains("9x"),
            "{error}"
        );
    }
}

#[test]
fn consent_that_stops_matching_serves_nothing_of_its_table() {
    let site = plan(&format!("person,8,name,{NO}\n")).run();
    let path = site.folder.path().join("consent.csv");
    let served = Ok(["Bond", "-", "M"].map(String::from).to_vec());
    assert_eq!(names(&site), served);
    for (rows, told) in FAULTS {
        let text = format!("table,record,column,intended\n{}", rows.replace("NO", NO));
        std::fs::write(&path, text).expect("writes");
        if rows.starts_with("open") {
            // that one is about the other table
            let error = site.ask("anna", "general", "SELECT word FROM open");
            let error = error.expect_err("someone's word would be lost");
            assert!(error.contains(told), "{error}");
            assert!(names(&site).is_ok());
            continue;
        }
        let error = names(&site).expect_err(rows);
        assert!(
            error.contains(told) && error.contains("not served"),
            "{rows}: {error}"
        );
        assert!(!error.contains("Bond") && !error.contains("99"), "{error}");
        assert_eq!(words(&site), [["a"], ["b"]], "others are served");
    }
    // a file that is none
    std::fs::write(&path, "table,record\n").expect("writes");
    assert!(names(&site).is_err());
    std::fs::remove_file(&path).expect("removes");
    assert!(names(&site).is_err());
    // mended
    std::fs::write(
        &path,
        format!("table,record,column,intended\nperson,8,name,{NO}\n"),
    )
    .expect("writes");
    assert_eq!(names(&site), served);
    assert!(
        site.audit().contains("consent-does-not-match"),
        "it is in the log"
    );
}

#[test]
fn consent_replaced_with_the_same_length_and_time_counts() {
    let site = plan(&format!("person,8,name,{NO}\n")).run();
    let path = site.folder.path().join("consent.csv");
    let time = std::fs::metadata(&path)
        .and_then(|meta| meta.modified())
        .expect("a time");
    assert_eq!(
        names(&site),
        Ok(["Bond", "-", "M"].map(String::from).to_vec())
    );
    for round in 0..6 {
        if round == 3 {
            // long enough that what was read counts as old
            std::thread::sleep(std::time::Duration::from_millis(2500));
        }
        let id = 8 + (round + 1) % 2;
        overwrite(
            &path,
            &format!("table,record,column,intended\nperson,{id},name,{NO}\n"),
            time,
        );
        let expected = if id == 8 {
            ["Bond", "-", "M"]
        } else {
            ["Bond", "Q", "-"]
        };
        assert_eq!(
            names(&site),
            Ok(expected.map(String::from).to_vec()),
            "round {round}"
        );
    }
}

#[test]
fn consent_is_matched_with_the_data_as_it_is() {
    let site = plan(&format!("person,8,name,{NO}\n")).run();
    let path = site.folder.path().join("person.csv");
    assert!(names(&site).is_ok());
    // the record that someone spoke about is gone, or its key is written in another way
    std::fs::write(&path, PERSON.replace("8,Q", "80,Q")).expect("writes");
    let error = names(&site).expect_err("matches nothing");
    assert!(error.contains("matches no record"), "{error}");
    std::fs::write(&path, PERSON.replace("8,Q", "0008,Q")).expect("writes");
    assert_eq!(
        names(&site),
        Ok(["Bond", "-", "M"].map(String::from).to_vec())
    );
}

#[test]
fn a_csv_file_with_other_columns_is_refused_by_name() {
    let site = plan("").run();
    let path = site.folder.path().join("person.csv");
    let ask = || site.ask("anna", "general", "SELECT city FROM person ORDER BY id");
    let served: Vec<Vec<String>> = ["London", "Berlin", "Ulm"]
        .map(|city| vec![city.to_owned()])
        .to_vec();
    assert_eq!(ask(), Ok(served.clone()));
    let time = std::fs::metadata(&path)
        .and_then(|meta| meta.modified())
        .expect("a time");
    for (round, text) in [
        // the same columns in another order, one more, one less, another delimiter, none at all
        "id,name,secret,city\n007,Bond,secret-1,London\n8,Q,secret-2,Berlin\n9,M,secret-3,Ulm\n",
        "id,name,city,secret,more\n007,Bond,London,secret-1,x\n",
        "id,name,secret\n007,Bond,secret-1\n",
        "id;name;city;secret\n007;Bond;London;secret-1\n",
        "",
        "007,Bond,secret-1,London\n",
    ]
    .into_iter()
    .enumerate()
    {
        for settles in [false, true] {
            overwrite(&path, text, time);
            if settles && round < 2 {
                std::thread::sleep(std::time::Duration::from_millis(2500));
            }
            let error = ask().map(|rows| panic!("{rows:?}")).unwrap_err();
            assert!(error.contains("`person` is not served"), "{error}");
            assert!(!error.contains("secret"), "{error}");
            // at every scan
            assert!(ask().is_err());
            assert_eq!(words(&site), [["a"], ["b"]], "others are served");
        }
    }
    assert!(site.audit().contains("data-changed"), "it is in the log");
    overwrite(&path, PERSON, time);
    assert_eq!(ask(), Ok(served));
    // new records in the same columns are simply served
    std::fs::write(&path, format!("{PERSON}10,\"N\nO\",Rome,secret-4\n")).expect("writes");
    let rows = ask().expect("the same columns");
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[3], ["Rome"]);
}

fn parquet(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter(columns).expect("a batch");
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("writes");
    writer.close().expect("closes");
}

#[test]
fn a_parquet_file_with_other_columns_is_refused_by_name() {
    let texts =
        |cells: [&'static str; 2]| -> ArrayRef { Arc::new(StringArray::from(cells.to_vec())) };
    let ids = || -> ArrayRef { Arc::new(Int64Array::from(vec![7, 8])) };
    let mut plan = plan("");
    let path = plan.folder.path().join("person.parquet");
    let names = || ("name", texts(["Bond", "Q"]));
    let cities = || ("city", texts(["London", "Berlin"]));
    let secrets = || ("secret", texts(["secret-1", "secret-2"]));
    parquet(&path, vec![("id", ids()), names(), cities(), secrets()]);
    if let Backend::Embedded { tables } = &mut plan.config.backend {
        tables.insert("person".into(), path.clone());
    }
    let site = plan.run();
    let ask = || site.ask("anna", "general", "SELECT id, city FROM person ORDER BY id");
    let served = vec![
        vec!["7".to_owned(), "London".into()],
        vec!["8".into(), "Berlin".into()],
    ];
    assert_eq!(ask(), Ok(served.clone()));
    for columns in [
        vec![("id", ids()), names(), secrets(), cities()],
        vec![("id", ids()), names(), cities()],
        vec![("id", texts(["7", "8"])), names(), cities(), secrets()],
    ] {
        parquet(&path, columns);
        let error = ask().map(|rows| panic!("{rows:?}")).unwrap_err();
        assert!(error.contains("`person` is not served"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    std::fs::write(&path, "PAR1 nonsense PAR1").expect("writes");
    assert!(ask().is_err());
    parquet(
        &path,
        vec![
            ("id", ids()),
            names(),
            ("city", texts(["Paris!", "Berlin"])),
            secrets(),
        ],
    );
    let rows = ask().expect("the same columns");
    assert_eq!(rows[0], ["7", "Paris!"]);
    // the same length and time, other cells
    let (length, time) = std::fs::metadata(&path)
        .and_then(|meta| Ok((meta.len(), meta.modified()?)))
        .expect("a time");
    parquet(
        &path,
        vec![
            ("id", ids()),
            names(),
            ("city", texts(["Lisbon", "Berlin"])),
            secrets(),
        ],
    );
    let file = File::options().write(true).open(&path).expect("opens");
    file.set_modified(time).expect("a time");
    assert_eq!(
        std::fs::metadata(&path).expect("there").len(),
        length,
        "the test replaces like by like"
    );
    let rows = ask().expect("the same columns");
    assert_eq!(rows[0], ["7", "Lisbon"]);
}

/// An answer that began on one file does not go on with another.
#[test]
fn a_file_replaced_in_the_middle_of_an_answer_ends_it() {
    use crate::support::question::{client, runtime};
    let mut text = "id,name,city,secret\n".to_owned();
    for id in 0..400_000 {
        text.push_str(&format!("{id},name {id},city,secret-{id}\n"));
    }
    let files = [("person", text.clone()), ("open", OPEN.to_owned())];
    let site = Plan::embedded(
        POLICY,
        &files,
        Some("table,record,column,intended\n".into()),
    )
    .run();
    let runtime = runtime();
    let client = client(&runtime, &site, "anna");
    runtime.block_on(async {
        client
            .batch_execute("SET denym.purpose = 'general'; BEGIN; DECLARE c CURSOR FOR SELECT id, city FROM person")
            .await
            .expect("permitted");
        let rows = client.query("FETCH 10 FROM c", &[]).await.expect("fetches");
        assert_eq!(rows.len(), 10);
        let other = text.replace("id,name,city,secret\n", "id,name,secret,city\n");
        std::fs::write(site.folder.path().join("person.csv"), other).expect("writes");
        let mut outcome = Ok(0);
        for _ in 0..400 {
            match client.query("FETCH 1000 FROM c", &[]).await {
                Ok(rows) => {
                    for row in &rows {
                        let city: Option<&str> = row.get(1);
                        assert_eq!(city, Some("city"));
                    }
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        let error = outcome.expect_err("the answer ends");
        let error = error.as_db_error().expect("an error of the gateway");
        assert!(error.message().contains("changed"), "{error:?}");
    });
}
