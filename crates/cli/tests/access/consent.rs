//! `denym access consent`.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use denym_gateway::consent_file::{self, ConsentFile};
use denym_gateway::purpose::AccessPolicy;
use serde_json::json as value;

use crate::support::{BINARY, denym, json, run, write};
use crate::{both, done, example, read, thesis, words};

const SET: [&str; 9] = [
    "access",
    "consent",
    "set",
    "--policy",
    "policy.toml",
    "--table",
    "customer_info",
    "--record",
    "4",
];

fn shown(directory: &Path, more: &[&str]) -> Vec<[String; 4]> {
    let mut args = vec!["access", "consent", "show", "--policy", "policy.toml"];
    args.extend(more);
    let (code, document) = json(directory, &args);
    assert_eq!(code, 0, "{document:#}");
    let rows = document["consent"].as_array().expect("rows").iter();
    rows.map(|row| {
        ["table", "record", "column", "intended"]
            .map(|key| row[key].as_str().expect("a text").to_owned())
    })
    .collect()
}

fn row(record: &str, column: &str, intended: &str) -> [String; 4] {
    ["customer_info", record, column, intended].map(str::to_owned)
}

#[test]
fn table_3_4_comes_in_and_goes_out() {
    let directory = thesis::customers();
    let here = directory.path();
    let (code, document) = json(
        here,
        &words("access consent import --policy policy.toml ipt.csv --known"),
    );
    assert_eq!((code, &document["changes"]), (0, &16.into()));
    let rows = shown(here, &[]);
    assert_eq!(rows.len(), 16);
    assert_eq!(rows[0], row("1", "name", "<{general}, {}, {}>"));
    assert_eq!(
        rows[6],
        row(
            "2",
            "address",
            "<{general}, {marketing}, {admin, shipping}>"
        )
    );
    // out and in again by every form: the same consent
    let expected = read(here.join("consent.csv"));
    for form in ["rows", "companion", "row-code"] {
        let text = done(
            here,
            &[
                "access",
                "consent",
                "export",
                "--policy",
                "policy.toml",
                "--form",
                form,
                "--table",
                "customer_info",
            ],
        );
        write(here, "out.csv", &text);
        std::fs::remove_file(here.join("consent.csv")).expect("is there");
        done(
            here,
            &words("access consent import --policy policy.toml out.csv --table customer_info"),
        );
        assert_eq!(read(here.join("consent.csv")), expected, "{form}: {text}");
        if form == "companion" {
            // general is the first of 15 bits, marketing the seventh, admin the second, shipping the sixth
            let line = text.lines().nth(2).expect("Bob");
            assert_eq!(
                line,
                "2,16384,0,0,16384,256,0,16384,256,8704,16384,256,8192"
            );
        }
    }
    let (code, document) = json(
        here,
        &words("access consent export --policy policy.toml --form row-code"),
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"table-missing".into())
    );
}

