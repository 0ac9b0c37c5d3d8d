//! Every kind of data goes the one way without the binary: policy, run, release, verification; and no option is ignored.

use std::path::Path;

use denym::{Error, Outcome, Release, RunOptions, Silent, Verdict, anonymize, read_policy, verify};

/// A directory with these files and the policy `policy.toml`.
fn room(policy: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text) in files.iter().chain(&[("policy.toml", policy)]) {
        std::fs::write(directory.path().join(name), text).expect("a file");
    }
    directory
}

fn run(at: &Path, options: &RunOptions) -> Result<Outcome, Error> {
    let policy = read_policy(&at.join("policy.toml"))?;
    anonymize(&policy, &at.join("bundle"), options, &Silent)
}

fn released(at: &Path) -> Release {
    match run(at, &RunOptions::default()) {
        Ok(Outcome::Released(release)) => *release,
        Ok(Outcome::Refused(account)) => panic!("refused: {:?}", account.refusal),
        Err(error) => panic!("{error}"),
    }
}

/// Runs the policy, verifies the bundle, and sees that nothing else was written.
fn goes_all_the_way(
    policy: &str,
    files: &[(&str, &str)],
    wanted: Verdict,
) -> (Release, tempfile::TempDir) {
    let directory = room(policy, files);
    let release = released(directory.path());
    let (bundle, certificate) = (release.bundle(), release.certificate());
    assert!(!certificate.claims.is_empty());
    assert!(certificate.claims.iter().all(|c| c.holds == Some(true)));
    assert!(!certificate.attacks.is_empty(), "every kind is attacked");
    assert_eq!(release.account().claims, certificate.claims);
    let steward = [
        "report.html",
        "plan.json",
        "attacks.json",
        "source.json",
        "policy.toml",
    ];
    for file in steward {
        assert!(bundle.join("steward").join(file).is_file(), "{file}");
    }
    let found = verify(bundle, None).expect("a bundle that can be judged");
    assert_eq!(found.verdict(), Some(wanted));
    let found = found.release().expect("a release");
    assert!(found.data_intact && found.problems.is_empty());
    (release, directory)
}

const PEOPLE: &str =
    "zip,age,disease\n1,20,flu\n1,21,hiv\n1,22,flu\n2,40,hiv\n2,41,flu\n2,42,hiv\n";
const TABLE: &str = "[data]\npath = \"people.csv\"\n[attributes]\nzip = \"quasi\"\n\
    age = { role = \"quasi\", hierarchy = { interval = [10, 20] } }\ndisease = \"sensitive\"\n\
    [promise]\nk-anonymity = 3\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\n";

#[test]
fn a_table_is_released_and_verified() {
    let (release, _directory) =
        goes_all_the_way(TABLE, &[("people.csv", PEOPLE)], Verdict::Verified);
    assert_eq!(release.account().suppressed_records, 0);
}

#[test]
fn numbers_are_released_and_verified() {
    let policy = "[data]\npath = \"people.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n\
        [promise]\nk-anonymity = 3\n[release]\nalgorithm = \"mdav\"\n";
    let (release, _directory) =
        goes_all_the_way(policy, &[("people.csv", PEOPLE)], Verdict::InPart);
    assert_eq!(release.certificate().altered[0].method, "microaggregation");
}

const PATHS: &str =
    "path,status\na1>b2,On\na1>b2,Off\na1>b2,Off\nc1>b2,Off\nc1>b2,Off\nc1>d2,Off\n";
const ON_PATHS: &str = "[data]\nkind = \"paths\"\npath = \"paths.csv\"\n[attributes]\nstatus = \"sensitive\"\n\
    [adversary]\nknows = { doublets = 2 }\nmatching = \"covers\"\n[promise]\nk-anonymity = 2\n\
    confidence = { attribute = \"status\", values = [\"On\"], at-most = 0.5 }\n[release]\nalgorithm = \"global-suppression\"\n";

#[test]
fn paths_are_released_and_verified() {
    let (release, _directory) =
        goes_all_the_way(ON_PATHS, &[("paths.csv", PATHS)], Verdict::Verified);
    let certificate = release.certificate();
    assert!(certificate.paths.is_some() && certificate.data.records == 6);
}

const BASKETS: &str =
    "items\nbread;milk\nbread;milk\nbread;milk;caviar\nbeer;wine\nbeer;wine\nbeer\n";
const ON_BASKETS: &str = "[data]\nkind = \"transactions\"\npath = \"baskets.csv\"\n[adversary]\nknows = { items = 2 }\n\
    [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"item-suppression\"\n";

