//! The survey's own tables and examples, cell by cell.
//!
//! B. Fung, K. Wang, R. Chen, P. Yu, "Privacy-preserving data publishing: a survey of recent developments", ACM Computing Surveys 2010:
//! tables II, III and V, examples 2.1 to 2.8 and 5.1. Table III(c) of the paper lacks one male row; here it follows III(a).
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use denym_data::{
    Column, Decimal, Fraction, Hierarchy, HierarchyRow, Ragged, Recoding, Summary, Table, Unit,
};
use denym_measure::metrics::{
    Cells, CountQuery, Publication, anatomized_answer, iloss, minimal_distortion, workload_error,
};
use denym_measure::population::match_population;
use denym_measure::promises::{
    AlphaK, Confidence, DeltaPresence, DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity,
    KMap, KeAnonymity, PersonalizedPrivacy, RecursiveDiversity, TCloseness, XyAnonymity, XyPrivacy,
    exact_numbers,
};
use denym_measure::relational::{Detail, joined};
use denym_measure::{
    Classes, Group, Histogram, Promise, Roles, audit_classes, combined, generalized,
};

/// A table from lines of comma-separated cells, the first being the header.
fn table(text: &str) -> Table {
    let mut lines = text
        .trim()
        .lines()
        .map(|line| line.trim().split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    let columns = (0..names.len())
        .map(|at| {
            Column::from_texts(
                names[at],
                rows.iter()
                    .map(|row| (!row[at].is_empty()).then_some(row[at])),
            )
        })
        .collect();
    Table::new(columns).unwrap()
}

fn hierarchy(column: &Column, text: &str) -> Hierarchy {
    let rows: Vec<HierarchyRow> = text
        .trim()
        .lines()
        .enumerate()
        .map(|(line, row)| HierarchyRow {
            line: line + 1,
            labels: row.trim().split(',').map(str::to_owned).collect(),
        })
        .collect();
    Hierarchy::from_rows(column, &rows).unwrap()
}

fn percent(n: u64) -> Fraction {
    Fraction::new(n, 100).unwrap()
}

fn same(value: f64, want: f64) {
    assert!((value - want).abs() < 1e-12, "{value} for {want}");
}

/// Table II(a).
fn patients() -> Table {
    table(
        "Job,Sex,Age,Disease
         Engineer,Male,35,Hepatitis
         Engineer,Male,38,Hepatitis
         Lawyer,Male,38,HIV
         Writer,Female,30,Flu
         Writer,Female,30,HIV
         Dancer,Female,30,HIV
         Dancer,Female,30,HIV",
    )
}

/// Table II(b).
fn external() -> Table {
    table(
        "Name,Job,Sex,Age
         Alice,Writer,Female,30
         Bob,Engineer,Male,35
         Cathy,Writer,Female,30
         Doug,Lawyer,Male,38
         Emily,Dancer,Female,30
         Fred,Engineer,Male,38
         Gladys,Dancer,Female,30
         Henry,Lawyer,Male,39
         Irene,Dancer,Female,32",
    )
}

const JOBS: &str =
    "Engineer,Professional,ANY\nLawyer,Professional,ANY\nWriter,Artist,ANY\nDancer,Artist,ANY";
const SEXES: &str = "Male,ANY\nFemale,ANY";
const AGES: &str = "30,[30-35],ANY\n32,[30-35],ANY\n35,[35-40],ANY\n38,[35-40],ANY\n39,[35-40],ANY";

/// The table with jobs and ages one level up, as in II(c) and II(d).
fn one_level_up(table: &Table) -> Table {
    let columns = table
        .columns()
        .iter()
        .map(|column| match column.name.as_str() {
            "Job" => generalized(column, &hierarchy(column, JOBS), 1),
            "Age" => generalized(column, &hierarchy(column, AGES), 1),
            _ => column.clone(),
        })
        .collect();
    Table::new(columns).unwrap()
}

const QID: [&str; 3] = ["Job", "Sex", "Age"];

fn classes(table: &Table) -> (Classes, Roles) {
    let roles = Roles::by_name(table, &QID, &["Disease"], None).unwrap();
    (Classes::of(table, &roles), roles)
}

/// The class whose first record has these texts.
fn class_of(classes: &Classes, table: &Table, texts: [&str; 3]) -> usize {
    (0..classes.len())
        .find(|&class| {
            let row = classes.rows(class)[0] as usize;
            (0..3).all(|at| table.column(QID[at]).unwrap().text(row) == Some(texts[at]))
        })
        .unwrap()
}

#[test]
fn example_2_1_doug_is_found() {
    let raw = patients();
    let (classes, roles) = classes(&raw);
    let lawyer = class_of(&classes, &raw, ["Lawyer", "Male", "38"]);
    assert_eq!(classes.records()[lawyer], 1);
    let histogram = classes.histogram(0, lawyer);
    let disease = &raw.column("Disease").unwrap().dictionary;
    assert_eq!(disease.text(histogram.counts[0].0), Some("HIV"));
    let matched = match_population(&raw, &roles, &classes, &external()).unwrap();
    assert_eq!(matched.people[lawyer], 1, "only Doug looks so");
    assert_eq!(
        matched.outside, 2,
        "Henry and Irene look like nobody in the table"
    );
}

#[test]
fn example_2_2_three_anonymous() {
    let view = one_level_up(&patients());
    let (classes, roles) = classes(&view);
    assert_eq!(classes.records(), [4, 3]);
    let found = audit_classes(
        &classes,
        &[Box::new(KAnonymity { k: 3 }), Box::new(KAnonymity { k: 4 })],
    );
    assert!(found[0].holds && !found[1].holds);
    assert_eq!(
        (found[1].violating_groups, found[1].violating_records),
        (1, 3)
    );
    // Each person of II(b) is linked to no record or to at least three.
    let people = one_level_up(&external());
    let matched = match_population(&view, &roles, &classes, &people).unwrap();
    assert_eq!((matched.people, matched.outside), (vec![5, 4], 0));
}

#[test]
fn example_2_3_two_sets_are_less_than_their_union() {
    let t = table("A,B,C,D,S\n1,1,1,1,x\n1,1,2,2,y\n2,2,1,1,x\n2,2,2,2,y");
    let roles = Roles::by_name(&t, &[], &["S"], None).unwrap();
    let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
    let holds = |quasi: &[usize]| {
        let roles = Roles {
            quasi: quasi.to_vec(),
            ..roles.clone()
        };
        audit_classes(&Classes::of(&t, &roles), &promises)[0].holds
    };
    assert_eq!(
        [&[0, 1][..], &[2, 3], &[0, 1, 2, 3]].map(holds),
        [true, true, false]
    );
    // Observation 2.1: what holds for a set holds for every part of it.
    assert_eq!([&[0][..], &[1]].map(holds), [true, true]);
}

#[test]
fn examples_2_4_and_2_5_records_are_not_people() {
    // Each patient has three diseases: six records, two patients.
    let t = table(
        "Pid,Job,Sex,Age,Disease
         1,Lawyer,Male,38,Flu
         1,Lawyer,Male,38,HIV
         1,Lawyer,Male,38,Fever
         2,Lawyer,Male,38,Flu
         2,Lawyer,Male,38,Hepatitis
         2,Lawyer,Male,38,Fever",
    );
    let by_record = Roles::by_name(&t, &QID, &["Pid"], None).unwrap();
    let found = audit_classes(
        &Classes::of(&t, &by_record),
        &[
            Box::new(KAnonymity { k: 6 }),
            Box::new(XyAnonymity { y: 0, k: 2 }),
            Box::new(XyAnonymity { y: 0, k: 3 }),
        ],
    );
    assert_eq!(
        [found[0].holds, found[1].holds, found[2].holds],
        [true, true, false]
    );
    let by_person = Roles::by_name(&t, &QID, &["Disease"], Some("Pid")).unwrap();
    let classes = Classes::of(&t, &by_person);
    assert_eq!(classes.subjects(), [2]);
    // Both patients have the flu: the confidence is over people, not over records.
    let flu = t
        .column("Disease")
        .unwrap()
        .dictionary
        .code_of("Flu")
        .unwrap();
    let found = audit_classes(
        &classes,
        &[Box::new(Confidence::of_values(0, [(flu, percent(50))]))],
    );
    same(found[0].measured.unwrap(), 1.0);
    // MultiR: the same people in two tables give the same answer on the join.
    let person = table("Pid,Job,Sex,Age\n1,Lawyer,Male,38\n2,Lawyer,Male,38\n3,Lawyer,Male,38");
    let visits = table("Pid,Disease\n1,Flu\n1,HIV\n1,Fever\n2,Flu\n2,Hepatitis\n2,Fever");
    let join = joined(
        &person,
        "Pid",
        &[Detail {
            name: "visit",
            table: &visits,
            foreign_key: "Pid",
        }],
    )
    .unwrap();
    assert_eq!(
        join.records(),
        7,
        "the third patient has no visit and stays"
    );
    let roles = Roles::by_name(&join, &QID, &["visit.Disease"], Some("Pid")).unwrap();
    assert_eq!(Classes::of(&join, &roles).subjects(), [3]);
    let dangling = table("Pid,Disease\n9,Flu");
    let detail = Detail {
        name: "visit",
        table: &dangling,
        foreign_key: "Pid",
    };
    assert_eq!(
        joined(&person, "Pid", &[detail]).unwrap_err().code(),
        "dangling-key"
    );
}

#[test]
fn example_2_6_dancers() {
    let raw = patients();
    let (classes, _) = classes(&raw);
    let dancers = class_of(&classes, &raw, ["Dancer", "Female", "30"]);
    let hiv = raw
        .column("Disease")
        .unwrap()
        .dictionary
        .code_of("HIV")
        .unwrap();
    let histogram = classes.histogram(0, dancers);
    assert_eq!((histogram.count(hiv), histogram.total), (2, 2));
}

#[test]
fn example_2_7_and_the_promises_of_section_2_2() {
    let view = one_level_up(&patients());
    let (classes, _) = classes(&view);
    let disease = &view.column("Disease").unwrap().dictionary;
    let hiv = disease.code_of("HIV").unwrap();
    let value = |promise: &dyn Promise, class: usize| {
        let histogram = [classes.histogram(0, class)];
        promise.value(&Group::new(
            classes.records()[class],
            classes.records()[class],
            &histogram,
        ))
    };
    let entropy = EntropyDiversity {
        attribute: 0,
        l: Fraction::parse("1.75").unwrap(),
    };
    // The paper rounds: log(1.9) is log(1.8899), log(1.8) is log(1.7548).
    let (artists, professionals) = (0, 1);
    assert!((value(&entropy, professionals) - 1.889_881_574_8).abs() < 1e-9);
    assert!((value(&entropy, artists) - 1.754_765_350_6).abs() < 1e-9);
    let recursive = |c: &str| RecursiveDiversity {
        attribute: 0,
        c: Fraction::parse(c).unwrap(),
        l: 2,
    };
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(entropy),
        Box::new(EntropyDiversity {
            attribute: 0,
            l: Fraction::parse("1.8").unwrap(),
        }),
        Box::new(DistinctDiversity { attribute: 0, l: 2 }),
        Box::new(recursive("3.01")),
        Box::new(recursive("3")),
        Box::new(Confidence::of_values(0, [(hiv, percent(10))])),
        Box::new(Confidence::of_values(0, [(hiv, percent(75))])),
        Box::new(AlphaK {
            attribute: 0,
            alpha: percent(75),
            k: 3,
        }),
        Box::new(AlphaK {
            attribute: 0,
            alpha: percent(75),
            k: 4,
        }),
        Box::new(XyPrivacy {
            k: 3,
            confidence: Confidence::of_values(0, [(hiv, percent(75))]),
        }),
    ];
    let found = audit_classes(&classes, &promises);
    let holds: Vec<bool> = found.iter().map(|measured| measured.holds).collect();
    assert_eq!(
        holds,
        [
            true, false, true, true, false, false, true, true, false, true
        ]
    );
    same(found[5].measured.unwrap(), 0.75);
}

