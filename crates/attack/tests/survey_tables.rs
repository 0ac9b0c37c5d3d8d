//! Examples 2.1, 2.2, 2.6, 2.8 and 5.1 of the survey, and linkage of a real table with itself.

use denym_attack::Run;
use denym_attack::attacks::presence::presence;
use denym_attack::catalogue::entry;
use denym_attack::minimality::{Choice, MinimalityFound, Originals, minimality};
use denym_attack::table::{Aim, Conclusion, Covers, Lineup, Linkage, Wish};
use denym_data::Column;
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

/// What an attack of the catalogue tells of whom, with the texts of the sensitive codes, and how many people were looked for.
fn told(
    name: &str,
    linkage: &Linkage,
    sensitive: &[u32],
    texts: &[String],
    wish: &Wish,
) -> (Vec<(u32, Conclusion)>, u64) {
    let Some(Run::Candidates { aim, told, .. }) = entry(name).map(|entry| entry.run) else {
        panic!("{name} looks at candidates");
    };
    let texts = texts.iter().map(|text| Some(text.as_str())).collect();
    let lineup =
        Lineup::linked(linkage, &[(sensitive, texts)], None).expect("one value per record");
    let attribute = (aim != Aim::Record).then_some(0);
    let found = lineup.told(told, attribute, wish);
    (lineup.of_each(&found), lineup.people().iter().sum())
}

/// The same for whoever wants to be so sure.
fn sure(confidence: f64) -> Wish {
    Wish {
        confidence,
        ..Wish::default()
    }
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
    let (found, people) = told("linkage", &linkage, &sensitive, &names, &Wish::default());
    let certain = found.iter().filter(|(_, told)| told.sure >= 1.0).count();
    assert_eq!((certain, people), (3, 7));
    assert!((linkage.expected() - 5.0).abs() < 1e-12);
    // If the writer of records 4 and 5 were one patient, two records would be one person: who matches both is found.
    let subjects = linkage.with_subjects(&[0, 1, 2, 3, 3, 4, 4]).unwrap();
    assert_eq!(subjects.candidate_counts()[person("Emily")], 1);
}

#[test]
fn example_2_2_everybody_has_none_or_three() {
    let (linkage, sensitive, names) = link(&ANONYMOUS);
    assert_eq!(linkage.candidate_counts(), [4, 3, 4, 3, 4, 3, 4, 3, 4]);
    let (found, _) = told("linkage", &linkage, &sensitive, &names, &Wish::default());
    assert!(found.iter().all(|(_, told)| told.sure < 1.0));
}

#[test]
fn example_2_6_emily_has_hiv() {
    let (linkage, sensitive, names) = link(&PATIENTS);
    let (found, people) = told("homogeneity", &linkage, &sensitive, &names, &sure(1.0));
    let emily = found
        .iter()
        .find(|(who, _)| *who as usize == person("Emily"))
        .unwrap()
        .1;
    assert_eq!(names[emily.value.unwrap() as usize], "HIV");
    let who: Vec<&str> = found
        .iter()
        .map(|(who, _)| PEOPLE[*who as usize][0])
        .collect();
    assert_eq!(who, ["Bob", "Doug", "Emily", "Fred", "Gladys"]);
    assert_eq!(people, 7);
    // The 3-anonymous table: HIV at 75 % for the artists, and nothing for certain.
    let (linkage, sensitive, names) = link(&ANONYMOUS);
    let found = |name, wish| told(name, &linkage, &sensitive, &names, &wish).0;
    assert!(found("homogeneity", sure(1.0)).is_empty());
    let likely = found("homogeneity", sure(0.75));
    assert_eq!(likely.len(), 5);
    assert!(likely.iter().all(|(_, told)| {
        names[told.value.unwrap() as usize] == "HIV" && (told.sure - 0.75).abs() < 1e-12
    }));
    // Whoever can rule out one value knows the other for certain.
    assert_eq!(found("background-knowledge", sure(1.0)).len(), 9);
    let nothing = Wish {
        rule_out: 0,
        ..Wish::default()
    };
    assert!(found("background-knowledge", nothing).is_empty());
}

