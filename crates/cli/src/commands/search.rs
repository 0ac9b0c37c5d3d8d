//! How much a search may work, and what it works on, as `anonymize` and `plan` take it.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use denym::RunOptions;

/// How much a search may work, and what it works on.
#[derive(Args)]
pub(crate) struct SearchArgs {
    /// How long a search that gets better with time may take, such as 60s, 500ms or 2m (`auto` on tables: 20s when not given);
    /// the rounds it did are recorded
    #[arg(long, value_name = "TIME", value_parser = duration, conflicts_with = "effort")]
    pub(crate) time_budget: Option<Duration>,
    /// Rounds of improvement; the number that an earlier run recorded repeats it exactly
    #[arg(long, value_name = "N")]
    pub(crate) effort: Option<u64>,
    /// Add new records to this earlier bundle instead of grouping all anew; the data must begin with its records
    #[arg(long, value_name = "DIR")]
    pub(crate) onto: Option<PathBuf>,
    /// For tests only: draw noise and swaps from this seed; whoever knows it can undo them
    #[arg(long, value_name = "N")]
    pub(crate) perturbation_seed: Option<u64>,
}

impl SearchArgs {
    /// How long a search may take: as asked, else as `auto` does by itself.
    pub(super) fn budget(&self) -> Duration {
        self.time_budget.unwrap_or(denym::USUAL_PATIENCE)
    }

    /// The options of a run.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            effort: self.effort,
            until_told: self.time_budget.is_some(),
            patience: Some(denym::USUAL_PATIENCE),
            onto: self.onto.clone(),
            perturbation_seed: self.perturbation_seed,
            ..RunOptions::default()
        }
    }
}

/// `60s`, `1.5s`, `500ms`, `2m`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    units
        .iter()
        .find_map(|(unit, seconds)| {
            let value: f64 = text.strip_suffix(unit)?.parse().ok()?;
            Duration::try_from_secs_f64(value * seconds).ok()
        })
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "write a time such as 60s, 500ms or 2m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        assert_eq!(duration("60s"), Ok(Duration::from_mins(1)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        for wrong in ["", "60", "s", "-1s", "0s", "inf s", "1e300h", "NaNs"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
