//! Mixed columns microaggregated: numbers become means, ordered categories the median one, others the most frequent one.

use denym_data::{Code, Role};
use denym_microdata::{Cell, Column as Cells, mdav_generic};

use super::measures::Changed;
use super::onto::Published;
use super::{Found, Microdata, Search, Texts, labels_of, solution};
use crate::numbers::{self, Form};
use crate::policy::HierarchySpec;
use crate::{Error, plan::Plan};

/// Solves with MDAV-generic.
pub(super) fn solve(search: &Search<'_>) -> Result<Found, Error> {
    let columns = columns(search)?;
    let admits = |group: &[u32]| search.admission.size_only || search.admission.admits(group);
    let partition = mdav_generic(&columns, search.admission.k, &admits)?;
    let group_of = labels_of(&partition);
    let names = search.plan.quasi_names();
    let everyone: Vec<u32> = (0..search.table.records() as u32).collect();
    let (mut texts, mut changed) = (Vec::new(), Vec::new());
    let (mut sse, mut sst) = (0.0, 0.0);
    for ((cells, name), &position) in columns.iter().zip(&names).zip(&search.plan.columns.quasi) {
        let column = &search.table.columns()[position];
        let form = Form::of(column, 6);
        let middles: Vec<Cell> = partition
            .groups()
            .map(|group| cells.middle(group))
            .collect();
        let by_group = middles
            .iter()
            .map(|middle| match *middle {
                Cell::Number(number) => Some(form.text(number)),
                Cell::Code(code) => column
                    .dictionary
                    .text(source_code(search.plan, name, column, code))
                    .map(str::to_owned),
            })
            .collect();
        let whole = cells.middle(&everyone);
        let unit = spread(cells);
        let (mut lost, mut total) = (0.0, 0.0);
        for (group, middle) in partition.groups().zip(&middles) {
            for &row in group {
                lost += distance(cells, row, *middle, unit);
                total += distance(cells, row, whole, unit);
            }
        }
        texts.push(Texts {
            by_group,
            loss: if total > 0.0 { lost / total } else { 0.0 },
        });
        sse += lost;
        sst += total;
        if let Cells::Numeric(before) = cells {
            let after = group_of
                .iter()
                .flatten()
                .map(|&group| match middles[group as usize] {
                    Cell::Number(number) => form.read_back(number),
                    Cell::Code(_) => 0.0,
                });
            changed.push(Changed {
                name: name.clone(),
                before: before.clone(),
                after: after.collect(),
            });
        }
    }
    let percent = if sst > 0.0 { 100.0 * sse / sst } else { 0.0 };
    Ok(Found {
        algorithm: "mdav-generic",
        solution: solution(&group_of, &texts, percent),
        attempts: Vec::new(),
        figures: Microdata {
            groups: partition.len() as u64,
            information_loss_percent: percent,
            attribute_loss: names
                .into_iter()
                .zip(texts.iter().map(|column| column.loss))
                .collect(),
            ..Microdata::default()
        },
        columns: changed,
        adm: None,
        published: Published::new(group_of),
        warnings: Vec::new(),
    })
}

/// The quasi-identifiers: numbers, ordered categories (`hierarchy = { order = ... }`), other categories.
fn columns(search: &Search<'_>) -> Result<Vec<Cells>, Error> {
    let quasi = search.plan.policy.with_role(Role::QuasiIdentifier);
    quasi
        .zip(&search.plan.columns.quasi)
        .map(|(spec, &position)| {
            let column = &search.table.columns()[position];
            if numbers::is_numeric(column) && spec.hierarchy == HierarchySpec::Flat {
                let numbers: Option<Vec<f64>> = numbers::of(column).into_iter().collect();
                return numbers.map(Cells::Numeric).ok_or_else(|| Error::Internal {
                    what: "a number is missing that was there".into(),
                });
            }
            Ok(match ranks(search.plan, &spec.name, column) {
                Some(ranks) => Cells::Ordinal(
                    column
                        .codes
                        .iter()
                        .map(|&code| ranks[code as usize])
                        .collect(),
                ),
                None => Cells::Nominal(column.codes.clone()),
            })
        })
        .collect()
}

/// The rank of each code in the order that the policy gives; `None` when it gives none, or a value has no rank.
fn ranks(plan: &Plan, name: &str, column: &denym_data::Column) -> Option<Vec<u32>> {
    let spec = plan
        .policy
        .attributes
        .iter()
        .find(|spec| spec.name == name)?;
    let HierarchySpec::Ordered(order, _) = &spec.hierarchy else {
        return None;
    };
    (0..column.dictionary.len() as Code)
        .map(|code| {
            let text = column.dictionary.text(code)?;
            order
                .iter()
                .position(|other| other == text)
                .map(|rank| rank as u32)
        })
        .collect()
}

/// The code of the column that a middle stands for.
fn source_code(plan: &Plan, name: &str, column: &denym_data::Column, middle: u32) -> Code {
    match ranks(plan, name, column) {
        Some(ranks) => ranks.iter().position(|&rank| rank == middle).unwrap_or(0) as Code,
        None => middle,
    }
}

/// The standard deviation of numbers, the largest rank of ordered categories.
fn spread(cells: &Cells) -> f64 {
    match cells {
        Cells::Numeric(numbers) => {
            let n = numbers.len().max(1) as f64;
            let mean = numbers.iter().sum::<f64>() / n;
            (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt()
        }
        Cells::Ordinal(ranks) => f64::from(ranks.iter().copied().max().unwrap_or(0).max(1)),
        Cells::Nominal(_) => 1.0,
    }
}

/// The squared distance of a record to a middle, as MDAV-generic sees it.
fn distance(cells: &Cells, row: u32, middle: Cell, unit: f64) -> f64 {
    let row = row as usize;
    match (cells, middle) {
        (Cells::Numeric(numbers), Cell::Number(middle)) if unit > 0.0 => {
            ((numbers[row] - middle) / unit).powi(2)
        }
        (Cells::Ordinal(ranks), Cell::Code(middle)) => {
            ((f64::from(ranks[row]) - f64::from(middle)) / unit).powi(2)
        }
        (Cells::Nominal(codes), Cell::Code(middle)) => f64::from(u8::from(codes[row] != middle)),
        _ => 0.0,
    }
}
