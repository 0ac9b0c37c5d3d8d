//! How do I turn results into the page a data steward reads?
//!
//! `cargo run -p denym-report --example write_a_report > report.html`; with `svg` as argument it writes one chart as a file of
//! its own instead. The numbers are invented.

#![allow(clippy::print_stdout, reason = "the example's job is to print a page")]

use denym_report::{
    Attack, Attempt, Chart, Claim, ClassSize, Count, Distribution, Fact, Figure, Format, Grid,
    Headline, Language, Lines, Loss, Mark, Outcome, Provenance, Report, Risk, Series, html,
    risk_bars,
};

fn main() {
    if std::env::args().nth(1).as_deref() == Some("svg") {
        print!("{}", frontier().standalone());
    } else {
        print!("{}", html(&report()));
    }
}

fn report() -> Report {
    let before = sizes(&[(1, 812), (2, 61), (3, 14), (4, 6)]);
    let after = sizes(&[
        (5, 9),
        (6, 8),
        (7, 6),
        (9, 5),
        (12, 8),
        (16, 7),
        (21, 9),
        (28, 6),
        (44, 4),
        (32, 1),
    ]);
    Report {
        title: "Hospital discharges".into(),
        data_name: "patients.csv, 1,000 records of 873 patients".into(),
        outcome: Outcome::Released,
        unit: "patients".into(),
        summary: vec![
            "953 of 1,000 records are released. Someone who knows the age, sex, postal code and month of admission of a patient finds at least 5 patients who look the same.".into(),
        ],
        facts: vec![
            fact("Records released", "953", "of 1,000; 47 suppressed (4.7 %)"),
            fact("Smallest class", "5", "patients who look the same; 5 were asked for"),
            fact("Highest risk", "20 %", "before: 100 %"),
            fact("Loss", "38.2 %", "0 % would be the source itself"),
        ],
        claims: vec![
            claim("k-anonymity", None, "at least 5", "5", false),
            claim("entropy-l-diversity", Some("diagnosis"), "at least 3", "3.07", true),
            claim("t-closeness", Some("diagnosis"), "at most 0.4", "0.3614", true),
        ],
        risk: Some(Risk {
            headlines: vec![
                headline("Highest risk of one patient", "Someone looks for one particular patient and knows all linkable details.", 1.0, 0.2),
                headline("Average risk", "Someone tries to find as many patients as possible.", 0.893, 0.066),
                headline("Patients who stand alone", "Nobody else has the same linkable details.", 0.812, 0.0),
            ],
            bands: risk_bars(&before, &after, Language::English),
        }),
        class_sizes: after,
        losses: vec![
            loss("age", 0.21, "level 2 of 4: 20-year intervals"),
            loss("sex", 0.0, "kept"),
            loss("zip", 0.58, "level 2 of 5: two digits masked"),
            loss("admission", 0.33, "level 2 of 4: quarters"),
        ],
        distributions: distributions(),
        attacks: vec![
            Attack {
                name: "linkage".into(),
                knows: "Age, sex, postal code and month of admission of one patient.".into(),
                rate_before: Some(0.893),
                rate_after: Some(0.066),
                note: "Guessing without any knowledge: 0.1 %.".into(),
                ..Attack::default()
            },
            Attack {
                name: "homogeneity".into(),
                knows: "The same; asks for the diagnosis instead of the record.".into(),
                rate_before: Some(0.934),
                rate_after: Some(0.287),
                note: "The most frequent diagnosis alone is right in 9.1 % of the cases.".into(),
                ..Attack::default()
            },
        ],
        attempts: vec![
            Attempt { solver: "full-domain".into(), outcome: "optimal".into(), score: "0.382".into(), effort: "150 nodes".into(), chosen: true, note: "Every node of the lattice was checked or excluded.".into() },
            Attempt { solver: "mondrian".into(), outcome: "infeasible".into(), note: "t-closeness fails on 3 classes.".into(), ..Attempt::default() },
        ],
        figures: vec![
            Figure { title: "Loss against k".into(), caption: "Each point is the best release for that k. The large dot is this one.".into(), chart: frontier() },
            Figure { title: "Where records were suppressed".into(), caption: "Suppressed records by ward and month.".into(), chart: grid() },
        ],
        notes: vec!["11 values of zip are missing. A missing value is a value of its own: it is released as missing.".into()],
        warnings: vec!["k-anonymity counts patients. One patient has 6 stays, the most in this table.".into()],
        provenance: Provenance {
            version: "0.1.0".into(),
            policy: "policy.toml".into(),
            steps: vec![
                "Drop the identifier name; renumber patient within each class.".into(),
                "Search 150 combinations of levels of age, sex, zip and admission for the least loss.".into(),
                "Generalize, suppress 47 records, sort by what is published.".into(),
                "Measure every promise on the written file.".into(),
            ],
            facts: vec![("Seed".into(), "7".into())],
        },
        ..Report::default()
    }
}

