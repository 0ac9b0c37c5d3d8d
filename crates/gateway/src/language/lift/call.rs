//! Calls of listed functions, aggregates and window functions.

use super::super::functions::{Role, check, find};
use super::super::refused;
use super::super::tree::{Args, Call, Expr, Over};
use super::Lift;
use crate::error::Error;
use crate::statement::folded;
use sqlparser::ast::{
    self as sql, DuplicateTreatment, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, ObjectName, TrimWhereField, WindowType,
};

impl Lift<'_> {
    pub(super) fn call(&mut self, function: &sql::Function) -> Result<Expr, Error> {
        let sql::Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            filter,
            null_treatment,
            over,
            within_group,
        } = function;
        if *uses_odbc_syntax || *parameters != FunctionArguments::None || null_treatment.is_some() {
            return Err(refused("a call of another dialect"));
        }
        let name = function_name(name)?;
        // current_role and its kin are calls without parentheses
        let FunctionArguments::List(list) = args else {
            return Err(refused(
                "a call without parentheses, or with a query in them",
            ));
        };
        let sql::FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        } = list;
        let distinct = matches!(duplicate_treatment, Some(DuplicateTreatment::Distinct));
        let function = find(&name, args.len())?;
        let args = match &args[..] {
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] if function.name == "count" => {
                Args::All
            }
            args => Args::These(self.args(args)?),
        };
        if let Args::These(args) = &args {
            check(function, args)?;
        }
        let order = match &clauses[..] {
            [] => Vec::new(),
            [FunctionArgumentClause::OrderBy(list)] => self.inner_orders(list)?,
            _ => return Err(refused("a clause among the arguments of a function")),
        };
        let within = self.inner_orders(within_group)?;
        let filter = filter.as_deref().map(|expr| self.expr(expr)).transpose()?;
        let over = match over {
            None => None,
            Some(WindowType::NamedWindow(ident)) => Some(Over::Named(self.named_window(ident)?)),
            Some(WindowType::WindowSpec(spec)) => Some(Over::Window(Box::new(self.window(spec)?))),
        };
        let fits = match function.role {
            Role::Scalar | Role::Word => {
                !distinct
                    && order.is_empty()
                    && within.is_empty()
                    && filter.is_none()
                    && over.is_none()
            }
            Role::Aggregate => within.is_empty(),
            Role::Ordered => !distinct && order.is_empty() && within.len() == 1 && over.is_none(),
            Role::Window => {
                !distinct
                    && order.is_empty()
                    && within.is_empty()
                    && filter.is_none()
                    && over.is_some()
            }
        };
        if !fits || (distinct && args == Args::All) {
            return Err(refused("a clause that this function does not take"));
        }
        Ok(Expr::Call(Box::new(Call {
            name: function.name,
            args,
            distinct,
            order,
            within,
            filter,
            over,
        })))
    }

    fn args(&mut self, args: &[FunctionArg]) -> Result<Vec<Expr>, Error> {
        args.iter()
            .map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expr(expr),
                _ => Err(refused("an argument with a name, or a *")),
            })
            .collect()
    }
}

/// A function's name: bare, or in PostgreSQL's own schema.
pub(super) fn function_name(name: &ObjectName) -> Result<String, Error> {
    let parts: Vec<String> = name
        .0
        .iter()
        .map(|part| part.as_ident().map(folded))
        .collect::<Option<_>>()
        .ok_or_else(|| refused("a function that is not listed"))?;
    match &parts[..] {
        [name] => Ok(name.clone()),
        [schema, name] if schema == "pg_catalog" => Ok(name.clone()),
        _ => Err(refused("a function that is not listed")),
    }
}

/// The function that a TRIM is.
pub(in super::super) fn trim(side: Option<TrimWhereField>) -> &'static str {
    match side {
        None | Some(TrimWhereField::Both) => "btrim",
        Some(TrimWhereField::Leading) => "ltrim",
        Some(TrimWhereField::Trailing) => "rtrim",
    }
}

/// A call with nothing but its arguments.
pub(super) fn plain_call(name: &'static str, args: Vec<Expr>) -> Expr {
    Expr::Call(Box::new(Call {
        name,
        args: Args::These(args),
        distinct: false,
        order: Vec::new(),
        within: Vec::new(),
        filter: None,
        over: None,
    }))
}
