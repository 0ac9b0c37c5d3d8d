//! The gateway itself: opens everything it needs or does not start, accepts connections, and stops in order.

use crate::admin::{Error as AdminError, PolicyFile};
use crate::audit::{AuditLog, Event, FailedLogins};
use crate::brake::{Brake, network};
use crate::config::{Backend as BackendConfig, Clock, Config, Limits};
use crate::connection::Connection;
use crate::consent_counts::ConsentCounts;
use crate::consent_file::ConsentFile;
use crate::decoys;
use crate::embedded::Engine;
use crate::error::Error;
use crate::frame::First;
use crate::login::{Begun, begin};
use crate::pools::Pools;
use crate::random::random;
use crate::reply;
use crate::request::Refusal;
use crate::rights::RightsFiles;
use crate::session::{Login, Session};
use crate::tls;
use denym_purpose::{AccessPolicy, Mask, MaskKey, Moment, Storage};
use std::collections::BTreeMap;
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// How long statements that run may go on once the gateway is told to stop.
const GRACE: Duration = Duration::from_secs(10);

/// Stack of each thread; used only as deep as statements go.
pub(crate) const STACK: usize = 64 << 20;

/// How often the users file and the policy are read whole, and failed logins of a minute that is over are entered.
const SWEEP: Duration = Duration::from_secs(1);

/// What all connections share. Nothing in it is a client's to change.
pub(crate) struct Shared {
    /// The policy at the start, for its tables and purposes; who may what is in `rights`.
    pub(crate) policy: Arc<AccessPolicy>,
    pub(crate) rights: RightsFiles,
    pub(crate) audit: AuditLog,
    pub(crate) brake: Brake,
    pub(crate) failed: FailedLogins,
    pub(crate) tls: Option<TlsAcceptor>,
    pub(crate) limits: Limits,
    /// For the made-up salts of unknown users.
    pub(crate) secret: [u8; 32],
    pub(crate) backend: Backend,
    /// Of the PostgreSQL backend.
    pub(crate) counts: ConsentCounts,
    clock: Clock,
    running: Mutex<BTreeMap<i32, (i32, watch::Sender<u64>)>>,
}

/// Where statements go.
pub(crate) enum Backend {
    Embedded(Engine),
    Postgres {
        catalogue: Engine,
        pools: Arc<Pools>,
        schema: String,
    },
}

impl Backend {
    /// The engine that knows the catalogue.
    pub(crate) fn catalogue(&self) -> &Engine {
        match self {
            Self::Embedded(engine) => engine,
            Self::Postgres { catalogue, .. } => catalogue,
        }
    }
}

impl Shared {
    /// Now.
    pub(crate) fn now(&self) -> Moment {
        (self.clock)()
    }

    /// Now, as the audit log writes it.
    pub(crate) fn at(&self) -> String {
        self.now().to_string()
    }

    /// Registers a session for cancel requests: its process number, secret and a count of the requests that came.
    pub(crate) fn register(&self) -> (i32, i32, watch::Receiver<u64>) {
        let (sender, receiver) = watch::channel(0);
        let secret = i32::from_be_bytes(random());
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let process = i32::from_be_bytes(random()) & i32::MAX;
            if process > 0 && !running.contains_key(&process) {
                running.insert(process, (secret, sender));
                return (process, secret, receiver);
            }
        }
    }

    pub(crate) fn unregister(&self, process: i32) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.remove(&process);
    }

    /// Counts a cancel request for the session with that number and secret.
    pub(crate) fn cancel(&self, process: i32, secret: &[u8]) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((expected, requests)) = running.get(&process)
            && secret == expected.to_be_bytes()
        {
            requests.send_modify(|count| *count += 1);
        }
    }
}

/// A gateway that listens and does not answer yet.
pub struct Gateway {
    shared: Arc<Shared>,
    listener: TcpListener,
    address: SocketAddr,
}

