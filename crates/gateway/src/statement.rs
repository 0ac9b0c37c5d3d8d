//! Which statements are let in, and the purpose they carry: an allow-list before everything else.
//!
//! # Idea
//! A text is cut at its semicolons, `FOR PURPOSE name` is taken off the end of each piece, and the rest must be a plain query, a
//! `SET denym.purpose`, a view of the session, or one of a few statements without effect that clients send. Everything else is refused
//! by name.
//!
//! # Guarantee
//! What is parsed is what came: the tokens go to the parser as they are, and no text is written to be read again. What is recorded is cut
//! out of the client's text. Default deny: a statement, a query clause or a setting that is not listed here does not pass. In particular no `CREATE` and `DROP` but
//! of session views, no `COPY`, `EXPLAIN`, `INSERT`, `SELECT INTO`, locking clause or data-changing subquery.

mod dialect;
mod plain;

use crate::error::Error;
use crate::functions::{Role, listed};
use crate::scope::operands;
use crate::view::{View, view_name};
pub(crate) use dialect::ServerDialect;
pub(crate) use plain::shallow;
use sqlparser::ast::{
    CloseCursor, CreateTableOptions, CreateView, Declare, DiscardObject, Expr, FetchDirection,
    Ident, ObjectName, ObjectType, Query, Reset, Select, Set, SetExpr, Statement, TableFactor,
    Value, ValueWithSpan, Visit, Visitor,
};
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

use plain::plain;
use std::ops::ControlFlow;

