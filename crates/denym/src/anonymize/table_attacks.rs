//! The red team on a table before it is released: the scene as the gate has it.

use denym_attack::table::{Attacked, Originals, TableScene, Wish, numbered_apart};
use denym_attack::{Scene, red_team as run};
use denym_data::Table;
use denym_engine::Engine;

use crate::Error;
use crate::anonymize::red_team::{RedTeam, SEED};
use crate::attack::{NO_SENSITIVE, at_most, attack_error, changed_columns, numbers_of, originals};
use crate::certificate::Altered;
use crate::plan::Plan;
use crate::policy::PromiseSpec;

/// Records up to which possible originals are tried for the minimality attack.
const MINIMALITY_RECORDS: usize = 60;
/// The most possible originals that are tried: each is one run of the search.
const MINIMALITY_ORIGINALS: u64 = 100;
/// How sure the adversary of the minimality attack wants to be.
const SURE: f64 = 0.9;

/// A release that is to be attacked before it is made.
pub(crate) struct Attackable<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) engine: &'a Engine,
    /// The table as the search saw it.
    pub(crate) kept: &'a Table,
    /// The source, and the file as it was read back.
    pub(crate) original: &'a Table,
    pub(crate) written: &'a Table,
    /// The source as it is attacked.
    pub(crate) before: Attacked<'a>,
    /// The written data as it is attacked.
    pub(crate) after: Attacked<'a>,
    /// Sensitive attributes in the order of both sides' roles.
    pub(crate) sensitive: &'a [String],
    /// Columns that do not show single records' values.
    pub(crate) altered: &'a [Altered],
    /// Whether records were grouped instead of tuples generalized.
    pub(crate) grouped: bool,
}

/// Attacks the release.
pub(crate) fn red_team(release: &Attackable<'_>) -> Result<RedTeam, Error> {
    let at_most = at_most(release.plan.policy.adversary);
    let mut shown = release.after.clone();
    let apart;
    if at_most.is_some() {
        apart = numbered_apart(&shown)?;
        shown = Attacked {
            table: &apart,
            ..shown
        };
    }
    let names = changed_columns(release.altered);
    let register = release.plan.promises.iter();
    let register = register
        .clone()
        .any(|promise| promise.population().is_some());
    let scene = TableScene {
        shown,
        source: Some(release.before.clone()),
        sensitive: release.sensitive,
        no_sensitive: NO_SENSITIVE,
        at_most,
        wish: Wish::default(),
        linked: None,
        control: None,
        numbers: numbers_of(release.original, release.written, &names),
        originals: minimality(release),
        no_register: if register {
            "the promise itself measures presence against the register"
        } else {
            "it needs a table of people: see `denym attack table --external`"
        },
        seed: SEED,
    };
    let found = run(&Scene::Table(&scene)).map_err(|error| attack_error(&error))?;
    Ok(found.into())
}

/// What the search makes of other originals, where that can be tried.
fn minimality<'a>(release: &Attackable<'a>) -> Result<Originals<'a>, String> {
    let plan = release.plan;
    let looks = |promise: &PromiseSpec| promise.attribute().is_some();
    if !plan.promises.iter().any(looks) {
        return Err("no promise looks at sensitive values, so they do not steer the search".into());
    }
    if ["anatomy", "k-e-permutation"].contains(&plan.policy.release.algorithm.as_str()) {
        return Err("who came into which group was drawn from secret randomness, so running the program again rules no original out: every way to \
                    hand the values of a group to its people gives this release with the same chance"
            .into());
    }
    if release.grouped {
        return Err("records are grouped, not generalized by levels; `denym algorithms` says what who knows the program learns".into());
    }
    if release.kept.records() > MINIMALITY_RECORDS {
        return Err(format!(
            "it runs the search on every possible original, on up to {MINIMALITY_RECORDS} records; `denym attack minimality` tries more"
        ));
    }
    originals(
        plan,
        release.kept,
        release.engine,
        SURE,
        MINIMALITY_ORIGINALS,
    )
    .map_err(|error| error.to_string())
}
