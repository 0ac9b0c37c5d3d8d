//! The trail defence audited by the attack: other code than the defence's own count of owners.

use denym_attack::Draws;
use denym_attack::trails::{self, TrailOptions as AttackOptions, TrailSide};
use denym_data::Trails;
use denym_sequences::trail_defence::{Options, defend};

fn audit(anonymous: &Trails, identified: &Trails, k: usize) {
    let owner: Vec<u32> = (0..anonymous.len() as u32).collect();
    let defence = defend(
        anonymous,
        identified,
        &owner,
        &Options {
            k,
            ..Options::default()
        },
    )
    .expect("as the file has it");
    let published: Vec<Vec<u32>> = defence
        .published
        .iter()
        .filter(|t| !t.is_empty())
        .map(<[u32]>::to_vec)
        .collect();
    let published =
        Trails::from_rows(anonymous.institutions(), published).expect("as the file has it");
    let found = trails::attack(
        TrailSide::new(&published),
        TrailSide::new(identified),
        &AttackOptions::default(),
    )
    .expect("as the file has it");
    let sizes = found.allowed_set_sizes.expect("as the file has it");
    assert!(
        sizes.iter().all(|&s| s as usize >= k),
        "k={k}: {:?}",
        sizes.iter().min()
    );
    let claimed: Vec<u32> = defence.owners.iter().flatten().map(|&o| o as u32).collect();
    assert_eq!(sizes, claimed, "two implementations agree");
    if k > 1 {
        assert!(
            found.incomplete.is_empty()
                && found.multiple.is_empty()
                && found.forced.expect("as the file has it").is_empty()
        );
    }
}

#[test]
fn random_trails_keep_k_owners() {
    let mut rng = Draws::new(1);
    for _ in 0..200 {
        let (people, inst) = (2 + rng.below(40) as usize, 3 + rng.below(8));
        let rows: Vec<Vec<u32>> = (0..people)
            .map(|_| (0..=rng.below(4)).map(|_| rng.below(inst) as u32).collect())
            .collect();
        let p = Trails::from_rows(inst as usize, rows).expect("as the file has it");
        let rows: Vec<Vec<u32>> = p
            .iter()
            .map(|t| t.iter().copied().filter(|_| rng.unit() < 0.85).collect())
            .collect();
        let n = Trails::from_rows(inst as usize, rows).expect("as the file has it");
        for k in [1, 2, 3, 5] {
            if k <= people {
                audit(&n, &p, k);
            }
        }
    }
}

#[test]
fn web_trails_keep_k_owners() {
    use std::io::Read;
    let Some(path) = denym_testkit::shared::path("data/trails/anonymous-msweb.data.gz") else {
        return;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("as the file has it"))
        .read_to_string(&mut text)
        .expect("as the file has it");
    let mut rows: Vec<Vec<u32>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("C,") {
            rows.push(Vec::new());
        } else if let Some(r) = line.strip_prefix("V,") {
            rows.last_mut().expect("as the file has it").push(
                r.split(',')
                    .next()
                    .expect("as the file has it")
                    .parse::<u32>()
                    .expect("as the file has it")
                    - 1000,
            );
        }
    }
    for (n, k) in [(300, 2), (300, 5), (1000, 2), (1000, 5)] {
        let p = Trails::from_rows(300, rows.iter().take(n)).expect("as the file has it");
        audit(&p, &p, k);
    }
}
