//! Streams: who was where and when, window by window; planned, tried and audited like every other kind, published by [`crate::stream()`].

use denym_measure::Sense;
use denym_release::windows::{Claims, Rule, shown};
use denym_stream::{Event, Options, Slide, Status, Stream};

use crate::Error;
use crate::account::{Account, Outcome};
use crate::bundle::Draft;
use crate::certificate::{Claim, share};
use crate::explore::{Layout, Setting};
use crate::figures::Figures;
use crate::listener::Listener;
use crate::options::RunOption;
use crate::outline::{Cost, Sketch};
use crate::pipeline::{Kind, Prepared, Run};
use crate::policy::stream::{StreamSource, StreamSpec};
use crate::source::Stamp;
use crate::stream::{batches, spec};

/// Events as they come, published window by window.
pub(crate) struct OnStreams;

impl Kind for OnStreams {
    const NAME: &'static str = "streams";
    const TAKES: &'static [RunOption] = &[];
    const VARIES: &'static [Setting] = &[Setting::K, Setting::Doublets, Setting::Confidence];
    const LAYOUT: Layout = Layout::Figure;
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("published", "published"),
        ("suppressed", "suppressed"),
        ("windows", "windows"),
        ("withheld", "withheld"),
        ("smallest_group", "smallest_group"),
    ];
    const ALGORITHMS: &'static [&'static str] = &["stream"];

    /// Events are read when they are needed, and forgotten.
    type Source = ();
    type Plan = StreamSpec;

    fn read(_run: &Run<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn stamps(_run: &Run<'_>) -> Result<Vec<Stamp>, Error> {
        Ok(Vec::new())
    }

    fn plan(run: &Run<'_>, (): &()) -> Result<StreamSpec, Error> {
        spec(run.policy)
    }

    fn sketch(_run: &Run<'_>, (): &(), plan: &StreamSpec) -> Sketch {
        let options = &plan.options;
        let cost = |key, words, value| Cost { key, words, value };
        Sketch {
            steps: steps(),
            costs: vec![
                cost(
                    "window",
                    "timestamps in a window",
                    u64::from(options.window),
                ),
                cost(
                    "step",
                    "timestamps from one window to the next",
                    u64::from(options.step),
                ),
                cost(
                    "lateness",
                    "timestamps that an event may be late",
                    u64::from(options.lateness),
                ),
            ],
            // Nothing is read for a plan: it is the search of one window with few people.
            work: 0,
            warnings: plan.warnings(),
        }
    }

    fn attempt(run: &Run<'_>, source: &()) -> Result<Account, Error> {
        let plan = Self::plan(run, source)?;
        let mut smallest: Option<u64> = None;
        let stream = cut(run, &plan, plan.options.clone(), &mut |slide| {
            let found = &slide.certificate;
            if found.status == Status::Published && found.measured.subjects > 0 {
                let group = found.measured.smallest_group;
                smallest = Some(smallest.map_or(group, |known| known.min(group)));
            }
            Ok(())
        })?;
        let counts = stream.counts();
        let decided = (counts.published + counts.suppressed).max(1);
        let figures = Figures::default()
            .with("published", counts.published)
            .with("suppressed", counts.suppressed)
            .with("windows", counts.windows)
            .with("withheld", counts.withheld)
            .with("smallest_group", smallest);
        let metric = (
            run.policy.release.metric.name().to_owned(),
            share(counts.suppressed, decided),
        );
        Ok(Account {
            suppressed_records: counts.suppressed,
            metric,
            warnings: plan.warnings(),
            ..Account::of(run.policy, counts.events, figures)
        })
    }

    fn release(
        _ready: &Prepared<Self>,
        _draft: Draft,
        _listener: &dyn Listener,
    ) -> Result<Outcome, Error> {
        Err(Error::Argument {
            what: "a stream is published window by window, as events come".into(),
            help: "run it with `denym stream`".into(),
        })
    }

    /// Every window of the events as they stand, judged as if it were to leave.
    fn as_it_stands(run: &Run<'_>, (): &(), plan: &StreamSpec) -> Result<Vec<Claim>, Error> {
        let claims = Claims::new(&plan.options);
        let asked = claims.asked();
        let mut all: Vec<Claim> = Vec::new();
        // Groups of one person are let through, so nothing is suppressed.
        let raw = Options {
            k: 1,
            bounds: Vec::new(),
            promises: Vec::new(),
            rule: Rule::Retract,
            ..plan.options.clone()
        };
        cut(run, plan, raw, &mut |slide| {
            let Some(window) = slide.window.as_ref().filter(|window| window.subjects() > 0) else {
                return Ok(());
            };
            let audit = shown(window, &asked)?;
            let found = claims.judged(&audit, audit.holds).into_iter();
            for (at, (mut claim, measured)) in found.zip(&audit.measured).enumerate() {
                claim.holds = Some(measured.holds);
                if measured.holds {
                    claim.violating_records = 0;
                }
                match all.get_mut(at) {
                    None => all.push(claim),
                    Some(worst) => join(worst, &claim),
                }
            }
            Ok(())
        })?;
        if all.is_empty() {
            return Err(Error::Argument {
                what: "the events make no window with anybody in it, so there is nothing to judge"
                    .into(),
                help: "check `[window]` and the columns of `[data]`".into(),
            });
        }
        Ok(all)
    }
}

/// Two windows judged as one: the worse of both.
fn join(worst: &mut Claim, other: &Claim) {
    worst.measured = match worst.terms.entry().sense {
        Sense::AtLeast => worst.measured.min(other.measured),
        Sense::AtMost => worst.measured.max(other.measured),
    };
    worst.holds = Some(worst.holds == Some(true) && other.holds == Some(true));
    worst.violating_records += other.violating_records;
}

/// What is done with events.
pub(crate) fn steps() -> Vec<String> {
    [
        "take events in by their time; what comes after its timestamp was closed is late",
        "cut a window when its last timestamp is complete, and suppress until every group keeps the promise",
        "judge the window as it would be read, attack it alone and beside the one before it, and let it out only if both pass",
    ]
    .map(str::to_owned)
    .into()
}

/// Runs the events of files through a stream that has no place for its windows; hands over every slide.
fn cut(
    run: &Run<'_>,
    spec: &StreamSpec,
    options: Options,
    take: &mut dyn FnMut(&Slide) -> Result<(), Error>,
) -> Result<Stream, Error> {
    if !matches!(&spec.source, StreamSource::Path(path) if path != "-") {
        return Err(Error::Argument {
            what: "what comes from a broker or a pipe comes once, and every trial reads it anew"
                .into(),
            help:
                "put some of the events into a file, and name it as `path` in a copy of the policy"
                    .into(),
        });
    }
    let mut stream = Stream::new(options).map_err(|error| Error::Infeasible {
        what: error.to_string(),
        code: error.code(),
        help: error.help(),
    })?;
    let mut every = |stream: &mut Stream| -> Result<(), Error> {
        while let Some(slide) = stream.poll()? {
            take(&slide)?;
        }
        Ok(())
    };
    batches(run.policy, spec, &mut |batch| {
        run.proceed()?;
        let mut sensitive = Vec::new();
        for line in batch.lines() {
            match line.sighting() {
                None => {
                    stream.reject();
                }
                Some(sighting) => {
                    line.sensitive(&mut sensitive);
                    stream.push(&Event {
                        subject: sighting.subject,
                        location: sighting.location,
                        time: sighting.time,
                        sensitive: &sensitive,
                    });
                    every(&mut stream)?;
                }
            }
        }
        Ok(())
    })?;
    stream.finish();
    every(&mut stream)?;
    Ok(stream)
}