#[test]
fn proximity_and_skewness_in_section_2_2() {
    // Ten records, seven values, nine within 30 to 35 and one 80.
    let t = table("Zip,Pay\n1,30\n1,31\n1,32\n1,33\n1,34\n1,35\n1,35\n1,35\n1,35\n1,80");
    let roles = Roles::by_name(&t, &["Zip"], &["Pay"], None).unwrap();
    let numbers = exact_numbers(&t.column("Pay").unwrap().dictionary);
    let whole = Decimal::whole;
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(KeAnonymity::new(0, 7, whole(50), &numbers)),
        Box::new(KeAnonymity::new(0, 7, whole(51), &numbers)),
        Box::new(KeAnonymity::new(0, 8, whole(50), &numbers)),
        Box::new(EpsilonM::new(0, whole(5), 2, &numbers)),
    ];
    let found = audit_classes(&Classes::of(&t, &roles), &promises);
    assert_eq!(
        found.iter().map(|found| found.holds).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    same(found[3].measured.unwrap(), 0.9);
    // 95 % flu overall, half of the group HIV: 2-diverse, and 0.45 away from the table.
    let counts = [(0, 5), (1, 5)];
    let histogram = [Histogram::new(&counts)];
    let group = Group::new(10, 10, &histogram);
    let closeness = TCloseness::equal(0, percent(45), &[950, 50]);
    assert!(
        closeness.admits(&group) && !TCloseness::equal(0, percent(44), &[950, 50]).admits(&group)
    );
    same(closeness.value(&group), 0.45);
}