impl Gateway {
    /// Reads the policy, the users, the consent, the certificate and the data, opens the audit log and binds the address. Anything wrong is an error.
    pub async fn open(config: Config) -> Result<Self, Error> {
        let policy = PolicyFile::read(&config.policy).map_err(AdminError::for_clients)?;
        let rights = RightsFiles::open(&config.users, &policy)?;
        let policy = Arc::new(policy.policy);
        let places: Vec<&Path> = [Some(config.users.as_path()), config.audit.as_deref()]
            .into_iter()
            .flatten()
            .collect();
        let secret = decoys::secret(&places)?;
        let tls = config.tls.as_ref().map(tls::acceptor).transpose()?;
        let audit = match &config.audit {
            Some(path) => AuditLog::open(path)?,
            None => AuditLog::discard(),
        };
        if let Some(recovered) = audit.recovered() {
            audit.append(recovered.event((config.clock)().to_string()))?;
        }
        let key = mask_key(&config, &policy)?;
        let backend = match &config.backend {
            BackendConfig::Embedded { tables } => {
                let consent = match &config.consent {
                    Some(path) => ConsentFile::open(path, &policy)?,
                    None => ConsentFile::none(),
                };
                if config.consent.is_none()
                    && let Some(table) = policy
                        .tables
                        .values()
                        .find(|table| table.storage == Storage::Table)
                {
                    return Err(Error::Table {
                        table: table.name.clone(),
                        what: "its consent is in a table, and no consent file is given".into(),
                    });
                }
                let folder = config.policy.parent().unwrap_or(Path::new("."));
                let limits = &config.limits;
                Backend::Embedded(
                    Engine::open(policy.clone(), folder, tables, consent, key, limits).await?,
                )
            }
            BackendConfig::Postgres {
                connection,
                schema,
                protection,
                logins,
            } => {
                let limits = &config.limits;
                let pools = Pools::new(&policy, connection, schema, protection, logins, limits)?;
                pools.open().await?;
                Backend::Postgres {
                    catalogue: Engine::catalogue(policy.clone(), &config.limits)?,
                    pools: Arc::new(pools),
                    schema: schema.clone(),
                }
            }
        };
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(Error::file("the address to listen on"))?;
        let address = listener
            .local_addr()
            .map_err(Error::file("the address to listen on"))?;
        Ok(Self {
            shared: Arc::new(Shared {
                policy,
                rights,
                audit,
                brake: Brake::default(),
                failed: FailedLogins::default(),
                tls,
                limits: config.limits,
                secret,
                backend,
                counts: ConsentCounts::default(),
                clock: config.clock,
                running: Mutex::default(),
            }),
            listener,
            address,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The governed tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.shared.policy.tables.keys().map(String::as_str)
    }

    /// What the steward should know of the start: each a sentence.
    pub fn notices(&self) -> Vec<String> {
        let recovered = self.shared.audit.recovered().map(|piece| {
            format!(
                "the audit log ended in half an entry, as a power cut leaves it: its {} bytes were moved to {} and the log goes on with an entry that says so; the statement it belonged to got no answer",
                piece.piece.bytes,
                piece.path.display()
            )
        });
        recovered.into_iter().collect()
    }

    /// Whether sessions are encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.shared.tls.is_some()
    }

    /// Serves until `shutdown` ends, on a runtime whose threads have stacks of some megabytes; then idle sessions are told to go, running statements get a little time, and it returns.
    pub async fn serve(self, shutdown: impl Future<Output = ()> + Send) {
        let (stop, stopped) = watch::channel(false);
        let places = Arc::new(Semaphore::new(self.shared.limits.connections));
        // more than the limit are told so; but even of those only so many at one time
        let refusing = Arc::new(Semaphore::new(64));
        let mut sessions = JoinSet::new();
        let shared = self.shared.clone();
        let sweep = tokio::spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                shared.rights.look(true);
                let now = Some(Instant::now());
                shared.failed.flush(&shared.audit, &shared.at(), now);
            }
        });
        tokio::pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                () = &mut shutdown => break,
                Some(_) = sessions.join_next(), if !sessions.is_empty() => continue,
                accepted = self.listener.accept() => accepted,
            };
            let Ok((socket, address)) = accepted else {
                // out of file descriptors, most likely: give sessions time to end
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let shared = self.shared.clone();
            let _ = socket.set_nodelay(true);
            if let Ok(place) = places.clone().try_acquire_owned() {
                let stopped = stopped.clone();
                sessions.spawn(async move {
                    let _place = place;
                    connection(shared, socket, address, stopped).await;
                });
            } else if let Ok(place) = refusing.clone().try_acquire_owned() {
                sessions.spawn(async move {
                    let _place = place;
                    too_many(&shared, socket).await;
                });
            }
        }
        let _ = stop.send(true);
        let ended = tokio::time::timeout(GRACE, async {
            while sessions.join_next().await.is_some() {}
        })
        .await;
        if ended.is_err() {
            sessions.shutdown().await;
        }
        sweep.abort();
        let _ = sweep.await;
        let shared = &self.shared;
        shared.failed.flush(&shared.audit, &shared.at(), None);
    }
}