/// A statement that is let in.
#[derive(Debug, Clone)]
pub enum Command {
    /// A query, with the purpose of its `FOR PURPOSE` clause.
    Query {
        /// The query.
        statement: Box<Statement>,
        /// The purpose it states.
        purpose: Option<String>,
        /// Its text, for the audit log.
        text: String,
        /// Its text without the purpose.
        sql: String,
        /// Whether views of the session were written out in it.
        expanded: bool,
    },
    /// `SET denym.purpose = ..`; `None` for `RESET` and `TO DEFAULT`.
    SetPurpose(Option<String>),
    /// `SHOW denym.purpose`.
    ShowPurpose,
    /// `BEGIN`: accepted, without effect on data.
    Begin,
    /// `COMMIT`.
    Commit,
    /// `ROLLBACK`.
    Rollback,
    /// `SAVEPOINT name`.
    Savepoint,
    /// `RELEASE name`.
    Release,
    /// `ROLLBACK TO name`: a failed transaction goes on.
    RollbackTo,
    /// `DISCARD ALL`: forgets the purpose, all portals, prepared statements and views.
    DiscardAll,
    /// `DISCARD TEMP`: forgets all views.
    DiscardViews,
    /// `CREATE [OR REPLACE] TEMP VIEW`.
    CreateView(Box<NewView>),
    /// `DROP VIEW`.
    DropView {
        /// The views.
        names: Vec<String>,
        /// `IF EXISTS`.
        missing_ok: bool,
        /// `CASCADE`: with the views that read them.
        cascades: bool,
    },
    /// `DECLARE name CURSOR FOR query`; a cursor is a portal of that name.
    Declare {
        /// The cursor.
        name: String,
        /// A [`Command::Query`].
        query: Box<Command>,
        /// Kept after the transaction.
        hold: bool,
    },
    /// `FETCH n FROM name`, forward only; `None` for all rows.
    Fetch {
        /// The cursor.
        name: String,
        /// How many rows.
        rows: Option<u32>,
    },
    /// `CLOSE name`, or all cursors.
    CloseCursor(Option<String>),
    /// `DEALLOCATE name`, or all prepared statements.
    Deallocate(Option<String>),
    /// A client setting without effect here; the tag to answer with.
    Nothing(&'static str),
}

/// A view to be made in the session.
#[derive(Debug, Clone)]
pub struct NewView {
    /// Its name.
    pub(crate) name: String,
    /// What it is.
    pub(crate) view: View,
    /// `OR REPLACE`.
    pub(crate) replaces: bool,
    /// Its query as a [`Command::Query`].
    pub(crate) query: Command,
}

/// Client settings that are accepted and ignored; clients send them unasked.
const HARMLESS: [&str; 12] = [
    "application_name",
    "client_encoding",
    "client_min_messages",
    "datestyle",
    "extra_float_digits",
    "intervalstyle",
    "search_path",
    "standard_conforming_strings",
    "statement_timeout",
    "idle_in_transaction_session_timeout",
    "timezone",
    "bytea_output",
];

/// Words of one statement. A sum of a million terms is a tree a million deep: whoever walks it needs that much stack, and whoever plans it
/// needs the square of that time.
pub(crate) const MOST_WORDS: usize = 4_000;
/// Brackets within brackets, before anything is parsed.
const MOST_BRACKETS: usize = 40;

/// Reads a text of one or more statements.
pub fn parse(text: &str) -> Result<Vec<Command>, Error> {
    let tokens = tokens(text)?;
    let places = Places::new(text);
    let mut out = Vec::new();
    for piece in tokens.split(|token| token.token == Token::SemiColon) {
        let words = count_words(piece);
        if words == 0 {
            continue;
        }
        bounded(piece, words)?;
        out.push(read(&Piece {
            tokens: piece,
            places: &places,
        })?);
    }
    Ok(out)
}

fn tokens(text: &str) -> Result<Vec<TokenWithSpan>, Error> {
    Tokenizer::new(&ServerDialect::new(0), text)
        .tokenize_with_location()
        .map_err(|_| Error::Syntax)
}

fn count_words(tokens: &[TokenWithSpan]) -> usize {
    tokens.iter().filter(|token| is_solid(token)).count()
}

fn is_solid(token: &TokenWithSpan) -> bool {
    !matches!(token.token, Token::Whitespace(_))
}

/// Refuses what would be too much for whoever comes next, before a tree is built of it.
fn bounded(tokens: &[TokenWithSpan], words: usize) -> Result<(), Error> {
    let what = if words > MOST_WORDS {
        "a statement of more than 4,000 words"
    } else if brackets(tokens) > MOST_BRACKETS {
        "more than 40 brackets within each other"
    } else {
        return Ok(());
    };
    Err(Error::NotAllowed { what: what.into() })
}

/// How deep brackets stand within each other.
fn brackets(tokens: &[TokenWithSpan]) -> usize {
    let (mut open, mut deepest) = (0usize, 0);
    for token in tokens {
        match token.token {
            Token::LParen | Token::LBracket | Token::LBrace => open += 1,
            Token::RParen | Token::RBracket | Token::RBrace => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// Whether another parser may read a text as well: the parser of the catalogue's questions reads calls within calls twice at each level.
pub(crate) fn is_flat(text: &str) -> bool {
    tokens(text).is_ok_and(|tokens| brackets(&tokens) <= 8)
}

/// How many words a text has.
pub(crate) fn words(text: &str) -> Result<usize, Error> {
    tokens(text).map(|tokens| count_words(&tokens))
}

/// Whether a text is that statement and no other.
pub(crate) fn says(text: &str, statement: &Statement) -> bool {
    let Ok(tokens) = tokens(text) else {
        return false;
    };
    let words = count_words(&tokens);
    if bounded(&tokens, words).is_err() {
        return false;
    }
    let read = Parser::new(&ServerDialect::new(words))
        .with_tokens_with_locations(tokens)
        .parse_statements();
    let Ok(Ok([mut read])) = read.map(<[Statement; 1]>::try_from) else {
        return false;
    };
    plain(&mut read);
    read == *statement
}

/// A part of a text as the client sent it.
struct Piece<'a> {
    tokens: &'a [TokenWithSpan],
    places: &'a Places<'a>,
}

impl<'a> Piece<'a> {
    /// The client's own text from the first to the last word.
    fn text(&self) -> &'a str {
        let mut solid = self.tokens.iter().filter(|token| is_solid(token));
        let Some(first) = solid.next() else {
            return "";
        };
        let last = solid.next_back().unwrap_or(first);
        self.places.cut(first.span.start, last.span.end)
    }

    fn before(&self, place: usize) -> Self {
        Self {
            tokens: &self.tokens[..place],
            places: self.places,
        }
    }

    /// What follows the first bare word of that name.
    fn after(&self, word: &str) -> Self {
        let place = self
            .tokens
            .iter()
            .position(|token| is_word(&token.token, word))
            .map_or(self.tokens.len(), |place| place + 1);
        Self {
            tokens: &self.tokens[place..],
            places: self.places,
        }
    }

    /// The first word, which names the kind of statement.
    fn kind(&self) -> String {
        let first = self.tokens.iter().find(|token| is_solid(token));
        match first.map(|token| &token.token) {
            Some(Token::Word(word)) if word.quote_style.is_none() => word.value.to_uppercase(),
            _ => "this kind".into(),
        }
    }
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

/// Where lines and columns of the tokenizer are in the text.
struct Places<'a> {
    text: &'a str,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            text,
            lines: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// The byte where a line and column, both counted from 1, begins.
    fn byte(&self, at: Location) -> usize {
        let of = |number: u64| {
            usize::try_from(number)
                .unwrap_or(usize::MAX)
                .saturating_sub(1)
        };
        let Some(start) = self.lines.get(of(at.line)) else {
            return self.text.len();
        };
        let line = &self.text[*start..];
        start
            + line
                .char_indices()
                .nth(of(at.column))
                .map_or(line.len(), |(at, _)| at)
    }

    fn cut(&self, from: Location, to: Location) -> &'a str {
        let (from, to) = (self.byte(from), self.byte(to));
        self.text.get(from..to).unwrap_or("")
    }
}

fn read(piece: &Piece<'_>) -> Result<Command, Error> {
    let (kept, purpose) = take_purpose(piece)?;
    // the tokens themselves: nothing is written and read again
    let mut statements = Parser::new(&ServerDialect::new(kept.tokens.len()))
        .with_tokens_with_locations(kept.tokens.to_vec())
        .parse_statements()
        .map_err(|_| Error::Syntax)?;
    let (Some(mut statement), true) = (statements.pop(), statements.is_empty()) else {
        return Err(Error::Syntax);
    };
    shallow(&statement)?;
    plain(&mut statement);
    let command = allow(statement, purpose.clone(), piece, &kept)?;
    if purpose.is_some() && !matches!(command, Command::Query { .. } | Command::Declare { .. }) {
        return Err(Error::NotAllowed {
            what: "FOR PURPOSE after anything but a query".into(),
        });
    }
    Ok(command)
}

/// Takes `FOR PURPOSE name` off the end. A name with hyphens may be written bare, in single or in double quotes.
fn take_purpose<'a>(piece: &Piece<'a>) -> Result<(Piece<'a>, Option<String>), Error> {
    let words: Vec<(usize, &Token)> = piece
        .tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| is_solid(token))
        .map(|(place, token)| (place, &token.token))
        .collect();
    let found = (1..words.len())
        .rev()
        .find(|place| is_word(words[place - 1].1, "for") && is_word(words[*place].1, "purpose"));
    let Some(place) = found else {
        return Ok((piece.before(piece.tokens.len()), None));
    };
    let mut name = String::new();
    for (turn, (_, token)) in words[place + 1..].iter().enumerate() {
        match token {
            Token::Word(word) if turn % 2 == 0 => name.push_str(&match word.quote_style {
                None => word.value.to_lowercase(),
                Some(_) => word.value.clone(),
            }),
            Token::SingleQuotedString(text) if turn == 0 && words.len() == place + 2 => {
                name.push_str(text);
            }
            Token::Minus if turn % 2 == 1 => name.push('-'),
            _ => return Err(Error::Syntax),
        }
    }
    if name.is_empty() || name.ends_with('-') {
        return Err(Error::Syntax);
    }
    Ok((piece.before(words[place - 1].0), Some(name)))
}

