//! Parquet files behind the gateway, and obligations in its log.

use crate::support::generated::{Draws, POLICY, copied, generated, set_up};
use crate::support::{Plan, Site, run_raw};
use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::file::properties::WriterProperties;
use denym_gateway::Backend;
use denym_purpose::AccessPolicy;
use denym_testkit::postgres::{NULL, Server};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A raw table of the server as a Parquet file of small row groups, each column in another type than the policy's where one fits.
fn parquet(server: &Server, table: &str, path: &Path) {
    let names: Vec<String> = server
        .query(&format!(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = 'raw' AND table_name = '{table}' ORDER BY ordinal_position;"
        ))
        .expect("reads")
        .concat();
    let rows = server
        .query(&format!("SELECT * FROM raw.{table};"))
        .expect("reads");
    let columns: Vec<(String, ArrayRef)> = names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let text: StringArray = rows
                .iter()
                .map(|row| (row[place] != NULL).then(|| row[place].clone()))
                .collect();
            let kind = match name.as_str() {
                "name" => DataType::LargeUtf8,
                "city" | "ward" => {
                    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
                }
                "secret" => DataType::Utf8,
                "age" | "cost" => DataType::Int16,
                "income" => DataType::Float64,
                _ => DataType::Int64,
            };
            let typed = cast(&text, &kind).expect("of that type");
            assert_eq!(
                typed.null_count(),
                text.iter().filter(Option::is_none).count()
            );
            (name.clone(), typed)
        })
        .collect();
    let batch = RecordBatch::try_from_iter_with_nullable(
        columns.into_iter().map(|(name, array)| (name, array, true)),
    )
    .expect("a batch");
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(50))
        .build();
    let file = std::fs::File::create(path).expect("a file");
    let mut writer =
        ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(&batch).expect("writes");
    writer.close().expect("closes");
}

fn sorted(site: &Site, purpose: &str, sql: &str) -> Vec<Vec<String>> {
    let mut rows = site
        .ask("anna", purpose, sql)
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.sort();
    rows
}

#[test]
fn parquet_files_answer_as_csv_files_do() {
    let Some(server) = Server::start() else {
        return;
    };
    let policy = AccessPolicy::parse(POLICY, &|_| None).expect("valid");
    set_up(&server, &policy);
    let csv = copied(&server);
    let mut plan = Plan::embedded(POLICY, &[], None);
    if let Backend::Embedded { tables } = &mut plan.config.backend {
        for table in ["person", "visit", "member"] {
            let path = plan.folder.path().join(format!("{table}.parquet"));
            parquet(&server, table, &path);
            tables.insert(table.to_owned(), path);
        }
    }
    let site = plan.run();
    let mut draws = Draws(11);
    let mut cells = 0;
    for _ in 0..60 {
        let purpose = draws.pick(&["marketing", "research"]);
        let query = generated(&mut draws);
        let rows = sorted(&site, purpose, &query);
        assert_eq!(rows, sorted(&csv, purpose, &query), "{purpose}: {query}");
        cells += rows.concat().len();
    }
    assert!(cells > 1000, "{cells}");
    for query in [
        "SELECT id, name, income FROM member",
        "SELECT name FROM member",
    ] {
        assert_eq!(
            sorted(&site, "marketing", query),
            sorted(&csv, "marketing", query)
        );
    }
    let error = site
        .ask("anna", "marketing", "SELECT secret FROM person")
        .expect_err("not governed");
    assert!(error.contains("does not exist"), "{error}");
    let error = site
        .ask("anna", "marketing", "SELECT id FROM persn")
        .expect_err("no such table");
    assert!(
        error.contains("relation \"persn\" does not exist"),
        "{error}"
    );
}

#[test]
fn a_parquet_file_that_is_none_or_has_other_columns_is_not_served() {
    let policy = "[purposes]\ngeneral = {}\n[roles]\nr = []\n[users]\nanna = { roles = [\"r\"] }\n[[grants]]\nrole = \"r\"\npurposes = [\"general\"]\n\
                  [tables.t]\ndefault = \"<{general}, {}, {}>\"\n[tables.t.columns]\nid = { type = \"integer\" }\n";
    let write = |name: &str, column: &str, cells: Vec<&str>| {
        let mut plan = Plan::embedded(policy, &[], None);
        let path = plan.folder.path().join(name);
        let array: ArrayRef = Arc::new(StringArray::from(cells));
        let batch = RecordBatch::try_from_iter([(column, array)]).expect("a batch");
        let file = std::fs::File::create(&path).expect("a file");
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
        writer.write(&batch).expect("writes");
        writer.close().expect("closes");
        if let Backend::Embedded { tables } = &mut plan.config.backend {
            tables.insert("t".into(), path.clone());
        }
        (plan, path)
    };
    let (good, _) = write("t.parquet", "id", vec!["1", "2"]);
    let rows = good.run().ask("anna", "general", "SELECT sum(id) FROM t");
    assert_eq!(rows, Ok(vec![vec!["3".into()]]));
    let refused = |plan: Plan| {
        let error = plan.start().map(|_| ()).expect_err("does not start");
        assert!(!error.to_string().contains("hidden"), "{error}");
        error.code()
    };
    assert_eq!(
        refused(write("t.parquet", "other", vec!["1"]).0),
        "table-does-not-fit"
    );
    assert_eq!(
        refused(write("t.parquet", "id", vec!["hidden"]).0),
        "table-does-not-fit"
    );
    let (cut, path) = write("t.parquet", "id", vec!["1"]);
    let bytes = std::fs::read(&path).expect("reads");
    std::fs::write(&path, &bytes[..bytes.len() - 9]).expect("writes");
    assert_eq!(refused(cut), "table-does-not-fit");
}

