//! Transactions through the command: an adversary with the published file finds nobody, on small baskets and on real clicks.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use support::baskets::{BASKETS, POLICY, Sets, TAXONOMY, anonymized, long, sets, wide};
use support::{json, write};

/// What the release shows, whatever its layout and format.
fn published(at: &Path, file: &str) -> Sets {
    let path = at.join("out/release").join(file);
    let table = denym::table(&path, &denym::ReadOptions::default()).expect("a table");
    let mut found: Sets = Vec::new();
    if let Some(items) = table.column("items") {
        let cells: Vec<&str> = (0..table.records())
            .map(|row| items.text(row).unwrap_or(""))
            .collect();
        return sets(&cells);
    }
    let (who, item) = (table.column("subject"), table.column("item"));
    let (who, item) = (who.expect("subjects"), item.expect("items"));
    for row in 0..table.records() {
        let number: usize = who
            .text(row)
            .and_then(|n| n.parse().ok())
            .expect("a number");
        found.resize(found.len().max(number), BTreeSet::new());
        found[number - 1].extend(item.text(row).map(str::to_owned));
    }
    found
}

/// Every subset of up to `m` of `items`, the empty one too.
fn subsets(items: &[&String], m: usize) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = vec![Vec::new()];
    for &item in items {
        let longer: Vec<Vec<String>> = found
            .iter()
            .filter(|set| set.len() < m)
            .map(|set| [&set[..], std::slice::from_ref(item)].concat())
            .collect();
        found.extend(longer);
    }
    found
}

/// Names under which an item may be shown: itself, then its groups.
fn names<'a>(item: &'a str, taxonomy: &'a str) -> Vec<&'a str> {
    let line = taxonomy
        .lines()
        .find(|line| line.split(',').next() == Some(item));
    line.map_or_else(|| vec![item], |line| line.split(',').collect())
}

/// What the promise of a test is.
struct Asked<'a> {
    m: usize,
    k: usize,
    /// Sensitive items and the largest share, in percent.
    sensitive: &'a [(&'a str, usize)],
}

/// Who knows up to m public items of anybody in the source, and how they may be shown, finds k people in the release and no
/// sensitive item above its bound.
fn nobody_is_found(source: &Sets, release: &Sets, taxonomy: &str, asked: &Asked<'_>) {
    let is_public = |item: &&String| asked.sensitive.iter().all(|(secret, _)| secret != item);
    let shown: BTreeSet<&str> = release.iter().flatten().map(String::as_str).collect();
    for victim in source {
        let public: Vec<&String> = victim.iter().filter(is_public).collect();
        for known in subsets(&public, asked.m) {
            let fits = |set: &&BTreeSet<String>| {
                known.iter().all(|item| {
                    let names = names(item, taxonomy);
                    let anywhere = names.iter().any(|name| shown.contains(name));
                    !anywhere || names.iter().any(|name| set.contains(*name))
                })
            };
            let candidates: Vec<&BTreeSet<String>> = release.iter().filter(fits).collect();
            assert!(
                candidates.len() >= asked.k,
                "{known:?}: {}",
                candidates.len()
            );
            for (secret, percent) in asked.sensitive {
                let with = candidates
                    .iter()
                    .filter(|set| set.contains(*secret))
                    .count();
                assert!(
                    with * 100 <= percent * candidates.len(),
                    "{known:?} {secret}"
                );
            }
        }
    }
    // And every set of published items is shared, whether anybody's source has it or not.
    for record in release {
        let public: Vec<&String> = record.iter().filter(is_public).collect();
        for known in subsets(&public, asked.m) {
            let group = release
                .iter()
                .filter(|set| known.iter().all(|item| set.contains(item)));
            assert!(group.count() >= asked.k, "{known:?}");
        }
    }
}

const ASKED: Asked<'_> = Asked {
    m: 2,
    k: 3,
    sensitive: &[("test", 40)],
};