/// `whole` is what came, `kept` the same without its purpose.
fn allow(
    statement: Statement,
    purpose: Option<String>,
    whole: &Piece<'_>,
    kept: &Piece<'_>,
) -> Result<Command, Error> {
    let refused = |what: &str| {
        Err(Error::NotAllowed {
            what: what.to_owned(),
        })
    };
    match statement {
        Statement::Query(query) => allow_query(query, purpose, whole, kept),
        Statement::CreateView(view) => create_view(view, whole, kept),
        Statement::Drop {
            object_type: ObjectType::View,
            if_exists,
            names,
            cascade,
            purge: false,
            temporary: false,
            table: None,
            ..
        } => Ok(Command::DropView {
            names: names
                .iter()
                .map(session_name)
                .collect::<Result<Vec<_>, _>>()?,
            missing_ok: if_exists,
            cascades: cascade,
        }),
        Statement::Set(set) => allow_set(&set),
        Statement::ShowVariable { variable } => {
            let name: Vec<String> = variable
                .iter()
                .map(|part| part.value.to_lowercase())
                .collect();
            if name == ["denym", "purpose"] || name == ["denym.purpose"] {
                return Ok(Command::ShowPurpose);
            }
            // clients ask for a handful of settings; a query over constants answers them without touching the session
            let answer = match name.join(" ").as_str() {
                "transaction isolation level"
                | "default_transaction_isolation"
                | "transaction_isolation" => "read committed",
                "standard_conforming_strings"
                | "transaction_read_only"
                | "default_transaction_read_only" => "on",
                "client_encoding" | "server_encoding" => "UTF8",
                "search_path" => "public",
                "timezone" => "UTC",
                "datestyle" => "ISO, YMD",
                "server_version" => "16.6",
                "server_version_num" => "160006",
                "max_identifier_length" => "63",
                "is_superuser" => "off",
                _ => return refused("SHOW of this setting"),
            };
            let name = name.join("_");
            parse(&format!(
                "SELECT '{answer}' AS \"{}\"",
                name.replace('"', "")
            ))?
            .pop()
            .ok_or(Error::Syntax)
        }
        Statement::StartTransaction { statements, .. } if statements.is_empty() => {
            Ok(Command::Begin)
        }
        Statement::Commit { .. } => Ok(Command::Commit),
        Statement::Rollback {
            savepoint: None, ..
        } => Ok(Command::Rollback),
        Statement::Rollback { .. } => Ok(Command::RollbackTo),
        Statement::Savepoint { .. } => Ok(Command::Savepoint),
        Statement::ReleaseSavepoint { .. } => Ok(Command::Release),
        Statement::Discard { object_type } => Ok(match object_type {
            DiscardObject::ALL => Command::DiscardAll,
            DiscardObject::TEMP => Command::DiscardViews,
            DiscardObject::PLANS => Command::Nothing("DISCARD PLANS"),
            DiscardObject::SEQUENCES => Command::Nothing("DISCARD SEQUENCES"),
        }),
        Statement::Deallocate { name, .. } => Ok(Command::Deallocate(
            (name.quote_style.is_some() || !name.value.eq_ignore_ascii_case("all"))
                .then(|| folded(&name)),
        )),
        Statement::Reset(reset) => match &reset.reset {
            // the purpose is the only setting there is
            Reset::ALL => Ok(Command::SetPurpose(None)),
            Reset::ConfigurationParameter(name) => {
                let name = name.to_string().replace('"', "").to_lowercase();
                if name == "denym.purpose" {
                    Ok(Command::SetPurpose(None))
                } else if HARMLESS.contains(&name.as_str()) {
                    Ok(Command::Nothing("RESET"))
                } else {
                    refused("RESET of an unknown setting")
                }
            }
        },
        Statement::Declare { stmts } => declare(stmts, purpose, whole, kept),
        Statement::Fetch {
            name,
            direction,
            into: None,
            ..
        } => Ok(Command::Fetch {
            name: folded(&name),
            rows: match direction {
                FetchDirection::Next | FetchDirection::Forward { limit: None } => Some(1),
                FetchDirection::All | FetchDirection::ForwardAll => None,
                FetchDirection::Count { limit }
                | FetchDirection::Forward { limit: Some(limit) } => Some(count(&limit)?),
                _ => return refused("FETCH in this direction"),
            },
        }),
        Statement::Close { cursor } => Ok(Command::CloseCursor(match cursor {
            CloseCursor::All => None,
            CloseCursor::Specific { name } => Some(folded(&name)),
        })),
        _ => refused(&whole.kind()),
    }
}

