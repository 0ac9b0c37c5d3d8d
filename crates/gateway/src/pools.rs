//! Connections to a PostgreSQL server: a pool for each purpose with that purpose's own login, and nobody who takes them all.
//!
//! # Idea
//! A connection belongs to the login of one purpose for its whole life. How many are in use at one time is bounded in all, for each user and for
//! each session. Whoever finds none waits a little and is then told so; meanwhile portals and cursors that nobody fetches from lose theirs.
//!
//! # Guarantee
//! No connection is used before the server has said that its login sees the views of its purpose and nothing else.

use crate::backend_tls::Protect;
use crate::config::{Limits, Logins, Protection};
use crate::error::Error;
use crate::passwords::Passwords;
use crate::remote::{Lease, Link, unreachable_server};
use crate::request::Refusal;
use crate::second_lock::{self, Expected, Report};
use denym_purpose::{AccessPolicy, PurposeId, views_schema};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_postgres::Config;

/// How often those who wait ask for connections that nobody uses.
const ASKS: Duration = Duration::from_millis(500);

/// All pools of a server.
pub(crate) struct Pools {
    by_purpose: BTreeMap<PurposeId, Pool>,
    pub(crate) protect: Protect,
    limits: Limits,
    /// Connections that nobody uses, the longest idle first.
    idle: Mutex<Vec<(PurposeId, Link)>>,
    all: Arc<Gate>,
    users: Mutex<HashMap<String, Weak<Gate>>>,
}

/// How the connections of a purpose are made.
struct Pool {
    config: Config,
    /// What its login is to find; `None` only in tests of the first lock.
    expected: Option<Expected>,
}

/// Connections that may be in use, and a bell for those who hold one without using it.
pub(crate) struct Gate {
    permits: Arc<Semaphore>,
    pub(crate) bell: Notify,
}

impl Gate {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(count.max(1))),
            bell: Notify::new(),
        })
    }

    /// A place; rings the bell while there is none.
    async fn enter(&self, until: Instant) -> Result<OwnedSemaphorePermit, Refusal> {
        let place = self.permits.clone().acquire_owned();
        tokio::pin!(place);
        loop {
            let soon = (Instant::now() + ASKS).min(until);
            tokio::select! {
                biased;
                place = &mut place => return place.map_err(|_| unreachable_server()),
                () = tokio::time::sleep_until(soon) => {
                    if soon == until {
                        return Err(all_in_use());
                    }
                    self.bell.notify_waiters();
                }
            }
        }
    }
}

/// One session, as the pools know it.
pub(crate) struct Holder {
    session: Arc<Semaphore>,
    pub(crate) user: Arc<Gate>,
}

/// The right to use one connection.
pub(crate) struct Place {
    _session: OwnedSemaphorePermit,
    _user: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
    pub(crate) user: Arc<Gate>,
    pub(crate) all: Arc<Gate>,
}

impl Pools {
    /// For a connection string; does not connect yet.
    pub(crate) fn new(
        policy: &AccessPolicy,
        connection: &str,
        schema: &str,
        protection: &Protection,
        logins: &Logins,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut config: Config = connection.parse().map_err(|_| Error::Backend {
            what: "its text cannot be read",
            help: "write `host=.. dbname=..`; sslmode is require, prefer or disable, and the authority is given by --postgres-ca",
        })?;
        if config.get_password().is_some() {
            return Err(Error::PasswordGiven {
                argument: "--postgres",
            });
        }
        config.application_name("denym gateway");
        let protect = Protect::settle(&mut config, protection)?;
        let pools = match logins {
            Logins::UncheckedForTests => policy
                .purposes
                .ids()
                .map(|id| {
                    let config = config.clone();
                    let expected = None;
                    (id, Pool { config, expected })
                })
                .collect(),
            Logins::PerPurpose { prefix, passwords } => {
                per_purpose(policy, &config, schema, prefix, passwords.as_deref())?
            }
        };
        Ok(Self {
            by_purpose: pools,
            protect,
            limits: limits.clone(),
            idle: Mutex::default(),
            all: Gate::new(limits.backend_connections),
            users: Mutex::default(),
        })
    }

    /// Logs in for each purpose once, and asks what the login sees. Anything wrong is an error.
    pub(crate) async fn open(&self) -> Result<(), Error> {
        for (id, pool) in &self.by_purpose {
            let Some(expected) = &pool.expected else {
                continue;
            };
            let not_let_in = |error: &tokio_postgres::Error| {
                let (what, help) = match error.code().map(tokio_postgres::error::SqlState::code) {
                    Some("28P01" | "28000") => (
                        "it refuses the login or its password",
                        "run `denym access ddl --passwords FILE`, give what it prints to psql, and start with --postgres-passwords FILE; see also pg_hba.conf",
                    ),
                    Some("3D000") => (
                        "there is no such database",
                        "name the database in --postgres: dbname=..",
                    ),
                    Some("53300") => (
                        "it has no connection left",
                        "raise max_connections, or lower the number of gateways",
                    ),
                    _ => (
                        "it does not answer, or not as it should",
                        "check the host, the port and the certificate in --postgres and --postgres-ca, and that the server runs",
                    ),
                };
                Error::NotLetIn {
                    login: expected.login.clone(),
                    what,
                    help,
                }
            };
            let link = Link::open(&pool.config, &self.protect)
                .await
                .map_err(|error| not_let_in(&error))?;
            let report = second_lock::ask(link.client(), expected)
                .await
                .map_err(|error| not_let_in(&error))?;
            judged(expected, report)?;
            self.give_back(*id, link);
        }
        Ok(())
    }

