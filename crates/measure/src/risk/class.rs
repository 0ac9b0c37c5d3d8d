//! Risks that follow from class sizes alone: prosecutor, journalist, marketer, and the records at risk.
//!
//! # Idea
//!
//! - *Prosecutor*: knows that the victim is in the table. The chance of picking the right record is 1 / size of its class.
//! - *Journalist*: wants anyone at all and does not know who is in the table. The chance is 1 / number of people in the
//!   *population* that look like the class. Without a population it is the prosecutor's.
//! - *Marketer*: wants as many as possible. The expected share of right matches is the mean over records of those chances.
//!
//! # Reference
//!
//! K. El Emam, "Guide to the de-identification of personal health information", 2013, chapters 16 to 18.
//!
//! # Departures
//!
//! Sizes are in subjects. When only the size N of the population is known, each class is taken to have N / n times as many
//! people there; that is an estimate, and is labelled so.

use denym_data::Fraction;

use crate::Classes;
use crate::survey::ratio;

/// Risks over all classes; every chance lies between 0 and 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClassRisk {
    /// Highest chance of a prosecutor.
    pub prosecutor_highest: f64,
    /// Mean over records of the prosecutor's chance.
    pub prosecutor_average: f64,
    /// Lowest chance of a prosecutor.
    pub prosecutor_lowest: f64,
    /// Highest chance of a journalist.
    pub journalist_highest: f64,
    /// Mean over records of the journalist's chance.
    pub journalist_average: f64,
    /// Whether the journalist's and marketer's chances rest on an assumed population.
    pub population_is_estimated: bool,
    /// Expected share of subjects a marketer matches rightly.
    pub marketer: f64,
    /// Classes with a single subject.
    pub uniques: u64,
    /// Those as a share of all records.
    pub sample_uniqueness: f64,
    /// Share of records whose prosecutor's chance exceeds 1/5, 1/10, 1/20.
    pub at_risk_above_fifth: f64,
    /// Above 1/10.
    pub at_risk_above_tenth: f64,
    /// Above 1/20.
    pub at_risk_above_twentieth: f64,
}

/// The risks of `classes`, against their population counts, else against a population of `population` people, else
/// against nobody but the table itself.
pub fn class_risk(classes: &Classes, population: Option<u64>) -> ClassRisk {
    let (records, subjects) = (classes.records(), classes.subjects());
    if classes.is_empty() {
        return ClassRisk::default();
    }
    let total = classes.total();
    let sum: u64 = subjects.iter().sum();
    // How many people of the population look like each class.
    let factor = population.map_or(1.0, |population| (population as f64 / sum as f64).max(1.0));
    let people = |class: usize| match classes.population() {
        Some(population) => population[class].max(subjects[class]) as f64,
        None => subjects[class] as f64 * factor,
    };
    let mut risk = ClassRisk {
        prosecutor_lowest: 1.0,
        population_is_estimated: classes.population().is_none() && population.is_some(),
        ..ClassRisk::default()
    };
    let (mut prosecutor, mut journalist, mut marketer) = (0.0, 0.0, 0.0);
    for (class, (&records, &subjects)) in records.iter().zip(subjects).enumerate() {
        let (chance, outside) = (1.0 / subjects as f64, 1.0 / people(class));
        risk.prosecutor_highest = risk.prosecutor_highest.max(chance);
        risk.prosecutor_lowest = risk.prosecutor_lowest.min(chance);
        risk.journalist_highest = risk.journalist_highest.max(outside);
        prosecutor += records as f64 * chance;
        journalist += records as f64 * outside;
        marketer += subjects as f64 * outside;
        risk.uniques += u64::from(subjects == 1);
    }
    risk.prosecutor_average = prosecutor / total as f64;
    risk.journalist_average = journalist / total as f64;
    risk.marketer = marketer / sum as f64;
    risk.sample_uniqueness = ratio(risk.uniques, total);
    let above = |whole| {
        Fraction::new(1, whole).map_or(0.0, |threshold| ratio(at_risk(classes, threshold).0, total))
    };
    risk.at_risk_above_fifth = above(5);
    risk.at_risk_above_tenth = above(10);
    risk.at_risk_above_twentieth = above(20);
    risk
}

/// Records, and classes, whose prosecutor's chance is greater than `threshold`.
pub fn at_risk(classes: &Classes, threshold: Fraction) -> (u64, u64) {
    classes
        .records()
        .iter()
        .zip(classes.subjects())
        .filter(|&(_, &subjects)| !threshold.bounds(1, subjects))
        .fold((0, 0), |(records, groups), (&size, _)| {
            (records + size, groups + 1)
        })
}