fn allow_query(
    query: Box<Query>,
    purpose: Option<String>,
    whole: &Piece<'_>,
    of_query: &Piece<'_>,
) -> Result<Command, Error> {
    if let ControlFlow::Break(what) = query.visit(&mut OnlyReads) {
        return Err(Error::NotAllowed { what: what.into() });
    }
    Ok(Command::Query {
        statement: Box::new(Statement::Query(query)),
        purpose,
        text: whole.text().to_owned(),
        sql: of_query.text().to_owned(),
        expanded: false,
    })
}

/// A cursor: its query must pass as any other.
fn declare(
    stmts: Vec<Declare>,
    purpose: Option<String>,
    whole: &Piece<'_>,
    kept: &Piece<'_>,
) -> Result<Command, Error> {
    let refused = |what: &str| {
        Err(Error::NotAllowed {
            what: what.to_owned(),
        })
    };
    let Ok([cursor]) = <[Declare; 1]>::try_from(stmts) else {
        return refused("DECLARE of several cursors");
    };
    let (Some(query), [name]) = (cursor.for_query, &cursor.names[..]) else {
        return refused("DECLARE of anything but a cursor");
    };
    if cursor.scroll == Some(true) || cursor.binary == Some(true) {
        return refused("a scrolling or binary cursor");
    }
    Ok(Command::Declare {
        name: folded(name),
        query: Box::new(allow_query(query, purpose, whole, &kept.after("for"))?),
        hold: cursor.hold == Some(true),
    })
}