fn distributions() -> Vec<Distribution> {
    let wave = |i: u64| 4 + (i * 7919 % 11) + if i > 45 { (i - 45) / 2 } else { 0 };
    let ages = (0..96)
        .map(|age| count(&age.to_string(), wave(age)))
        .collect();
    let bands = ["0-19", "20-39", "40-59", "60-79", "80-99"];
    let diagnoses = [
        "heart failure",
        "pneumonia",
        "hip fracture",
        "normal delivery",
        "sepsis",
        "stroke",
        "COPD",
        "appendicitis",
        "kidney failure",
        "atrial fibrillation",
        "gallstones",
        "depression",
        "diabetes complication",
        "breast cancer",
        "asthma",
    ];
    vec![
        Distribution {
            attribute: "age".into(),
            role: "quasi-identifier".into(),
            how: "20-year intervals".into(),
            ordered: true,
            before: ages,
            after: bands
                .iter()
                .zip([112, 148, 201, 331, 161])
                .map(|(label, n)| count(label, n))
                .collect(),
        },
        Distribution {
            attribute: "sex".into(),
            role: "quasi-identifier".into(),
            how: "kept".into(),
            before: vec![count("female", 541), count("male", 459)],
            after: vec![count("female", 519), count("male", 434)],
            ..Distribution::default()
        },
        Distribution {
            attribute: "zip".into(),
            role: "quasi-identifier".into(),
            how: "the last two digits masked".into(),
            before: (0..120)
                .map(|i| count(&format!("{}", 53_100 + i * 7), 3 + 900 / (i + 9)))
                .chain([Count {
                    count: 11,
                    ..Count::default()
                }])
                .collect(),
            after: vec![
                count("531**", 402),
                count("532**", 221),
                count("533**", 140),
                count("537**", 98),
                count("539**", 81),
                Count {
                    count: 11,
                    ..Count::default()
                },
            ],
            ..Distribution::default()
        },
        Distribution {
            attribute: "diagnosis".into(),
            role: "sensitive".into(),
            how: "kept".into(),
            before: diagnoses
                .iter()
                .enumerate()
                .map(|(i, label)| count(label, 91 - 5 * i as u64))
                .collect(),
            after: diagnoses
                .iter()
                .enumerate()
                .map(|(i, label)| count(label, 88 - 5 * i as u64))
                .collect(),
            ..Distribution::default()
        },
    ]
}

fn frontier() -> Chart {
    let k = [2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 25.0];
    let loss = [0.21, 0.29, 0.382, 0.41, 0.47, 0.55, 0.59, 0.6];
    let series = |name: &str, points| Series {
        name: name.into(),
        mark: Mark::Line,
        points,
        ..Series::default()
    };
    Chart::Lines(Lines {
        title: "Loss against k".into(),
        description: "The loss of the best release grows from 21 % at k = 2 to 60 % at k = 25."
            .into(),
        x_axis: "k".into(),
        y_axis: "loss".into(),
        y_format: Format::Share,
        series: vec![
            series("full-domain", k.iter().copied().zip(loss).collect()),
            series(
                "local recoding",
                k.iter().copied().zip(loss.map(|l| l * 0.62)).collect(),
            ),
            Series {
                name: "this release".into(),
                mark: Mark::Dots,
                points: vec![(5.0, 0.382)],
                labels: vec!["k 5".into()],
                links: Vec::new(),
            },
        ],
        ..Lines::default()
    })
}

fn grid() -> Chart {
    let wards = [
        "cardiology",
        "surgery",
        "maternity",
        "neurology",
        "pediatrics",
    ];
    Chart::Grid(Grid {
        title: "Suppressed records by ward and month".into(),
        x_axis: "month".into(),
        columns: (1..=12).map(|month| month.to_string()).collect(),
        rows: wards.iter().map(ToString::to_string).collect(),
        values: (0..5_u32)
            .map(|r| {
                (0..12)
                    .map(|c| f64::from((r * 5 + c * 3) % 7 % 4))
                    .collect()
            })
            .collect(),
        format: Format::Count,
        ..Grid::default()
    })
}

fn sizes(sizes: &[(u64, u64)]) -> Vec<ClassSize> {
    sizes
        .iter()
        .map(|&(size, classes)| ClassSize {
            size,
            classes,
            records: size * classes,
        })
        .collect()
}

fn fact(name: &str, value: &str, note: &str) -> Fact {
    Fact {
        name: name.into(),
        value: value.into(),
        note: note.into(),
    }
}

fn claim(
    promise: &str,
    attribute: Option<&str>,
    asked: &str,
    measured: &str,
    recheckable: bool,
) -> Claim {
    Claim {
        promise: promise.into(),
        attribute: attribute.map(Into::into),
        asked: asked.into(),
        measured: measured.into(),
        holds: Some(true),
        recheckable,
        explanation: String::new(),
    }
}

fn headline(name: &str, explanation: &str, before: f64, after: f64) -> Headline {
    Headline {
        name: name.into(),
        explanation: explanation.into(),
        before: Some(before),
        after: Some(after),
    }
}

fn loss(attribute: &str, loss: f64, how: &str) -> Loss {
    Loss {
        attribute: attribute.into(),
        loss,
        how: how.into(),
    }
}

fn count(label: &str, count: u64) -> Count {
    Count {
        label: Some(label.into()),
        span: label.parse().ok().map(|number: f64| (number, number)),
        count,
    }
}