#[test]
fn both_layouts_and_every_format_say_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    write(at, "rows.csv", long(&BASKETS));
    let rows: Vec<String> = BASKETS
        .iter()
        .map(|basket| serde_json::json!({"items": basket}).to_string())
        .collect();
    write(at, "cells.json", rows.join("\n") + "\n");
    let mut seen: Vec<Sets> = Vec::new();
    for source in ["baskets", "rows", "cells"] {
        for format in ["csv", "json", "parquet"] {
            let file = if source == "cells" {
                "cells.json".into()
            } else {
                format!("{source}.csv")
            };
            let policy = POLICY.replace("baskets.csv", &file) + &format!("format = \"{format}\"\n");
            let (code, found) = anonymized(at, &policy);
            assert_eq!(code, 0, "{source} {format} {found}");
            assert_eq!(found["records"], 12);
            assert_eq!(found["algorithm"], "item-suppression");
            let mut release = published(at, &format!("{source}.{format}"));
            nobody_is_found(&sets(&BASKETS), &release, "", &ASKED);
            let left: usize = release
                .iter()
                .flatten()
                .filter(|item| *item != "test")
                .count();
            assert_eq!(found["instances"], 20);
            assert_eq!(
                found["lost_instances"],
                20 - left as u64,
                "{source} {format}"
            );
            // Whoever has the public half alone can check both promises.
            let (code, checked) = json(at, &["verify", "out/release"]);
            assert_eq!((code, &checked["holds"]), (0, &Value::Bool(true)));
            for claim in checked["claims"].as_array().expect("claims") {
                assert_eq!(claim["holds"], true, "{claim}");
            }
            release.sort();
            seen.push(release);
        }
    }
    assert!(seen.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn a_changed_release_is_noticed() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    assert_eq!(anonymized(at, POLICY).0, 0);
    let path = at.join("out/release/baskets.csv");
    let text = std::fs::read_to_string(&path).expect("data");
    std::fs::write(&path, text.replacen("milk", "caviar", 1)).expect("written");
    let (code, checked) = json(at, &["verify", "out"]);
    assert_eq!((code, &checked["data_intact"]), (1, &Value::Bool(false)));
    assert_eq!(checked["claims"][0]["measured"], 1.0, "caviar stands alone");
}

#[test]
fn groups_of_a_taxonomy_keep_more_than_suppression() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    write(at, "groups.csv", TAXONOMY);
    let general =
        POLICY.replace("item-suppression", "item-generalization") + "taxonomy = \"groups.csv\"\n";
    let (code, found) = anonymized(at, &general);
    assert_eq!(code, 0, "{found}");
    let release = published(at, "baskets.csv");
    nobody_is_found(&sets(&BASKETS), &release, TAXONOMY, &ASKED);
    assert!(found["generalized_items"].as_u64() > Some(0), "{found}");
    let (_, plain) = anonymized(at, POLICY);
    assert!(found["lost_instances"].as_u64() < plain["lost_instances"].as_u64());
    // `auto` tries both and says so.
    let (_, auto) = anonymized(at, &general.replace("item-generalization", "auto"));
    let attempts = auto["attempts"].as_array().expect("attempts");
    assert_eq!(attempts.len(), 2);
    let least = [&found, &plain].map(|found| found["loss"].as_f64().expect("a loss"));
    let best = least[0].min(least[1]);
    assert!((auto["loss"].as_f64().expect("a loss") - best).abs() < 1e-12);
    let report = std::fs::read_to_string(at.join("out/steward/report.html")).expect("a report");
    assert!(report.contains("Items that lose most") && report.contains("Sizes of transactions"));
}

