//! Mixed columns microaggregated: numbers become means, ordered categories the median one, others the most frequent one.

use denym_data::Code;
use denym_data::numbers::{self, NumberFormat};

use super::{
    ChangedColumn, GroupFigures, GroupRequest, Grouped, QuasiColumn, Texts, labels_of, recoding,
};
use crate::{Cell, Column as Cells, Error, mdav_generic};

/// Solves with MDAV-generic.
pub(super) fn solve(request: &GroupRequest<'_>) -> Result<Grouped, Error> {
    let columns = columns(request)?;
    let admits = |group: &[u32]| request.admission.size_only || request.admission.admits(group);
    let partition = mdav_generic(&columns, request.admission.k, &admits)?;
    let group_of = labels_of(&partition);
    let everyone: Vec<u32> = (0..request.table.records() as u32).collect();
    let (mut texts, mut changed) = (Vec::new(), Vec::new());
    let (mut sse, mut sst) = (0.0, 0.0);
    for (cells, quasi) in columns.iter().zip(&request.quasi) {
        let (column, ranks) = (quasi.column, ranks(quasi));
        let form = NumberFormat::of(column, 6);
        let middles: Vec<Cell> = partition
            .groups()
            .map(|group| cells.middle(group))
            .collect();
        let by_group = middles
            .iter()
            .map(|middle| match *middle {
                Cell::Number(number) => Some(form.text(number)),
                Cell::Code(code) => {
                    let code = source_code(ranks.as_deref(), code);
                    column.dictionary.text(code).map(str::to_owned)
                }
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
            changed.push(ChangedColumn {
                name: column.name.clone(),
                before: before.clone(),
                after: after.collect(),
            });
        }
    }
    let percent = if sst > 0.0 { 100.0 * sse / sst } else { 0.0 };
    Ok(Grouped {
        algorithm: "mdav-generic",
        recoding: recoding(&group_of, &texts),
        attempts: Vec::new(),
        figures: GroupFigures {
            groups: partition.len() as u64,
            information_loss_percent: percent,
            attribute_loss: request.losses(&texts),
            ..GroupFigures::default()
        },
        changed,
        adm: None,
        warnings: Vec::new(),
    })
}

/// The quasi-identifiers: numbers, ordered categories, other categories.
fn columns(request: &GroupRequest<'_>) -> Result<Vec<Cells>, Error> {
    let quasi = request.quasi.iter();
    quasi
        .map(|quasi| {
            let codes = &quasi.column.codes;
            if quasi.numeric {
                let numbers = numbers::of(quasi.column).into_iter();
                let numbers = numbers.collect::<Option<Vec<f64>>>();
                return numbers.map(Cells::Numeric).ok_or(Error::MissingNumber);
            }
            Ok(match ranks(quasi) {
                Some(ranks) => {
                    Cells::Ordinal(codes.iter().map(|&code| ranks[code as usize]).collect())
                }
                None => Cells::Nominal(codes.clone()),
            })
        })
        .collect()
}

/// The rank of each code in the order of the categories; `None` when they have none, or a value has no rank.
fn ranks(quasi: &QuasiColumn<'_>) -> Option<Vec<u32>> {
    let (order, dictionary) = (quasi.order?, &quasi.column.dictionary);
    (0..dictionary.len() as Code)
        .map(|code| {
            let text = dictionary.text(code)?;
            let rank = order.iter().position(|other| other == text);
            rank.map(|rank| rank as u32)
        })
        .collect()
}

/// The code of the column that a middle stands for.
fn source_code(ranks: Option<&[u32]>, middle: u32) -> Code {
    match ranks {
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
