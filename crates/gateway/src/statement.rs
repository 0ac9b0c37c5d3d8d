//! Which statements are let in, and the purpose they carry: an allow-list before everything else.
//!
//! # Idea
//! A text is cut at its semicolons, `FOR PURPOSE name` is taken off the end of each piece, and the rest must be a plain query, a
//! `SET denym.purpose`, or one of a few statements without effect that clients send. Everything else is refused by name.
//!
//! # Guarantee
//! Default deny: a statement, a query clause or a setting that is not listed here does not pass. In particular no `CREATE`, `COPY`,
//! `DROP`, `EXPLAIN`, `INSERT`, `SELECT INTO`, locking clause or data-changing subquery.

use crate::error::Error;
use sqlparser::ast::{
    CloseCursor, Declare, Expr, FetchDirection, Ident, Query, Reset, Select, Set, SetExpr,
    Statement, TableFactor, Value, ValueWithSpan, Visit, Visitor,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};
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
    /// `DISCARD ALL`: forgets the purpose and all portals.
    DiscardAll,
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

/// Words of one statement. A sum of a million terms is a tree a million deep, and whoever walks it needs that much stack.
const MOST_WORDS: usize = 10_000;

/// Reads a text of one or more statements.
pub fn parse(text: &str) -> Result<Vec<Command>, Error> {
    let tokens = Tokenizer::new(&PostgreSqlDialect {}, text)
        .tokenize()
        .map_err(|_| Error::Syntax)?;
    let mut out = Vec::new();
    for piece in tokens.split(|token| *token == Token::SemiColon) {
        let words = piece
            .iter()
            .filter(|token| !matches!(token, Token::Whitespace(_)))
            .count();
        if words == 0 {
            continue;
        }
        if words > MOST_WORDS {
            return Err(Error::NotAllowed {
                what: "a statement of more than 10,000 words".into(),
            });
        }
        out.push(read(piece)?);
    }
    Ok(out)
}

fn read(tokens: &[Token]) -> Result<Command, Error> {
    let whole: String = tokens.iter().map(ToString::to_string).collect();
    let (kept, purpose) = take_purpose(tokens)?;
    let sql: String = kept.iter().map(ToString::to_string).collect();
    let mut statements =
        Parser::parse_sql(&PostgreSqlDialect {}, &sql).map_err(|_| Error::Syntax)?;
    let (Some(statement), true) = (statements.pop(), statements.is_empty()) else {
        return Err(Error::Syntax);
    };
    let command = allow(statement, purpose.clone(), whole.trim(), sql.trim())?;
    if purpose.is_some() && !matches!(command, Command::Query { .. } | Command::Declare { .. }) {
        return Err(Error::NotAllowed {
            what: "FOR PURPOSE after anything but a query".into(),
        });
    }
    Ok(command)
}

/// Takes `FOR PURPOSE name` off the end. A name with hyphens may be written bare, in single or in double quotes.
fn take_purpose(tokens: &[Token]) -> Result<(&[Token], Option<String>), Error> {
    let words: Vec<(usize, &Token)> = tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !matches!(token, Token::Whitespace(_)))
        .collect();
    let is_word = |token: &Token, text: &str| matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text));
    let found = (1..words.len())
        .rev()
        .find(|place| is_word(words[place - 1].1, "for") && is_word(words[*place].1, "purpose"));
    let Some(place) = found else {
        return Ok((tokens, None));
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
    Ok((&tokens[..words[place - 1].0], Some(name)))
}

