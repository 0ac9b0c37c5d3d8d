//! Coarsening.
use crate::error::Error;
use crate::recoding::PathRecoding;
use crate::request::Context;
use crate::solve::Problem;
/// Ladder.
#[derive(Clone, Debug, Default)]
pub struct Ladder {}
pub(crate) fn solve(_problem: &Problem, _context: &Context) -> Result<PathRecoding, Error> {
    Err(Error::Stopped)
}
