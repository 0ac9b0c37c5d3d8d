//! Examples 2.1, 2.2, 2.6, 2.8 and 5.1 of the survey, and linkage of a real table with itself.

use denym_attack::table::minimality::PublishedGroup;
use denym_attack::table::{
    Covers, Linkage, background_knowledge, homogeneity, minimality, presence, proximity, skewness,
};
use std::collections::BTreeMap;

/// Codes of text by first appearance over all the columns given.
fn codes<'a>(columns: &[Vec<&'a str>]) -> (Vec<Vec<u32>>, Vec<&'a str>) {
    let mut names: Vec<&str> = Vec::new();
    let coded = columns
        .iter()
        .map(|column| {
            column
                .iter()
                .map(|cell| {
                    names
                        .iter()
                        .position(|name| name == cell)
                        .unwrap_or_else(|| {
                            names.push(cell);
                            names.len() - 1
                        }) as u32
                })
                .collect()
        })
        .collect();
    (coded, names)
}

fn column<'a>(table: &[[&'a str; 4]], at: usize) -> Vec<&'a str> {
    table.iter().map(|row| row[at]).collect()
}

/// Table II(a): job, sex, age, disease.
const PATIENTS: [[&str; 4]; 7] = [
    ["Engineer", "Male", "35", "Hepatitis"],
    ["Engineer", "Male", "38", "Hepatitis"],
    ["Lawyer", "Male", "38", "HIV"],
    ["Writer", "Female", "30", "Flu"],
    ["Writer", "Female", "30", "HIV"],
    ["Dancer", "Female", "30", "HIV"],
    ["Dancer", "Female", "30", "HIV"],
];
/// Table II(b): name, job, sex, age.
const PEOPLE: [[&str; 4]; 9] = [
    ["Alice", "Writer", "Female", "30"],
    ["Bob", "Engineer", "Male", "35"],
    ["Cathy", "Writer", "Female", "30"],
    ["Doug", "Lawyer", "Male", "38"],
    ["Emily", "Dancer", "Female", "30"],
    ["Fred", "Engineer", "Male", "38"],
    ["Gladys", "Dancer", "Female", "30"],
    ["Henry", "Lawyer", "Male", "39"],
    ["Irene", "Dancer", "Female", "32"],
];
/// Table II(c), the 3-anonymous version.
const ANONYMOUS: [[&str; 4]; 7] = [
    ["Professional", "Male", "[35-40]", "Hepatitis"],
    ["Professional", "Male", "[35-40]", "Hepatitis"],
    ["Professional", "Male", "[35-40]", "HIV"],
    ["Artist", "Female", "[30-35]", "Flu"],
    ["Artist", "Female", "[30-35]", "HIV"],
    ["Artist", "Female", "[30-35]", "HIV"],
    ["Artist", "Female", "[30-35]", "HIV"],
];

/// Figure 3's trees and intervals: what a published value may stand for.
fn covers(published: &str, external: &str) -> bool {
    match published {
        "Professional" => ["Engineer", "Lawyer"].contains(&external),
        "Artist" => ["Writer", "Dancer"].contains(&external),
        "[35-40]" => (35..40).contains(&external.parse::<u32>().unwrap_or(0)),
        "[30-35]" => (30..35).contains(&external.parse::<u32>().unwrap_or(0)),
        same => same == external,
    }
}

fn link(published: &[[&str; 4]]) -> (Linkage, Vec<u32>, Vec<String>) {
    let (mut release, mut people, mut relations) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..3 {
        let (p, p_names) = codes(&[column(published, at)]);
        let (e, e_names) = codes(&[column(&PEOPLE, at + 1)]);
        relations.push(Covers::new(p_names.len(), e_names.len(), |p, e| {
            covers(p_names[p as usize], e_names[e as usize])
        }));
        release.push(p[0].clone());
        people.push(e[0].clone());
    }
    let (sensitive, names) = codes(&[column(published, 3)]);
    let release: Vec<&[u32]> = release.iter().map(Vec::as_slice).collect();
    let people: Vec<&[u32]> = people.iter().map(Vec::as_slice).collect();
    let linkage = Linkage::of(&release, &people, &relations).expect("well-formed tables");
    (
        linkage,
        sensitive[0].clone(),
        names.iter().map(|name| (*name).to_owned()).collect(),
    )
}

fn person(name: &str) -> usize {
    PEOPLE
        .iter()
        .position(|row| row[0] == name)
        .expect("a name of the table")
}

