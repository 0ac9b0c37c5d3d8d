//! The second lock alone: without the wall and without the filter a record that is not served has no cells.

use super::super::Core;
use super::super::source::Source;
use super::*;
use crate::config::Limits;
use crate::pushdown::Names;
use datafusion::common::tree_node::TreeNode as _;
use datafusion::dataframe::DataFrame;
use denym_purpose::{AccessPolicy, AccessPurpose, Moment};

const POLICY: &str = r#"
[purposes]
general = { retention-days = 100 }
[roles]
r = []
[users]
anna = { roles = ["r"] }
[[grants]]
role = "r"
purposes = ["general"]
[tables.t]
key = "id"
collected = "day"
consent = "companion"
mode = "MODE"
default = "<{general}, {}, {}>"
[tables.t.columns]
id = { type = "integer" }
name = { mask = { first-letters = 1 } }
age = { type = "integer", mask = { interval = { width = 10, show = "lower" } } }
[tables.plain]
collected = "day"
consent = "none"
default = "<{general}, {}, {}>"
[tables.plain.columns]
id = { type = "integer" }
name = { default = "<{}, {general}, {}>", mask = { first-letters = 1 } }
"#;

/// Rows of a masked table with every filter taken out of its plan.
async fn unfiltered(mode: &str, table: &str, text: &str) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.csv");
    std::fs::write(&path, text).expect("writes");
    let policy = AccessPolicy::parse(&POLICY.replace("MODE", mode), &|_| None).expect("valid");
    let policy = Arc::new(policy);
    let core = Core::new(policy.clone(), &Limits::default()).expect("an engine");
    let source = Source::open(&core.base, &policy.tables[table], &path)
        .await
        .expect("a source");
    let source = source.current(&core.base).await.expect("there");
    let now = Moment {
        day: 20_000,
        minute: 0,
    };
    let activation = policy.activate("anna", now).expect("known");
    let id = policy
        .state_purpose(&activation, "general")
        .expect("permitted");
    let purpose = AccessPurpose::new(&policy.purposes, id);
    let statement = sqlparser::parser::Parser::parse_sql(
        &sqlparser::dialect::PostgreSqlDialect {},
        &format!("SELECT * FROM {table}"),
    );
    let rewrite = Rewrite {
        request: Request {
            policy: policy.clone(),
            activation: activation.clone(),
            purpose: purpose.clone(),
            names: Names::of(&statement.expect("SQL")[0]),
            today: now.day,
        },
        sources: BTreeMap::new(),
        consents: BTreeMap::new(),
        key: MaskKey::new(Vec::new()),
    };
    let access = policy.access(activation, purpose, table).expect("governed");
    let plan = Masking::new(&rewrite, &policy.tables[table], &access, &source)
        .plan(&source)
        .expect("a plan");
    let mut filters = 0;
    let plan = plan
        .transform_down(|node| match node {
            LogicalPlan::Filter(filter) => {
                filters += 1;
                Ok(Transformed::yes(filter.input.as_ref().clone()))
            }
            node => Ok(Transformed::no(node)),
        })
        .expect("a plan")
        .data;
    assert!(filters > 0, "there is a filter to take out");
    let batches = DataFrame::new(core.base.clone(), plan)
        .collect()
        .await
        .expect("runs");
    let mut rows = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let cell = |array| ScalarValue::try_from_array(array, row).expect("a cell");
            rows.push(
                batch
                    .columns()
                    .iter()
                    .map(|array| cell(array).to_string())
                    .collect(),
            );
        }
    }
    rows
}

#[tokio::test]
async fn a_record_past_retention_has_no_cells() {
    // day 20,000 is 2024-10-04
    let header =
        "id,name,age,day,id_aip,id_cip,id_pip,name_aip,name_cip,name_pip,age_aip,age_cip,age_pip\n";
    let open = "1,0,0,1,0,0,1,0,0";
    let text = format!(
        "{header}1,Ann,33,2024-10-01,{open}\n2,Old,44,2020-01-01,{open}\n3,Dayless,55,,{open}\n"
    );
    let rows = unfiltered("mask", "t", &text).await;
    assert_eq!(
        rows,
        [
            ["1", "Ann", "33"],
            ["NULL", "NULL", "NULL"],
            ["NULL", "NULL", "NULL"]
        ]
    );
    let rows = unfiltered(
        "mask",
        "plain",
        "id,name,day\n1,Ann,2024-10-01\n2,Old,2020-01-01\n",
    )
    .await;
    assert_eq!(rows, [["1", "A"], ["NULL", "NULL"]]);
}

#[tokio::test]
async fn a_record_that_is_filtered_has_no_cells() {
    let header =
        "id,name,age,day,id_aip,id_cip,id_pip,name_aip,name_cip,name_pip,age_aip,age_cip,age_pip\n";
    let text = format!(
        "{header}1,Ann,33,2024-10-01,1,0,0,1,0,0,1,0,0\n2,Dropped,44,2024-10-01,1,0,0,1,0,0,0,0,1\n"
    );
    let rows = unfiltered("filter", "t", &text).await;
    assert_eq!(rows, [["1", "Ann", "33"], ["NULL", "NULL", "NULL"]]);
}