/// A view of the session: its query must pass as any other, and it can have no purpose and no parameters of its own.
fn create_view(view: CreateView, whole: &Piece<'_>, kept: &Piece<'_>) -> Result<Command, Error> {
    let refused = |what: &str| {
        Err(Error::NotAllowed {
            what: what.to_owned(),
        })
    };
    if !view.temporary {
        return refused("CREATE VIEW; views here live in the session, as CREATE TEMP VIEW");
    }
    let is_plain = !view.or_alter
        && !view.materialized
        && !view.secure
        && !view.if_not_exists
        && !view.copy_grants
        && !view.with_no_schema_binding
        && view.cluster_by.is_empty()
        && view.comment.is_none()
        && view.to.is_none()
        && view.params.is_none()
        && view.options == CreateTableOptions::None
        && view
            .columns
            .iter()
            .all(|column| column.data_type.is_none() && column.options.is_none());
    if !is_plain {
        return refused("a clause at a view");
    }
    if has_parameters(&view.query) {
        return refused("a parameter in a view");
    }
    let of_query = kept.after("as");
    let query = allow_query(view.query.clone(), None, whole, &of_query)?;
    Ok(Command::CreateView(Box::new(NewView {
        name: session_name(&view.name)?,
        view: View {
            words: count_words(of_query.tokens),
            query: view.query,
            columns: view.columns.into_iter().map(|column| column.name).collect(),
        },
        replaces: view.or_replace,
        query,
    })))
}

/// The name of a view: it has no schema but the session's own.
fn session_name(name: &ObjectName) -> Result<String, Error> {
    view_name(name).ok_or_else(|| Error::NotAllowed {
        what: "a view in a schema".into(),
    })
}

/// Whether a statement has parameters.
pub(crate) fn has_parameters(tree: &impl Visit) -> bool {
    tree.visit(&mut NoParameters).is_break()
}

/// Finds parameters.
struct NoParameters;

