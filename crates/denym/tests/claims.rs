//! Every claim about people, judged again by code of its own on thousands of small random tables.
//!
//! A column that is published as it is numbers the rows of the source, so that the oracle knows whose each published record is. It groups the
//! published texts by every set of columns that the adversary may know and counts real people.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use denym::{Outcome, RunOptions, Silent, anonymize, read_policy};
use denym_data::SplitMix64;

/// A small table: for each row its person, quasi-identifiers and sensitive value.
struct Source {
    rows: Vec<(usize, Vec<usize>, usize)>,
    columns: usize,
}

const VALUES: [&str; 3] = ["flu", "hiv", "ok"];

fn source(random: &mut SplitMix64) -> Source {
    let people = 2 + random.below(6) as usize;
    let columns = 1 + random.below(3) as usize;
    let records = people + random.below(6) as usize;
    let width = 1 + random.below(3);
    let rows = (0..records).map(|row| {
        // Everybody has a record; some have several, in the same class or in others.
        let person = if row < people {
            row
        } else {
            random.below(people as u64) as usize
        };
        let quasi = (0..columns).map(|_| random.below(width) as usize);
        (person, quasi.collect(), random.below(3) as usize)
    });
    Source {
        rows: rows.collect(),
        columns,
    }
}

/// A promise as the policy writes it and as the oracle judges it.
#[derive(Clone)]
enum Promise {
    K(usize),
    Distinct(usize),
    Confidence(usize, u64),
    AlphaK(u64, usize),
    Entropy(u64),
    Closeness(u64),
    Beta(u64),
}

struct Asked {
    promise: Promise,
    /// The columns that its adversary knows.
    scope: Option<Vec<usize>>,
}

fn asked(random: &mut SplitMix64, columns: usize) -> Vec<Asked> {
    (0..=random.below(2))
        .map(|_| {
            let promise = match random.below(7) {
                0 => Promise::K(2 + random.below(3) as usize),
                1 => Promise::Distinct(2),
                2 => Promise::Confidence(random.below(3) as usize, 30 + 10 * random.below(5)),
                3 => Promise::AlphaK(50 + 10 * random.below(5), 2),
                4 => Promise::Entropy(10 + random.below(10)),
                5 => Promise::Closeness(10 + 10 * random.below(5)),
                _ => Promise::Beta(5 + 5 * random.below(4)),
            };
            let some: Vec<usize> = (0..columns).filter(|_| random.below(2) == 0).collect();
            let scope = (random.below(3) == 0 && !some.is_empty()).then_some(some);
            Asked { promise, scope }
        })
        .collect()
}

fn policy(
    source: &Source,
    asked: &[Asked],
    most: Option<usize>,
    algorithm: &str,
    suppress: u64,
) -> String {
    let mut text = String::from(
        "[data]\npath = \"people.csv\"\n[attributes]\nperson = \"subject\"\nrow = \"insensitive\"\nillness = \"sensitive\"\n",
    );
    for column in 0..source.columns {
        let _ = writeln!(text, "q{column} = {{ role = \"quasi\", type = \"text\" }}");
    }
    if let Some(most) = most {
        let _ = writeln!(text, "[adversary]\nknows = {{ at-most = {most} }}");
    }
    text += "[promise]\n";
    let mut by_name: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for asked in asked {
        let (name, body) = match asked.promise {
            Promise::K(k) => ("k-anonymity", format!("k = {k}")),
            Promise::Distinct(l) => ("l-diversity", format!("kind = \"distinct\", l = {l}")),
            Promise::Entropy(tenths) => (
                "l-diversity",
                format!("kind = \"entropy\", l = {}.{}", tenths / 10, tenths % 10),
            ),
            Promise::Confidence(value, percent) => (
                "confidence",
                format!("values = [\"{}\"], at-most = 0.{percent}", VALUES[value]),
            ),
            Promise::AlphaK(percent, k) => {
                ("alpha-k-anonymity", format!("alpha = 0.{percent}, k = {k}"))
            }
            Promise::Closeness(percent) => (
                "t-closeness",
                format!("t = 0.{percent}, distance = \"equal\""),
            ),
            Promise::Beta(tenths) => (
                "beta-likeness",
                format!("beta = {}.{}, kind = \"basic\"", tenths / 10, tenths % 10),
            ),
        };
        let scope = asked.scope.as_ref().map_or_else(String::new, |scope| {
            let names: Vec<String> = scope.iter().map(|c| format!("\"q{c}\"")).collect();
            format!(", quasi = [{}]", names.join(", "))
        });
        by_name
            .entry(name)
            .or_default()
            .push(format!("{{ {body}{scope} }}"));
    }
    for (name, bodies) in by_name {
        let _ = writeln!(text, "{name} = [{}]", bodies.join(", "));
    }
    let _ = writeln!(
        text,
        "[release]\nalgorithm = \"{algorithm}\"\nsuppress-at-most = 0.{suppress:02}"
    );
    text
}