#[test]
fn consent_by_hand_in_toml() {
    let directory = example();
    let here = directory.path();
    let text = "\
[[consent]]
table = \"customer_info\"
record = 7
columns = [\"name\", \"income\"]
allowed = [\"general\"]
prohibited = [\"third-party\"]

[[consent]]
table = \"orders\"
record = 1002
intended = \"<{}, {}, {}>\"
";
    write(here, "more.toml", text);
    done(
        here,
        &words("access consent import --policy policy.toml more.toml --known"),
    );
    let rows = shown(here, &["--table", "customer_info", "--record", "7"]);
    let expect = "<{general}, {}, {third-party}>";
    assert_eq!(rows, [row("7", "name", expect), row("7", "income", expect)]);
    // the whole record, beside its cells
    let orders = read(here.join("orders.csv"));
    assert!(
        orders.contains("\n1002,2,lamp,120,2025-02-03,0,0,0,0,0,0,0,0,0,0,0,0\n"),
        "{orders}"
    );
    write(
        here,
        "bad.toml",
        text.replace("\"name\"", "\"nam\"")
            .replace("{}, {}>", "{}>"),
    );
    let output = run(
        here,
        &words("access consent import --policy policy.toml bad.toml"),
    );
    assert_eq!(output.status.code(), Some(2));
    let text = both(&output);
    assert!(
        text.contains("has no column `nam`") && text.contains("bad.toml:4"),
        "{text}"
    );
    assert!(
        text.contains("the intended purpose cannot be read") && text.contains("bad.toml:11"),
        "{text}"
    );
    assert_eq!(read(here.join("orders.csv")), orders);
}

#[test]
fn one_word_changes_one_line() {
    let directory = example();
    let here = directory.path();
    let before = read(here.join("consent.csv"));
    let (_, document) = json(
        here,
        &[
            &SET[..],
            &words("--column income --allowed general --prohibited marketing,analysis"),
        ]
        .concat(),
    );
    assert_eq!(
        document["intended"],
        "<{general}, {}, {analysis, marketing}>"
    );
    let line = "\"customer_info\",\"4\",\"income\",\"<{general}, {}, {analysis, marketing}>\"\n";
    assert_eq!(read(here.join("consent.csv")), format!("{before}{line}"));
    assert_eq!(
        shown(here, &["--record", "4", "--column", "income"]).len(),
        1
    );
    done(
        here,
        &[&SET[..], &["--column", "income", "--clear"]].concat(),
    );
    assert_eq!(read(here.join("consent.csv")), before);
    // Whoever withdraws a record means its cells too, whatever was said of them.
    done(
        here,
        &[&SET[..], &words("--column name,income --allowed general")].concat(),
    );
    assert_eq!(shown(here, &["--record", "4"]).len(), 2);
    done(here, &[&SET[..], &["--withdraw"]].concat());
    assert_eq!(
        shown(here, &["--record", "4"]),
        [row("4", "*", "<{}, {}, {}>")]
    );
    // what was unreadable before stays as it is, and denies
    let odd = format!("{before}\"customer_info\",\"7\",\"name\",\"no consent\"\n");
    write(here, "consent.csv", &odd);
    done(here, &[&SET[..], &["--withdraw"]].concat());
    let own = |line: &&str| !line.starts_with("\"customer_info\",\"4\",");
    let others: String = odd.split_inclusive('\n').filter(own).collect();
    assert!(read(here.join("consent.csv")).starts_with(&others));
    let (_, document) = json(
        here,
        &words("access consent show --policy policy.toml --record 7"),
    );
    assert_eq!(document["unreadable"], 1);
    assert_eq!(document["consent"][0]["intended"], "<{}, {}, {}>");
}

/// The gateway and PostgreSQL look a whole number up as 4, however it was typed.
#[test]
fn a_key_is_written_in_one_way() {
    let directory = example();
    let here = directory.path();
    let mut set = SET.to_vec();
    set[8] = "004";
    set.push("--withdraw");
    done(here, &set);
    assert_eq!(
        shown(here, &["--record", "4"])[0],
        row("4", "*", "<{}, {}, {}>")
    );
    assert_eq!(shown(here, &["--record", "04"]).len(), 1);
    let customers = read(here.join("customers.csv")).replace("\n4,Dan", "\n0004,Dan");
    write(here, "customers.csv", customers);
    done(here, &set);
    let args = [
        "access",
        "explain",
        "--policy",
        "policy.toml",
        "--user",
        "otto",
        "--purpose",
        "billing",
        "--table",
        "customer_info",
        "--column",
        "age",
        "--row",
        "0004",
    ];
    let (_, document) = json(here, &args);
    assert_eq!(
        (
            &document["decision"],
            &document["cells"][0]["consent"]["level"]
        ),
        (&"nothing".into(), &"record".into())
    );
}

#[test]
fn what_cannot_be_said_is_refused_whole() {
    let directory = example();
    let here = directory.path();
    let before = read(here.join("consent.csv"));
    let code = |args: &[&str]| {
        let (code, document) = json(here, args);
        (
            code,
            document["error"]["code"].as_str().unwrap_or("-").to_owned(),
        )
    };
    let is = |text: &str| (2, text.to_owned());
    assert_eq!(
        code(&[&SET[..], &["--allowed", "markting"]].concat()),
        is("purpose-unknown")
    );
    assert_eq!(
        code(&[&SET[..], &["--column", "incom", "--withdraw"]].concat()),
        is("column-unknown")
    );
    assert_eq!(code(&SET), is("usage"));
    assert_eq!(
        code(&[&SET[..], &["--clear", "--allowed", "general"]].concat()),
        is("usage")
    );
    let mut unknown = SET.to_vec();
    unknown[8] = "44";
    unknown.push("--withdraw");
    assert_eq!(code(&unknown), is("record-unknown"));
    unknown.push("--new");
    assert_eq!(code(&unknown), (0, "-".into()));
    write(here, "consent.csv", &before);
    write(
        here,
        "in.csv",
        "table,record,column,intended\ncustomer_info,1,name,\"<{general}, {}, {}>\"\ncustomer_info,2,nam,\"<{general}, {}, {}>\"\ncustomer_info,3,name,Cleo\nnowhere,1,a,\"<{}, {}, {}>\"\n",
    );
    let args = [
        "access",
        "consent",
        "import",
        "--policy",
        "policy.toml",
        "in.csv",
    ];
    let (code, document) = json(here, &args);
    assert_eq!(code, 2);
    let mistakes: Vec<(&str, &str)> = document["error"]["mistakes"]
        .as_array()
        .expect("mistakes")
        .iter()
        .map(|one| {
            (
                one["location"].as_str().expect("a place"),
                one["code"].as_str().expect("a code"),
            )
        })
        .collect();
    assert_eq!(
        mistakes,
        [
            ("in.csv: record 2", "column-unknown"),
            ("in.csv: record 3", "consent-code-unreadable"),
            ("in.csv: record 4", "table-unknown"),
        ]
    );
    assert!(
        !both(&run(here, &args)).contains("Cleo"),
        "no error shows a cell"
    );
    assert_eq!(
        read(here.join("consent.csv")),
        before,
        "nothing was written"
    );
    let policy =
        read(here.join("policy.toml")).replace("consent = \"table\"", "consent = \"none\"");
    write(here, "none.toml", policy);
    let args = [
        "access",
        "consent",
        "set",
        "--policy",
        "none.toml",
        "--table",
        "customer_info",
        "--record",
        "4",
        "--withdraw",
    ];
    let (_, document) = json(here, &args);
    assert_eq!(document["error"]["code"], "consent-not-stored");
}

#[test]
fn consent_beside_the_data() {
    let directory = example();
    let here = directory.path();
    let orders = read(here.join("orders.csv"));
    let set = [
        "access",
        "consent",
        "set",
        "--policy",
        "policy.toml",
        "--table",
        "orders",
        "--record",
        "1003",
    ];
    // general is bit 15 of 16, billing bit 13, marketing bit 10
    done(
        here,
        &[
            &set[..],
            &words(
                "--column amount --allowed general --conditional billing --prohibited marketing",
            ),
        ]
        .concat(),
    );
    let expected = orders.replace(
        "1003,4,tent,310,2025-02-20,,,,,,,,,,,,",
        "1003,4,tent,310,2025-02-20,,,,,,,,,,32768,8192,1024",
    );
    assert_eq!(read(here.join("orders.csv")), expected);
    assert_eq!(
        shown(here, &["--table", "orders"])[0][1..],
        ["1003", "amount", "<{general}, {billing}, {marketing}>"].map(str::to_owned)
    );
    done(
        here,
        &[&set[..], &["--column", "amount", "--clear"]].concat(),
    );
    assert_eq!(read(here.join("orders.csv")), orders);
    // the same table with one code per record
    let policy = read(here.join("policy.toml")).replace(
        "consent = \"companion\"",
        "consent = { row-code = \"said\" }",
    );
    write(here, "policy.toml", policy);
    write(
        here,
        "orders.csv",
        "order_no;customer;item;amount;ordered;said\r\n1;7;\"a;b\";5;2025-01-01;\r\n2;8;c;6;2025-01-01;\r\n",
    );
    let set = [
        "access",
        "consent",
        "set",
        "--policy",
        "policy.toml",
        "--table",
        "orders",
        "--record",
        "1",
    ];
    done(
        here,
        &[
            &set[..],
            &["--column", "item,amount", "--allowed", "general"],
        ]
        .concat(),
    );
    assert_eq!(
        read(here.join("orders.csv")),
        "order_no;customer;item;amount;ordered;said\r\n1;7;\"a;b\";5;2025-01-01;///8000.0.0/8000.0.0\r\n2;8;c;6;2025-01-01;\r\n"
    );
    assert_eq!(shown(here, &["--table", "orders"]).len(), 2);
}

#[test]
fn a_running_reader_sees_every_change() {
    let directory = example();
    let here = directory.path();
    let town = read(here.join("hierarchies/town.csv"));
    let policy = AccessPolicy::parse(&read(here.join("policy.toml")), &|_| {
        Some(
            town.lines()
                .map(|line| line.split(',').map(str::to_owned).collect())
                .collect(),
        )
    })
    .expect("valid");
    let file = ConsentFile::open(&here.join("consent.csv"), &policy).expect("opens");
    let column = policy.tables["customer_info"]
        .column("income")
        .expect("named");
    for round in 0..8 {
        // two words of equal length, as fast as they come
        let word = ["general", "billing"][round % 2];
        done(
            here,
            &[&SET[..], &["--column", "income", "--allowed", word]].concat(),
        );
        let book = file.current(&policy).expect("readable");
        let consent = &book.record("customer_info", "4").expect("there").cells[&column];
        assert_eq!(
            consent.to_text(&policy.purposes),
            format!("<{{{word}}}, {{}}, {{}}>")
        );
    }
}

fn spawn(directory: &Path, record: usize) -> Child {
    let record = record.to_string();
    denym()
        .current_dir(directory)
        .args([
            "access",
            "consent",
            "set",
            "--policy",
            "policy.toml",
            "--table",
            "customer_info",
        ])
        .args([
            "--record",
            &record,
            "--column",
            "age",
            "--allowed",
            "shipping",
            "--new",
            "-q",
        ])
        .stdout(Stdio::null())
        .spawn()
        .expect("denym runs")
}

#[test]
fn writers_at_once_lose_nothing() {
    let directory = example();
    let here = directory.path();
    let before = shown(here, &["--table", "customer_info"]).len();
    let children: Vec<Child> = (100..124).map(|record| spawn(here, record)).collect();
    for mut child in children {
        assert!(child.wait().expect("ends").success());
    }
    assert_eq!(
        shown(here, &["--table", "customer_info"]).len(),
        before + 24
    );
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    let directory = example();
    let here = directory.path();
    // large enough that writing takes a while
    let mut text = read(here.join("consent.csv"));
    for record in 10_000..60_000 {
        text.push_str(&format!(
            "\"customer_info\",\"{record}\",\"name\",\"<{{general}}, {{}}, {{}}>\"\n"
        ));
    }
    write(here, "consent.csv", &text);
    let mut rows = text.lines().count() - 1;
    let mut killed = 0;
    for round in 0..24u64 {
        let mut child = spawn(here, 100 + round as usize);
        std::thread::sleep(Duration::from_millis(8 * (round % 12)));
        let _ = child.kill();
        killed += u32::from(!child.wait().expect("ends").success());
        let now = consent_file::read(&read(here.join("consent.csv")))
            .expect("whole")
            .len();
        assert!(now == rows || now == rows + 1, "{now} rows after {rows}");
        rows = now;
    }
    assert!(killed > 0, "some writers are killed");
    // and the next writer is not disturbed by what they left
    assert!(spawn(here, 999).wait().expect("ends").success());
    let names: Vec<String> = std::fs::read_dir(here)
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .filter(|name| name.contains("denym-new"))
        .collect();
    assert_eq!(names, [""; 0]);
    let (_, document) = json(
        here,
        &words("access consent show --policy policy.toml --record 999"),
    );
    assert_eq!(
        document["consent"][0]["intended"],
        value!("<{shipping}, {}, {}>")
    );
}

/// The system ends the writer in the middle of its write: the deterministic crash.
#[cfg(unix)]
#[test]
fn a_writer_that_dies_in_its_write_costs_nothing() {
    let directory = example();
    let here = directory.path();
    let mut text = read(here.join("consent.csv"));
    for record in 10_000..12_000 {
        text.push_str(&format!(
            "\"customer_info\",\"{record}\",\"name\",\"<{{general}}, {{}}, {{}}>\"\n"
        ));
    }
    write(here, "consent.csv", &text);
    let command = format!("ulimit -f 8; exec {BINARY} {} --withdraw", SET.join(" "));
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(here)
        .output()
        .expect("sh runs");
    assert!(!output.status.success());
    assert!(
        here.join(".consent.csv.denym-new").exists(),
        "it died while it wrote"
    );
    assert_eq!(read(here.join("consent.csv")), text);
    done(here, &[&SET[..], &["--withdraw"]].concat());
    assert!(!here.join(".consent.csv.denym-new").exists());
    assert_eq!(
        shown(here, &["--record", "4"])[0],
        row("4", "*", "<{}, {}, {}>")
    );
    let output = run(
        here,
        &[&SET[..], &["--withdraw", "--consent", "absent/consent.csv"]].concat(),
    );
    assert_eq!(output.status.code(), Some(2));
    assert!(
        both(&output).contains("cannot write the consent file: it does not exist"),
        "{}",
        both(&output)
    );
    // a device is no file to replace
    let output = run(
        here,
        &[&SET[..], &["--withdraw", "--consent", "/dev/null"]].concat(),
    );
    assert_eq!(output.status.code(), Some(2));
}
