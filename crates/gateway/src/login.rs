//! The start of a session: encryption, the user's name, and SCRAM-SHA-256 against our own verifiers.
//!
//! # Guarantee
//! Of the startup parameters only the user name counts, and that only once the password has proved it; `options`, `role` and the rest set
//! nothing. With a certificate configured no session goes on in clear text. A wrong password, an unknown user and a user who waits because
//! of too many failures look alike.

use crate::audit::Event;
use crate::connection::{Connection, Gone, Socket};
use crate::frame::{First, Message, sasl_first};
use crate::reply;
use crate::request::Refusal;
use crate::scram::Exchange;
use crate::server::Shared;
use base64::Engine as _;
use std::net::SocketAddr;
use std::time::Instant as StdInstant;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// What a new connection turned out to be.
pub(crate) enum Begun {
    /// A session of a user who has proved who they are.
    Session {
        /// The connection.
        connection: Connection,
        /// The user.
        user: String,
        /// What the client calls itself, for the parameter status only.
        application: String,
    },
    /// A request to cancel another session's statement; done.
    Nothing,
}

/// Negotiates and logs in.
pub(crate) async fn begin(
    shared: &Shared,
    socket: TcpStream,
    address: SocketAddr,
) -> Result<Begun, Gone> {
    let deadline = Instant::now() + shared.limits.startup;
    let mut connection = Connection::new(Socket::Plain(socket), shared.limits.write);
    let mut asked = 0;
    let (minor, parameters) = loop {
        match connection.first(deadline).await? {
            First::Startup { minor, parameters } => break (minor, parameters),
            First::Cancel { process, secret } => {
                shared.cancel(process, &secret);
                return Ok(Begun::Nothing);
            }
            First::Gss => put_byte(&mut connection, b'N').await?,
            First::Tls => {
                put_byte(
                    &mut connection,
                    if shared.tls.is_some() { b'S' } else { b'N' },
                )
                .await?;
                if let (Some(acceptor), Socket::Plain(_)) = (&shared.tls, &connection.socket) {
                    let Socket::Plain(socket) = connection.socket else {
                        return Err(Gone::Malformed);
                    };
                    let encrypted = timeout_at(deadline, acceptor.accept(socket))
                        .await
                        .map_err(|_| Gone::Late)?
                        .map_err(|_| Gone::Closed)?;
                    connection =
                        Connection::new(Socket::Tls(Box::new(encrypted)), shared.limits.write);
                }
            }
        }
        asked += 1;
        if asked > 3 {
            return Err(Gone::Malformed);
        }
    };
    if shared.tls.is_some() && matches!(connection.socket, Socket::Plain(_)) {
        return refuse(
            connection,
            &Refusal::fatal(
                "28000",
                "tls-needed",
                "this gateway accepts encrypted connections only",
            ),
        )
        .await;
    }
    if minor > 0 {
        // we speak 3.0: say so, and which protocol options we do not know
        let unknown: Vec<String> = parameters
            .iter()
            .filter(|(name, _)| name.starts_with("_pq_."))
            .map(|(name, _)| name.clone())
            .collect();
        connection.put(
            &pgwire::messages::PgWireBackendMessage::NegotiateProtocolVersion(
                pgwire::messages::startup::NegotiateProtocolVersion::new(0, unknown),
            ),
        );
    }
    let value = |wanted: &str| {
        parameters
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.clone())
    };
    let Some(user) = value("user") else {
        let refusal = Refusal::fatal(
            "28000",
            "user-missing",
            "no user name in the startup message",
        );
        return refuse(connection, &refusal).await;
    };
    let application = value("application_name").unwrap_or_default();
    let may_try = shared.brake.may_try(address.ip(), StdInstant::now());
    let proved = prove(shared, &mut connection, &user, deadline).await?;
    let known = shared.policy.user(&user).is_ok();
    if !(may_try && proved && known) {
        shared.brake.record(address.ip(), false, StdInstant::now());
        let _ = shared.audit.append(Event {
            event: "login-failed".into(),
            at: shared.at(),
            user: user.clone(),
            decision: if may_try {
                "wrong-password"
            } else {
                "too-many-failures"
            }
            .into(),
            ..Event::default()
        });
        let refusal = Refusal::fatal("28P01", "login-failed", "password authentication failed");
        return refuse(connection, &refusal).await;
    }
    shared.brake.record(address.ip(), true, StdInstant::now());
    connection.put(&reply::authenticated());
    Ok(Begun::Session {
        connection,
        user,
        application,
    })
}

/// One SASL exchange; whether the client knows the password.
async fn prove(
    shared: &Shared,
    connection: &mut Connection,
    user: &str,
    deadline: Instant,
) -> Result<bool, Gone> {
    // read at every login, so that a user added or removed counts at once; unreadable, nobody logs in
    let users = shared.users();
    let verifier = users.verifier(user, &shared.secret);
    connection.put(&reply::sasl());
    connection.send().await?;
    let Message::Secret(bytes) = connection.login_message(deadline).await? else {
        return Err(Gone::Malformed);
    };
    let (mechanism, data) = sasl_first(bytes)?;
    if mechanism != "SCRAM-SHA-256" {
        return Err(Gone::Malformed);
    }
    let nonce = base64::engine::general_purpose::STANDARD.encode(random::<18>());
    let exchange = Exchange::start(verifier, &data, &nonce).ok_or(Gone::Malformed)?;
    connection.put(&reply::sasl_continue(exchange.server_first()));
    connection.send().await?;
    let Message::Secret(bytes) = connection.login_message(deadline).await? else {
        return Err(Gone::Malformed);
    };
    Ok(match exchange.finish(&bytes) {
        Some(answer) => {
            connection.put(&reply::sasl_final(&answer));
            true
        }
        None => false,
    })
}

async fn put_byte(connection: &mut Connection, byte: u8) -> Result<(), Gone> {
    // bytes sent ahead of the answer would be taken for encrypted ones: a way to smuggle statements in
    if connection.has_unread() {
        return Err(Gone::Malformed);
    }
    connection.out.extend_from_slice(&[byte]);
    connection.send().await
}

async fn refuse(mut connection: Connection, refusal: &Refusal) -> Result<Begun, Gone> {
    // what was prepared for a client that proved itself is not sent to one that did not
    connection.out.clear();
    connection.put(&reply::error(refusal));
    connection.close().await;
    Ok(Begun::Nothing)
}

/// Bytes from the operating system's random source.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // without randomness there is no login: a zero nonce would allow a replay
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}
