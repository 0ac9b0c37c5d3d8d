//! The functions that a statement on governed data may call, and where: over files, in front of PostgreSQL, or both.
//!
//! # Guarantee
//! A function is listed when it computes on its arguments and reads nothing else: no file, no setting, no catalogue. What is not listed is
//! refused by both backends (`language` and `embedded::functions`, which say how). The guide on the gateway shows this list; a test below compares them.

/// How a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Row by row.
    Scalar,
    /// Over rows; also over a window.
    Aggregate,
    /// `WITHIN GROUP (ORDER BY ..)`.
    Ordered,
    /// Over a window only.
    Window,
    /// A word of PostgreSQL's grammar that looks like a function.
    Word,
}

/// How long the result of a function can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// A number, a day, or a text of a few letters.
    Short,
    /// Not longer than its longest argument.
    Within,
    /// Letters may change into longer ones: four times the longest argument.
    Recoded,
    /// As long as its arguments together.
    Sum,
    /// Up to the bound that is checked before anything is made.
    Bounded,
}

/// What the engine of files does with a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// It does not know it, or may not call it.
    Absent,
    /// Row by row it makes something so long.
    Makes(Length),
    /// Over rows: what it keeps is counted against the statement's memory.
    Counted,
}

/// A function that may be called.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    /// The arguments that PostgreSQL is given, at least and at most; `None` when it is never sent there.
    pub(crate) arguments: Option<(usize, usize)>,
    pub(crate) files: Files,
}

/// Listed by name, and by role where a name has two. A name that the engine of files has for another one's function counts as that function.
pub(crate) fn listed() -> &'static [Function] {
    &LISTED
}

const fn both(name: &'static str, role: Role, least: usize, most: usize, files: Files) -> Function {
    Function {
        name,
        role,
        arguments: Some((least, most)),
        files,
    }
}

const fn server(name: &'static str, role: Role, least: usize, most: usize) -> Function {
    both(name, role, least, most, Files::Absent)
}

const fn files(name: &'static str, role: Role, files: Files) -> Function {
    Function {
        name,
        role,
        arguments: None,
        files,
    }
}

/// More arguments than anybody writes.
const MANY: usize = 1000;

use Files::{Counted, Makes};
use Length::{Bounded, Recoded, Short, Sum, Within};
use Role::{Aggregate, Ordered, Scalar, Window, Word};