#[test]
fn example_2_8_alice_is_present_at_four_fifths() {
    let (linkage, _, _) = link(&ANONYMOUS);
    let (chance, evidence) = presence(&linkage, 0.8);
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
    let texts = ["flu".to_owned(), "HIV".to_owned()];
    let (found, people) = told("skewness", &linkage, &sensitive, &texts, &Wish::default());
    assert_eq!((found.len(), people), (1, 2));
    assert_eq!((found[0].0, found[0].1.value), (1, Some(1)));
    assert!((found[0].1.sure - 0.5).abs() < 1e-12);
    let more = Wish {
        gain: 10.1,
        ..Wish::default()
    };
    assert!(
        told("skewness", &linkage, &sensitive, &texts, &more)
            .0
            .is_empty()
    );
}

#[test]
fn proximity_as_the_survey_tells_it() {
    // Ten records, nine within [30-35], one at 80: the range is inferred with 90 %.
    let salary = ["30", "31", "31", "32", "32.5", "33", "33", "34", "35", "80"];
    let (codes, texts) = codes(&[salary.to_vec()]);
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let one = [0_u32; 10];
    let linkage = Linkage::of(&[&one], &[&[0]], &[Covers::equal(1)]).unwrap();
    let found = |within, confidence| {
        let wish = Wish {
            within,
            ..sure(confidence)
        };
        told("proximity", &linkage, &codes[0], &texts, &wish).0
    };
    let narrow = found(Some(2.5), 0.9);
    assert!((narrow[0].1.sure - 0.9).abs() < 1e-12, "{narrow:?}");
    assert!(found(Some(2.5), 0.91).is_empty());
    assert!(found(Some(1.0), 0.61).is_empty());
    // A tenth of the range from 30 to 80 holds the nine as well.
    assert_eq!(found(None, 0.9).len(), 1);
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
    let groups = [Choice {
        people: (0..7).collect(),
        values: observed[0].1.clone(),
    }];
    let agrees = |values: &[u32]| publish(values) == observed;
    let beliefs = minimality(&groups, &agrees, 1_000).unwrap();
    assert_eq!((beliefs.worlds, beliefs.possible), (21, 1));
    for (person, value) in original.iter().enumerate() {
        assert_eq!(beliefs.after[person], BTreeMap::from([(*value, 1.0)]));
    }
    assert!((beliefs.before[0][&HIV] - 2.0 / 7.0).abs() < 1e-12);
    assert_eq!(
        minimality(&groups, &agrees, 20).unwrap_err().code(),
        "attack-too-many-steps"
    );
    let diseases = Column::from_texts("disease", [Some("Flu"), Some("HIV")]);
    let originals = Originals {
        attribute: Some(("disease".to_owned(), &diseases.dictionary)),
        choices: groups.to_vec(),
        agrees: Box::new(agrees),
        confidence: 0.9,
        limit: 1_000,
    };
    let found = MinimalityFound::of(entry("minimality").unwrap(), &originals).unwrap();
    assert_eq!((found.evidence.successes, found.evidence.attempts), (7, 7));
    assert_eq!(found.beliefs[0].0.as_deref(), Some("HIV"));
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
    let certain = |linkage: &Linkage| {
        let counts = linkage.candidate_counts();
        counts.iter().filter(|&&count| count == 1).count()
    };
    let linkage = Linkage::of(&quasi, &quasi, &relations).unwrap();
    assert_eq!((certain(&linkage), linkage.people()), (15_512, 30_162));
    // Without the salary class 14,021 are unique, and homogeneous classes give it away for more people than those.
    let linkage = Linkage::of(&quasi[..8], &quasi[..8], &relations[..8]).unwrap();
    assert_eq!(certain(&linkage), 14_021);
    let texts = ["low".to_owned(), "high".to_owned()];
    let (found, _) = told("homogeneity", &linkage, &columns[8], &texts, &sure(1.0));
    assert!(found.len() > 14_021);
    assert!(
        found
            .iter()
            .all(|(person, told)| told.value == Some(columns[8][*person as usize])),
        "all right"
    );
}
