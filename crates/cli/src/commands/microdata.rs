//! What `anonymize` takes and shows for numbers in groups, clusters and perturbed columns.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use denym::{Account, Measures, Microdata, RunOptions};
use serde_json::{Value, json};

use super::anonymize::map;
use super::claims::number;
use crate::console::Console;

/// How much a search may work, and what it works on.
#[derive(Args)]
pub(crate) struct SearchArgs {
    /// How long a search that gets better with time may take, such as 60s, 500ms or 2m; the rounds it did are recorded
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
    /// The options of a run.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            effort: self.effort,
            until_told: self.time_budget.is_some(),
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

/// The keys that groups of records add.
pub(super) fn document(figures: &Microdata, document: &mut Value) {
    document["classes"] = json!(figures.classes);
    document["groups"] = json!(figures.groups);
    document["information_loss_percent"] = json!(figures.information_loss_percent);
    document["attribute_loss"] = map(&figures.attribute_loss);
    if let Some(loss) = figures.information_loss {
        document["information_loss"] = json!(loss);
    }
    if let Some(effort) = figures.effort {
        document["effort"] = json!(effort);
    }
    if let Some(waiting) = figures.waiting {
        document["waiting"] = json!(waiting);
    }
    if let Some(unconcerned) = figures.unconcerned {
        document["unconcerned"] = json!({
            "records": unconcerned.records,
            "smallest_group_of_others": unconcerned.smallest_group,
        });
    }
}

/// The measures of changed numbers.
pub(super) fn measures(measures: &Measures) -> Value {
    let columns = measures.columns.iter().map(|column| {
        let [positive, negative, ties] = column.signs;
        let tests = json!({
            "signs": {"positive": positive, "negative": negative, "ties": ties, "p": column.sign_p},
            "kolmogorov_smirnov": {"gap": column.ks, "p": column.ks_p},
        });
        (column.name.clone(), tests)
    });
    json!({
        "sse": measures.sse,
        "sst": measures.sst,
        "adm": measures.adm,
        "il1s": measures.il1s,
        "change_of_means": measures.means,
        "change_of_covariances": measures.covariances,
        "change_of_correlations": measures.correlations,
        "change_of_eigenvalues": measures.eigenvalues,
        "columns": columns.collect::<serde_json::Map<_, _>>(),
        "limits": Measures::LIMITS,
        "linkage": {
            "distance": measures.distance_linkage,
            "probabilistic": measures.probabilistic_linkage,
        },
    })
}

/// The lines that groups of records add.
pub(super) fn summary(account: &Account, figures: &Microdata, console: &Console) {
    console.say(format!(
        "lost       {} % of the information with `{}`",
        number(figures.information_loss_percent),
        account.algorithm
    ));
    if let Some(effort) = figures.effort {
        console.say(format!(
            "effort     {effort} rounds; `--effort {effort}` repeats this run"
        ));
    }
    if let Some(waiting) = figures.waiting {
        console.say(format!(
            "waiting    {waiting} records, until they have company in a later release"
        ));
    }
    if let Some(unconcerned) = figures.unconcerned {
        console.say(format!(
            "unconcerned {} records of people who do not mind; every group has {} others or more",
            unconcerned.records, unconcerned.smallest_group
        ));
    }
    let linkage = account
        .measures
        .as_ref()
        .and_then(|measures| measures.distance_linkage);
    if let Some(linkage) = linkage {
        console.say(format!(
            "linked     {} % of the records, by the nearest published one",
            number(100.0 * linkage)
        ));
    }
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