#[test]
fn example_2_1_doug_is_found() {
    let (linkage, sensitive, names) = link(&PATIENTS);
    let doug = linkage.candidates(person("Doug"));
    assert_eq!(doug, [2]);
    assert_eq!(names[sensitive[doug[0] as usize] as usize], "HIV");
    // Henry and Irene match nobody; Bob, Doug and Fred one record; the others two.
    assert_eq!(linkage.candidate_counts(), [2, 1, 2, 1, 2, 1, 2, 0, 0]);
    let evidence = linkage.evidence();
    assert_eq!((evidence.successes, evidence.attempts), (3, 7));
    assert!((linkage.expected() - 5.0).abs() < 1e-12);
    // If one patient had records 4 and 5 (a writer and a dancer) and another 3 and 6, subjects count, not records.
    assert_eq!(
        linkage.candidate_subjects(&[0, 1, 2, 3, 4, 4, 3]).unwrap()[..5],
        [2, 1, 2, 1, 2]
    );
    assert_eq!(
        linkage.candidate_subjects(&[0, 1, 2, 3, 3, 4, 4]).unwrap()[person("Emily")],
        1
    );
}

#[test]
fn example_2_2_everybody_has_none_or_three() {
    let (linkage, _, _) = link(&ANONYMOUS);
    assert_eq!(linkage.candidate_counts(), [4, 3, 4, 3, 4, 3, 4, 3, 4]);
    assert_eq!(linkage.evidence().successes, 0);
}

#[test]
fn example_2_6_emily_has_hiv() {
    let (linkage, sensitive, names) = link(&PATIENTS);
    let (found, evidence) = homogeneity(&linkage, &sensitive, 1.0).unwrap();
    let emily = found
        .iter()
        .find(|inferred| inferred.person as usize == person("Emily"))
        .unwrap();
    assert_eq!(
        (names[emily.value as usize].as_str(), emily.confidence),
        ("HIV", 1.0)
    );
    let who: Vec<&str> = found
        .iter()
        .map(|inferred| PEOPLE[inferred.person as usize][0])
        .collect();
    assert_eq!(who, ["Bob", "Doug", "Emily", "Fred", "Gladys"]);
    assert_eq!((evidence.successes, evidence.attempts), (5, 7));
    // The 3-anonymous table: HIV at 75 % for the artists, and nothing for certain.
    let (linkage, sensitive, names) = link(&ANONYMOUS);
    assert!(homogeneity(&linkage, &sensitive, 1.0).unwrap().0.is_empty());
    let (found, _) = homogeneity(&linkage, &sensitive, 0.75).unwrap();
    assert_eq!(found.len(), 5);
    assert!(
        found
            .iter()
            .all(|inferred| names[inferred.value as usize] == "HIV"
                && (inferred.confidence - 0.75).abs() < 1e-12)
    );
    // Whoever can rule out one value knows the other for certain.
    let (found, _) = background_knowledge(&linkage, &sensitive, 1, 1.0).unwrap();
    assert_eq!(found.len(), 9);
    assert!(
        background_knowledge(&linkage, &sensitive, 0, 1.0)
            .unwrap()
            .0
            .is_empty()
    );
}

#[test]
fn example_2_8_alice_is_present_at_four_fifths() {
    let (linkage, _, _) = link(&ANONYMOUS);
    let (chance, evidence) = presence(&linkage, 0.79);
    assert!((chance[person("Alice")] - 0.8).abs() < 1e-12);
    assert!((chance[person("Bob")] - 0.75).abs() < 1e-12);
    assert_eq!((evidence.successes, evidence.attempts), (5, 9));
    // In the raw table Henry and Irene are absent for certain.
    let (chance, _) = presence(&link(&PATIENTS).0, 0.99);
    assert_eq!(
        (
            chance[person("Henry")],
            chance[person("Irene")],
            chance[person("Doug")]
        ),
        (0.0, 0.0, 1.0)
    );
}

#[test]
fn skewness_as_the_survey_tells_it() {
    // 95 % flu overall; one class is half HIV, and whoever is in it is ten times likelier to have it.
    let class: Vec<u32> = (0..200).map(|row| u32::from(row < 10)).collect();
    let sensitive: Vec<u32> = (0..200)
        .map(|row| u32::from(row % 2 == 0 && row < 20))
        .collect();
    let people = [0_u32, 1];
    let linkage = Linkage::of(&[&class], &[&people], &[Covers::equal(2)]).unwrap();
    let (found, evidence) = skewness(&linkage, &sensitive, 5.0).unwrap();
    assert_eq!((found.len(), evidence.attempts), (1, 2));
    assert_eq!((found[0].person, found[0].value), (1, 1));
    assert!((found[0].confidence - 0.5).abs() < 1e-12 && (found[0].gain - 10.0).abs() < 1e-12);
}

