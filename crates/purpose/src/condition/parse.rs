//! The reader of the condition language: text to checked [`Condition`], with the place of a mistake.

use super::{Comparison, Condition};
use crate::attribute::{Attributes, Domain};
use crate::error::Error;

/// Parentheses and `not` may nest this deep; a policy needs two or three.
const DEPTH: usize = 64;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Sign(Comparison),
    Open,
    Close,
    And,
    Or,
    Not,
}

pub(super) fn parse(text: &str, attributes: &Attributes) -> Result<Condition, Error> {
    let tokens = tokens(text)?;
    let mut reader = Reader {
        tokens: &tokens,
        at: 0,
        end: text.chars().count() + 1,
        attributes,
    };
    let condition = reader.any(0)?;
    if reader.at < tokens.len() {
        return Err(reader.expected("`and`, `or` or the end"));
    }
    Ok(condition)
}

/// Tokens with their place in characters, from 1.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Error> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let next = chars.get(at + 1).copied();
        let (token, length) = match chars[at] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '∧' => (Token::And, 1),
            '∨' => (Token::Or, 1),
            '¬' => (Token::Not, 1),
            '≠' => (Token::Sign(Comparison::Unequal), 1),
            '≤' => (Token::Sign(Comparison::AtMost), 1),
            '≥' => (Token::Sign(Comparison::AtLeast), 1),
            '=' => (
                Token::Sign(Comparison::Equal),
                if next == Some('=') { 2 } else { 1 },
            ),
            '!' if next == Some('=') => (Token::Sign(Comparison::Unequal), 2),
            '<' if next == Some('=') => (Token::Sign(Comparison::AtMost), 2),
            '<' if next == Some('>') => (Token::Sign(Comparison::Unequal), 2),
            '>' if next == Some('=') => (Token::Sign(Comparison::AtLeast), 2),
            '<' => (Token::Sign(Comparison::Less), 1),
            '>' => (Token::Sign(Comparison::Greater), 1),
            quote @ ('\'' | '"') => {
                let length = chars[at + 1..].iter().position(|c| *c == quote).ok_or(
                    Error::ConditionSyntax {
                        at: start + 1,
                        expected: "a closing quote",
                    },
                )?;
                let word = chars[at + 1..at + 1 + length].iter().collect();
                (Token::Quoted(word), length + 2)
            }
            c if word_char(c) => {
                let length = chars[at..].iter().take_while(|c| word_char(**c)).count();
                let word: String = chars[at..at + length].iter().collect();
                let token = match word.to_ascii_lowercase().as_str() {
                    "and" => Token::And,
                    "or" => Token::Or,
                    "not" => Token::Not,
                    _ => Token::Word(word),
                };
                (token, length)
            }
            _ => {
                return Err(Error::ConditionSyntax {
                    at: start + 1,
                    expected: "an attribute, a comparison or a parenthesis",
                });
            }
        };
        out.push((start + 1, token));
        at += length;
    }
    Ok(out)
}

fn word_char(c: char) -> bool {
    c.is_alphanumeric() || "-_.:".contains(c)
}

