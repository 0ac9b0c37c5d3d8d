//! Tables in memory give the same releases as the same tables in files, and what is no table is refused by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, ListArray, RecordBatch, StringArray, types::Int32Type};
use denym::{
    Error, Input, Listener, Outcome, Phase, RunOptions, Silent, anonymize, plan, read_policy,
};

const PEOPLE: &str =
    "zip,age,disease\n1,20,flu\n1,21,hiv\n1,22,flu\n2,40,hiv\n2,41,flu\n2,42,hiv\n";
const TABLE: &str = "[data]\npath = \"people.csv\"\n[attributes]\nzip = \"quasi\"\nage = { role = \"quasi\", hierarchy = { interval = [5] } }\ndisease = \"sensitive\"\n[promise]\nk-anonymity = 3\nl-diversity = 2\n";
const RIDES: &str =
    "subject,location,time\n1,a,1\n1,b,2\n2,a,1\n2,b,2\n3,a,1\n3,b,2\n3,c,3\n4,a,1\n4,b,2\n";
const PATHS: &str = "[data]\nkind = \"paths\"\npath = \"rides.csv\"\n[adversary]\nknows = { doublets = 2 }\n[promise]\nk-anonymity = 2\n";
const BASKETS: &str = "subject,item\n1,milk\n1,bread\n2,milk\n2,bread\n3,milk\n3,bread\n3,rum\n";
const ITEMS: &str = "[data]\nkind = \"transactions\"\npath = \"baskets.csv\"\n[adversary]\nknows = { items = 2 }\n[promise]\nk-anonymity = 2\n";

const VISITS: &str = "id,institution\nx,a\nx,b\ny,a\ny,b\nz,a\nz,b\nz,c\n";
const TRAILS: &str = "[data]\nkind = \"trails\"\nidentified = \"visits.csv\"\nanonymous = \"visits.csv\"\n[promise]\nk-anonymity = 2\n";

/// The records of a text, two to a batch, every column as text.
fn batches(text: &str) -> Vec<RecordBatch> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines
        .next()
        .into_iter()
        .flat_map(|h| h.split(','))
        .collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    rows.chunks(2)
        .map(|rows| {
            let column = |at: usize| -> ArrayRef {
                Arc::new(
                    rows.iter()
                        .map(|row| Some(row[at]))
                        .collect::<StringArray>(),
                )
            };
            let columns = names
                .iter()
                .enumerate()
                .map(|(at, name)| (*name, column(at)));
            RecordBatch::try_from_iter(columns).expect("even columns")
        })
        .collect()
}

fn in_memory(name: &str, batches: Vec<RecordBatch>) -> RunOptions {
    RunOptions {
        input: Input::default().with(name, batches),
        ..RunOptions::default()
    }
}

fn bundle(policy: &Path, output: &Path, options: &RunOptions) -> Result<PathBuf, Error> {
    let policy = read_policy(policy)?;
    match anonymize(&policy, output, options, &Silent)? {
        Outcome::Released(release) => Ok(release.bundle().to_owned()),
        Outcome::Refused(account) => panic!("refused: {:?}", account.refusal),
    }
}

/// Every file of a bundle without the fingerprints of its source, which are those of bytes on a disk or of cells in memory.
fn files(bundle: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let source = std::fs::read(bundle.join("steward/source.json")).expect("fingerprints");
    let source: serde_json::Value = serde_json::from_slice(&source).expect("JSON");
    let fingerprint = source[0]["sha256"].as_str().expect("one").to_owned();
    for half in ["release", "steward"] {
        for entry in std::fs::read_dir(bundle.join(half)).expect("a half") {
            let path = entry.expect("an entry").path();
            if path.ends_with("source.json") {
                continue;
            }
            let mut bytes = std::fs::read(&path).expect("a file");
            if path.ends_with("report.html") {
                let page = String::from_utf8(bytes).expect("UTF-8");
                bytes = page.replace(&fingerprint, "").into_bytes();
            }
            found.push((path.strip_prefix(bundle).expect("inside").to_owned(), bytes));
        }
    }
    found.sort();
    found
}

#[test]
fn a_release_from_memory_is_the_release_from_a_file() {
    let kinds = [
        (TABLE, "people.csv", PEOPLE),
        (PATHS, "rides.csv", RIDES),
        (ITEMS, "baskets.csv", BASKETS),
        (TRAILS, "visits.csv", VISITS),
    ];
    for (policy, name, text) in kinds {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("policy.toml");
        std::fs::write(&file, policy).expect("a policy");
        // Without the file the data is only in memory.
        let memory = in_memory(name, batches(text));
        let held = bundle(&file, &directory.path().join("held"), &memory).expect("a release");
        std::fs::write(directory.path().join(name), text).expect("data");
        let plain = RunOptions::default();
        let read = bundle(&file, &directory.path().join("read"), &plain).expect("a release");
        let (held, read) = (files(&held), files(&read));
        assert!(held.len() >= 6, "{name}");
        for (left, right) in held.iter().zip(&read) {
            assert!(left == right, "{name}: {} differs", left.0.display());
        }
        assert_eq!(held.len(), read.len());
    }
}

