//! Columns of a table perturbed: their numbers changed, and written with the digits of the source.

use denym_data::numbers::{self, NumberFormat};
use denym_data::{Column, Perturbation};

use super::{additive_noise, correlated_noise, random_round, rank_swap, round};
use crate::{Error, Matrix, RandomSource};

/// These columns perturbed, in their order; what is missing stays missing, and correlated noise needs every number.
pub fn perturbed(
    columns: &[&Column],
    method: Perturbation,
    random: &mut dyn RandomSource,
) -> Result<Vec<Column>, Error> {
    let changed = if let Perturbation::CorrelatedNoise { share } = method {
        let parts: Vec<Vec<f64>> = columns.iter().map(|column| present(column)).collect();
        let noisy = correlated_noise(&Matrix::from_columns(&parts)?, share, random)?;
        (0..columns.len()).map(|at| noisy.column(at)).collect()
    } else {
        let each = columns.iter().map(|column| single(column, method, random));
        each.collect::<Result<Vec<Vec<f64>>, Error>>()?
    };
    let pairs = columns.iter().zip(&changed);
    Ok(pairs
        .map(|(column, values)| rewritten(column, method, values))
        .collect())
}

/// The numbers of a column that are there.
fn present(column: &Column) -> Vec<f64> {
    numbers::of(column).into_iter().flatten().collect()
}

/// The present numbers of one column, changed.
fn single(
    column: &Column,
    method: Perturbation,
    random: &mut dyn RandomSource,
) -> Result<Vec<f64>, Error> {
    let present = present(column);
    if present.is_empty() {
        return Ok(present);
    }
    let matrix = Matrix::new(present, 1)?;
    let changed = match method {
        Perturbation::AdditiveNoise { share } | Perturbation::CorrelatedNoise { share } => {
            additive_noise(&matrix, share, random)?
        }
        Perturbation::RankSwap { share } => rank_swap(&matrix, share, random)?,
        Perturbation::Round { base } => round(&matrix, &[base])?,
        Perturbation::RandomRound { base } => random_round(&matrix, &[base], random)?,
    };
    Ok(changed.cells().to_vec())
}

/// The column with `values` in place of its numbers; what was missing still is.
fn rewritten(column: &Column, method: Perturbation, values: &[f64]) -> Column {
    // Noise keeps the digits of the source, or every published cell would show that it is one.
    let form = match method {
        Perturbation::Round { base } | Perturbation::RandomRound { base } => {
            NumberFormat::of(column, 0).holding(base)
        }
        _ => NumberFormat::of(column, 0),
    };
    let mut values = values.iter();
    let texts: Vec<Option<String>> = numbers::of(column)
        .iter()
        .map(|present| present.and_then(|_| values.next()).map(|&v| form.text(v)))
        .collect();
    Column::from_texts(&column.name, texts.iter().map(Option::as_deref))
}