/// A small generator, so that a failing seed can be named.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[test]
fn no_published_file_gives_anybody_away() {
    let items = ["bread", "milk", "butter", "caviar", "beer", "wine", "test"];
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "groups.csv", TAXONOMY);
    let mut released = 0;
    for seed in 0..40 {
        let mut draw = Draw(seed * 7919 + 1);
        let density = 1 + draw.below(3);
        let baskets: Vec<String> = (0..8 + draw.below(10))
            .map(|_| {
                let kept = items.iter().filter(|_| draw.below(6) < density);
                kept.copied().collect::<Vec<_>>().join(";")
            })
            .collect();
        let baskets: Vec<&str> = baskets.iter().map(String::as_str).collect();
        write(
            at,
            "baskets.csv",
            if seed % 3 == 0 {
                long(&baskets)
            } else {
                wide(&baskets)
            },
        );
        let (m, k) = (1 + draw.below(3), 2 + draw.below(2));
        let mut policy = POLICY
            .replace("items = 2", &format!("items = {m}"))
            .replace("k-anonymity = 3", &format!("k-anonymity = {k}"));
        let taxonomy = if seed % 2 == 0 {
            policy = policy.replace("item-suppression", "item-generalization")
                + "taxonomy = \"groups.csv\"\n";
            TAXONOMY
        } else {
            ""
        };
        let (code, found) = anonymized(at, &policy);
        if code == 1 {
            assert_eq!(found["status"], "refused", "{seed}");
            continue;
        }
        assert_eq!(code, 0, "{seed} {found}");
        released += 1;
        let asked = Asked {
            m: m as usize,
            k: k as usize,
            sensitive: &[("test", 40)],
        };
        nobody_is_found(
            &sets(&baskets),
            &published(at, "baskets.csv"),
            taxonomy,
            &asked,
        );
        assert_eq!(json(at, &["verify", "out"]).0, 0, "{seed}");
    }
    assert!(released >= 20, "{released}");
}

#[test]
fn audit_and_explore_know_transactions() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    write(at, "rows.csv", long(&BASKETS));
    for file in ["baskets.csv", "rows.csv"] {
        let args = [
            "audit",
            file,
            "--items",
            "2",
            "--k",
            "3",
            "--sensitive-item",
            "test:0.4",
        ];
        let (code, found) = json(at, &args);
        assert_eq!(code, 0, "{found}");
        assert_eq!(found["records"], 12);
        assert_eq!(found["instances"], 20);
        assert_eq!(found["coherence"]["smallest_group"], 1);
        // Of the three who bought beer one bought the test, of the one with caviar nobody.
        let confidence = found["coherence"]["largest_confidence"].as_f64();
        assert!(
            (confidence.expect("a share") - 1.0 / 3.0).abs() < 1e-12,
            "{found}"
        );
        // By hand: caviar (1) and butter (2) alone; beer with wine (2) or milk (1); milk with wine (2).
        assert_eq!(
            found["critical_violations_by_length"],
            serde_json::json!([2, 3])
        );
        assert_eq!(found["holds"], false);
    }
    write(at, "policy.toml", POLICY);
    // The policy's own promises, on the sets as they stand: the figures of the audit by flags.
    let (code, found) = json(at, &["audit", "--policy", "policy.toml"]);
    assert_eq!((code, &found["status"]), (1, &"fails".into()), "{found}");
    assert_eq!(found["claims"][0]["promise"], "k-anonymity");
    assert_eq!(found["claims"][0]["measured"], 1.0);
    let args = ["explore", "policy.toml", "--k", "2,3,4", "--items", "1,2"];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), 6);
    let (_, own) = anonymized(at, POLICY);
    let same = trials
        .iter()
        .find(|t| t["k"] == 3 && t["items"] == 2)
        .expect("its own point");
    assert_eq!(same["loss"], own["loss"]);
}

/// The click data, one set of pages per visit.
fn clicks() -> Option<Sets> {
    let path = denym_testkit::shared::path("data/transactions/BMS1_spmf.txt.gz")?;
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).expect("a file"))
        .read_to_string(&mut text)
        .expect("text");
    let items = |line: &str| {
        let words = line
            .split_whitespace()
            .filter(|word| !word.starts_with('-'));
        words.map(str::to_owned).collect()
    };
    Some(text.lines().map(items).collect())
}