#[test]
fn transactions_are_released_and_verified() {
    let (release, _directory) =
        goes_all_the_way(ON_BASKETS, &[("baskets.csv", BASKETS)], Verdict::Verified);
    let data = std::fs::read_to_string(release.bundle().join("release/baskets.csv"));
    let data = data.expect("the released data");
    assert!(data.contains("bread") && !data.contains("caviar"), "{data}");
}

#[test]
fn a_claim_that_says_nothing_fails_on_paths_and_on_transactions_alike() {
    let kinds = [
        (ON_PATHS, "paths.csv", PATHS),
        (ON_BASKETS, "baskets.csv", BASKETS),
    ];
    for (policy, name, data) in kinds {
        let (release, _directory) = goes_all_the_way(policy, &[(name, data)], Verdict::Verified);
        let file = release.bundle().join("release/certificate.json");
        let text = std::fs::read_to_string(&file).expect("a certificate");
        assert!(text.contains("\"holds\": true"), "{text}");
        let silent = text.replacen("\"holds\": true", "\"holds\": null", 1);
        std::fs::write(&file, silent).expect("written");
        let found = verify(release.bundle(), None).expect("a bundle that can be judged");
        assert_eq!(found.verdict(), Some(Verdict::Failed), "{name}");
        let found = found.release().expect("a release");
        let problem = "the certificate itself does not say that it holds";
        assert_eq!(found.claims[0].problem, Some(problem), "{name}");
        assert_eq!(found.claims[0].holds, Some(false), "{name}");
    }
}

const TRAILS: &str = "id,institution\nx,a\nx,b\ny,a\ny,b\nz,a\nz,b\nz,c\n";
const ON_TRAILS: &str = "[data]\nkind = \"trails\"\nidentified = \"people.csv\"\nanonymous = \"people.csv\"\n\
    [promise]\nk-anonymity = 2\n";

#[test]
fn trails_are_released_and_rest_on_the_publishers_word() {
    let (release, _directory) =
        goes_all_the_way(ON_TRAILS, &[("people.csv", TRAILS)], Verdict::Attested);
    assert!(release.certificate().claims[0].measured >= 2.0);
}

#[test]
fn no_option_is_ignored_for_any_kind() {
    let kinds = [
        (TABLE, "people.csv", PEOPLE, "tables"),
        (ON_PATHS, "paths.csv", PATHS, "paths"),
        (ON_BASKETS, "baskets.csv", BASKETS, "transactions"),
        (ON_TRAILS, "people.csv", TRAILS, "trails"),
    ];
    let none = RunOptions::default;
    let options = |name: &str| match name {
        "--effort" => RunOptions {
            effort: Some(5),
            ..none()
        },
        "--time-budget" => RunOptions {
            until_told: true,
            ..none()
        },
        "--onto" => RunOptions {
            onto: Some("earlier".into()),
            ..none()
        },
        "--ledger" => RunOptions {
            ledger: Some("ledger".into()),
            ..none()
        },
        "--perturbation-seed" => RunOptions {
            perturbation_seed: Some(1),
            ..none()
        },
        "--mapping" => RunOptions {
            mapping: true,
            ..none()
        },
        _ => RunOptions {
            show_suppressed: true,
            ..none()
        },
    };
    for (policy, file, data, kind) in kinds {
        let directory = room(policy, &[(file, data)]);
        let idle: &[&str] = match kind {
            "tables" => &["--show-suppressed"],
            "trails" => &[
                "--effort",
                "--time-budget",
                "--onto",
                "--ledger",
                "--perturbation-seed",
                "--mapping",
                "--show-suppressed",
            ],
            _ => &[
                "--effort",
                "--time-budget",
                "--onto",
                "--ledger",
                "--perturbation-seed",
                "--mapping",
            ],
        };
        for flag in idle {
            let error = run(directory.path(), &options(flag)).expect_err("an idle option");
            assert_eq!(error.exit_code(), 2);
            let said = error.to_string();
            assert!(said.contains(flag) && said.contains(kind), "{said}");
            assert!(!directory.path().join("bundle").exists());
        }
    }
}

#[test]
fn what_the_gate_refuses_tells_its_attacks_for_every_kind() {
    let gate = "[attack]\nrefuse-above = 0.001\n";
    let kinds = [
        (TABLE, "people.csv", PEOPLE),
        (ON_PATHS, "paths.csv", PATHS),
        (ON_BASKETS, "baskets.csv", BASKETS),
    ];
    for (policy, file, data) in kinds {
        let directory = room(&format!("{policy}{gate}"), &[(file, data)]);
        let Ok(Outcome::Refused(account)) = run(directory.path(), &RunOptions::default()) else {
            panic!("the gate lets it through: {policy}");
        };
        assert!(account.attacks.iter().any(denym::AttackResult::exceeds));
        assert!(account.claims.iter().all(|claim| claim.holds == Some(true)));
        assert!(!directory.path().join("bundle").exists());
    }
}
