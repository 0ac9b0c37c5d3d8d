//! Who may come in: the right host, the right secret, and for whatever changes something the right page.
//!
//! A page of another site can make a browser send requests here, with the cookie where the browser allows it, and can let a name
//! of its own point at this machine. So the host must be one of ours (a foreign name is refused before anything is looked at), the
//! cookie is `SameSite=Strict`, and a request that changes something carries a token that only our pages know, or the secret itself.

use std::fmt::Write as _;

use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};

use crate::answer::Failure;
use crate::app::App;

/// What nobody guesses.
#[derive(Debug)]
pub(crate) struct Secrets {
    /// In the address that the command prints, and for programs.
    pub(crate) token: String,
    /// In the cookie.
    session: String,
    /// In every form.
    pub(crate) form: String,
}

impl Secrets {
    /// New ones from the randomness of the system.
    pub(crate) fn new() -> Result<Secrets, denym::Error> {
        Ok(Secrets {
            token: random()?,
            session: random()?,
            form: random()?,
        })
    }
}

/// 32 hexadecimal digits that nobody guesses.
fn random() -> Result<String, denym::Error> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|_| denym::Error::NoRandomness)?;
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visitor {
    /// A browser with the cookie.
    Browser,
    /// A program with the secret.
    Program,
}

impl Visitor {
    /// In the journal.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Visitor::Browser => "browser",
            Visitor::Program => "program",
        }
    }
}

/// What the gate says.
pub(crate) enum Passed {
    /// Come in.
    Visitor(Visitor),
    /// The address had the secret: here is a cookie, go on without it.
    SignedIn(String),
}

/// Lets a request in, or says why not.
pub(crate) fn pass(app: &App, parts: &Parts) -> Result<Passed, Failure> {
    if !is_ours(app, text(&parts.headers, &header::HOST)) {
        return Err(Failure::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host",
            "the request is for another host",
            "open the address that `denym serve` printed",
        ));
    }
    if !parts.method.is_safe() && is_foreign(app, &parts.headers) {
        return Err(forged());
    }
    let fields = form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
    let mut tokens = fields.filter(|(name, _)| name == "token");
    if parts.method == axum::http::Method::GET
        && tokens.any(|(_, value)| same(&value, &app.secrets.token))
    {
        return Ok(Passed::SignedIn(format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/",
            cookie(app),
            app.secrets.session
        )));
    }
    let bearer = text(&parts.headers, &header::AUTHORIZATION).strip_prefix("Bearer ");
    if bearer.is_some_and(|given| same(given, &app.secrets.token)) {
        return Ok(Passed::Visitor(Visitor::Program));
    }
    let name = cookie(app);
    if cookies(&parts.headers).any(|(own, value)| own == name && same(value, &app.secrets.session))
    {
        return Ok(Passed::Visitor(Visitor::Browser));
    }
    Err(Failure::new(
        StatusCode::UNAUTHORIZED,
        "login",
        "this server does not know you",
        "open the address that `denym serve` printed, with its token; a program sends it as `Authorization: Bearer TOKEN`",
    ))
}

/// Whether the token of a form, or of the header that a script sets, is ours; a program that knows the secret needs none.
pub(crate) fn has_form_token(
    app: &App,
    visitor: Visitor,
    headers: &HeaderMap,
    field: Option<&str>,
) -> Result<(), Failure> {
    let given = headers.get("x-denym-form").and_then(|v| v.to_str().ok());
    let known = |given: Option<&str>| given.is_some_and(|given| same(given, &app.secrets.form));
    if visitor == Visitor::Program || known(given) || known(field) {
        return Ok(());
    }
    Err(forged())
}

fn forged() -> Failure {
    Failure::new(
        StatusCode::FORBIDDEN,
        "forged-request",
        "the request does not come from a page of this server",
        "load the page again and repeat what you did",
    )
}

/// Whether a `Host` header is one that this server listens to: a name that another site let point here is not.
fn is_ours(app: &App, host: &str) -> bool {
    let port = app.port();
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|name| host.eq_ignore_ascii_case(&format!("{name}:{port}")))
}

/// Whether a browser says that another site asks.
fn is_foreign(app: &App, headers: &HeaderMap) -> bool {
    let origin = text(headers, &header::ORIGIN);
    let ours = origin.is_empty()
        || origin
            .strip_prefix("http://")
            .is_some_and(|host| is_ours(app, host));
    let fetched = headers.get("sec-fetch-site").and_then(|v| v.to_str().ok());
    !ours || fetched.is_some_and(|site| !matches!(site, "same-origin" | "none"))
}

/// Cookies know no ports: two servers on one machine need two names.
fn cookie(app: &App) -> String {
    format!("denym-{}", app.port())
}

/// The cookies of a request.
pub(crate) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let all = headers.get_all(header::COOKIE).iter();
    let all = all.filter_map(|value| value.to_str().ok());
    all.flat_map(|text| text.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

/// A header as text; empty when there is none, or several that could mean different things.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    let mut all = headers.get_all(name).iter();
    match (all.next(), all.next()) {
        (Some(one), None) => one.to_str().unwrap_or_default(),
        _ => "",
    }
}

/// Compares in a time that does not tell where two texts differ.
fn same(one: &str, other: &str) -> bool {
    let differs = one
        .bytes()
        .zip(other.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differs == 0
}
