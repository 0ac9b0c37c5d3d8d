//! A bundle of any kind under attack: what it is, where the policy says its source is, and the attacks that apply.

use std::path::{Path, PathBuf};

use denym_attack::trails::{Options, Side, TrailScene, Truth};
use denym_attack::{RedTeam, Scene, Shape, red_team};
use denym_engine::Engine;

use super::table::certified_half;
use super::{TrailSource, attack_error, sides};
use crate::anonymize::{OWNERS, trail_owners};
use crate::listener::{Listener, Phase};
use crate::policy::{Knowledge, read_policy};
use crate::{Error, source, threads, verify};

/// What kind of release `path` is; a table when nothing says otherwise.
pub fn shape_of(path: &Path) -> Result<Shape, Error> {
    if crate::is_stream(path) {
        return Ok(Shape::Windows);
    }
    let Some(half) = certified_half(path)? else {
        return Ok(Shape::Table);
    };
    let certificate = verify::read_certificate(&half)?;
    Ok(match certificate.knows {
        Knowledge::Institutions => Shape::Trails,
        _ if certificate.paths.is_some() => Shape::Paths,
        _ if certificate.transactions.is_some() => Shape::Transactions,
        _ => Shape::Table,
    })
}

/// The source that `policy` names; an error that says how to name it where none is given, or which `command` asks for it.
pub fn source_of(policy: Option<&Path>, command: &str) -> Result<PathBuf, Error> {
    let policy = policy.ok_or_else(|| Error::Argument {
        what: "the source is not said, and without it nobody can be looked for".into(),
        help: format!("name the policy of the release with --policy FILE, or use `{command}`"),
    })?;
    Ok(source::location(&read_policy(policy)?))
}

/// Attacks a bundle of trails as its gate did: who is whose is known from the steward's half, or where the policy has a file of owners.
pub fn trail_bundle(
    release: &Path,
    policy: &Path,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<RedTeam, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let half = verify::public_half(release)?;
    let certificate = verify::read_certificate(&half)?;
    let policy = read_policy(policy)?;
    let read = source::read_options(&policy);
    let side = |path: PathBuf| TrailSource {
        path,
        ..TrailSource::default()
    };
    let found = sides(
        &engine,
        &side(half.join(&certificate.data.file)),
        &side(policy.resolve(Path::new(&policy.data.identified))),
        &[],
        &read,
    )?;
    let (anonymous, identified) = (&found.anonymous, &found.identified);
    // Whose the published trails are, the steward's half says; without it only a policy whose ids are published as they are.
    let list = release.join(OWNERS);
    let mut known = policy.clone();
    if list.is_file() {
        let list = std::path::absolute(&list)
            .map_err(|error| Error::io("find the list of owners", &list, &error))?;
        known.data.owners = Some(list.display().to_string());
    }
    let owners: Option<Vec<Option<u32>>> = match known.data.owners {
        Some(_) => {
            let owners = trail_owners(&known, &engine, &read, anonymous, identified)?;
            Some(owners.into_iter().map(Some).collect())
        }
        None => None,
    };
    listener.phase(Phase::Attacking);
    let mut scene = TrailScene::new(
        Side::new(&anonymous.trails),
        Side::new(&identified.trails),
        &|_, _| true,
        &|_, _| true,
        Options::default(),
    );
    scene.truth = owners.as_ref().map(|owners| Truth {
        owners,
        source: None,
    });
    let team = threads::pool(threads)?.install(|| red_team(&Scene::Trails(&scene)));
    team.map_err(|error| attack_error(&error))
}