/// A published record: what it shows, and the source row it is.
type Record = (Vec<String>, usize);

/// People and, for each value, the people who show it.
fn count(source: &Source, rows: &[usize]) -> (usize, [usize; 3]) {
    let mut people = BTreeSet::new();
    let mut shown = BTreeSet::new();
    for &row in rows {
        let (person, _, value) = &source.rows[row];
        people.insert(*person);
        shown.insert((*value, *person));
    }
    let of = |value| shown.iter().filter(|(v, _)| *v == value).count();
    (people.len(), [of(0), of(1), of(2)])
}

fn admits(source: &Source, promise: &Promise, rows: &[usize]) -> bool {
    let every: Vec<usize> = (0..source.rows.len()).collect();
    let (_, overall) = count(source, &every);
    let (people, values) = count(source, rows);
    let share = |counts: &[usize; 3], value: usize| {
        counts[value] as f64 / counts.iter().sum::<usize>() as f64
    };
    let hair = 1e-9;
    match *promise {
        Promise::K(k) => people >= k,
        Promise::Distinct(l) => values.iter().filter(|&&count| count > 0).count() >= l,
        Promise::Confidence(value, percent) => {
            values[value] as u64 * 100 <= percent * people as u64
        }
        Promise::AlphaK(percent, k) => {
            people >= k
                && values
                    .iter()
                    .all(|&v| v as u64 * 100 <= percent * people as u64)
        }
        Promise::Entropy(tenths) => {
            let entropy: f64 = (0..3)
                .map(|v| share(&values, v))
                .filter(|&p| p > 0.0)
                .map(|p| -p * p.ln())
                .sum();
            entropy >= (tenths as f64 / 10.0).ln() - hair
        }
        Promise::Closeness(percent) => {
            let distance: f64 = (0..3)
                .map(|v| (share(&values, v) - share(&overall, v)).abs())
                .sum::<f64>()
                / 2.0;
            distance <= percent as f64 / 100.0 + hair
        }
        Promise::Beta(tenths) => (0..3).filter(|&v| overall[v] > 0).all(|v| {
            let (p, q) = (share(&overall, v), share(&values, v));
            q <= p || (q - p) / p <= tenths as f64 / 10.0 + hair
        }),
    }
}

/// The sets of columns that an adversary may know of `scope`.
fn known(scope: &[usize], most: Option<usize>) -> Vec<Vec<usize>> {
    let sets = (0_usize..1 << scope.len()).map(|bits| -> Vec<usize> {
        let chosen = (0..scope.len()).filter(|at| bits >> at & 1 == 1);
        chosen.map(|at| scope[at]).collect()
    });
    match most {
        Some(most) if most < scope.len() => sets.filter(|set| set.len() <= most).collect(),
        _ => vec![scope.to_vec()],
    }
}

/// The first promise that fails on what is published, if any.
fn broken(
    source: &Source,
    asked: &[Asked],
    most: Option<usize>,
    published: &[Record],
) -> Option<usize> {
    let all: Vec<usize> = (0..source.columns).collect();
    asked.iter().position(|asked| {
        let scope = asked.scope.as_ref().unwrap_or(&all);
        known(scope, most).iter().any(|set| {
            let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
            for (shown, row) in published {
                let key = set.iter().map(|&column| shown[column].as_str()).collect();
                groups.entry(key).or_default().push(*row);
            }
            groups
                .values()
                .any(|rows| !admits(source, &asked.promise, rows))
        })
    })
}

/// The least loss of any choice of columns to suppress that keeps every promise without suppressing a record.
fn least_loss(source: &Source, asked: &[Asked], most: Option<usize>) -> Option<f64> {
    let widths: Vec<usize> = (0..source.columns)
        .map(|c| {
            source
                .rows
                .iter()
                .map(|row| row.1[c])
                .collect::<BTreeSet<_>>()
                .len()
        })
        .collect();
    (0_usize..1 << source.columns)
        .filter_map(|stars| {
            let published: Vec<Record> = source
                .rows
                .iter()
                .enumerate()
                .map(|(number, (_, quasi, _))| {
                    let shown = quasi.iter().enumerate().map(|(column, value)| {
                        if stars >> column & 1 == 1 {
                            "*".to_owned()
                        } else {
                            value.to_string()
                        }
                    });
                    (shown.collect(), number)
                })
                .collect();
            broken(source, asked, most, &published).is_none().then(|| {
                let exponent = 1.0 / source.columns as f64;
                let lost = |column: usize| {
                    let whole = stars >> column & 1 == 1 && widths[column] > 1;
                    f64::from(u8::from(whole))
                };
                (0..source.columns)
                    .map(|column| (1.0 + lost(column)).powf(exponent))
                    .product::<f64>()
                    - 1.0
            })
        })
        .min_by(f64::total_cmp)
}