/// How many sets hold each item and each pair of items.
fn support(sets: &Sets) -> BTreeMap<Vec<&str>, u64> {
    let mut count: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
    for set in sets {
        let list: Vec<&str> = set.iter().map(String::as_str).collect();
        for (at, one) in list.iter().enumerate() {
            *count.entry(vec![one]).or_default() += 1;
            for other in &list[at + 1..] {
                *count.entry(vec![one, other]).or_default() += 1;
            }
        }
    }
    count
}

#[test]
fn real_clicks_become_k_m_anonymous() {
    let Some(source) = clicks() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut text = "items\n".to_owned();
    for set in &source {
        text += &(set.iter().map(String::as_str).collect::<Vec<_>>().join(" ") + "\n");
    }
    write(at, "clicks.csv", text);
    let policy = "\
[data]
path = \"clicks.csv\"
kind = \"transactions\"
separator = \" \"
delimiter = \",\"
[adversary]
knows = { items = 2 }
[promise]
k-anonymity = 5
[release]
frequent-itemsets = { support = 60, size = 2 }
";
    let (code, found) = anonymized(at, policy);
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["records"], 59_601);
    // Counted here, by the definition: rare items, and rare pairs of items that are not rare.
    let before = support(&source);
    let rare = |set: &Vec<&str>| before[set] < 5;
    let moles = before
        .keys()
        .filter(|set| rare(set) && (set.len() == 1 || set.iter().all(|item| !rare(&vec![*item]))));
    assert_eq!(found["critical_violations"], moles.count() as u64);
    let release = published(at, "clicks.csv")
        .into_iter()
        .map(|set| {
            set.iter()
                .flat_map(|cell| cell.split(' ').map(str::to_owned))
                .collect()
        })
        .collect::<Sets>();
    let after = support(&release);
    assert!(after.values().all(|&count| count >= 5));
    let frequent =
        |count: &BTreeMap<Vec<&str>, u64>| count.values().filter(|&&c| c >= 60).count() as u64;
    assert_eq!(found["frequent_itemsets"]["before"], frequent(&before));
    assert_eq!(found["frequent_itemsets"]["after"], frequent(&after));
    let left: usize = release.iter().map(BTreeSet::len).sum();
    let all: usize = source.iter().map(BTreeSet::len).sum();
    assert_eq!(found["lost_instances"], (all - left) as u64);
    println!("k^m on clicks, m = 2, k = 5: {found}");
}

#[test]
fn baskets_can_be_published_to_who_knows_the_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path();
    write(path, "baskets.csv", wide(&BASKETS));
    let demanded = POLICY.replace("items = 2 }", "items = 2, algorithm = true }");
    write(path, "policy.toml", &demanded);
    let (code, refused) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 2, "{refused}");
    assert!(
        refused["error"].to_string().contains("blind-suppression"),
        "{refused}"
    );
    write(
        path,
        "policy.toml",
        demanded.replace("item-suppression", "auto"),
    );
    let (code, found) = json(path, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["algorithm"], "blind-suppression");
    assert_eq!(found["program"]["standing"], "holds");
    // Whoever shows the same public items is among three, and at most 40 % of them have the test.
    let mut alike: BTreeMap<BTreeSet<String>, (u32, u32)> = BTreeMap::new();
    for mut set in published(path, "baskets.csv") {
        let test = u32::from(set.remove("test"));
        let group = alike.entry(set).or_default();
        *group = (group.0 + 1, group.1 + test);
    }
    for (size, tests) in alike.into_values() {
        assert!(size >= 3 && tests * 10 <= size * 4, "{tests} of {size}");
    }
    assert_eq!(json(path, &["verify", "out/release"]).0, 0);
}
