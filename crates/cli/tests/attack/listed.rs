//! Nothing is listed that cannot be run: every attack of `denym attack list` has a rate in some answer of the command.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::{empty, json, riders, run, write};

/// The entries of a list; none where there is no list.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The names of the attacks that an answer has a rate of.
fn tried(at: &Path, args: &[&str]) -> BTreeSet<String> {
    let (code, found) = json(at, args);
    assert_eq!(code, 0, "{args:?}: {found}");
    let plain = list(&found["attacks"]).iter();
    let plain = plain.filter(|one| one["rate"].is_number());
    let compared = list(&found["controlled"]).iter();
    let compared = compared.filter(|one| one["members"]["rate"].is_number());
    let name = |one: &Value| one["attack"].as_str().expect("a name").to_owned();
    plain.chain(compared).map(name).collect()
}

fn example(at: &Path, name: &str, files: &[&str]) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in files {
        let bytes = std::fs::read(from.join(name).join(file)).expect("the example");
        write(at, file, bytes);
    }
}

#[test]
fn every_listed_attack_has_a_rate_somewhere() {
    let directory = empty();
    let at = directory.path();
    let mut ran = BTreeSet::new();

    // Tables: a bundle, people of a register, people who are not in the data, the search on other originals.
    let hospital = |seed: &str| {
        let args = ["generate", "hospital", "--seed", seed, "--rows", "300"];
        run(at, &args).stdout
    };
    write(at, "members.csv", hospital("5"));
    write(at, "heldout.csv", hospital("6"));
    let people = [
        "attack",
        "table",
        "members.csv",
        "--external",
        "members.csv",
    ];
    let known = ["--sensitive", "diagnosis", "--link", "zip,age,sex"];
    let drawn = ["--control", "heldout.csv", "--attempts", "100"];
    ran.extend(tried(at, &[&people[..], &known, &drawn].concat()));
    write(
        at,
        "jobs.csv",
        "job,disease,pay\nEngineer,HIV,1\nLawyer,Flu,2\nEngineer,HIV,3\nLawyer,Flu,4\nLawyer,Flu,5\nLawyer,Flu,6\nLawyer,Flu,7\n",
    );
    write(
        at,
        "job.csv",
        "Engineer,Professional\nLawyer,Professional\n",
    );
    let jobs = "[data]\npath = \"jobs.csv\"\n[attributes]\njob = { role = \"quasi\", hierarchy = \"job.csv\" }\ndisease = \"sensitive\"\npay = \"sensitive\"\n\
                [promise]\nconfidence = { attribute = \"disease\", values = [\"HIV\"], at-most = 0.6 }\n[release]\nalgorithm = \"full-domain\"\n";
    write(
        at,
        "jobs.toml",
        jobs.replace("pay = \"sensitive\"", "pay = \"insensitive\""),
    );
    ran.extend(tried(at, &["attack", "minimality", "jobs.toml"]));
    write(at, "jobs.toml", jobs);
    assert_eq!(json(at, &["anonymize", "jobs.toml", "-o", "jobs"]).0, 0);
    ran.extend(tried(at, &["attack", "jobs"]));
    write(at, "pay.csv", "pay\n1\n2\n3\n40\n50\n60\n");
    write(at, "mean.csv", "pay\n2\n2\n2\n50\n50\n50\n");
    ran.extend(tried(at, &["attack", "numbers", "pay.csv", "mean.csv"]));

    // Paths by hours of a day, one of which is suppressed.
    let mut trips = "subject,location,time,status\n".to_owned();
    for person in 0..24_u32 {
        for time in [2, 9, 14, 22] {
            let place = ["a", "b", "c"][((person / 6 + time * (person % 3)) % 3) as usize];
            trips += &format!("p{person},{place},{time},well\n");
        }
    }
    write(at, "trips.csv", trips + "p99,a,2,ill\np99,z,9,ill\n");
    let paths = |l: u64, k: u64| {
        format!(
            "[data]\npath = \"trips.csv\"\nkind = \"paths\"\n[attributes]\nstatus = \"sensitive\"\n[adversary]\nknows = {{ doublets = {l} }}\n[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"global-suppression\"\n"
        )
    };
    write(at, "trips.toml", paths(1, 2));
    assert_eq!(json(at, &["anonymize", "trips.toml", "-o", "trips"]).0, 0);
    ran.extend(tried(at, &["attack", "trips", "--policy", "trips.toml"]));
    write(
        at,
        "trips.csv",
        "path,status\na1>b2,well\na1>b2>c3,well\na1,well\na1,well\na1,ill\n",
    );
    ran.extend(tried(
        at,
        &["attack", "minimality", "trips.toml", "--confidence", "0.4"],
    ));

    example(at, "baskets", &["baskets.csv", "groups.csv", "policy.toml"]);
    assert_eq!(
        json(at, &["anonymize", "policy.toml", "-o", "baskets"]).0,
        0
    );
    ran.extend(tried(at, &["attack", "baskets", "--policy", "policy.toml"]));

    example(at, "trails", &["samples.csv", "discharges.csv"]);
    let sides = [
        "--identified",
        "discharges.csv",
        "--anonymous",
        "samples.csv",
    ];
    let more = ["--find-multiple", "--posterior", "--missing-rate", "0.1"];
    ran.extend(tried(
        at,
        &[&["attack", "trails"], &sides[..], &more].concat(),
    ));

    write(at, "events.csv", riders::events(200, 8));
    write(at, "stream.toml", riders::policy("path = \"events.csv\""));
    assert_eq!(json(at, &["stream", "stream.toml", "-o", "windows"]).0, 0);
    ran.extend(tried(at, &["attack", "windows"]));

    // Several releases, and answers.
    write(at, "t1.csv", "age,job\n30,Banker\n30,Banker\n40,Clerk\n");
    write(
        at,
        "t2.csv",
        "job,birthplace,disease\nBanker,US,Cancer\nBanker,US,Cancer\nClerk,France,HIV\n",
    );
    ran.extend(tried(
        at,
        &[
            "attack",
            "releases",
            "t1.csv",
            "t2.csv",
            "--sensitive",
            "disease",
        ],
    ));
    let first = "job,sex,disease\nProfessional,Female,Cancer\nProfessional,Female,Diabetes\nArtist,Male,Fever\nArtist,Male,Cancer\n";
    write(at, "a.csv", first);
    write(at, "b.csv", first.to_owned() + "Professional,Female,HIV\n");
    write(at, "c.csv", first.replace("Diabetes", "Fever"));
    write(
        at,
        "people.csv",
        "name,job,sex\nBeth,Professional,Female\nCarl,Artist,Male\n",
    );
    ran.extend(tried(
        at,
        &[
            "attack",
            "releases",
            "a.csv",
            "b.csv",
            "--sensitive",
            "disease",
        ],
    ));
    let both = [
        "attack",
        "releases",
        "a.csv",
        "c.csv",
        "--sensitive",
        "disease",
    ];
    ran.extend(tried(
        at,
        &[&both[..], &["--external", "people.csv", "--id", "name"]].concat(),
    ));
    write(at, "before.csv", "town,score\na,92\nb,91\na,97\n");
    write(at, "after.csv", "town,score\na,92\nb,91\na,97\nc,99\n");
    let asked = ["attack", "queries", "after.csv", "--before", "before.csv"];
    ran.extend(tried(
        at,
        &[&asked[..], &["--known", "town", "--number", "score"]].concat(),
    ));

    let (_, listed) = json(at, &["attack", "list"]);
    let names = list(&listed["attacks"]).iter();
    let never: Vec<&Value> = names
        .map(|entry| &entry["name"])
        .filter(|name| !ran.contains(name.as_str().expect("a name")))
        .collect();
    assert!(never.is_empty(), "listed and not run: {never:?}");
}