#[test]
fn numbers_and_texts_and_other_cuts_into_batches_are_the_same_table() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("policy.toml");
    std::fs::write(&file, TABLE).expect("a policy");
    let texts = in_memory("people.csv", batches(PEOPLE));
    let text = bundle(&file, &directory.path().join("texts"), &texts).expect("a release");
    let zips: ArrayRef = Arc::new(Int32Array::from(vec![1, 1, 1, 2, 2, 2]));
    let ages: ArrayRef = Arc::new(Int32Array::from(vec![20, 21, 22, 40, 41, 42]));
    let ills: ArrayRef = Arc::new(StringArray::from(vec![
        "flu", "hiv", "flu", "hiv", "flu", "hiv",
    ]));
    let one = RecordBatch::try_from_iter([("zip", zips), ("age", ages), ("disease", ills)]);
    let numbers = in_memory("people.csv", vec![one.expect("even columns")]);
    let number = bundle(&file, &directory.path().join("numbers"), &numbers).expect("a release");
    assert_eq!(files(&text), files(&number));
    let source = |bundle: &Path| std::fs::read(bundle.join("steward/source.json")).expect("a file");
    assert_eq!(source(&text), source(&number), "fingerprints are of cells");
}

#[test]
fn what_is_no_table_is_refused_and_no_cell_is_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("policy.toml");
    std::fs::write(&file, TABLE).expect("a policy");
    let text = |values: [&str; 1]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
    let row = |age: ArrayRef| {
        RecordBatch::try_from_iter([
            ("zip", text(["Sekretna"])),
            ("age", age),
            ("disease", text(["Sekretna"])),
        ])
        .expect("even columns")
    };
    let number: ArrayRef = Arc::new(Int32Array::from(vec![20]));
    let list: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(
        vec![Some(1)],
    )]));
    let twice = RecordBatch::try_new(
        Arc::new(arrow_schema(&["zip", "age", "zip", "disease"])),
        vec![text(["1"]), text(["2"]), text(["3"]), text(["4"])],
    );
    let short = RecordBatch::try_from_iter([("zip", text(["Sekretna"]))]).expect("a column");
    let cases = [
        (vec![], "no-records"),
        (vec![row(text(["20"])), row(number)], "batches-unreadable"),
        (vec![row(text(["20"])), short.clone()], "batches-unreadable"),
        (vec![twice.expect("even columns")], "batches-unreadable"),
        (vec![row(list)], "unsupported-type"),
        (vec![short], "policy-unknown-column"),
    ];
    for (at, (batches, code)) in cases.into_iter().enumerate() {
        let options = in_memory("people.csv", batches);
        let output = directory.path().join(format!("out{at}"));
        let error = bundle(&file, &output, &options).expect_err("no table");
        assert_eq!((error.code(), error.exit_code()), (code, 2), "{error}");
        assert!(!format!("{error:?} {error}").contains("Sekretna"));
        assert!(!output.exists());
    }
}

fn arrow_schema(names: &[&str]) -> arrow_schema::Schema {
    let field = |name: &&str| arrow_schema::Field::new(*name, arrow_schema::DataType::Utf8, true);
    arrow_schema::Schema::new(names.iter().map(field).collect::<Vec<_>>())
}

/// Stops a run as soon as it searches.
struct Impatient(std::sync::atomic::AtomicBool);

impl Listener for Impatient {
    fn phase(&self, phase: Phase) {
        let searching = phase == Phase::Searching;
        self.0
            .fetch_or(searching, std::sync::atomic::Ordering::Relaxed);
    }

    fn progress(&self, _done: u64, _total: u64) {}

    fn keep_going(&self) -> bool {
        !self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[test]
fn a_plan_is_run_as_it_was_planned_and_can_be_stopped() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("policy.toml");
    std::fs::write(&file, TABLE).expect("a policy");
    std::fs::write(directory.path().join("people.csv"), PEOPLE).expect("data");
    let policy = read_policy(&file).expect("a policy");
    let options = RunOptions::default();
    let direct = bundle(&file, &directory.path().join("direct"), &options).expect("a release");

    let planned = plan(&policy, &options, &Silent).expect("a plan");
    assert_eq!(planned.outline().costs[0].value, 6);
    let output = directory.path().join("planned");
    let Outcome::Released(release) = planned.run(&output, &Silent).expect("an end") else {
        panic!("refused");
    };
    assert_eq!(files(&direct), files(release.bundle()));

    // The fingerprint of other data than was read must not stand in a bundle.
    let late = plan(&policy, &options, &Silent).expect("a plan");
    let longer = format!("{PEOPLE}1,23,flu\n");
    std::fs::write(directory.path().join("people.csv"), longer).expect("data");
    let output = directory.path().join("late");
    let error = late.run(&output, &Silent).expect_err("changed");
    assert_eq!((error.code(), error.exit_code()), ("source-changed", 2));
    assert!(!output.exists());

    let stopped = plan(&policy, &options, &Silent).expect("a plan");
    let output = directory.path().join("stopped");
    let impatient = Impatient(false.into());
    let error = stopped.run(&output, &impatient).expect_err("stopped");
    assert!(matches!(error, Error::Stopped), "{error}");
    assert!(!output.exists());
}