fn allow(
    statement: Statement,
    purpose: Option<String>,
    text: &str,
    sql: &str,
) -> Result<Command, Error> {
    let refused = |what: &str| {
        Err(Error::NotAllowed {
            what: what.to_owned(),
        })
    };
    match statement {
        Statement::Query(query) => {
            let mut check = OnlyReads;
            if let ControlFlow::Break(what) = query.visit(&mut check) {
                return refused(what);
            }
            Ok(Command::Query {
                statement: Box::new(Statement::Query(query)),
                purpose,
                text: text.to_owned(),
                sql: sql.to_owned(),
            })
        }
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
        Statement::Discard { .. } => Ok(Command::DiscardAll),
        Statement::Deallocate { name, .. } => Ok(Command::Deallocate(
            (name.quote_style.is_some() || !name.value.eq_ignore_ascii_case("all"))
                .then(|| folded(&name)),
        )),
        Statement::Reset(reset) => match &reset.reset {
            Reset::ALL => Ok(Command::DiscardAll),
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
        Statement::Declare { stmts } => declare(stmts, purpose, text),
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
        other => {
            // the first word names the statement; the rest may hold anything
            let text = other.to_string();
            let word = text.split_whitespace().next().unwrap_or("statement");
            refused(&word.to_uppercase())
        }
    }
}

/// A cursor: its query must pass as any other.
fn declare(stmts: Vec<Declare>, purpose: Option<String>, text: &str) -> Result<Command, Error> {
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
    let sql = query.to_string();
    Ok(Command::Declare {
        name: folded(name),
        query: Box::new(allow(Statement::Query(query), purpose, text, &sql)?),
        hold: cursor.hold == Some(true),
    })
}

/// A name as PostgreSQL folds it: lower case unless quoted.
pub(crate) fn folded(ident: &Ident) -> String {
    match ident.quote_style {
        None => ident.value.to_lowercase(),
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
        match query.body.as_ref() {
            SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_) | SetExpr::Merge(_) => {
                ControlFlow::Break("a data-changing query")
            }
            _ => ControlFlow::Continue(()),
        }
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
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Command, Error> {
        parse(text).map(|mut commands| {
            assert_eq!(commands.len(), 1, "{text}");
            commands.remove(0)
        })
    }

    fn purpose(text: &str) -> Option<String> {
        match one(text).expect(text) {
            Command::Query { purpose, .. } | Command::SetPurpose(purpose) => purpose,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_purpose_is_taken_off_the_end() {
        assert_eq!(
            purpose("SELECT 1 FOR PURPOSE marketing"),
            Some("marketing".into())
        );
        assert_eq!(
            purpose("select 1 for purpose t-email ;"),
            Some("t-email".into())
        );
        assert_eq!(
            purpose("SELECT 1 FOR PURPOSE 't-email'"),
            Some("t-email".into())
        );
        assert_eq!(
            purpose("SELECT 1 FOR PURPOSE \"Odd Name\" -- why"),
            Some("Odd Name".into())
        );
        assert_eq!(purpose("SELECT 'x FOR PURPOSE y'"), None);
        assert_eq!(purpose("SELECT substring('abc' FROM 1 FOR 2)"), None);
        for broken in [
            "SELECT 1 FOR PURPOSE",
            "SELECT 1 FOR PURPOSE a b",
            "SELECT 1 FOR PURPOSE a-",
            "SELECT 1 FOR PURPOSE a) + 1",
        ] {
            assert!(one(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn every_spelling_of_set_is_the_same_setting() {
        for text in [
            "SET denym.purpose = 'marketing'",
            "set DENYM.Purpose to marketing",
            "SET \"denym\".\"purpose\" = 'marketing'",
            "SET SESSION denym.purpose = \"marketing\"",
        ] {
            assert_eq!(purpose(text), Some("marketing".into()), "{text}");
        }
        assert_eq!(purpose("SET denym.purpose = ''"), None);
    }

    #[test]
    fn everything_else_is_refused_by_name() {
        let refused = [
            "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
            "CREATE TABLE copy AS SELECT * FROM t",
            "CREATE VIEW v AS SELECT 1",
            "COPY t TO '/tmp/x.csv'",
            "COPY (SELECT 1) TO STDOUT",
            "DROP TABLE t",
            "EXPLAIN SELECT * FROM t",
            "EXPLAIN ANALYZE SELECT * FROM t",
            "INSERT INTO t VALUES (1)",
            "UPDATE t SET a = 1",
            "DELETE FROM t",
            "TRUNCATE t",
            "PREPARE p AS SELECT 1",
            "EXECUTE p",
            "SELECT * INTO other FROM t",
            "SELECT * FROM t FOR UPDATE",
            "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x",
            "SELECT * FROM read_csv('/etc/passwd')",
            "SELECT * FROM t WHERE a IN (SELECT a FROM read_parquet('x'))",
            "SET ROLE admin",
            "SET SESSION AUTHORIZATION admin",
            "SET datafusion.execution.batch_size = 1",
            "SET denym.user = 'admin'",
            "SHOW ALL",
            "SHOW datafusion.catalog.location",
            "DO $$ BEGIN END $$",
            "CALL f()",
            "LISTEN x",
            "DECLARE c CURSOR FOR INSERT INTO t VALUES (1)",
            "DECLARE c SCROLL CURSOR FOR SELECT 1",
            "FETCH BACKWARD 1 FROM c",
            "FETCH ALL FROM c FOR PURPOSE marketing",
            "BEGIN FOR PURPOSE marketing",
        ];
        for text in refused {
            assert!(one(text).is_err(), "{text}");
        }
    }

    #[test]
    fn clients_may_say_what_they_always_say() {
        for text in [
            "BEGIN",
            "START TRANSACTION READ ONLY",
            "COMMIT",
            "ROLLBACK",
            "SAVEPOINT \"_pg3_1\"",
            "ROLLBACK TO \"_pg3_1\"",
            "RELEASE \"_pg3_1\"",
            "SET extra_float_digits = 3",
            "SET TIME ZONE 'UTC'",
            "DISCARD ALL",
            "SHOW denym.purpose",
            "SHOW standard_conforming_strings",
            "DECLARE c CURSOR WITHOUT HOLD FOR SELECT 1 FOR PURPOSE marketing",
            "FETCH FORWARD 10 FROM c",
            "FETCH ALL IN \"c\"",
            "CLOSE c",
            "CLOSE ALL",
            "DEALLOCATE ALL",
            "RESET denym.purpose",
        ] {
            assert!(one(text).is_ok(), "{text}");
        }
        assert_eq!(
            parse("SELECT 1; SELECT 2 FOR PURPOSE a;; ")
                .expect("two")
                .len(),
            2
        );
        assert!(
            parse("SELECT 1; DROP TABLE t").is_err(),
            "one bad statement refuses the text"
        );
        assert!(parse("SELECT 'unclosed").is_err());
        let long = format!("SELECT {}1", "1 + ".repeat(1_000_000));
        assert!(parse(&long).is_err(), "a deep tree is not built");
    }
}