#[test]
fn personalized_privacy_of_alice_and_bob() {
    // Alice guards infectious disease, Bob nothing, both with HIV; the others guard nothing.
    let t = table(
        "Zip,Disease,Guard
         1,HIV,Infectious
         1,HIV,
         1,SARS,
         1,Flu,",
    );
    let roles = Roles::by_name(&t, &["Zip"], &["Disease", "Guard"], None).unwrap();
    let disease = t.column("Disease").unwrap();
    let taxonomy = hierarchy(
        disease,
        "HIV,Infectious,ANY\nSARS,Infectious,ANY\nFlu,Respiratory,ANY",
    );
    let promise = |bound| {
        PersonalizedPrivacy::new(0, 1, bound, disease, &taxonomy, t.column("Guard").unwrap())
            .unwrap()
    };
    let found = audit_classes(
        &Classes::of(&t, &roles),
        &[
            Box::new(promise(percent(75))),
            Box::new(promise(percent(74))),
        ],
    );
    assert!(found[0].holds && !found[1].holds);
    same(found[0].measured.unwrap(), 0.75);
    let wrong = table("Guard\nNowhere");
    let error =
        PersonalizedPrivacy::new(0, 1, percent(50), disease, &taxonomy, &wrong.columns()[0])
            .unwrap_err();
    assert_eq!(error.code(), "unknown-guarding-node");
}