fn published(directory: &Path, columns: usize) -> Vec<Record> {
    let text =
        std::fs::read_to_string(directory.join("out/release/people.csv")).expect("a release");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let at = |name: &str| header.iter().position(|h| *h == name).expect("a column");
    let quasi: Vec<usize> = (0..columns).map(|c| at(&format!("q{c}"))).collect();
    let row = at("row");
    lines
        .map(|cells| {
            let shown = quasi.iter().map(|&at| cells[at].to_owned()).collect();
            let number = cells[row].trim_start_matches('r');
            (shown, number.parse().expect("a row"))
        })
        .collect()
}

const ALGORITHMS: [&str; 8] = [
    "auto",
    "full-domain",
    "auto",
    "mondrian",
    "k-member",
    "local-recoding",
    "top-down-specialization",
    "oka",
];

#[test]
fn no_claim_about_people_is_false_and_nothing_feasible_is_refused() {
    let mut random = SplitMix64::new(20);
    let directory = tempfile::tempdir().expect("a directory");
    let (mut released, mut refused, mut feasible) = (0, 0, 0);
    for round in 0..1500 {
        let source = source(&mut random);
        let asked = asked(&mut random, source.columns);
        let most = (random.below(2) == 0).then(|| 1 + random.below(2) as usize);
        let algorithm = ALGORITHMS[random.below(ALGORITHMS.len() as u64) as usize];
        let suppress = if algorithm == "full-domain" || random.below(2) == 0 {
            0
        } else {
            40
        };
        let text = policy(&source, &asked, most, algorithm, suppress);
        let mut data = String::from("person,row,illness");
        for column in 0..source.columns {
            let _ = write!(data, ",q{column}");
        }
        data.push('\n');
        for (number, (person, quasi, value)) in source.rows.iter().enumerate() {
            let _ = write!(data, "p{person},r{number},{}", VALUES[*value]);
            for value in quasi {
                let _ = write!(data, ",{value}");
            }
            data.push('\n');
        }
        let path = directory.path();
        std::fs::write(path.join("people.csv"), &data).expect("data");
        std::fs::write(path.join("policy.toml"), &text).expect("a policy");
        let context = || format!("round {round}\n{data}{text}");
        let policy = read_policy(&path.join("policy.toml"))
            .unwrap_or_else(|error| panic!("{error}\n{}", context()));
        let options = RunOptions {
            force: true,
            threads: Some(1),
            ..RunOptions::default()
        };
        let outcome = anonymize(&policy, &path.join("out"), &options, &Silent);
        let least = least_loss(&source, &asked, most);
        match outcome {
            Ok(Outcome::Released(release)) => {
                released += 1;
                let shown = published(path, source.columns);
                let broken = broken(&source, &asked, most, &shown);
                assert_eq!(broken, None, "a false claim: {}", context());
                if algorithm == "full-domain" {
                    let least = least.unwrap_or_else(|| panic!("not feasible: {}", context()));
                    let bound = release.account().figures.get("bound");
                    let bound = bound.and_then(serde_json::Value::as_f64);
                    assert!(
                        (release.account().metric.1 - least).abs() < 1e-9,
                        "{least} {}",
                        context()
                    );
                    assert!(
                        bound.is_none_or(|bound| bound <= least + 1e-9),
                        "{}",
                        context()
                    );
                }
            }
            Ok(Outcome::Refused(_)) => {
                refused += 1;
                let exact = ["full-domain", "auto"].contains(&algorithm);
                assert!(
                    !exact || least.is_none(),
                    "feasible but refused: {}",
                    context()
                );
            }
            Err(error) => {
                refused += 1;
                assert!(error.exit_code() < 3, "{error}\n{}", context());
                let exact = ["full-domain", "auto"].contains(&algorithm);
                assert!(
                    !exact || least.is_none(),
                    "{error}\nfeasible but refused: {}",
                    context()
                );
            }
        }
        feasible += usize::from(least.is_some());
    }
    // A test that meets nothing shows nothing.
    assert!(
        released > 300 && refused > 100 && feasible > 300,
        "{released} {refused} {feasible}"
    );
}
