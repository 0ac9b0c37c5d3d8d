//! `denym stream`: events in, anonymous windows out.

mod live;
mod metrics;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use denym::{
    Error, Listener, StreamListener, StreamProgress, StreamRun, StreamSink, StreamSpec,
    read_stream_policy,
};
use serde_json::json;

use crate::commands::findings;
use crate::commands::search::duration;
use crate::console::Console;
use live::Live;
use metrics::Metrics;

/// Arguments of `stream`.
#[derive(Args)]
pub(crate) struct StreamArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// Where windows, certificates and the checkpoint go; a run there is gone on with
    #[arg(long, short, value_name = "DIR", default_value = "windows")]
    pub(crate) output: PathBuf,
    /// Windows between two checkpoints; windows leave with the checkpoint that knows of them
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
    /// Replay events so many times faster than they happened, such as 60x; `max` does not wait
    #[arg(long, value_name = "SPEED", default_value = "max", value_parser = speed)]
    pub(crate) replay_speed: Speed,
    /// Stop when a broker has nothing more, as at the end of a file
    #[arg(long)]
    pub(crate) until_end: bool,
    /// How long to wait for a broker that does not answer
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub(crate) patience: Duration,
    /// Answer Prometheus on this port of 127.0.0.1; 0 takes a free one and says which
    #[arg(long, value_name = "PORT")]
    pub(crate) metrics: Option<u16>,
}

/// How fast events are replayed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Speed(Option<f64>);

/// `60x`, `0.5x` or `max`.
fn speed(text: &str) -> Result<Speed, String> {
    if text == "max" {
        return Ok(Speed(None));
    }
    let factor = text.strip_suffix('x').and_then(|text| text.parse().ok());
    factor
        .filter(|factor: &f64| factor.is_finite() && *factor > 0.0)
        .map(|factor| Speed(Some(factor)))
        .ok_or_else(|| "write a speed such as 60x or 0.5x, or max".to_owned())
}

/// Listens for the terminal and for Prometheus.
struct Ears<'a> {
    console: &'a Console,
    live: Live,
    metrics: Option<Metrics>,
}

impl StreamListener for Ears<'_> {
    fn progress(&self, progress: &StreamProgress) {
        self.live.show(progress);
        if let Some(metrics) = &self.metrics {
            metrics.note(progress);
        }
    }

    fn keep_going(&self) -> bool {
        self.console.keep_going()
    }
}

/// Runs the stream until its source ends or a signal asks to stop.
pub(crate) fn run(args: &StreamArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = read_stream_policy(&args.policy)?;
    let sink = policy.stream.as_ref().map(|spec| &spec.sink);
    let windows_on_stdout = sink == Some(&StreamSink::Standard);
    if windows_on_stdout && console.json {
        return Err(Error::Argument {
            what: "windows and the JSON document cannot share standard output".to_owned(),
            help: "leave out --json, or `sink = \"-\"` in the policy".to_owned(),
        });
    }
    for warning in policy.stream.iter().flat_map(StreamSpec::warnings) {
        console.warn(&warning);
    }
    findings::show(&denym::stream_findings(&policy), console);
    let start = Instant::now();
    let ears = Ears {
        console,
        live: Live::new(!console.json && !console.quiet),
        metrics: match args.metrics {
            None => None,
            Some(port) => Some(listen(port, console)?),
        },
    };
    let options = StreamRun {
        checkpoint_every: args.checkpoint_every,
        until_end: args.until_end,
        speed: args.replay_speed.0,
        outage: args.patience,
        environment: Some(|name| std::env::var(name).ok()),
        #[cfg(feature = "brokers")]
        brokers: Some(&denym_brokers::Connect),
        #[cfg(not(feature = "brokers"))]
        brokers: None,
    };
    let outcome = denym::stream(&policy, &args.output, &options, &ears);
    ears.live.end();
    let summary = outcome?;
    let counts = summary.counts;
    let mut document = denym::documents::stream(&summary);
    document["seconds"] = json!(start.elapsed().as_secs_f64());
    console.document(&document);
    let say = |line: String| {
        // Windows have standard output for themselves.
        if windows_on_stdout {
            console.note(&line);
        } else {
            console.say(line);
        }
    };
    say(format!(
        "events     {} = {} published + {} suppressed + {} late + {} duplicates + {} rejected + {} open",
        counts.events,
        counts.published,
        counts.suppressed,
        counts.late,
        counts.duplicates,
        counts.rejected,
        counts.open
    ));
    say(format!(
        "windows    {} published, {} withheld, {} violations",
        counts.windows, counts.withheld, counts.violations
    ));
    say(format!("program    {}", summary.program.words()));
    if let Some(cost) = summary.consistent_cost {
        say(format!(
            "matching   `consistent` alone cost {cost} of the suppressed events"
        ));
    }
    if let Some(cuts) = summary.clock_cuts {
        say(format!("clock      cut windows {cuts} times"));
    }
    if !summary.finished {
        say("stopped    a checkpoint is made; run it again to go on".to_owned());
    }
    say(format!("directory  {}", summary.directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn listen(port: u16, console: &Console) -> Result<Metrics, Error> {
    let (metrics, address) = Metrics::listen(port).map_err(|_| Error::Argument {
        what: format!("port {port} of 127.0.0.1 cannot be listened on"),
        help: "choose another port with --metrics, or 0 for a free one".to_owned(),
    })?;
    console.note(&format!("metrics on http://{address}/metrics"));
    Ok(metrics)
}