impl Visitor for NoParameters {
    type Break = ();

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<()> {
        match value.value {
            Value::Placeholder(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Whether a statement makes figures over several rows.
pub(crate) fn counts_rows(tree: &impl Visit) -> bool {
    tree.visit(&mut NoFigures).is_break()
}

/// Finds calls of functions over rows.
struct NoFigures;

impl Visitor for NoFigures {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let Expr::Function(call) = expr else {
            return ControlFlow::Continue(());
        };
        let name = call.name.0.last().and_then(|part| part.as_ident());
        let counts = name.map(folded).is_some_and(|name| {
            listed().iter().any(|function| {
                function.name == name && matches!(function.role, Role::Aggregate | Role::Ordered)
            })
        });
        if counts {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// A name as PostgreSQL folds it: lower case unless quoted.
pub(crate) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        None => ident.value.to_ascii_lowercase(),
        Some(_) => ident.value.clone(),
    }
}

fn count(value: &ValueWithSpan) -> Result<u32, Error> {
    match &value.value {
        Value::Number(digits, _) => digits.parse().map_err(|_| Error::Syntax),
        _ => Err(Error::Syntax),
    }
}

fn allow_set(set: &Set) -> Result<Command, Error> {
    let refused = |what: &str| {
        Err(Error::NotAllowed {
            what: format!("SET of {what}"),
        })
    };
    match set {
        Set::SingleAssignment {
            variable, values, ..
        } => {
            // quoted and mixed-case spellings are the same setting
            let name = variable
                .0
                .iter()
                .map(|part| part.to_string().trim_matches('"').to_lowercase())
                .collect::<Vec<_>>()
                .join(".");
            if HARMLESS.contains(&name.as_str()) {
                return Ok(Command::Nothing("SET"));
            }
            if name != "denym.purpose" {
                return refused("an unknown setting");
            }
            let [value] = &values[..] else {
                return refused("denym.purpose to several values");
            };
            match value {
                Expr::Value(value) => match &value.value {
                    Value::SingleQuotedString(text) if text.is_empty() => {
                        Ok(Command::SetPurpose(None))
                    }
                    Value::SingleQuotedString(text) => Ok(Command::SetPurpose(Some(text.clone()))),
                    _ => refused("denym.purpose to no text"),
                },
                Expr::Identifier(name) if name.quote_style.is_some() => {
                    Ok(Command::SetPurpose(Some(name.value.clone())))
                }
                Expr::Identifier(name) if name.value.eq_ignore_ascii_case("default") => {
                    Ok(Command::SetPurpose(None))
                }
                Expr::Identifier(name) => Ok(Command::SetPurpose(Some(name.value.to_lowercase()))),
                _ => refused("denym.purpose to no text"),
            }
        }
        Set::SetTimeZone { .. } | Set::SetTransaction { .. } | Set::SetNames { .. } => {
            Ok(Command::Nothing("SET"))
        }
        _ => refused("a role or session authorization"),
    }
}

/// Finds the parts of a query that do more than read.
struct OnlyReads;

impl Visitor for OnlyReads {
    type Break = &'static str;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        if !query.locks.is_empty() {
            return ControlFlow::Break("a locking clause");
        }
        if query.for_clause.is_some()
            || query.settings.is_some()
            || query.format_clause.is_some()
            || !query.pipe_operators.is_empty()
        {
            return ControlFlow::Break("a clause of another dialect");
        }
        for body in operands(query) {
            match body {
                SetExpr::Select(_) | SetExpr::Query(_) | SetExpr::Values(_) => {}
                SetExpr::Table(_) => return ControlFlow::Break("TABLE; write SELECT * FROM"),
                _ => return ControlFlow::Break("a data-changing query"),
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        if select.into.is_some() {
            return ControlFlow::Break("SELECT INTO");
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Self::Break> {
        match factor {
            TableFactor::Table {
                name,
                args: Some(_),
                ..
            }
            | TableFactor::Function { name, .. } => {
                let name = name.to_string().to_lowercase();
                if matches!(
                    name.as_str(),
                    "generate_series" | "unnest" | "pg_catalog.generate_series" | "pg_get_keywords"
                ) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break("a table function")
                }
            }
            TableFactor::Table { name, .. } if name.0.len() > 2 => {
                ControlFlow::Break("a relation's name of more than two parts")
            }
            TableFactor::Table { .. }
            | TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::UNNEST { .. } => ControlFlow::Continue(()),
            _ => ControlFlow::Break("a table expression of another dialect"),
        }
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<Self::Break> {
        if matches!(statement, Statement::Query(_)) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break("a statement within a query")
        }
    }
}

#[cfg(test)]
mod tests;
