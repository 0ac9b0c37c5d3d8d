//! The functions that PostgreSQL is sent: those that are listed for it, with as many arguments as each takes.

use super::refused;
use super::tree::Expr;
use crate::error::Error;
pub(super) use crate::functions::Role;
use crate::functions::{Function, listed};

/// The longest text that padding may make.
const LONGEST: u32 = 10_000;

/// All of them with the arguments that each takes at least and at most.
#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = (&'static Function, [usize; 2])> {
    let sent = |function: &'static Function| Some((function, function.arguments?));
    let sent = listed().iter().filter_map(sent);
    sent.map(|(function, (least, most))| (function, [least, most.min(4)]))
}

/// The function of a name that takes so many arguments.
pub(super) fn find(name: &str, count: usize) -> Result<&'static Function, Error> {
    // two names of one function, which the parser does not tell apart
    let name = if name == "substr" { "substring" } else { name };
    let takes = |(least, most): (usize, usize)| (least..=most).contains(&count);
    listed()
        .iter()
        .find(|function| function.name == name && function.arguments.is_some_and(takes))
        .ok_or_else(|| refused("a function that is not listed"))
}

/// What a function may not be given: a length that nobody bounded.
pub(super) fn check(function: &Function, args: &[Expr]) -> Result<(), Error> {
    if matches!(function.name, "lpad" | "rpad") {
        let is_short = match args.get(1) {
            Some(Expr::Number(digits)) => {
                digits.parse::<u32>().is_ok_and(|length| length <= LONGEST)
            }
            _ => false,
        };
        if !is_short {
            return Err(refused(
                "padding to anything but a number of at most 10,000 characters",
            ));
        }
    }
    Ok(())
}
