//! How long does it take to say everything about a million records? Run with `cargo run --release -p denym-measure
//! --example audit_a_million_records`; it needs the Adult table beside the checkout.
#![expect(clippy::print_stdout, reason = "an example that reports times")]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use denym_data::{Column, Fraction, Table};
use denym_measure::profile::profile;
use denym_measure::promises::{Confidence, KAnonymity};
use denym_measure::risk::special_uniques;
use denym_measure::{Classes, Promise, Roles, SurveyOptions, audit_subsets, survey, what_if};

/// A million records made from Adult that compress badly: every cell is replaced with probability 1/2 by the same column
/// of another record. 353,602 distinct tuples.
fn mixed(adult: &Table) -> Table {
    let mut state = 12345_u64;
    let mut draw = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let rows: Vec<(usize, [usize; 3])> = (0..1_000_000)
        .map(|row| {
            let bits = draw();
            (
                bits,
                [
                    row % adult.records(),
                    draw() % adult.records(),
                    draw() % adult.records(),
                ],
            )
        })
        .collect();
    let columns = adult
        .columns()
        .iter()
        .enumerate()
        .map(|(position, column)| Column {
            name: column.name.clone(),
            dictionary: column.dictionary.clone(),
            codes: rows
                .iter()
                .map(|&(bits, [base, one, two])| {
                    let row = match (bits >> position & 1, bits >> (position + 10) & 1) {
                        (1, _) => base,
                        (_, 1) => one,
                        _ => two,
                    };
                    column.codes[row]
                })
                .collect(),
        })
        .collect();
    Table::new(columns).expect("columns are equally long")
}

fn main() {
    let (Some(adult), Some(large)) = (support::adult(1), support::adult(33)) else {
        return;
    };
    let mixed = mixed(&adult);
    let names: Vec<&str> = adult
        .columns()
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    let cases: [(&str, &Table, &[&str], &[&str]); 3] = [
        (
            "adult x33, 3 quasi-identifiers",
            &large,
            &["sex", "age", "race"],
            &["occupation", "salary-class"],
        ),
        (
            "adult x33, 8 quasi-identifiers",
            &large,
            &names[..8],
            &["salary-class"],
        ),
        (
            "mixed million, 8 quasi-identifiers",
            &mixed,
            &names[..8],
            &["salary-class"],
        ),
    ];
    for (name, table, quasi, sensitive) in cases {
        for _ in 0..3 {
            let start = Instant::now();
            let roles = Roles::by_name(table, quasi, sensitive, None).expect("columns exist");
            let classes = Classes::of(table, &roles);
            let grouped = start.elapsed();
            let found = survey(&classes, &SurveyOptions::default());
            println!(
                "{name}: {} classes, k = {}; grouped in {grouped:.0?}, all in {:.0?}",
                found.classes,
                found.k,
                start.elapsed()
            );
        }
    }
    let roles = Roles::by_name(&mixed, &names, &[], None).expect("columns exist");
    let start = Instant::now();
    let classes = Classes::of(&mixed, &roles);
    println!(
        "mixed million, 9 quasi-identifiers: {} classes in {:.0?}",
        classes.len(),
        start.elapsed()
    );
    assert_eq!(classes.len(), 353_602, "the mixture is the documented one");
    let timed = |name: &str, work: &dyn Fn() -> String| {
        let start = Instant::now();
        let answer = work();
        println!("mixed million, {name}: {answer} in {:.1?}", start.elapsed());
    };
    let promises: [Box<dyn Promise>; 2] = [
        Box::new(KAnonymity { k: 5 }),
        Box::new(Confidence::of_all(
            0,
            Fraction::new(9, 10).expect("a fraction"),
        )),
    ];
    let eight =
        Roles::by_name(&mixed, &names[..8], &["salary-class"], None).expect("columns exist");
    timed("any 3 of 8 columns, k and confidence", &|| {
        let found = audit_subsets(&mixed, &eight, 3, &promises);
        format!(
            "{} and {} records fail",
            found[0].measured.violating_records, found[1].measured.violating_records
        )
    });
    let all: Vec<usize> = (0..9).collect();
    timed("special uniques up to 3 of 9 columns", &|| {
        format!("{} records", special_uniques(&mixed, &all, 3).len())
    });
    timed("profile with combinations up to 3", &|| {
        format!("{} combinations", profile(&mixed, 3).combinations.compared)
    });
    timed("what if one or two more columns were known", &|| {
        let three = Roles::by_name(&mixed, &["sex", "race", "age"], &["salary-class"], None)
            .expect("columns exist");
        let found = what_if(&mixed, &three, &promises, true);
        format!(
            "{} of {} cases break a promise",
            found.iter().filter(|case| case.breaks).count(),
            found.len()
        )
    });
}
