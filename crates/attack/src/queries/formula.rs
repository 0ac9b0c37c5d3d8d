//! Formulas that select people, and a system that answers them with a size restriction.

/// Which people a query is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// Attribute number has this code.
    Is(usize, u32),
    /// Both.
    And(Box<Formula>, Box<Formula>),
    /// At least one.
    Or(Box<Formula>, Box<Formula>),
    /// Not.
    Not(Box<Formula>),
}

impl Formula {
    /// Both this and `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::And(Box::new(self), Box::new(other))
    }

    /// This or `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self::Or(Box::new(self), Box::new(other))
    }

    /// Everybody else.
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Not(Box::new(self))
    }

    /// Whether the formula selects a record, given its codes; an attribute that is not there is not equal to anything.
    pub fn selects(&self, record: &dyn Fn(usize) -> Option<u32>) -> bool {
        match self {
            Self::Is(attribute, code) => record(*attribute) == Some(*code),
            Self::And(a, b) => a.selects(record) && b.selects(record),
            Self::Or(a, b) => a.selects(record) || b.selects(record),
            Self::Not(a) => !a.selects(record),
        }
    }
}

/// A system that answers or refuses.
pub trait Answers {
    /// How many people the formula selects.
    fn count(&self, formula: &Formula) -> Option<u64>;
    /// The sum of the sensitive number over them.
    fn sum(&self, formula: &Formula) -> Option<f64>;
}

/// A table behind a size restriction: answers are refused below `least` people and above all but `least`.
#[derive(Debug, Clone, Copy)]
pub struct Restricted<'a> {
    /// Columns of codes.
    pub columns: &'a [&'a [u32]],
    /// The sensitive number of each record.
    pub sensitive: &'a [f64],
    /// The fewest people an answer is about; 0 answers everything.
    pub least: u64,
}

impl Restricted<'_> {
    fn selected(&self, formula: &Formula) -> Option<Vec<usize>> {
        let all = self.sensitive.len();
        let code = |row: usize, attribute: usize| {
            self.columns
                .get(attribute)
                .and_then(|c| c.get(row))
                .copied()
        };
        let rows: Vec<usize> = (0..all)
            .filter(|&row| formula.selects(&|attribute| code(row, attribute)))
            .collect();
        let size = rows.len() as u64;
        (self.least <= size && size + self.least <= all as u64).then_some(rows)
    }
}

impl Answers for Restricted<'_> {
    fn count(&self, formula: &Formula) -> Option<u64> {
        self.selected(formula).map(|rows| rows.len() as u64)
    }

    fn sum(&self, formula: &Formula) -> Option<f64> {
        self.selected(formula)
            .map(|rows| rows.iter().map(|&row| self.sensitive[row]).sum())
    }
}
