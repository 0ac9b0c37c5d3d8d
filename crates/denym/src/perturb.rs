//! Columns of numbers perturbed before anything else: noise, swapping, rounding, drawn from secret randomness.
//!
//! What comes after sees only the perturbed numbers: promises are judged on them, and no step can undo them.

use std::borrow::Cow;

use denym_data::{Column, Role, Table};
use denym_microdata::{Matrix, RandomSource, SplitMix64, perturb as methods};

use crate::numbers::{self, Form};
use crate::plan::policy_error;
use crate::policy::{Mistake, PerturbSpec, Perturbation, Policy, suggest};
use crate::{Error, certificate::Altered};

/// The table with the columns perturbed that the policy wants perturbed.
pub(crate) fn perturbed<'a>(
    policy: &Policy,
    table: &'a Table,
    seed: Option<u64>,
) -> Result<Cow<'a, Table>, Error> {
    let specs = &policy.release.microdata.perturb;
    if specs.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    check(policy, table)?;
    let mut system = System::default();
    let mut seeded = seed.map(SplitMix64::new);
    let mut columns = table.columns().to_vec();
    for spec in specs {
        let random: &mut dyn RandomSource = match &mut seeded {
            Some(seeded) => seeded,
            None => &mut system,
        };
        let positions = spec.columns.iter().filter_map(|name| table.position(name));
        let positions: Vec<usize> = positions.collect();
        let changed = match spec.method {
            Perturbation::CorrelatedNoise { share } => {
                let parts: Vec<Vec<f64>> = positions
                    .iter()
                    .map(|&position| numbers::of(&columns[position]).into_iter().flatten())
                    .map(Iterator::collect)
                    .collect();
                let noisy =
                    methods::correlated_noise(&Matrix::from_columns(&parts)?, share, random)?;
                (0..positions.len()).map(|at| noisy.column(at)).collect()
            }
            method => positions
                .iter()
                .map(|&position| single(&columns[position], method, random))
                .collect::<Result<Vec<Vec<f64>>, Error>>()?,
        };
        for (&position, values) in positions.iter().zip(changed) {
            columns[position] = rewritten(&columns[position], spec.method, &values);
        }
    }
    if system.failed {
        return Err(Error::NoRandomness);
    }
    Ok(Cow::Owned(Table::new(columns)?))
}

/// What a certificate says about the perturbed columns. What was drawn with a seed can be drawn again, and is said to be so.
pub(crate) fn altered(policy: &Policy, seeded: bool) -> Vec<Altered> {
    let specs = policy.release.microdata.perturb.iter();
    specs
        .map(|spec| {
            let (name, random) = (spec.method.name(), spec.method.is_random());
            Altered {
                columns: spec.columns.clone(),
                method: if seeded && random {
                    format!("{name}, drawn with a seed")
                } else {
                    name.to_owned()
                },
                reproducible: seeded || !random,
                true_of_records: false,
            }
        })
        .collect()
}

/// The present numbers of one column, changed.
fn single(
    column: &Column,
    method: Perturbation,
    random: &mut dyn RandomSource,
) -> Result<Vec<f64>, Error> {
    let present: Vec<f64> = numbers::of(column).into_iter().flatten().collect();
    if present.is_empty() {
        return Ok(present);
    }
    let matrix = Matrix::new(present, 1)?;
    let changed = match method {
        Perturbation::AdditiveNoise { share } | Perturbation::CorrelatedNoise { share } => {
            methods::additive_noise(&matrix, share, random)?
        }
        Perturbation::RankSwap { share } => methods::rank_swap(&matrix, share, random)?,
        Perturbation::Round { base } => methods::round(&matrix, &[base])?,
        Perturbation::RandomRound { base } => methods::random_round(&matrix, &[base], random)?,
    };
    Ok(changed.cells().to_vec())
}

/// The column with `values` in place of its numbers; what was missing still is.
fn rewritten(column: &Column, method: Perturbation, values: &[f64]) -> Column {
    // Noise keeps the digits of the source, or every published cell would show that it is one.
    let form = match method {
        Perturbation::Round { base } | Perturbation::RandomRound { base } => {
            Form::of(column, 0).holding(base)
        }
        _ => Form::of(column, 0),
    };
    let mut values = values.iter();
    let texts: Vec<Option<String>> = numbers::of(column)
        .iter()
        .map(|present| present.and_then(|_| values.next()).map(|&v| form.text(v)))
        .collect();
    Column::from_texts(&column.name, texts.iter().map(Option::as_deref))
}