/// The file's end says what is in it; whatever stands there, the table is refused and no panic is told of.
#[test]
fn a_damaged_footer_is_refused_without_a_word_about_a_panic() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or("", |place| place.file());
        if place.contains("parquet") || place.contains("thrift") {
            TOLD.fetch_add(
                usize::from(!denym_engine::panic_is_caught_here()),
                Ordering::Relaxed,
            );
        } else {
            before(info);
        }
    }));
    let policy = "[purposes]\ngeneral = {}\n[roles]\nr = []\n[users]\nanna = { roles = [\"r\"] }\n[[grants]]\nrole = \"r\"\npurposes = [\"general\"]\n\
                  [tables.t]\ndefault = \"<{general}, {}, {}>\"\n[tables.t.columns]\nid = { type = \"integer\" }\n";
    let array: ArrayRef = Arc::new(StringArray::from(vec!["1", "2"]));
    let batch = RecordBatch::try_from_iter([("id", array)]).expect("a batch");
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("writes");
    writer.close().expect("closes");
    let length = bytes.len();
    let footer = u32::from_le_bytes(bytes[length - 8..length - 4].try_into().expect("four"));
    let start = length - 8 - footer as usize;
    let (mut refused, mut tried) = (0, 0);
    for place in (start..length).step_by(7) {
        for value in [0x00, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] = value;
            let mut plan = Plan::embedded(policy, &[], None);
            let path = plan.folder.path().join("t.parquet");
            std::fs::write(&path, damaged).expect("writes");
            if let Backend::Embedded { tables } = &mut plan.config.backend {
                tables.insert("t".into(), path);
            }
            tried += 1;
            refused += usize::from(plan.start().is_err());
        }
    }
    assert!(refused > tried / 4, "{refused} of {tried}");
    assert_eq!(TOLD.load(Ordering::Relaxed), 0, "panics that were told of");
}

#[test]
fn obligations_are_recorded_with_the_access() {
    let policy = "[purposes]\ngeneral = {}\nmarketing = { parent = \"general\", obligations = [\"note the campaign\"] }\n\
                  phone = { parent = \"marketing\", obligations = [\"ask first\", \"note the campaign\"] }\nresearch = \"general\"\n\
                  [roles]\nr = []\n[users]\nanna = { roles = [\"r\"] }\n[[grants]]\nrole = \"r\"\npurposes = [\"general\"]\n\
                  [tables.t]\ndefault = \"<{general}, {}, {}>\"\n[tables.t.columns]\nid = { type = \"integer\" }\n\
                  [tables.u]\ndefault = \"<{general}, {}, {}>\"\n[tables.u.columns]\nid = { type = \"integer\" }\n";
    let check = |backend: &str, site: &Site| {
        let query = "SELECT t.id FROM t JOIN u ON t.id = u.id";
        for purpose in ["marketing", "phone", "research"] {
            let rows = site.ask("anna", purpose, query);
            assert_eq!(rows, Ok(vec![vec!["1".into()]]), "{backend}");
        }
        let log = site.audit();
        denym_gateway::audit::verify(log.as_bytes()).expect("the chain holds");
        let found: Vec<(String, Vec<String>)> = log
            .lines()
            .map(|line| {
                serde_json::from_str::<denym_gateway::audit::Event>(line).expect("an event")
            })
            .filter(|event| event.event == "access")
            .map(|event| (event.purpose.expect("a purpose"), event.obligations))
            .collect();
        let of = |purpose: &str, obligations: &[&str]| {
            let texts = obligations.iter().map(|&text| text.to_owned());
            (purpose.to_owned(), texts.collect::<Vec<String>>())
        };
        // those of the wider purpose come first, each once
        let expected = [
            of("marketing", &["note the campaign"]),
            of("phone", &["note the campaign", "ask first"]),
            of("research", &[]),
        ];
        assert_eq!(found, expected, "{backend}");
        // who has to fulfil them hears of them, once until the purpose changes
        let text = run_raw(
            site.psql("anna"),
            &format!(
                "SET denym.purpose = 'phone'; {query}; {query}; SET denym.purpose = 'research'; {query};"
            ),
        );
        for obligation in ["note the campaign", "ask first"] {
            let line = format!("NOTICE:  this purpose obliges you to: {obligation}\n");
            assert_eq!(text.matches(&line).count(), 1, "{backend}: {text}");
        }
        assert!(!text.contains("figures are over"), "{backend}: {text}");
        let text = run_raw(
            site.psql("anna"),
            "SET denym.purpose = 'research'; SELECT avg(id) FROM t; SELECT count(*) FROM u;",
        );
        let told = text.matches("NOTICE:  figures are over what this purpose shows");
        assert_eq!(told.count(), 1, "{backend}: {text}");
    };
    let files = [("t", "id\n1\n".to_owned()), ("u", "id\n1\n".to_owned())];
    check("embedded", &Plan::embedded(policy, &files, None).run());
    if let Some(server) = Server::start() {
        server
            .query("CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 1::int8 AS id; CREATE TABLE raw.u AS SELECT 1::int8 AS id;")
            .expect("sets up");
        check("postgres", &Plan::postgres(policy, &server).run());
    }
}
