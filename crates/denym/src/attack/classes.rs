//! The attacks that need nothing but a release: everybody's quasi-identifiers are known, and classes tell the rest.
//!
//! # Idea
//!
//! The adversary who knows all quasi-identifiers of everybody finds the victim's class. *Linkage* guesses the record in it;
//! *homogeneity* reads off a sensitive value that all of it share; *background knowledge* rules one other value out first;
//! *skewness* looks for a value that is much likelier in the class than overall; *proximity* for a narrow range of numbers.
//!
//! # Cost
//!
//! Linear in the classes and the entries of their histograms.

use denym_measure::{Classes, Histogram};

/// A value this many times likelier in the class than overall is a skewness attack's success.
pub(crate) const GAIN: f64 = 5.0;

/// The most classes that are named as the worst.
const WORST: usize = 10;

/// One attack on the classes of a table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassAttack {
    /// The attack's name in the catalogue.
    pub(crate) attack: &'static str,
    /// What the adversary is after, when it is one sensitive attribute.
    pub(crate) attribute: Option<String>,
    /// Whether a plain bound of the policy speaks of it.
    pub(crate) bounded: bool,
    /// What the adversary knows.
    pub(crate) knows: String,
    /// Success: expected right guesses (linkage) or people of whom something follows, over all people.
    pub(crate) rate: f64,
    /// The classes in which it succeeds best.
    pub(crate) worst: Vec<WorstClass>,
}

/// A class in which an attack succeeds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WorstClass {
    /// The class.
    pub(crate) class: usize,
    /// The chance that the adversary is right about one of its people.
    pub(crate) chance: f64,
}

/// Runs every attack that applies; `names` are the sensitive attributes in the order of the classes' histograms.
pub(crate) fn on_classes(classes: &Classes, names: &[String]) -> Vec<ClassAttack> {
    let quasi = "everybody's quasi-identifiers, and who is in the data";
    let mut attacks = vec![ClassAttack {
        attack: "linkage",
        attribute: None,
        bounded: true,
        knows: quasi.to_owned(),
        ..tally(
            classes,
            |class| Some(1.0 / classes.subjects()[class] as f64),
            true,
        )
    }];
    for (position, name) in names.iter().enumerate() {
        let about =
            |attack: &'static str, more: &str, bounded: bool, tallied: ClassAttack| ClassAttack {
                attack,
                attribute: Some(name.clone()),
                bounded,
                knows: format!("{quasi}{more}"),
                ..tallied
            };
        let of = |class: usize| classes.histogram(position, class);
        let homogeneity = tally(
            classes,
            |class| (of(class).counts.len() == 1).then_some(1.0),
            false,
        );
        attacks.push(about("homogeneity", "", true, homogeneity));
        let background = tally(
            classes,
            |class| (of(class).counts.len() <= 2).then_some(1.0),
            false,
        );
        attacks.push(about(
            "background-knowledge",
            ", and one sensitive value that the person does not have",
            false,
            background,
        ));
        let overall = overall(classes, position);
        let skewness = tally(classes, |class| skewed(of(class), &overall), false);
        attacks.push(about("skewness", "", false, skewness));
    }
    attacks
}

/// Counts of each value over all classes, and their sum.
fn overall(classes: &Classes, attribute: usize) -> (Vec<u64>, u64) {
    let mut counts: Vec<u64> = Vec::new();
    let mut total = 0;
    for class in 0..classes.len() {
        for &(value, count) in classes.histogram(attribute, class).counts {
            let at = value as usize;
            if counts.len() <= at {
                counts.resize(at + 1, 0);
            }
            counts[at] += count;
            total += count;
        }
    }
    (counts, total)
}

/// The largest confidence in a value that is [`GAIN`] times likelier here than overall.
fn skewed(histogram: Histogram<'_>, (overall, total): &(Vec<u64>, u64)) -> Option<f64> {
    histogram
        .counts
        .iter()
        .map(|&(value, count)| {
            let here = count as f64 / histogram.total as f64;
            (here, here * *total as f64 / overall[value as usize] as f64)
        })
        .filter(|&(_, gain)| gain >= GAIN)
        .map(|(here, _)| here)
        .reduce(f64::max)
}

/// Share of the people in classes where `chance` is something (times the chance, when expected), and the worst classes.
fn tally(classes: &Classes, chance: impl Fn(usize) -> Option<f64>, expected: bool) -> ClassAttack {
    let mut hits = 0.0;
    let mut worst: Vec<WorstClass> = Vec::new();
    let order =
        |a: &WorstClass, b: &WorstClass| b.chance.total_cmp(&a.chance).then(a.class.cmp(&b.class));
    for class in 0..classes.len() {
        let Some(chance) = chance(class) else {
            continue;
        };
        let people = classes.subjects()[class] as f64;
        hits += if expected { people * chance } else { people };
        let found = WorstClass { class, chance };
        if worst.len() < WORST || worst.last().is_some_and(|last| order(&found, last).is_lt()) {
            let at = worst.partition_point(|other| order(other, &found).is_lt());
            worst.insert(at, found);
            worst.truncate(WORST);
        }
    }
    let people: u64 = classes.subjects().iter().sum();
    ClassAttack {
        attack: "",
        attribute: None,
        bounded: false,
        knows: String::new(),
        rate: if people == 0 {
            0.0
        } else {
            hits / people as f64
        },
        worst,
    }
}
