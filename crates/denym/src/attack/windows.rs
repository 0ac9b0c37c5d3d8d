//! Windows of a stream under attack: each as it leaves, and all that a directory holds.

use std::path::Path;

use denym_attack::sequences::Effort;
use denym_attack::windows::{ShownWindow, WindowClaims, attack_window};
use denym_attack::{Finding, RedTeam};
use denym_release::windows::{Certificate, Claims, Window};

use super::attack_error;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What was found on all windows of a stream, and on each of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WindowsFound {
    /// Over all windows: a person counts once in each.
    pub team: RedTeam,
    /// The number of each published window with what was found on it.
    pub each: Vec<(u64, Vec<Finding>)>,
}

/// How much is tried on one window: some milliseconds, because the next one is on its way.
fn effort(seed: u64) -> Effort {
    Effort {
        words: 3_000_000,
        least_victims: 100,
        pieces: 500,
        seed,
    }
}

/// Attacks one window as it is published, beside the one published before it.
pub(crate) fn attacked(
    claims: &Claims,
    before: Option<&Window>,
    window: &Window,
    seed: u64,
) -> Result<RedTeam, Error> {
    let bounds = claims.confidence.iter();
    let claims = WindowClaims {
        known: claims.l,
        attributes: claims.attributes().collect(),
        bounds: bounds
            .map(|bound| {
                (
                    bound.attribute.as_str(),
                    bound.value.as_str(),
                    bound.at_most,
                )
            })
            .collect(),
    };
    let before = before.map(shown);
    let found = attack_window(&claims, before.as_ref(), &shown(window), effort(seed));
    found.map_err(|error| attack_error(&error))
}

/// A window as the red team reads it.
fn shown(window: &Window) -> ShownWindow<'_> {
    let places = window.places.iter();
    let records = window.records.iter();
    ShownWindow {
        places: places
            .map(|place| (place.location.as_str(), place.time))
            .collect(),
        profiles: &window.profiles,
        records: records
            .map(|record| (record.path.as_slice(), record.profile, record.count))
            .collect(),
    }
}

/// Attacks every window of the stream in `directory`, as the stream did before it let them out.
pub fn windows(
    directory: &Path,
    seed: u64,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<WindowsFound, Error> {
    listener.phase(Phase::Reading);
    let broken = |what| Error::Bundle {
        what,
        path: directory.to_owned(),
    };
    let certificates = crate::windows::chain(directory)?;
    let first = certificates.lines().next();
    let first = first.ok_or_else(|| broken("the stream has no certificate"))?;
    let first: Certificate = serde_json::from_str(first)
        .map_err(|_| broken("the first line of the certificates is no certificate"))?;
    listener.phase(Phase::Attacking);
    let mut found = WindowsFound::default();
    let mut teams = Vec::new();
    let mut before: Option<Window> = None;
    let pool = threads::pool(threads)?;
    crate::windows::each(directory, |window| {
        let team = pool.install(|| attacked(&first.claims, before.as_ref(), window, seed))?;
        found.each.push((window.number, team.findings.clone()));
        teams.push(team);
        before = Some(window.clone());
        Ok(())
    })?;
    found.team = RedTeam::over(&teams, "windows; a person counts once in each.");
    Ok(found)
}