    /// A session of a user.
    pub(crate) fn holder(&self, user: &str) -> Holder {
        let half = self.limits.backend_connections.div_ceil(2);
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        users.retain(|_, gate| gate.strong_count() > 0);
        let gate = users.get(user).and_then(Weak::upgrade).unwrap_or_else(|| {
            let gate = Gate::new(half);
            users.insert(user.to_owned(), Arc::downgrade(&gate));
            gate
        });
        Holder {
            session: Arc::new(Semaphore::new(self.limits.backend_per_session.max(1))),
            user: gate,
        }
    }

    /// A connection of a purpose, an idle one if there is any; waits while all are in use, but not for ever.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        purpose: PurposeId,
        holder: &Holder,
    ) -> Result<Lease, Refusal> {
        let pool = self
            .by_purpose
            .get(&purpose)
            .ok_or_else(unreachable_server)?;
        let until = Instant::now() + self.limits.backend_wait;
        // nobody but the session itself can make this place free
        let session = holder
            .session
            .clone()
            .try_acquire_owned()
            .map_err(|_| too_many_open())?;
        let place = Place {
            _session: session,
            _user: holder.user.enter(until).await?,
            _all: self.all.enter(until).await?,
            user: holder.user.clone(),
            all: self.all.clone(),
        };
        let link = if let Some(link) = self.idle(purpose) {
            link
        } else {
            let connected = tokio::time::timeout_at(until, self.connect(pool)).await;
            connected.map_err(|_| unreachable_server())??
        };
        Ok(Lease::new(link, self.clone(), purpose, place))
    }

    /// An idle connection of a purpose; when there is none, room for a new one.
    fn idle(&self, purpose: PurposeId) -> Option<Link> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(_, link)| !link.client().is_closed());
        if let Some(place) = idle.iter().rposition(|(id, _)| *id == purpose) {
            return Some(idle.remove(place).1);
        }
        let most = self.limits.backend_connections.max(1);
        let in_use = most.saturating_sub(self.all.permits.available_permits());
        while !idle.is_empty() && idle.len() + in_use > most {
            idle.remove(0);
        }
        None
    }

    /// A connection beside the pools, with the login of any purpose.
    pub(crate) async fn beside(&self) -> Result<Link, Refusal> {
        let pool = self
            .by_purpose
            .values()
            .next()
            .ok_or_else(unreachable_server)?;
        self.connect(pool).await
    }

    async fn connect(&self, pool: &Pool) -> Result<Link, Refusal> {
        let link = Link::open(&pool.config, &self.protect)
            .await
            .map_err(|_| unreachable_server())?;
        if let Some(expected) = &pool.expected {
            let report = second_lock::ask(link.client(), expected)
                .await
                .map_err(|_| unreachable_server())?;
            if !report.is_good() {
                return Err(Refusal::new(
                    "58000",
                    "login-sees-too-much",
                    "the gateway's login to PostgreSQL is not as it was when the gateway started: nothing is served for this purpose until its rights and views are mended",
                ));
            }
        }
        Ok(link)
    }

    /// Keeps a connection for the next statement.
    pub(crate) fn give_back(&self, purpose: PurposeId, link: Link) {
        if !link.client().is_closed() {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push((purpose, link));
            if idle.len() > self.limits.backend_connections.max(1) {
                idle.remove(0);
            }
        }
    }

    /// Longest pause between two fetches.
    pub(crate) fn longest_pause(&self) -> Duration {
        self.limits.backend_idle
    }
}

/// The pools of all purposes that somebody may state.
fn per_purpose(
    policy: &AccessPolicy,
    config: &Config,
    schema: &str,
    prefix: &str,
    passwords: Option<&std::path::Path>,
) -> Result<BTreeMap<PurposeId, Pool>, Error> {
    if config.get_user().is_some() {
        return Err(Error::Backend {
            what: "it names a user",
            help: "leave `user` out: the gateway has one login for each purpose, made by `denym access ddl`; --postgres-logins says how they begin",
        });
    }
    let passwords = passwords
        .map(Passwords::read)
        .transpose()?
        .unwrap_or_default();
    let mut out = BTreeMap::new();
    for names in policy.postgres_names(prefix, &[schema])? {
        if !names.is_granted {
            continue;
        }
        let mut config = config.clone();
        config.user(&names.login);
        if let Some(password) = passwords.of(config.get_dbname(), &names.login) {
            let password = password.to_owned();
            config.password(password);
        }
        let expected = Expected {
            views: crate::admin::ddl::expected(policy, &names.purpose, schema),
            schema: views_schema(&names.purpose),
            purpose: names.purpose,
            login: names.login,
            raw: schema.to_owned(),
        };
        let expected = Some(expected);
        out.insert(names.id, Pool { config, expected });
    }
    Ok(out)
}

fn judged(expected: &Expected, report: Report) -> Result<(), Error> {
    if !report.findings.is_empty() {
        return Err(Error::SeesTooMuch {
            login: expected.login.clone(),
            findings: report.findings,
        });
    }
    match report.differs {
        None => Ok(()),
        Some(what) => Err(Error::ViewsDiffer {
            purpose: expected.purpose.clone(),
            what,
        }),
    }
}

fn all_in_use() -> Refusal {
    let mut refusal = Refusal::new(
        "53300",
        "backend-busy",
        "all connections to the PostgreSQL server behind the gateway are in use",
    );
    refusal.hint = Some("try again; close portals and cursors that are not needed".into());
    refusal
}

fn too_many_open() -> Refusal {
    let mut refusal = Refusal::new(
        "53400",
        "too-many-cursors",
        "this session has too many open portals and cursors",
    );
    refusal.hint = Some("close one, or fetch it to its end".into());
    refusal
}