#[test]
fn example_2_8_presence_of_alice_and_bob() {
    let view = one_level_up(&patients());
    let (classes, roles) = classes(&view);
    let matched = match_population(&view, &roles, &classes, &one_level_up(&external())).unwrap();
    assert_eq!(matched.outside, 0);
    let classes = classes.with_population(matched.people);
    let presence = |least, most| -> Box<dyn Promise> {
        Box::new(DeltaPresence {
            least: percent(least),
            most: percent(most),
        })
    };
    let promises = [
        presence(75, 80),
        presence(76, 80),
        presence(0, 79),
        Box::new(KMap { k: 4 }),
        Box::new(KMap { k: 5 }),
    ];
    let found = audit_classes(&classes, &promises);
    let holds: Vec<bool> = found.iter().map(|measured| measured.holds).collect();
    assert_eq!(holds, [true, false, false, true, false]);
    same(found[0].measured.unwrap(), 0.8);
}

/// Table III: anatomy keeps count queries truer than generalization.
#[test]
fn table_iii_counts_of_heart_disease_at_38() {
    let t = table(
        "Age,Sex,Disease
         30,Male,Hepatitis
         30,Male,Hepatitis
         30,Male,HIV
         32,Male,Hepatitis
         32,Male,HIV
         32,Male,HIV
         36,Female,Flu
         38,Female,Flu
         38,Female,Heart
         38,Female,Heart",
    );
    let disease = &t.column("Disease").unwrap().dictionary;
    let heart = disease.code_of("Heart").unwrap();
    // Each group of III(b) infers any disease with at most one half.
    let ages: Vec<String> = (30..40)
        .map(|age| format!("{age},{},ANY", if age < 35 { "[30-35)" } else { "[35-40)" }))
        .collect();
    let by_age = hierarchy(t.column("Age").unwrap(), &ages.join("\n"));
    let by_sex = hierarchy(t.column("Sex").unwrap(), SEXES);
    let view = Table::new(vec![
        generalized(t.column("Age").unwrap(), &by_age, 1),
        t.column("Sex").unwrap().clone(),
        t.column("Disease").unwrap().clone(),
    ])
    .unwrap();
    let roles = Roles::by_name(&view, &["Age", "Sex"], &["Disease"], None).unwrap();
    let grouped = Classes::of(&view, &roles);
    assert_eq!(grouped.records(), [6, 4]);
    assert!(audit_classes(&grouped, &[Box::new(Confidence::of_all(0, percent(50)))])[0].holds);
    // QIT: three records of group 2 have age 38; ST: two of four have heart disease.
    let women = grouped.histogram(0, 1);
    same(
        anatomized_answer(&[(0, grouped.histogram(0, 0)), (3, women)], &[heart]),
        1.5,
    );
    // The same question asked of III(b), where 38 is one of five ages.
    let raw = Roles::by_name(&t, &["Age", "Sex"], &["Disease"], None).unwrap();
    let tuples = Classes::of(&t, &raw);
    let code =
        |name: &str, class: usize| t.column(name).unwrap().codes[tuples.rows(class)[0] as usize];
    let summary = Summary {
        quasi: ["Age", "Sex"]
            .iter()
            .map(|name| (0..tuples.len()).map(|class| code(name, class)).collect())
            .collect(),
        cardinalities: vec![4, 2],
        records: tuples.records().to_vec(),
        sensitive: vec![
            (0..tuples.len())
                .map(|class| tuples.histogram(0, class).counts.to_vec())
                .collect::<Ragged<_>>(),
        ],
        subjects: None,
        shown: Vec::new(),
    };
    let hierarchies = [by_age, by_sex];
    let age_of = |class: usize| hierarchies[0].node(1, code("Age", class));
    let recoding = Recoding {
        unit: Unit::Tuple,
        class_of: (0..tuples.len()).map(|class| Some(age_of(class))).collect(),
        labels: vec![hierarchies[0].labels(1), hierarchies[1].labels(0)],
        published: vec![vec![0, 1], vec![1, 0]],
        levels: Some(vec![1, 0]),
    };
    let publication = Publication::new(&summary, &recoding, &hierarchies).unwrap();
    let age = t.column("Age").unwrap().dictionary.code_of("38").unwrap();
    let query = CountQuery {
        quasi: vec![(0, vec![age])],
        sensitive: Some((0, vec![heart])),
    };
    let answer = workload_error(&publication, &[query], 0.0).answers[0];
    assert_eq!(answer.0, 2);
    same(answer.1, 0.4);
}