/// Opens a gateway and serves until `shutdown` ends.
pub async fn serve(config: Config, shutdown: impl Future<Output = ()> + Send) -> Result<(), Error> {
    Gateway::open(config).await?.serve(shutdown).await;
    Ok(())
}

/// The same for a caller without a runtime: `ready` is told where it listens, and it stops when `keep_going` says no.
pub fn run(
    config: Config,
    threads: Option<usize>,
    ready: impl FnOnce(&Gateway),
    keep_going: impl Fn() -> bool + Send + Sync,
) -> Result<(), Error> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = threads {
        builder.worker_threads(threads.max(1));
    }
    let runtime = builder
        // the longest statement that is let in is a deep tree
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .map_err(Error::file("the runtime"))?;
    runtime.block_on(async {
        let gateway = Gateway::open(config).await?;
        ready(&gateway);
        gateway
            .serve(async {
                while keep_going() {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            })
            .await;
        Ok(())
    })
}

async fn connection(
    shared: Arc<Shared>,
    socket: TcpStream,
    address: SocketAddr,
    mut stopped: watch::Receiver<bool>,
) {
    let begun = tokio::select! {
        begun = begin(&shared, socket, address) => begun,
        _ = stopped.wait_for(|stop| *stop) => return,
    };
    let Ok(Begun::Session {
        mut connection,
        user,
        verifier,
        application,
    }) = begun
    else {
        return;
    };
    // before anything else: a change from here on is told
    let changes = shared.rights.changes();
    let event = Event {
        event: "login".into(),
        at: shared.at(),
        user: user.clone(),
        address: Some(network(address.ip()).to_string()),
        decision: "allowed".into(),
        ..Event::default()
    };
    match shared.audit.append(event) {
        Ok(entry) => connection.hold(entry),
        Err(error) => {
            let refusal = Refusal {
                fatal: true,
                ..error.into()
            };
            connection.out.clear();
            connection.put(&reply::error(&refusal));
            return connection.close().await;
        }
    }
    let (process, secret, cancels) = shared.register();
    let login = Login {
        user,
        verifier,
        changes,
    };
    let session = Session::new(shared.clone(), connection, login, cancels);
    session.run(process, secret, &application, stopped).await;
    shared.unregister(process);
}

async fn too_many(shared: &Shared, socket: TcpStream) {
    let mut connection = Connection::new(
        crate::connection::Socket::Plain(socket),
        shared.limits.write,
    );
    // read the startup first, or the client sees a reset instead of the reason
    let deadline = tokio::time::Instant::now() + Duration::from_secs(2);
    while let Ok(First::Tls | First::Gss) = connection.first(deadline).await {
        connection.out.extend_from_slice(b"N");
        if connection.has_unread() || connection.send().await.is_err() {
            return;
        }
    }
    connection.put(&reply::error(&Refusal::fatal(
        "53300",
        "too-many-connections",
        "sorry, too many clients already",
    )));
    connection.close().await;
}

/// The key of pseudonyms and noise. A policy that has such masks needs one, of at least 16 bytes.
fn mask_key(config: &Config, policy: &AccessPolicy) -> Result<MaskKey, Error> {
    fn keyed(mask: &Mask) -> bool {
        match mask {
            Mask::Pseudonym { .. } | Mask::Noise { .. } => true,
            Mask::WhereHidden {
                then, otherwise, ..
            } => keyed(then) || keyed(otherwise),
            _ => false,
        }
    }
    if let Some(path) = &config.mask_key {
        let bytes = std::fs::read(path).map_err(Error::file("the mask key"))?;
        if bytes.len() < 16 {
            return Err(Error::File {
                what: "the mask key",
                kind: std::io::ErrorKind::InvalidData,
            });
        }
        return Ok(MaskKey::new(bytes));
    }
    match policy
        .tables
        .values()
        .find(|table| table.columns.iter().any(|column| keyed(&column.mask)))
    {
        Some(table) => Err(Error::Table {
            table: table.name.clone(),
            what: "it has keyed masks, and no mask key is given".into(),
        }),
        None => Ok(MaskKey::new(Vec::new())),
    }
}