/// Every column that cannot be perturbed is a mistake of the policy.
fn check(policy: &Policy, table: &Table) -> Result<(), Error> {
    let mut mistakes = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for spec in &policy.release.microdata.perturb {
        for name in &spec.columns {
            if let Some(mistake) = unfit(policy, table, spec, name) {
                mistakes.push(mistake);
            } else if seen.contains(&name.as_str()) {
                mistakes.push(Mistake {
                    code: "policy-duplicate",
                    message: format!("`{name}` is perturbed twice"),
                    span: spec.span.clone(),
                    help: "keep one".into(),
                });
            }
            seen.push(name);
        }
    }
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(policy_error(policy, mistakes))
    }
}

fn unfit(policy: &Policy, table: &Table, spec: &PerturbSpec, name: &str) -> Option<Mistake> {
    let mistake = |code, message, help| {
        Some(Mistake {
            code,
            message,
            span: spec.span.clone(),
            help,
        })
    };
    let may = |role| !matches!(role, Role::Identifier | Role::Subject);
    let published: Vec<&str> = policy
        .attributes
        .iter()
        .filter(|spec| may(spec.role))
        .map(|spec| spec.name.as_str())
        .collect();
    let Some(column) = table.column(name).filter(|_| published.contains(&name)) else {
        return mistake(
            "policy-unknown-column",
            format!("`{name}` is not published and so is not perturbed"),
            suggest(name, &published),
        );
    };
    if !numbers::is_numeric(column) {
        return mistake(
            "policy-not-numeric",
            format!("`{name}` has values that are no plain numbers"),
            "perturb numeric columns only".into(),
        );
    }
    let missing = numbers::missing(column);
    if missing > 0 && matches!(spec.method, Perturbation::CorrelatedNoise { .. }) {
        return mistake(
            "policy-missing-numbers",
            format!("{missing} records have no `{name}`"),
            "use `additive-noise`, which leaves gaps as they are, or complete the column".into(),
        );
    }
    None
}

/// Secret draws, for what must not be repeated.
#[derive(Default)]
pub(crate) struct Secret(System);

impl Secret {
    /// A number below `bound`, each as likely as the others; zero when there is none.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            return 0;
        }
        // The largest multiple of the bound: what lies above it would favor small numbers.
        let fair = u64::MAX - u64::MAX % bound;
        loop {
            let drawn = self.0.next_u64();
            if drawn < fair || self.0.failed {
                return drawn % bound;
            }
        }
    }

    /// Refuses what was drawn when the system had no randomness.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.0.failed {
            return Err(Error::NoRandomness);
        }
        Ok(())
    }
}

/// Random bits of the operating system.
struct System {
    buffer: [u8; 4096],
    used: usize,
    failed: bool,
}

impl Default for System {
    fn default() -> Self {
        System {
            buffer: [0; 4096],
            used: 4096,
            failed: false,
        }
    }
}

impl RandomSource for System {
    fn next_u64(&mut self) -> u64 {
        if self.used == self.buffer.len() {
            if getrandom::fill(&mut self.buffer).is_err() {
                // Whatever is drawn now is thrown away; it must only differ, or a draw by rejection would never end.
                self.failed = true;
                for (at, byte) in self.buffer.iter_mut().enumerate() {
                    *byte = (at * 167 / 8) as u8;
                }
            }
            self.used = 0;
        }
        let mut word = [0; 8];
        word.copy_from_slice(&self.buffer[self.used..self.used + 8]);
        self.used += 8;
        u64::from_le_bytes(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_gives_different_bits_every_time() {
        let mut one = System::default();
        let mut two = System::default();
        let draw = |source: &mut System| (0..1000).map(|_| source.next_u64()).collect::<Vec<_>>();
        let (a, b) = (draw(&mut one), draw(&mut two));
        assert!(!one.failed && a != b);
        // Of 64,000 fair bits, 32,000 are set, give or take 127; eight times that is a chance of about 1e-15.
        let ones: u32 = a.iter().map(|word| word.count_ones()).sum();
        assert!(ones.abs_diff(32_000) < 1012, "{ones}");
    }
}
