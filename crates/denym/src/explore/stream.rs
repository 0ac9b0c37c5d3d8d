//! Streams explored: what share of the events each K, L and C would cost, over the events of files.

use denym_data::Fraction;
use denym_stream::{Event, Options, Status, Stream};

use super::{Exploration, ExploreRequest, Trial};
use crate::Error;
use crate::listener::{Listener, Phase};
use crate::stream::{StreamPolicy, StreamSource, batches};

/// What a trial tells beside its metric.
const FIGURES: [&str; 5] = [
    "published",
    "suppressed",
    "windows",
    "withheld",
    "smallest_group",
];

/// Tries every combination of `request` on the stream of `policy`; every window is cut and judged, and none leaves.
pub fn explore_stream(
    policy: &StreamPolicy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    let foreign = request.l.is_empty()
        && request.t.is_empty()
        && request.suppress.is_empty()
        && request.items.is_empty();
    if !(foreign && request.algorithms.is_empty()) {
        return Err(Error::Argument {
            what:
                "l, t, suppressed records, items and algorithms are nothing that a stream can vary"
                    .into(),
            help: "vary --k, --doublets and --confidence".into(),
        });
    }
    if !matches!(&policy.source, StreamSource::Path(path) if path != "-") {
        return Err(Error::Argument {
            what: "what comes from a broker or a pipe comes once, and every trial reads it anew"
                .into(),
            help:
                "put some of the events into a file, and name it as `path` in a copy of the policy"
                    .into(),
        });
    }
    let own = &policy.options;
    if !request.confidence.is_empty() && own.bounds.is_empty() {
        return Err(Error::Argument {
            what: "the policy has no `confidence` to vary".into(),
            help: "add one to `[promise]`, or leave out --confidence".into(),
        });
    }
    let ks = if request.varies_nothing() {
        vec![10, 20, 30, 40, 50]
    } else if request.k.is_empty() {
        vec![own.k]
    } else {
        request.k.clone()
    };
    let ls = if request.doublets.is_empty() {
        vec![own.l]
    } else {
        request.doublets.clone()
    };
    let bounds: Vec<Option<Fraction>> = match &request.confidence[..] {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    listener.phase(Phase::Searching);
    let total = (ks.len() * ls.len() * bounds.len()) as u64;
    let mut trials = Vec::new();
    for &l in &ls {
        for &bound in &bounds {
            for &k in &ks {
                let mut options = own.clone();
                (options.k, options.l) = (k, l);
                for one in &mut options.bounds {
                    one.at_most = bound.unwrap_or(one.at_most);
                }
                trials.push(trial(policy, options, listener)?);
                listener.progress(trials.len() as u64, total);
            }
        }
    }
    Ok(Exploration {
        metric: "suppressed-events".to_owned(),
        figures: FIGURES.to_vec(),
        trials,
        knees: Vec::new(),
        exposure: None,
    })
}

/// Runs the stream once, without a place for its windows.
fn trial(policy: &StreamPolicy, options: Options, listener: &dyn Listener) -> Result<Trial, Error> {
    let mut settings = vec![("k", options.k as f64), ("doublets", options.l as f64)];
    if let Some(bound) = options.bounds.first() {
        settings.push(("confidence", bound.at_most.to_f64()));
    }
    let mut tried = Trial {
        settings,
        asked: "stream".to_owned(),
        algorithm: "stream".to_owned(),
        value: None,
        figures: Vec::new(),
        refusal: None,
    };
    let mut stream = match Stream::new(options) {
        Ok(stream) => stream,
        Err(error) => {
            tried.refusal = Some(error.to_string());
            return Ok(tried);
        }
    };
    let mut smallest: Option<u64> = None;
    let mut cut = |stream: &mut Stream| -> Result<(), Error> {
        while let Some(slide) = stream.poll()? {
            let found = &slide.certificate;
            if found.status == Status::Published && found.measured.subjects > 0 {
                let group = found.measured.smallest_group;
                smallest = Some(smallest.map_or(group, |known| known.min(group)));
            }
        }
        Ok(())
    };
    batches(policy, &mut |batch| {
        if !listener.keep_going() {
            return Err(Error::Stopped);
        }
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
                    cut(&mut stream)?;
                }
            }
        }
        Ok(())
    })?;
    stream.finish();
    cut(&mut stream)?;
    let counts = stream.counts();
    let decided = (counts.published + counts.suppressed).max(1);
    tried.value = Some(counts.suppressed as f64 / decided as f64);
    tried.figures = vec![
        counts.published as f64,
        counts.suppressed as f64,
        counts.windows as f64,
        counts.withheld as f64,
        smallest.map_or(f64::NAN, |group| group as f64),
    ];
    Ok(tried)
}