#[test]
fn proximity_as_the_survey_tells_it() {
    // Ten records, nine within [30-35], one at 80: the range is inferred with 90 %.
    let salary = [30.0, 31.0, 31.0, 32.0, 32.5, 33.0, 33.0, 34.0, 35.0, 80.0];
    let one = [0_u32; 10];
    let linkage = Linkage::of(&[&one], &[&[0]], &[Covers::equal(1)]).unwrap();
    let (found, _) = proximity(&linkage, &salary, 2.5, 0.89).unwrap();
    assert!((found[0].around - 32.5).abs() < 1e-12 && (found[0].confidence - 0.9).abs() < 1e-12);
    assert!(proximity(&linkage, &salary, 1.0, 0.6).unwrap().0.is_empty());
}

/// Table V, with a publisher that bounds the confidence of HIV by 60 % and merges the jobs only if it must.
#[test]
fn example_5_1_minimality_reveals_andy_and_bob() {
    const HIV: u32 = 1;
    // Andy, Calvin, Bob, Doug, Eddy, Fred, Gabriel
    let engineer = [true, false, true, false, false, false, false];
    let publish = |values: &[u32]| -> Vec<(&str, Vec<u32>)> {
        let of = |wanted: bool| -> Vec<u32> {
            let mut list: Vec<u32> = values
                .iter()
                .zip(engineer)
                .filter(|(_, e)| *e == wanted)
                .map(|(v, _)| *v)
                .collect();
            list.sort_unstable();
            list
        };
        let safe = |list: &[u32]| list.iter().filter(|&&v| v == HIV).count() * 10 <= list.len() * 6;
        let (engineers, lawyers) = (of(true), of(false));
        if safe(&engineers) && safe(&lawyers) {
            vec![("Engineer", engineers), ("Lawyer", lawyers)]
        } else {
            let mut all = values.to_vec();
            all.sort_unstable();
            vec![("Professional", all)]
        }
    };
    let original = [HIV, 0, HIV, 0, 0, 0, 0];
    let observed = publish(&original);
    assert_eq!(observed[0].0, "Professional");
    let groups = [PublishedGroup {
        people: (0..7).collect(),
        values: observed[0].1.clone(),
    }];
    let beliefs = minimality(&groups, &observed, &publish, 1_000).unwrap();
    assert_eq!((beliefs.worlds, beliefs.possible), (21, 1));
    for (person, value) in original.iter().enumerate() {
        assert_eq!(beliefs.after[person], BTreeMap::from([(*value, 1.0)]));
    }
    assert!((beliefs.before[0][&HIV] - 2.0 / 7.0).abs() < 1e-12);
    assert_eq!(beliefs.evidence(0.9).successes, 7);
    assert_eq!(
        minimality(&groups, &observed, &publish, 20)
            .unwrap_err()
            .code(),
        "attack-too-many-steps"
    );
}

/// UCI Adult: each column's cells as codes.
fn adult() -> Option<Vec<Vec<u32>>> {
    let path = denym_testkit::shared::path("data/adult/adult.csv")?;
    let text = std::fs::read_to_string(path).expect("readable");
    let rows: Vec<Vec<&str>> = text
        .lines()
        .skip(1)
        .map(|line| line.trim_end().split(';').collect())
        .collect();
    let columns = (0..rows[0].len()).map(|at| {
        let mut known: BTreeMap<&str, u32> = BTreeMap::new();
        rows.iter()
            .map(|row| {
                let next = known.len() as u32;
                *known.entry(row[at]).or_insert(next)
            })
            .collect()
    });
    Some(columns.collect())
}

#[test]
fn raw_adult_gives_away_its_uniques() {
    let Some(columns) = adult() else { return };
    let quasi: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
    let relations: Vec<Covers> = quasi
        .iter()
        .map(|column| Covers::equal(*column.iter().max().unwrap() as usize + 1))
        .collect();
    let linkage = Linkage::of(&quasi, &quasi, &relations).unwrap();
    let evidence = linkage.evidence();
    assert_eq!((evidence.successes, evidence.attempts), (15_512, 30_162));
    // Without the salary class 14,021 are unique, and homogeneous classes give it away for more people than those.
    let linkage = Linkage::of(&quasi[..8], &quasi[..8], &relations[..8]).unwrap();
    assert_eq!(linkage.evidence().successes, 14_021);
    let (found, _) = homogeneity(&linkage, &columns[8], 1.0).unwrap();
    assert!(found.len() > 14_021);
    assert!(
        found
            .iter()
            .all(|inferred| inferred.value == columns[8][inferred.person as usize]),
        "all right"
    );
}