struct Reader<'a> {
    tokens: &'a [(usize, Token)],
    at: usize,
    end: usize,
    attributes: &'a Attributes,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, expected: &'static str) -> Error {
        let at = self.tokens.get(self.at).map_or(self.end, |(at, _)| *at);
        Error::ConditionSyntax { at, expected }
    }

    fn any(&mut self, depth: usize) -> Result<Condition, Error> {
        let mut parts = vec![self.all(depth)?];
        while self.take(&Token::Or) {
            parts.push(self.all(depth)?);
        }
        Ok(single(parts, Condition::Any))
    }

    fn all(&mut self, depth: usize) -> Result<Condition, Error> {
        let mut parts = vec![self.one(depth)?];
        while self.take(&Token::And) {
            parts.push(self.one(depth)?);
        }
        Ok(single(parts, Condition::All))
    }

    fn one(&mut self, depth: usize) -> Result<Condition, Error> {
        if depth > DEPTH {
            return Err(Error::ConditionTooDeep { limit: DEPTH });
        }
        if self.take(&Token::Not) {
            return Ok(Condition::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.take(&Token::Open) {
            let inner = self.any(depth + 1)?;
            if !self.take(&Token::Close) {
                return Err(self.expected("`)`"));
            }
            return Ok(inner);
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Result<Condition, Error> {
        let Some(Token::Word(name)) = self.peek().cloned() else {
            return Err(self.expected("an attribute, `not` or `(`"));
        };
        self.at += 1;
        if name.eq_ignore_ascii_case("always") {
            return Ok(Condition::Always);
        }
        let place = self.attributes.find(&name)?;
        let domain = &self.attributes.list()[place].domain;
        let Some(Token::Sign(sign)) = self.peek().cloned() else {
            // `on-site` alone is `on-site = true`
            return if *domain == Domain::Truth {
                Ok(Condition::Compare(place, Comparison::Equal, 1))
            } else {
                Err(self.expected("a comparison such as `=` or `>=`"))
            };
        };
        self.at += 1;
        let Some(Token::Word(value) | Token::Quoted(value)) = self.peek().cloned() else {
            return Err(self.expected("a value"));
        };
        self.at += 1;
        if sign.needs_order() && !domain.is_ordered() {
            return Err(Error::NoOrder { name });
        }
        let code = domain.code(&value).ok_or_else(|| Error::OutsideDomain {
            name,
            domain: domain.describe(),
        })?;
        Ok(Condition::Compare(place, sign, code))
    }
}

fn single(mut parts: Vec<Condition>, many: fn(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 {
        parts.remove(0)
    } else {
        many(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attribute, Scope};

    fn attributes() -> Attributes {
        let declare = |name: &str, domain| Attribute {
            name: name.into(),
            scope: Scope::Role,
            domain,
        };
        Attributes::new(vec![
            declare("experience", Domain::Integer { least: 0, most: 60 }),
            declare("time", Domain::TimeOfDay),
            declare(
                "site",
                Domain::Names(vec!["north".into(), "far west".into()]),
            ),
            declare("rank", Domain::Levels(vec!["low".into(), "high".into()])),
            declare("on-call", Domain::Truth),
        ])
    }

    fn check(text: &str, expect: Result<&str, &str>) {
        let attributes = attributes();
        let found = parse(text, &attributes);
        let shown = found.as_ref().map(|c| c.to_text(&attributes));
        assert_eq!(shown.as_deref().map_err(|e| e.code()), expect, "{text}");
        if let (Ok(condition), Ok(shown)) = (&found, &shown) {
            assert_eq!(
                parse(shown, &attributes).as_ref(),
                Ok(condition),
                "reads back"
            );
        }
    }

    #[test]
    fn reads_conditions() {
        check(
            "experience > 10 and time >= 09:00 ∧ time ≤ 17:00",
            Ok("experience > 10 and time >= 09:00 and time <= 17:00"),
        );
        check(
            "not on-call or rank < high and site != 'far west'",
            Ok("not (on-call = true) or (rank < high and site != 'far west')"),
        );
        check("NOT (experience = 3)", Ok("not (experience = 3)"));
        check("always", Ok("always"));
    }

    #[test]
    fn refuses_what_it_cannot_check() {
        check("", Err("condition-syntax"));
        check("experience >", Err("condition-syntax"));
        check("experience 10", Err("condition-syntax"));
        check("(experience > 1", Err("condition-syntax"));
        check("experience > 1 experience > 2", Err("condition-syntax"));
        check("site = 'north", Err("condition-syntax"));
        check("experience ? 3", Err("condition-syntax"));
        check("experience > 61", Err("attribute-outside-domain"));
        check("experience > ten", Err("attribute-outside-domain"));
        check("site < north", Err("attribute-no-order"));
        check("experiense > 10", Err("attribute-unknown"));
        let deep = "(".repeat(100_000) + "on-call" + &")".repeat(100_000);
        check(&deep, Err("condition-too-deep"));
        check(
            &("not ".repeat(100_000) + "on-call"),
            Err("condition-too-deep"),
        );
    }

    #[test]
    fn a_mistake_has_its_place() {
        let error = parse("experience > 10 an time > 09:00", &attributes());
        assert_eq!(
            error,
            Err(Error::ConditionSyntax {
                at: 17,
                expected: "`and`, `or` or the end"
            })
        );
    }
}
