//! What `profile --init` drafts raises no finding on the file it was drafted for, and is released as it stands.

use crate::support;

use std::fmt::Write as _;
use std::path::Path;

use denym_testkit::shared;
use support::{empty, json, list, run, write};

/// A draw between 0 and `bound`, from any numbers.
fn drawn(person: usize, column: usize, bound: usize) -> usize {
    let mixed = (person as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((column as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03));
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 33) as usize % bound
}

/// Drafts a policy for the file, releases it as it stands, and expects nothing to be found.
fn check(directory: &Path, file: &str) {
    let drafted = run(directory, &["profile", file, "--init", "draft.toml"]);
    assert_eq!(drafted.status.code(), Some(0), "{file}: {drafted:?}");
    let policy = std::fs::read_to_string(directory.join("draft.toml")).expect("a draft");
    let args = [
        "anonymize",
        "draft.toml",
        "-o",
        "out",
        "--time-budget",
        "5s",
    ];
    let (code, document) = json(directory, &args);
    assert_eq!(code, 0, "{file}: {document}\n{policy}");
    let findings = list(&document["findings"]);
    assert!(findings.is_empty(), "{file}: {findings:?}\n{policy}");
    std::fs::remove_dir_all(directory.join("out")).expect("a bundle");
    std::fs::remove_file(directory.join("draft.toml")).expect("a draft");
}

#[test]
fn drafts_for_invented_people_raise_nothing() {
    let directory = empty();
    let directory = directory.path();
    let mut clinic = "case,Name,E-Mail,born,zip,sex,weight,remark,diagnosis,cost\n".to_owned();
    let mut school = "student,grade,score,religion,language\n".to_owned();
    let mut payroll = "employee,department,salary,age,hired\n".to_owned();
    let mut rare = "age,sex,hiv\n".to_owned();
    for person in 0..300 {
        let of = |column: usize, bound: usize| drawn(person, column, bound);
        let _ = writeln!(
            clinic,
            "{},N{} F{},p{person}@example.org,{}-{:02}-{:02},{:05},{},{}.{},called about the {} of neighbour {person},{},{}.{:02}",
            10_000 + person,
            of(0, 90),
            of(1, 90),
            1940 + of(2, 60),
            1 + of(3, 12),
            1 + of(4, 28),
            1000 + of(5, 40) * 7,
            ["f", "m"][of(6, 2)],
            50 + of(7, 50),
            of(8, 10),
            ["dog", "roof", "car"][of(9, 3)],
            ["flu", "gout", "cold", "cancer"][of(10, 4)],
            100 + of(11, 9000),
            of(12, 100),
        );
        let _ = writeln!(
            school,
            "{},{},{},{},{}",
            person / 2,
            1 + of(0, 6),
            of(1, 100),
            ["none", "a", "b", "c"][of(2, 4)],
            ["de", "en", "fr"][of(3, 3)],
        );
        let _ = writeln!(
            payroll,
            "E{:04},{},{},{},{}-{:02}-01",
            person * 3,
            ["sales", "works", "office"][of(0, 3)],
            20_000 + of(1, 60_000),
            18 + of(2, 47),
            1990 + of(3, 30),
            1 + of(4, 12),
        );
        let _ = writeln!(
            rare,
            "{},{},{}",
            20 + of(0, 40),
            ["f", "m"][of(1, 2)],
            if of(2, 8) == 0 { "yes" } else { "no" },
        );
    }
    for (name, text) in [
        ("clinic.csv", clinic),
        ("school.csv", school),
        ("payroll.csv", payroll),
        ("rare.csv", rare),
    ] {
        write(directory, name, text);
        check(directory, name);
    }
}

#[test]
fn drafts_for_the_ugly_clinic_raise_nothing() {
    let directory = empty();
    let directory = directory.path();
    for seed in 1..=4 {
        let clinic = denym_testkit::clinic::Clinic {
            rows: 250,
            seed,
            ..denym_testkit::clinic::Clinic::default()
        };
        write(directory, "klinik.csv", clinic.bytes());
        check(directory, "klinik.csv");
    }
}

/// Where nobody could know any column, a draft with roles as guessed has no quasi-identifier, which is grave.
#[test]
fn a_draft_takes_something_to_be_known() {
    let directory = empty();
    let directory = directory.path();
    let mut lab = "diagnosis,score,cost\n".to_owned();
    for person in 0..200 {
        let of = |column: usize, bound: usize| drawn(person, column, bound);
        let _ = writeln!(lab, "D{},{},{}", of(0, 5), of(1, 9), 100 + of(2, 40));
    }
    write(directory, "lab.csv", lab);
    check(directory, "lab.csv");
}

#[test]
fn drafts_for_the_examples_raise_nothing() {
    let directory = empty();
    let directory = directory.path();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hospital/patients.csv");
    std::fs::copy(source, directory.join("patients.csv")).expect("a copy");
    check(directory, "patients.csv");
}

#[test]
fn the_draft_for_adult_raises_nothing() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let directory = empty();
    let directory = directory.path();
    // A part of it: the test is about findings, not about speed.
    let text = std::fs::read_to_string(adult).expect("the data");
    let part: Vec<&str> = text.lines().take(4001).collect();
    write(directory, "adult.csv", part.join("\n"));
    check(directory, "adult.csv");
}
