//! The start of a session: encryption, the user's name, and SCRAM-SHA-256 against our own verifiers.
//!
//! # Guarantee
//! Of the startup parameters only the user name counts, and that only once the password has proved it; `options`, `role` and the rest set
//! nothing. With a certificate configured no session goes on in clear text. A wrong password, an unknown user and a user who waits because
//! of too many failures look alike: the same messages, the same work. Every try passes the [brake](crate::brake) before it is judged.

use crate::brake::{Outcome, network};
use crate::connection::{Connection, Gone, Socket};
use crate::frame::{First, Message, sasl_first};
use crate::random::random;
use crate::reply;
use crate::request::Refusal;
use crate::scram::{Exchange, Verifier};
use crate::server::Shared;
use base64::Engine as _;
use std::net::SocketAddr;
use std::time::Instant as StdInstant;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};

/// What a new connection turned out to be.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each connection, moved once"
)]
pub(crate) enum Begun {
    /// A session of a user who has proved who they are.
    Session {
        /// The connection.
        connection: Connection,
        /// The user.
        user: String,
        /// What the user proved to know the password of.
        verifier: Verifier,
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
    let reason = match prove(shared, &mut connection, &user, address, deadline).await? {
        Outcome::Right(verifier) => {
            connection.put(&reply::authenticated());
            return Ok(Begun::Session {
                connection,
                user,
                verifier,
                application,
            });
        }
        Outcome::Wrong => "wrong-password",
        Outcome::Waits => "too-many-failures",
    };
    let from = network(address.ip()).to_string();
    let at = shared.at();
    let now = (at.as_str(), StdInstant::now());
    shared
        .failed
        .record(&shared.audit, now, &user, &from, reason);
    let refusal = Refusal::fatal("28P01", "login-failed", "password authentication failed");
    refuse(connection, &refusal).await
}

/// One SASL exchange; what the client knows the password of.
async fn prove(
    shared: &Shared,
    connection: &mut Connection,
    user: &str,
    address: SocketAddr,
    deadline: Instant,
) -> Result<Outcome<Verifier>, Gone> {
    // as the file has them now, so that a user added or removed counts at once; unreadable, nobody logs in
    let rights = shared.rights.now();
    let users = rights.users.clone().unwrap_or_default();
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
    let exchange = Exchange::start(verifier.clone(), &data, &nonce).ok_or(Gone::Malformed)?;
    connection.put(&reply::sasl_continue(exchange.server_first()));
    connection.send().await?;
    let Message::Secret(bytes) = connection.login_message(deadline).await? else {
        return Err(Gone::Malformed);
    };
    let is_known = rights.policy.user(user).is_ok();
    let judge = || exchange.finish(&bytes).filter(|_| is_known);
    let now = StdInstant::now();
    Ok(match shared.brake.judge(user, address.ip(), now, judge) {
        Outcome::Right(answer) => {
            connection.put(&reply::sasl_final(&answer));
            Outcome::Right(verifier)
        }
        Outcome::Wrong => Outcome::Wrong,
        Outcome::Waits => {
            // the work of a judged try, so that the time does not tell
            let _ = judge();
            Outcome::Waits
        }
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
