//! The worked tables of the survey with the taxonomies of its figure 3.

use std::collections::BTreeSet;

use denym_data::{Column, Fraction, Hierarchy, HierarchyRow, Recoding, Summary};
use denym_measure::Promise;
use denym_tabular::{Objective, Request};
use denym_testkit::summarize::summarize;

/// A small table.
pub(crate) struct TableOf {
    pub(crate) quasi: Vec<Column>,
    pub(crate) secret: Column,
    pub(crate) hierarchies: Vec<Hierarchy>,
}

const JOB: &[&[&str]] = &[
    &["Engineer", "Professional", "ANY"],
    &["Lawyer", "Professional", "ANY"],
    &["Dancer", "Artist", "ANY"],
    &["Writer", "Artist", "ANY"],
];
const SEX: &[&[&str]] = &[&["Male", "ANY"], &["Female", "ANY"]];

fn column(name: &str, cells: &[&str]) -> Column {
    Column::from_texts(name, cells.iter().copied().map(Some))
}

fn hierarchy(column: &Column, rows: &[&[&str]]) -> Hierarchy {
    let rows: Vec<HierarchyRow> = rows
        .iter()
        .enumerate()
        .map(|(line, labels)| HierarchyRow {
            line: line + 1,
            labels: labels.iter().map(ToString::to_string).collect(),
        })
        .collect();
    Hierarchy::from_rows(column, &rows).expect("nests")
}

/// Ages 30 to 39 in two halves.
fn ages(column: &Column) -> Hierarchy {
    let texts: Vec<String> = (30..40).map(|age| age.to_string()).collect();
    let rows: Vec<Vec<&str>> = (30..40)
        .map(|age| {
            let half = if age < 35 { "[30-35)" } else { "[35-40)" };
            vec![texts[age - 30].as_str(), half, "[30-40)"]
        })
        .collect();
    let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
    hierarchy(column, &rows)
}

/// Table II(a).
pub(crate) fn patients() -> TableOf {
    let job = column(
        "Job",
        &[
            "Engineer", "Engineer", "Lawyer", "Writer", "Writer", "Dancer", "Dancer",
        ],
    );
    let sex = column(
        "Sex",
        &[
            "Male", "Male", "Male", "Female", "Female", "Female", "Female",
        ],
    );
    let age = column("Age", &["35", "38", "38", "30", "30", "30", "30"]);
    let secret = column(
        "Disease",
        &["Hepatitis", "Hepatitis", "HIV", "Flu", "HIV", "HIV", "HIV"],
    );
    let hierarchies = vec![hierarchy(&job, JOB), hierarchy(&sex, SEX), ages(&age)];
    TableOf {
        quasi: vec![job, sex, age],
        secret,
        hierarchies,
    }
}

/// Table III(a).
pub(crate) fn anatomy() -> TableOf {
    let age = column(
        "Age",
        &["30", "30", "30", "32", "32", "32", "36", "38", "38", "38"],
    );
    let mut sexes = vec!["Male"; 6];
    sexes.extend(["Female"; 4]);
    let sex = column("Sex", &sexes);
    let secret = column(
        "Disease",
        &[
            "Hepatitis",
            "Hepatitis",
            "HIV",
            "Hepatitis",
            "HIV",
            "HIV",
            "Flu",
            "Flu",
            "Heart",
            "Heart",
        ],
    );
    let hierarchies = vec![ages(&age), hierarchy(&sex, SEX)];
    TableOf {
        quasi: vec![age, sex],
        secret,
        hierarchies,
    }
}

/// Table V(a).
pub(crate) fn minimality() -> TableOf {
    let mut jobs = vec!["Engineer"; 2];
    jobs.extend(["Lawyer"; 5]);
    let job = column("Job", &jobs);
    let sex = column("Sex", &["Male"; 7]);
    let mut ill = vec!["HIV"; 2];
    ill.extend(["Flu"; 5]);
    let hierarchies = vec![hierarchy(&job, JOB), hierarchy(&sex, SEX)];
    TableOf {
        quasi: vec![job, sex],
        secret: column("Disease", &ill),
        hierarchies,
    }
}

/// The join of table VI, with age and birthplace as what an adversary knows.
pub(crate) fn joined() -> TableOf {
    let age = column("Age", &["30", "30", "40", "40", "50", "50", "30", "30"]);
    let place = column(
        "Birthplace",
        &["US", "US", "France", "UK", "France", "US", "US", "US"],
    );
    let secret = column(
        "Disease",
        &[
            "Cancer", "Cancer", "HIV", "Cancer", "HIV", "HIV", "Cancer", "Cancer",
        ],
    );
    let hierarchies = vec![
        Hierarchy::flat(&age.dictionary),
        hierarchy(
            &place,
            &[
                &["US", "America", "ANY"],
                &["France", "Europe", "ANY"],
                &["UK", "Europe", "ANY"],
            ],
        ),
    ];
    TableOf {
        quasi: vec![age, place],
        secret,
        hierarchies,
    }
}

impl TableOf {
    pub(crate) fn summary(&self) -> Summary {
        summarize(
            &self.quasi.iter().collect::<Vec<_>>(),
            &[&self.secret],
            None,
        )
    }

    pub(crate) fn request<'a>(
        &'a self,
        summary: &'a Summary,
        promises: &'a [Box<dyn Promise>],
    ) -> Request<'a> {
        Request {
            summary,
            hierarchies: &self.hierarchies,
            promises,
            objective: Objective::Loss,
            suppress_at_most: Fraction::ZERO,
            limits: None,
            setting: None,
            weights: None,
        }
    }

    /// The code of a sensitive value.
    pub(crate) fn code(&self, value: &str) -> u32 {
        self.secret.dictionary.code_of(value).expect("it occurs")
    }

    /// The tuple of each record.
    pub(crate) fn tuples(&self) -> Vec<usize> {
        let key = |row: usize| -> Vec<u32> { self.quasi.iter().map(|c| c.codes[row]).collect() };
        let rows = 0..self.secret.codes.len();
        let all: BTreeSet<Vec<u32>> = rows.clone().map(key).collect();
        rows.map(|row| all.iter().position(|k| *k == key(row)).expect("there"))
            .collect()
    }

    /// What is published of each record, in the table's order.
    pub(crate) fn published(&self, recoding: &Recoding) -> Vec<Option<Vec<String>>> {
        self.tuples()
            .into_iter()
            .map(|tuple| {
                let class = recoding.class_of[tuple]? as usize;
                let values = recoding.published.iter().zip(&recoding.labels);
                let text = |label: &Option<Box<str>>| label.as_deref().unwrap_or("").to_owned();
                Some(
                    values
                        .map(|(published, labels)| text(&labels.texts[published[class] as usize]))
                        .collect(),
                )
            })
            .collect()
    }
}