/// Section 4.1: one instance of Dancer as Artist loses (2 - 1) / 4, and ten instances up one level cost ten units.
#[test]
fn section_4_1_iloss_and_distortion() {
    let view = one_level_up(&patients());
    let raw = patients();
    let job = hierarchy(raw.column("Job").unwrap(), JOBS);
    let cells = Cells::of_table(&view, &[0], &[job], 7).unwrap();
    same(iloss(&cells, &[]).unwrap().total, 7.0 * 0.25);
    same(iloss(&cells, &[2.0]).unwrap().total, 7.0 * 0.5);
    assert_eq!(minimal_distortion(&cells), 7);
    let job = hierarchy(raw.column("Job").unwrap(), JOBS);
    let suppressed = Cells::of_table(&view, &[0], &[job], 9).unwrap();
    assert_eq!(minimal_distortion(&suppressed), 7 + 2 * 2);
}

/// Table V and example 5.1: the published table keeps the promise that the original breaks, and the original's engineers break it.
#[test]
fn example_5_1_minimality() {
    let original = table(
        "Job,Sex,Disease
         Engineer,Male,HIV
         Engineer,Male,HIV
         Lawyer,Male,Flu
         Lawyer,Male,Flu
         Lawyer,Male,Flu
         Lawyer,Male,Flu
         Lawyer,Male,Flu",
    );
    let column = &original.columns()[0];
    let published = Table::new(vec![
        generalized(column, &hierarchy(column, JOBS), 1),
        original.columns()[1].clone(),
        original.columns()[2].clone(),
    ])
    .unwrap();
    let hiv = original.columns()[2].dictionary.code_of("HIV").unwrap();
    let judge = |table: &Table| {
        let roles = Roles::by_name(table, &["Job", "Sex"], &["Disease"], None).unwrap();
        let classes = Classes::of(table, &roles);
        let template = Confidence::of_values(0, [(hiv, percent(60))]);
        (
            audit_classes(&classes, &[Box::new(template)]).remove(0),
            classes,
        )
    };
    let (before, classes) = judge(&original);
    assert!(!before.holds);
    assert_eq!((before.violating_groups, before.violating_records), (1, 2));
    same(before.measured.unwrap(), 1.0);
    // Even with both HIV records the lawyers would stay at 2/5: the engineers must be the ones.
    let lawyers = (0..classes.len())
        .find(|&class| classes.records()[class] == 5)
        .unwrap();
    assert!(percent(60).bounds(2, classes.records()[lawyers]));
    let (after, _) = judge(&published);
    assert!(after.holds);
    same(after.measured.unwrap(), 2.0 / 7.0);
}

#[test]
fn several_columns_as_y() {
    let t = table("X,P,Q\n1,a,b\n1,a,c\n1,a,b\n2,d,b");
    let mut columns = t.columns().to_vec();
    columns.push(combined(&t, &[1, 2], "Y"));
    let t = Table::new(columns).unwrap();
    let roles = Roles::by_name(&t, &["X"], &["Y"], None).unwrap();
    let found = audit_classes(
        &Classes::of(&t, &roles),
        &[Box::new(XyAnonymity { y: 0, k: 2 })],
    );
    assert_eq!(
        (found[0].violating_groups, found[0].violating_records),
        (1, 1)
    );
}
