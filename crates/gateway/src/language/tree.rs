//! What can be said to a PostgreSQL server, as plain data. There is no field for a text that would be written as it is.

use super::kinds::Kind;

/// A query with what stands around its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) recursive: bool,
    pub(super) common: Vec<Common>,
    pub(super) body: Body,
    pub(super) order: Vec<Order>,
    pub(super) limit: Option<Expr>,
    /// `WITH TIES` at the limit.
    pub(super) ties: bool,
    pub(super) offset: Option<Expr>,
}

/// A query of a `WITH`, under a name of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Common {
    pub(super) id: usize,
    pub(super) columns: Vec<String>,
    pub(super) materialized: Option<bool>,
    pub(super) query: Query,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    Select(Box<Select>),
    Values(Vec<Vec<Expr>>),
    Nested(Box<Query>),
    /// From left to right; a body in it that is itself such a chain is nested.
    Sets {
        first: Box<Body>,
        rest: Vec<(SetOperator, Body)>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SetOperator {
    pub(super) word: &'static str,
    pub(super) all: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Select {
    pub(super) distinct: Distinct,
    pub(super) items: Vec<Item>,
    pub(super) from: Vec<From>,
    pub(super) filter: Option<Expr>,
    pub(super) group: Vec<Group>,
    pub(super) having: Option<Expr>,
    /// Named windows, under names of ours.
    pub(super) windows: Vec<(usize, Window)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Distinct {
    No,
    Rows,
    On(Vec<Expr>),
}

/// A column of an answer; it always says its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) expr: Expr,
    pub(super) name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Group {
    By(Expr),
    Sets(Vec<Vec<Expr>>),
    Cube(Vec<Vec<Expr>>),
    Rollup(Vec<Vec<Expr>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum From {
    Relation(Relation),
    Join(Box<Join>),
}

/// A relation under a name of ours, with the names of all its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) id: usize,
    pub(super) columns: Vec<String>,
    pub(super) source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Governed(String),
    Common(usize),
    Derived { lateral: bool, query: Box<Query> },
    Series(Vec<Expr>),
    Unnest(Box<Expr>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Join {
    pub(super) left: From,
    pub(super) right: From,
    pub(super) kind: JoinKind,
    pub(super) on: On,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinKind {
    Inner,
    Left,
    Right,
    Full,
    Cross,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum On {
    Nothing,
    Condition(Expr),
    Using(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) expr: Expr,
    pub(super) ascending: Option<bool>,
    pub(super) nulls_first: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) base: Option<usize>,
    pub(super) partition: Vec<Expr>,
    pub(super) order: Vec<Order>,
    pub(super) frame: Option<Frame>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub(super) unit: &'static str,
    pub(super) start: Bound,
    pub(super) end: Option<Bound>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    Current,
    /// `None` for unbounded.
    Preceding(Option<Expr>),
    Following(Option<Expr>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Over {
    Named(usize),
    Window(Box<Window>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expr {
    /// A column of a relation of ours; without relation one that a join merged.
    Column {
        relation: Option<usize>,
        name: String,
    },
    /// A column of the answer, where ORDER BY and GROUP BY may name it.
    Output(String),
    Text(String),
    /// Digits, a point, an exponent: nothing else.
    Number(String),
    Boolean(bool),
    Null,
    Parameter(u16),
    Not(Box<Expr>),
    Negative(Box<Expr>),
    Positive(Box<Expr>),
    /// Operators of one precedence, from left to right.
    Chain {
        first: Box<Expr>,
        rest: Vec<(&'static str, Expr)>,
    },
    /// Any other operator between two operands.
    Binary {
        left: Box<Expr>,
        operator: &'static str,
        right: Box<Expr>,
    },
    /// `IS NULL` and its kin.
    Is {
        expr: Box<Expr>,
        test: &'static str,
    },
    InList {
        expr: Box<Expr>,
        negated: bool,
        list: Vec<Expr>,
    },
    InQuery {
        expr: Box<Expr>,
        negated: bool,
        query: Box<Query>,
    },
    Between {
        expr: Box<Expr>,
        negated: bool,
        low: Box<Expr>,
        high: Box<Expr>,
    },
    /// `ANY` or `ALL` of an array or of a query's rows.
    Quantified {
        left: Box<Expr>,
        operator: &'static str,
        all: bool,
        right: Box<Expr>,
    },
    Cast {
        expr: Box<Expr>,
        kind: Kind,
    },
    Extract {
        field: &'static str,
        expr: Box<Expr>,
    },
    Call(Box<Call>),
    Case {
        operand: Option<Box<Expr>>,
        branches: Vec<(Expr, Expr)>,
        otherwise: Option<Box<Expr>>,
    },
    Exists(Box<Query>),
    Scalar(Box<Query>),
    Array(Vec<Expr>),
    /// Two or more values side by side, to be compared.
    Row(Vec<Expr>),
}

/// A call of a listed function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: &'static str,
    pub(super) args: Args,
    pub(super) distinct: bool,
    /// `ORDER BY` among the arguments of an aggregate.
    pub(super) order: Vec<Order>,
    pub(super) within: Vec<Order>,
    pub(super) filter: Option<Expr>,
    pub(super) over: Option<Over>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Args {
    /// `count(*)`.
    All,
    These(Vec<Expr>),
}
