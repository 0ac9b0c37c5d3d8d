//! The reports: what the steward files, what may be handed out, and in which language.

use std::path::Path;

use denym::ReadOptions;

use crate::support;

use support::{empty, json, run, write};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}

/// The examples, each in a directory of its own with the cells of its source.
fn examples() -> Vec<(tempfile::TempDir, &'static str)> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let names = [
        ("hospital", "patients.csv"),
        ("baskets", "baskets.csv"),
        ("trails", "samples.csv"),
    ];
    let copied = names.map(|(name, source)| {
        let directory = empty();
        for (file, bytes) in support::files(&examples.join(name)) {
            write(directory.path(), file.to_str().expect("a name"), bytes);
        }
        (directory, source)
    });
    copied.into_iter().collect()
}

fn cells(path: &Path) -> std::collections::BTreeSet<String> {
    let table = denym::table(path, &ReadOptions::default()).expect("readable");
    let columns = table.columns().iter();
    columns
        .flat_map(|column| column.dictionary.values().map(str::to_owned))
        .collect()
}

#[test]
fn the_external_report_shows_no_cell_that_the_release_does_not() {
    let mut looked_for = 0;
    for (directory, source) in examples() {
        let (code, document) = json(directory.path(), &["anonymize", "policy.toml", "-o", "out"]);
        assert_eq!(code, 0, "{document}");
        let page = text(&directory.path().join("out/steward/report-external.html"));
        let words: std::collections::BTreeSet<&str> = page
            .split(|c: char| !c.is_alphanumeric() && c != '-' && c != ' ')
            .map(str::trim)
            .collect();
        let public = cells(&directory.path().join("out/release").join(source));
        let secret = cells(&directory.path().join(source));
        // A day that ends a published quarter follows from its label.
        let derived = |cell: &str| {
            page.contains(&format!("from {cell} to")) || page.contains(&format!("to {cell},"))
        };
        let hidden = secret.difference(&public).filter(|cell| cell.len() > 3);
        for cell in hidden.filter(|cell| !derived(cell)) {
            assert!(
                !words.contains(cell.as_str()),
                "{source}: a cell that is not published"
            );
            looked_for += 1;
        }
        let sources = text(&directory.path().join("out/steward/source.json"));
        let sources: serde_json::Value = serde_json::from_str(&sources).expect("JSON");
        let fingerprint = sources[0]["sha256"].as_str().expect("a fingerprint");
        assert!(!page.contains(fingerprint));
        let inside = text(&directory.path().join("out/steward/report.html"));
        assert!(inside.contains(fingerprint) && inside.contains("Name, date, signature"));
    }
    assert!(looked_for > 1000, "{looked_for}");
}

#[test]
fn the_stewards_report_has_what_a_statistics_office_looks_for() {
    let (directory, _) = examples().swap_remove(0);
    let (code, _) = json(
        directory.path(),
        &[
            "anonymize",
            "policy.toml",
            "-o",
            "out",
            "--date",
            "2026-11-18",
            "--prepared-by",
            "Data office",
        ],
    );
    assert_eq!(code, 0);
    let page = text(&directory.path().join("out/steward/report.html"));
    // The mean and the median of the ages, before and after: by hand from the files.
    let ages = |path: &str, middle: &dyn Fn(&str) -> f64| -> Vec<f64> {
        let table = denym::table(&directory.path().join(path), &ReadOptions::default());
        let table = table.expect("readable");
        let column = table.column("age").expect("ages");
        let mut ages: Vec<f64> = (0..table.records())
            .filter_map(|row| column.text(row).map(middle))
            .collect();
        ages.sort_by(f64::total_cmp);
        ages
    };
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let before = ages("patients.csv", &number);
    let after = ages("out/release/patients.csv", &|label| {
        let (from, to) = label.split_once('-').expect("a range");
        f64::midpoint(number(from), number(to))
    });
    let mean = |ages: &[f64]| ages.iter().sum::<f64>() / ages.len() as f64;
    for (was, is) in [
        (mean(&before), mean(&after)),
        (
            before[before.len().div_ceil(2) - 1],
            after[after.len().div_ceil(2) - 1],
        ),
    ] {
        let (was, is) = (denym::number(was), denym::number(is));
        let shown = |text: &str| {
            // Four digits, as the page has them.
            let value: f64 = text.parse().expect("a number");
            let text = format!("{value:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        };
        let cell = format!("<span class=\"was\">{}</span> {}", shown(&was), shown(&is));
        assert!(page.contains(&cell), "{cell}");
    }
    for words in [
        "Correlations",
        "Some records, before and after",
        "2026-11-18",
        "Data office",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // Only what applies stands in the table of attacks, and no bare float anywhere.
    let (attacks, _) = page
        .split_once("Attacks that do not apply here")
        .expect("a fold");
    assert!(!attacks.contains("Not run"));
    assert!(!page.contains("e-5"));
}

#[test]
fn a_report_is_in_the_language_that_the_caller_or_the_policy_asks_for() {
    let directory = support::patients();
    let german = |output: &str| {
        let readme = text(&directory.path().join(output).join("release/README.md"));
        let page = text(&directory.path().join(output).join("steward/report.html"));
        let outside = text(
            &directory
                .path()
                .join(output)
                .join("steward/report-external.html"),
        );
        let codebook = text(&directory.path().join(output).join("release/codebook.json"));
        [
            readme.contains("# Was zugesagt ist"),
            page.contains("<html lang=\"de\">"),
            outside.contains("Was die Spalten und Bezeichnungen bedeuten"),
            codebook.contains("beide eingeschlossen"),
        ]
    };
    let with = |args: &[&str]| {
        let mut all = vec!["anonymize", "policy.toml"];
        all.extend(args);
        run(directory.path(), &all).status.code()
    };
    assert_eq!(with(&["-o", "plain"]), Some(0));
    assert_eq!(german("plain"), [false; 4]);
    assert_eq!(with(&["-o", "asked", "--language", "de"]), Some(0));
    assert_eq!(german("asked"), [true; 4]);
    let policy = format!(
        "{}\n[report]\nlanguage = \"de\"\nprepared-by = \"Amt\"\n",
        support::POLICY
    );
    write(directory.path(), "policy.toml", policy);
    assert_eq!(with(&["-o", "told"]), Some(0));
    assert_eq!(german("told"), [true; 4]);
    assert!(text(&directory.path().join("told/steward/report.html")).contains("<dd>Amt</dd>"));
    assert_eq!(with(&["-o", "over", "--language", "en"]), Some(0));
    assert_eq!(german("over"), [false; 4]);
    assert_eq!(with(&["-o", "none", "--language", "xx"]), Some(2));
    assert!(!directory.path().join("none").exists());
}

#[test]
fn a_mixed_release_says_what_was_done() {
    let directory = support::patients();
    let policy = support::POLICY.replace("full-domain", "mondrian");
    write(directory.path(), "policy.toml", policy);
    assert_eq!(
        run(directory.path(), &["anonymize", "policy.toml", "-o", "out"])
            .status
            .code(),
        Some(0)
    );
    let page = text(&directory.path().join("out/steward/report.html"));
    let done = page.split("What was done").nth(1).expect("a table");
    let rows = done.split("</table>").next().expect("rows");
    assert!(
        !rows.contains("<td></td>") && !rows.contains("(empty)"),
        "{rows}"
    );
    assert!(
        rows.contains("as it is") || rows.contains("of the records"),
        "{rows}"
    );
}