const LISTED: [Function; 175] = [
    both("abs", Scalar, 1, 1, Makes(Short)),
    both("acos", Scalar, 1, 1, Makes(Short)),
    files("acosh", Scalar, Makes(Short)),
    server("age", Scalar, 2, 2),
    files("any_value", Aggregate, Counted),
    files("approx_distinct", Aggregate, Counted),
    files("approx_median", Aggregate, Counted),
    files("approx_percentile_cont", Aggregate, Counted),
    both("array_agg", Aggregate, 1, 1, Counted),
    files("array_element", Scalar, Makes(Within)),
    files("array_has", Scalar, Makes(Short)),
    both("array_length", Scalar, 2, 2, Makes(Short)),
    files("array_position", Scalar, Makes(Short)),
    both("array_to_string", Scalar, 2, 3, Makes(Bounded)),
    both("ascii", Scalar, 1, 1, Makes(Short)),
    both("asin", Scalar, 1, 1, Makes(Short)),
    files("asinh", Scalar, Makes(Short)),
    both("atan", Scalar, 1, 1, Makes(Short)),
    both("atan2", Scalar, 2, 2, Makes(Short)),
    files("atanh", Scalar, Makes(Short)),
    both("avg", Aggregate, 1, 1, Counted),
    both("bit_and", Aggregate, 1, 1, Counted),
    both("bit_length", Scalar, 1, 1, Makes(Short)),
    both("bit_or", Aggregate, 1, 1, Counted),
    files("bit_xor", Aggregate, Counted),
    both("bool_and", Aggregate, 1, 1, Counted),
    both("bool_or", Aggregate, 1, 1, Counted),
    both("btrim", Scalar, 1, 2, Makes(Within)),
    both("cardinality", Scalar, 1, 1, Makes(Short)),
    both("cbrt", Scalar, 1, 1, Makes(Short)),
    both("ceil", Scalar, 1, 1, Makes(Short)),
    both("ceiling", Scalar, 1, 1, Makes(Short)),
    both("char_length", Scalar, 1, 1, Makes(Short)),
    both("character_length", Scalar, 1, 1, Makes(Short)),
    both("chr", Scalar, 1, 1, Makes(Short)),
    both("coalesce", Word, 1, MANY, Makes(Within)),
    both("concat", Scalar, 1, 100, Makes(Bounded)),
    both("concat_ws", Scalar, 2, 100, Makes(Bounded)),
    files("contains", Scalar, Makes(Short)),
    both("corr", Aggregate, 2, 2, Counted),
    both("cos", Scalar, 1, 1, Makes(Short)),
    files("cosh", Scalar, Makes(Short)),
    files("cot", Scalar, Makes(Short)),
    both("count", Aggregate, 1, 1, Counted),
    files("covar", Aggregate, Counted),
    both("covar_pop", Aggregate, 2, 2, Counted),
    both("covar_samp", Aggregate, 2, 2, Counted),
    both("cume_dist", Window, 0, 0, Counted),
    files("current_date", Scalar, Makes(Short)),
    files("current_time", Scalar, Makes(Short)),
    files("date_bin", Scalar, Makes(Short)),
    both("date_part", Scalar, 2, 2, Makes(Short)),
    both("date_trunc", Scalar, 2, 3, Makes(Short)),
    both("degrees", Scalar, 1, 1, Makes(Short)),
    both("dense_rank", Window, 0, 0, Counted),
    server("div", Scalar, 2, 2),
    files("ends_with", Scalar, Makes(Short)),
    both("every", Aggregate, 1, 1, Counted),
    both("exp", Scalar, 1, 1, Makes(Short)),
    files("factorial", Scalar, Makes(Short)),
    files("first_value", Aggregate, Counted),
    both("first_value", Window, 1, 1, Counted),
    both("floor", Scalar, 1, 1, Makes(Short)),
    both("gcd", Scalar, 2, 2, Makes(Short)),
    both("greatest", Word, 1, MANY, Makes(Within)),
    files("grouping", Aggregate, Counted),
    both("initcap", Scalar, 1, 1, Makes(Recoded)),
    files("isnan", Scalar, Makes(Short)),
    files("iszero", Scalar, Makes(Short)),
    both("lag", Window, 1, 3, Counted),
    files("last_value", Aggregate, Counted),
    both("last_value", Window, 1, 1, Counted),
    both("lcm", Scalar, 2, 2, Makes(Short)),
    both("lead", Window, 1, 3, Counted),
    both("least", Word, 1, MANY, Makes(Within)),
    both("left", Scalar, 2, 2, Makes(Within)),
    both("length", Scalar, 1, 1, Makes(Short)),
    server("like_escape", Scalar, 2, 2),
    both("ln", Scalar, 1, 1, Makes(Short)),
    both("log", Scalar, 1, 2, Makes(Short)),
    both("log10", Scalar, 1, 1, Makes(Short)),
    files("log2", Scalar, Makes(Short)),
    both("lower", Scalar, 1, 1, Makes(Recoded)),
    both("lpad", Scalar, 2, 3, Makes(Bounded)),
    both("ltrim", Scalar, 1, 2, Makes(Within)),
    files("make_array", Scalar, Makes(Sum)),
    both("make_date", Scalar, 3, 3, Makes(Short)),
    both("max", Aggregate, 1, 1, Counted),
    both("md5", Scalar, 1, 1, Makes(Short)),
    files("mean", Aggregate, Counted),
    files("median", Aggregate, Counted),
    both("min", Aggregate, 1, 1, Counted),
    both("mod", Scalar, 2, 2, Makes(Short)),
    server("mode", Ordered, 0, 0),
    files("nanvl", Scalar, Makes(Short)),
    files("now", Scalar, Makes(Short)),
    files("nth_value", Aggregate, Counted),
    both("nth_value", Window, 2, 2, Counted),
    both("ntile", Window, 1, 1, Counted),
    both("nullif", Word, 2, 2, Makes(Within)),
    files("nvl", Scalar, Makes(Within)),
    files("nvl2", Scalar, Makes(Within)),
    both("octet_length", Scalar, 1, 1, Makes(Short)),
    files("overlay", Scalar, Makes(Bounded)),
    both("percent_rank", Window, 0, 0, Counted),
    both("percentile_cont", Ordered, 1, 1, Counted),
    server("percentile_disc", Ordered, 1, 1),
    both("pi", Scalar, 0, 0, Makes(Short)),
    both("pow", Scalar, 2, 2, Makes(Short)),
    both("power", Scalar, 2, 2, Makes(Short)),
    both("radians", Scalar, 1, 1, Makes(Short)),
    both("rank", Window, 0, 0, Counted),
    files("regexp_count", Scalar, Makes(Short)),
    files("regexp_instr", Scalar, Makes(Short)),
    files("regexp_like", Scalar, Makes(Short)),
    files("regexp_match", Scalar, Makes(Bounded)),
    both("regexp_replace", Scalar, 3, 4, Makes(Bounded)),
    both("regr_avgx", Aggregate, 2, 2, Counted),
    both("regr_avgy", Aggregate, 2, 2, Counted),
    both("regr_count", Aggregate, 2, 2, Counted),
    both("regr_intercept", Aggregate, 2, 2, Counted),
    both("regr_r2", Aggregate, 2, 2, Counted),
    both("regr_slope", Aggregate, 2, 2, Counted),
    both("regr_sxx", Aggregate, 2, 2, Counted),
    both("regr_sxy", Aggregate, 2, 2, Counted),
    both("regr_syy", Aggregate, 2, 2, Counted),
    files("repeat", Scalar, Makes(Bounded)),
    both("replace", Scalar, 3, 3, Makes(Bounded)),
    both("reverse", Scalar, 1, 1, Makes(Within)),
    both("right", Scalar, 2, 2, Makes(Within)),
    both("round", Scalar, 1, 2, Makes(Short)),
    both("row_number", Window, 0, 0, Counted),
    both("rpad", Scalar, 2, 3, Makes(Bounded)),
    both("rtrim", Scalar, 1, 2, Makes(Within)),
    files("sha224", Scalar, Makes(Short)),
    files("sha256", Scalar, Makes(Short)),
    files("sha384", Scalar, Makes(Short)),
    files("sha512", Scalar, Makes(Short)),
    both("sign", Scalar, 1, 1, Makes(Short)),
    files("signum", Scalar, Makes(Short)),
    server("similar_to_escape", Scalar, 1, 2),
    both("sin", Scalar, 1, 1, Makes(Short)),
    files("sinh", Scalar, Makes(Short)),
    both("split_part", Scalar, 3, 3, Makes(Within)),
    both("sqrt", Scalar, 1, 1, Makes(Short)),
    both("starts_with", Scalar, 2, 2, Makes(Short)),
    both("stddev", Aggregate, 1, 1, Counted),
    both("stddev_pop", Aggregate, 1, 1, Counted),
    both("stddev_samp", Aggregate, 1, 1, Counted),
    both("string_agg", Aggregate, 2, 2, Counted),
    server("string_to_array", Scalar, 2, 3),
    both("strpos", Scalar, 2, 2, Makes(Short)),
    files("substr", Scalar, Makes(Within)),
    files("substr_index", Scalar, Makes(Within)),
    both("substring", Scalar, 2, 3, Makes(Within)),
    both("sum", Aggregate, 1, 1, Counted),
    both("tan", Scalar, 1, 1, Makes(Short)),
    files("tanh", Scalar, Makes(Short)),
    server("timezone", Scalar, 2, 2),
    both("to_char", Scalar, 2, 2, Makes(Bounded)),
    both("to_date", Scalar, 2, 2, Makes(Short)),
    files("to_hex", Scalar, Makes(Short)),
    both("to_timestamp", Scalar, 1, 2, Makes(Short)),
    files("to_timestamp_micros", Scalar, Makes(Short)),
    files("to_timestamp_millis", Scalar, Makes(Short)),
    files("to_timestamp_nanos", Scalar, Makes(Short)),
    files("to_timestamp_seconds", Scalar, Makes(Short)),
    both("translate", Scalar, 3, 3, Makes(Recoded)),
    both("trunc", Scalar, 1, 2, Makes(Short)),
    both("upper", Scalar, 1, 1, Makes(Recoded)),
    files("var", Aggregate, Counted),
    both("var_pop", Aggregate, 1, 1, Counted),
    both("var_samp", Aggregate, 1, 1, Counted),
    server("variance", Aggregate, 1, 1),
    server("width_bucket", Scalar, 4, 4),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_is_in_order_and_names_nothing_twice() {
        let names = |role: fn(Role) -> bool| {
            let listed = LISTED.iter().filter(move |one| role(one.role));
            listed.map(|one| one.name).collect::<Vec<_>>()
        };
        for names in [
            names(|role| matches!(role, Scalar | Word)),
            names(|role| matches!(role, Aggregate | Ordered)),
            names(|role| role == Window),
        ] {
            assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
        }
        assert!(LISTED.is_sorted_by_key(|one| one.name));
        // PostgreSQL looks a function up by its name alone
        let sent = LISTED.iter().filter(|one| one.arguments.is_some());
        let names: Vec<&str> = sent.map(|one| one.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    /// The lines of the guide that list them.
    fn table() -> String {
        let of = |roles: &[Role], is_sent: bool, is_over_files: bool| {
            let listed = LISTED.iter().filter(|one| {
                roles.contains(&one.role)
                    && one.arguments.is_some() == is_sent
                    && (one.files != Files::Absent) == is_over_files
            });
            let names: Vec<String> = listed.map(|one| format!("`{}`", one.name)).collect();
            names.join(" ")
        };
        let mut lines = String::from(
            "| | on both backends | over files only | in front of PostgreSQL only |\n|---|---|---|---|\n",
        );
        for (words, roles) in [
            ("row by row", &[Scalar, Word][..]),
            ("aggregates", &[Aggregate, Ordered]),
            ("windows, beside the aggregates", &[Window]),
        ] {
            lines += &format!(
                "| {words} | {} | {} | {} |\n",
                of(roles, true, true),
                of(roles, false, true),
                of(roles, true, false)
            );
        }
        lines
    }

    #[test]
    fn the_guide_lists_what_the_code_lets_in() {
        let guide = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/src/guides/gateway.md"
        );
        let guide = std::fs::read_to_string(guide).expect("the guide");
        let expected = table();
        assert!(
            guide.contains(&expected),
            "docs/src/guides/gateway.md must have these lines:\n\n{expected}"
        );
    }
}
