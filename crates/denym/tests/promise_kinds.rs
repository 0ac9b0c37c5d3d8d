//! The table of promises and kinds of data, cell by cell: released, verified, attacked, refused.

use std::fmt::Write as _;
use std::path::Path;

use denym::{
    Error, Outcome, RunOptions, Silent, StreamListener, StreamProgress, StreamRun, Verdict,
    anonymize, promise_kinds, read_policy, read_stream_policy, stream, verify,
};

/// What a policy asks in a cell: what these data can keep, and what they cannot whatever is hidden (where there is such a thing).
fn asked(promise: &str) -> (&'static str, &'static str) {
    match promise {
        "k-anonymity" => ("k-anonymity = 3", "k-anonymity = 1000"),
        "distinct-l-diversity" => (
            "l-diversity = { kind = \"distinct\", l = 2 }",
            "l-diversity = { kind = \"distinct\", l = 9 }",
        ),
        "entropy-l-diversity" => (
            "l-diversity = { kind = \"entropy\", l = 2 }",
            "l-diversity = { kind = \"entropy\", l = 9 }",
        ),
        "recursive-l-diversity" => (
            "l-diversity = { kind = \"recursive\", c = 3, l = 2 }",
            "l-diversity = { kind = \"recursive\", c = 0.01, l = 2 }",
        ),
        "positive-disclosure-recursive-l-diversity" => (
            "l-diversity = { kind = \"recursive\", c = 3, l = 2, allowed = [\"1\"] }",
            "l-diversity = { kind = \"recursive\", c = 0.01, l = 2, allowed = [\"1\"] }",
        ),
        "negative-disclosure-recursive-l-diversity" => (
            "l-diversity = { kind = \"recursive\", c = 3, l = 2, floor = [\"4\"], least = 0.01 }",
            "l-diversity = { kind = \"recursive\", c = 3, l = 2, floor = [\"4\"], least = 0.9 }",
        ),
        "t-closeness" => ("t-closeness = { t = 0.4 }", ""),
        "t-closeness-ordered" => ("t-closeness = { t = 0.4, distance = \"ordered\" }", ""),
        "t-closeness-hierarchical" => {
            ("t-closeness = { t = 0.4, distance = \"hierarchical\" }", "")
        }
        "confidence" => (
            "confidence = { attribute = \"salary\", at-most = 0.6 }",
            "confidence = { attribute = \"salary\", at-most = 0.1 }",
        ),
        "xy-anonymity" => (
            "xy-anonymity = { y = [\"salary\"], k = 2 }",
            "xy-anonymity = { y = [\"salary\"], k = 9 }",
        ),
        "xy-privacy" => (
            "xy-privacy = { values = [\"4\"], at-most = 0.6, k = 3 }",
            "xy-privacy = { values = [\"4\"], at-most = 0.01, k = 3 }",
        ),
        "alpha-k-anonymity" => (
            "alpha-k-anonymity = { alpha = 0.6, k = 3 }",
            "alpha-k-anonymity = { alpha = 0.1, k = 3 }",
        ),
        "k-e-anonymity" => (
            "k-e-anonymity = { k = 2, e = 2 }",
            "k-e-anonymity = { k = 2, e = 9 }",
        ),
        "epsilon-m-anonymity" => (
            "epsilon-m-anonymity = { epsilon = 0, m = 2 }",
            "epsilon-m-anonymity = { epsilon = 9, m = 2 }",
        ),
        "basic-beta-likeness" => ("beta-likeness = { beta = 2, kind = \"basic\" }", ""),
        "enhanced-beta-likeness" => ("beta-likeness = { beta = 2 }", ""),
        "delta-disclosure" => ("delta-disclosure = { delta = 3 }", ""),
        "k-map" => (
            "k-map = { population = \"register.csv\", k = 2 }",
            "k-map = { population = \"register.csv\", k = 1000 }",
        ),
        "delta-presence" => (
            "delta-presence = { population = \"register.csv\", least = 0, most = 1 }",
            "",
        ),
        "personalized-privacy" => (
            "personalized-privacy = { attribute = \"salary\", guards = \"guard\", at-most = 0.9 }",
            "",
        ),
        other => panic!("`{other}` is in no cell: say here what it asks"),
    }
}

/// Eighty people: where they live, what they earn (1 to 4), where they were, what they have.
fn write_data(at: &Path) {
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut table = String::from("zip,age,salary,guard\n");
    let mut paths = String::from("path,salary\n");
    let mut baskets = String::from("items,salary\n");
    let mut register = String::from("zip,age\n");
    let mut events = String::new();
    for person in 0..80 {
        let salary = 1 + (person + draw(2)) % 4;
        let (zip, age) = (1 + draw(3), 20 + draw(4));
        let _ = writeln!(table, "{zip},{age},{salary},low");
        let _ = write!(register, "{zip},{age}\n{zip},{age}\n");
        let places: Vec<char> = (0..3)
            .map(|_| [b'a', b'b', b'c'][draw(3) as usize] as char)
            .collect();
        let _ = writeln!(
            paths,
            "{}1>{}2>{}3,{salary}",
            places[0], places[1], places[2]
        );
        let items: Vec<&str> = ["milk", "bread", "wine", "tea"]
            .into_iter()
            .filter(|_| draw(2) == 0)
            .collect();
        let _ = writeln!(baskets, "{},{salary}", items.join(";"));
        for (place, time) in places.iter().zip(1..) {
            let _ = writeln!(
                events,
                "{time},{{\"subject\":\"{person}\",\"location\":\"{place}\",\"time\":{time},\"salary\":\"{salary}\"}}"
            );
        }
    }
    let mut lines: Vec<&str> = events.lines().collect();
    lines.sort_unstable();
    let events: String = lines
        .iter()
        .map(|line| format!("{}\n", &line[2..]))
        .collect();
    let files = [
        ("table.csv", table.as_str()),
        ("paths.csv", &paths),
        ("baskets.csv", &baskets),
        ("register.csv", &register),
        ("events.ndjson", &events),
        (
            "salaries.csv",
            "1,low,any\n2,low,any\n3,high,any\n4,high,any\n",
        ),
        ("places.csv", "a,north,any\nb,north,any\nc,south,any\n"),
        (
            "products.csv",
            "milk,drink,any\nbread,food,any\nwine,drink,any\ntea,drink,any\n",
        ),
        (
            "trails.csv",
            "id,institution\nx,a\nx,b\ny,a\ny,b\nz,a\nz,b\nz,c\nu,a\nu,b\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(at.join(name), text).expect("a file");
    }
}

/// A policy of a cell; `taxonomy` where the promise looks at one.
fn policy(data: &str, knows: &str, promise: &str, solver: &str) -> String {
    let salary = if promise.contains("hierarchical") || promise.contains("personalized") {
        "{ role = \"sensitive\", taxonomy = \"salaries.csv\" }"
    } else {
        "\"sensitive\""
    };
    let knows = knows.replace("= m", "= 2").replace("= L", "= 2");
    let (data, attributes, adversary, release) = match data {
        "table" => (
            "path = \"table.csv\"".to_owned(),
            format!(
                "zip = \"quasi\"\nage = {{ role = \"quasi\", hierarchy = {{ interval = [2, 4] }} }}\nsalary = {salary}\n"
            ),
            if knows.starts_with('{') {
                format!("knows = {knows}")
            } else {
                format!("knows = \"{knows}\"")
            },
            format!("algorithm = \"{solver}\"\n"),
        ),
        "paths" => (
            "kind = \"paths\"\npath = \"paths.csv\"".to_owned(),
            format!("salary = {salary}\n"),
            format!("knows = {knows}\nmatching = \"covers\""),
            format!(
                "algorithm = \"{solver}\"\n{}",
                if solver == "coarsening" {
                    "places = \"places.csv\"\n"
                } else {
                    ""
                }
            ),
        ),
        "transactions" => (
            "kind = \"transactions\"\npath = \"baskets.csv\"".to_owned(),
            format!("salary = {salary}\n"),
            format!("knows = {knows}"),
            format!(
                "algorithm = \"{solver}\"\n{}",
                if solver == "item-generalization" {
                    "taxonomy = \"products.csv\"\n"
                } else {
                    ""
                }
            ),
        ),
        "stream" => (
            "kind = \"stream\"\npath = \"events.ndjson\"".to_owned(),
            "salary = { role = \"sensitive\", distribution = { 1 = 1, 2 = 1, 3 = 1, 4 = 1 } }\n"
                .to_owned(),
            format!("knows = {knows}"),
            String::new(),
        ),
        _ => (
            "kind = \"trails\"\nidentified = \"trails.csv\"\nanonymous = \"trails.csv\"".to_owned(),
            String::new(),
            String::new(),
            String::new(),
        ),
    };
    let section = |name: &str, text: &str| match text {
        "" => String::new(),
        text => format!("[{name}]\n{text}\n"),
    };
    // Windows of a stream always promise a size.
    let size = if data.contains("stream") && !promise.starts_with("k-anonymity") {
        "k-anonymity = 2\n"
    } else {
        ""
    };
    let window = if data.contains("stream") {
        "[window]\nsize = 3\n"
    } else {
        ""
    };
    format!(
        "[data]\n{data}\n{}{}{window}[promise]\n{size}{promise}\n{}",
        section("attributes", &attributes),
        section("adversary", &adversary),
        section("release", &release),
    )
}

struct Quiet;

impl StreamListener for Quiet {
    fn progress(&self, _: &StreamProgress) {}
    fn keep_going(&self) -> bool {
        true
    }
}

/// What a cell came to: released (and verified, and attacked), or why not.
fn run(at: &Path, data: &str, text: &str) -> Result<(), String> {
    let file = at.join("policy.toml");
    std::fs::write(&file, text).expect("a policy");
    let bundle = at.join("bundle");
    let _ = std::fs::remove_dir_all(&bundle);
    let words = |error: Error| {
        let mistakes = match &error {
            Error::Policy { mistakes, .. } => mistakes
                .iter()
                .map(|m| format!("{} ({})", m.message, m.help))
                .collect(),
            _ => Vec::<String>::new(),
        };
        format!("{error}: {} {}", error.help(), mistakes.join("; "))
    };
    if data == "stream" {
        let policy = read_stream_policy(&file).map_err(words)?;
        let summary = stream(&policy, &bundle, &StreamRun::default(), &Quiet).map_err(words)?;
        let found = verify(&bundle, None).map_err(words)?;
        let found = found.windows().expect("windows");
        assert_eq!(found.broken, None, "{text}");
        let claims = found.claims.as_ref().expect("claims");
        let promised = text.lines().skip_while(|line| *line != "[promise]").skip(1);
        let beside_size = promised
            .filter(|line| !line.starts_with("k-anonymity"))
            .count();
        assert_eq!(
            claims.promises.len() + claims.confidence.len(),
            beside_size,
            "{text}"
        );
        return if summary.counts.published > 0 {
            assert_eq!(found.holds(), Some(true), "{text}");
            Ok(())
        } else {
            Err("every window is withheld".to_owned())
        };
    }
    let policy = read_policy(&file).map_err(words)?;
    match anonymize(&policy, &bundle, &RunOptions::default(), &Silent).map_err(words)? {
        Outcome::Released(release) => {
            let certificate = release.certificate();
            assert!(
                certificate
                    .claims
                    .iter()
                    .all(|claim| claim.holds == Some(true)),
                "{text}"
            );
            assert!(
                !certificate.attacks.is_empty(),
                "the red team stayed away: {text}"
            );
            let found = verify(release.bundle(), None).expect("a bundle that can be judged");
            assert_ne!(found.verdict(), Some(Verdict::Failed), "{text}");
            let found = found.release().expect("a release");
            assert!(found.data_intact && found.problems.is_empty(), "{text}");
            Ok(())
        }
        Outcome::Refused(account) => Err(format!("refused: {:?}", account.refusal)),
    }
}

#[test]
fn every_cell_is_released_verified_attacked_and_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write_data(at);
    let mut wrong = Vec::new();
    let (mut released, mut refused) = (0, 0);
    for (promise, cells) in promise_kinds() {
        let (kept, broken) = asked(promise.name);
        for cell in &cells {
            let (data, knows) = (cell.knowledge.data, cell.knowledge.knows);
            let name = format!("{} on {data} {knows}", promise.name);
            let own = |text: &str| {
                if data == "trails" {
                    text.replace("= 3", "= 2")
                } else {
                    text.to_owned()
                }
            };
            for solver in &cell.solvers {
                match run(at, data, &policy(data, knows, &own(kept), solver)) {
                    Ok(()) => released += 1,
                    Err(why) => wrong.push(format!("{name} by {solver}: {why}")),
                }
            }
            if let (false, Some(solver)) = (broken.is_empty(), cell.solvers.first()) {
                match run(at, data, &policy(data, knows, broken, solver)) {
                    Ok(()) => {
                        wrong.push(format!("{name} by {solver}: released what cannot be kept"));
                    }
                    Err(_) => refused += 1,
                }
            }
            for solver in &cell.others {
                // Whoever is refused is told who can; where nothing can, what else can be promised.
                let able = match cell.lacks {
                    Some(_) => "k-anonymity",
                    None => cell.solvers[0],
                };
                match run(at, data, &policy(data, knows, &own(kept), solver)) {
                    Ok(()) => wrong.push(format!(
                        "{name} by {solver}: released, though the table says no"
                    )),
                    Err(why) if !why.contains(able) && !why.contains("distance = \"equal\"") => {
                        wrong.push(format!(
                            "{name} by {solver}: refused without `{able}`: {why}"
                        ));
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        released + refused,
        wrong.join("\n")
    );
    assert!(released > 300 && refused > 60, "{released} {refused}");
}
