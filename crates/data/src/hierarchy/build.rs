//! Hierarchies that are computed: keep or suppress, intervals, date parts, redaction, orderings, priorities.

use super::{Hierarchy, Level};
use crate::{Date, DatePart, Decimal, Dictionary, Error, HierarchyMistake, Kind};

/// The label of a value of which nothing is left.
const SUPPRESSED: &str = "*";

/// Labels may take this many bytes, and so many times the bytes of the values they stand for: one long cell among many short
/// ones would otherwise take room by its square.
const LABEL_BYTES: (usize, usize) = (64 << 20, 256);

/// Which end of a text redaction starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The first character goes first.
    Left,
    /// The last character goes first.
    Right,
}

impl Hierarchy {
    /// Keep or suppress: the value itself, then `*`.
    pub fn flat(dictionary: &Dictionary) -> Hierarchy {
        let names = |_: usize| Vec::new();
        of_levels(dictionary, 0, names)
    }

    /// Intervals of growing width that start at multiples of the width; each width must divide the next.
    pub fn intervals(dictionary: &Dictionary, widths: &[Decimal]) -> Result<Hierarchy, Error> {
        if !matches!(dictionary.kind(), Kind::Integer | Kind::Decimal) {
            return Err(wrong_kind("an interval hierarchy", "numeric", dictionary));
        }
        let values: Vec<Decimal> = dictionary.values().filter_map(Decimal::parse).collect();
        let scale = values
            .iter()
            .chain(widths)
            .map(|value| value.scale())
            .max()
            .unwrap_or(0);
        let whole = scale == 0;
        let mut below = 0_i128;
        for (at, width) in widths.iter().enumerate() {
            let width = width.scaled(scale);
            if width <= 0 {
                return Err(bad("interval widths must be positive"));
            }
            if below > 0 && (width <= below || width % below != 0) {
                return Err(refused(HierarchyMistake::WidthDoesNotNest {
                    step: at + 1,
                    width: Decimal::format(width, scale),
                    below: Decimal::format(below, scale),
                }));
            }
            below = width;
        }
        with_ends(dictionary, widths.len(), |level| {
            let width = widths[level].scaled(scale);
            let label = |value: &Decimal| {
                let low = value.scaled(scale).div_euclid(width) * width;
                let (from, to) = (Decimal::format(low, scale), low + width);
                if whole && width == 1 {
                    from
                } else if whole && low >= 0 {
                    format!("{from}-{}", to - 1)
                } else {
                    format!("[{from}, {})", Decimal::format(to, scale))
                }
            };
            values.iter().map(label).collect()
        })
    }

    /// Coarser and coarser parts of a date.
    pub fn dates(dictionary: &Dictionary, parts: &[DatePart]) -> Result<Hierarchy, Error> {
        if dictionary.kind() != Kind::Date {
            return Err(wrong_kind("a date hierarchy", "date", dictionary));
        }
        if !parts.is_sorted_by(|a, b| a < b) {
            return Err(bad("date parts must go from fine to coarse, each once"));
        }
        if parts.contains(&DatePart::Week) && parts.last() != Some(&DatePart::Week) {
            return Err(bad(
                "a week lies in two months or years, so that no part can stand above it",
            ));
        }
        let dates: Vec<Date> = dictionary.values().filter_map(Date::parse).collect();
        with_ends(dictionary, parts.len(), |level| {
            dates.iter().map(|&date| parts[level].of(date)).collect()
        })
    }

    /// Replaces `step` more characters from one end by `*` at every level, until nothing is left.
    ///
    /// Values are aligned at the other end, so that shorter ones keep what longer ones lose last. Of a redaction of more
    /// levels than are searched only those up to `most` are made, when there is such a limit.
    pub fn redaction(
        dictionary: &Dictionary,
        end: End,
        step: usize,
        most: Option<usize>,
    ) -> Result<Hierarchy, Error> {
        if step == 0 {
            return Err(bad("redaction must take at least one character per level"));
        }
        let longest = dictionary
            .values()
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0);
        // Levels on which something is left; `*` comes above them.
        let between = longest.saturating_sub(1) / step;
        let cut = most.filter(|&most| between >= Hierarchy::MOST_LEVELS && most <= between);
        let levels = cut.unwrap_or(between);
        let bytes: usize = dictionary.values().map(str::len).sum();
        let stars = levels
            .saturating_mul(levels + 1)
            .saturating_mul(step)
            .saturating_mul(dictionary.len())
            / 2;
        let found = levels.saturating_mul(bytes).saturating_add(stars);
        let allowed = LABEL_BYTES.0 + LABEL_BYTES.1 * bytes;
        if levels < Hierarchy::MOST_LEVELS && found > allowed {
            let found = found >> 20;
            return Err(refused(HierarchyMistake::TooLarge { found }));
        }
        let names = |level: usize| {
            let masked = step * (level + 1);
            let keep = longest - masked;
            let stars = "*".repeat(masked);
            let label = |value: &str| match end {
                End::Right => {
                    let kept = value.char_indices().nth(keep).map_or(value.len(), |c| c.0);
                    format!("{}{stars}", &value[..kept])
                }
                End::Left => {
                    let gone = value.chars().count().saturating_sub(keep);
                    let from = value.char_indices().nth(gone).map_or(value.len(), |c| c.0);
                    format!("{stars}{}", &value[from..])
                }
            };
            dictionary.values().map(label).collect()
        };
        match cut {
            Some(_) if levels <= Hierarchy::MOST_LEVELS => {
                let mut hierarchy = of_levels(dictionary, levels, names);
                hierarchy.levels.truncate(levels + 1);
                Ok(hierarchy)
            }
            _ => with_ends(dictionary, levels, names),
        }
    }

    /// Groups neighbours of a given order: `sizes[i]` values (or nodes of the level below) make one node of level i+1.
    ///
    /// `order` must list every value of the column once; it may list others.
    pub fn ordered(
        dictionary: &Dictionary,
        order: &[String],
        sizes: &[usize],
    ) -> Result<Hierarchy, Error> {
        let rank = ranks(order)?;
        if dictionary.values().any(|value| !rank.contains_key(value)) {
            return Err(bad("the order must list every value of the column"));
        }
        if sizes.iter().any(|&size| size < 2) {
            return Err(bad("groups of an order must have at least two members"));
        }
        let mut width = 1_usize;
        with_ends(dictionary, sizes.len(), |level| {
            width = width.saturating_mul(sizes[level]);
            let label = |value: &str| {
                let first = rank[value] / width * width;
                let last = first.saturating_add(width).min(order.len()) - 1;
                if first == last {
                    order[first].clone()
                } else {
                    format!("{} to {}", order[first], order[last])
                }
            };
            dictionary.values().map(label).collect()
        })
    }

    /// Suppresses the values of least priority first: in `steps` equal steps from keeping all to keeping none.
    ///
    /// `order` lists values from highest to lowest priority; values it does not list come last.
    pub fn priority(
        dictionary: &Dictionary,
        order: &[String],
        steps: usize,
    ) -> Result<Hierarchy, Error> {
        if steps == 0 {
            return Err(bad("a priority hierarchy needs at least one step"));
        }
        let rank = ranks(order)?;
        let values = dictionary.len() - usize::from(dictionary.missing().is_some());
        let mut by_rank: Vec<&str> = dictionary.values().collect();
        by_rank.sort_by_key(|value| rank.get(value).copied().unwrap_or(usize::MAX));
        let position: std::collections::HashMap<&str, usize> = by_rank
            .iter()
            .enumerate()
            .map(|(position, value)| (*value, position))
            .collect();
        with_ends(dictionary, steps - 1, |level| {
            let kept = values * (steps - 1 - level) / steps;
            let label = |value: &str| {
                if position[value] < kept {
                    value.to_owned()
                } else {
                    SUPPRESSED.to_owned()
                }
            };
            dictionary.values().map(label).collect()
        })
    }
}

fn ranks(order: &[String]) -> Result<std::collections::HashMap<&str, usize>, Error> {
    let mut rank = std::collections::HashMap::new();
    for (index, value) in order.iter().enumerate() {
        if rank.insert(value.as_str(), index).is_some() {
            return Err(bad("an order lists each value once"));
        }
    }
    Ok(rank)
}

/// Puts the values themselves below `count` levels and `*` above them; refuses more levels than are searched.
fn with_ends(
    dictionary: &Dictionary,
    count: usize,
    names: impl FnMut(usize) -> Vec<String>,
) -> Result<Hierarchy, Error> {
    if count >= Hierarchy::MOST_LEVELS {
        return Err(refused(HierarchyMistake::TooHigh {
            found: count.saturating_add(1),
            most: Hierarchy::MOST_LEVELS,
        }));
    }
    Ok(of_levels(dictionary, count, names))
}

/// The values, `count` levels of `names`, and `*`; a missing value keeps to itself until the top. The names of one level at a time
/// are in memory.
pub(super) fn of_levels(
    dictionary: &Dictionary,
    count: usize,
    mut names: impl FnMut(usize) -> Vec<String>,
) -> Hierarchy {
    let missing = dictionary.missing().is_some();
    let level = |row: Vec<String>| {
        let mut row: Vec<Option<String>> = row.into_iter().map(Some).collect();
        if missing {
            row.push(None);
        }
        Level::of(&row, std::iter::empty())
    };
    let mut levels = vec![level(dictionary.values().map(str::to_owned).collect())];
    levels.extend((0..count).map(|at| level(names(at))));
    let top = vec![Some(SUPPRESSED.to_owned()); dictionary.len()];
    levels.push(Level::of(&top, std::iter::empty()));
    Hierarchy {
        levels,
        leaves: dictionary.len() as u64,
    }
}

fn wrong_kind(hierarchy: &'static str, needed: &'static str, dictionary: &Dictionary) -> Error {
    let found = dictionary.kind().name();
    Error::Hierarchy {
        line: None,
        mistake: HierarchyMistake::WrongKind {
            hierarchy,
            needed,
            found,
        },
    }
}

fn bad(what: &'static str) -> Error {
    refused(HierarchyMistake::BadParameters { what })
}

pub(super) fn refused(mistake: HierarchyMistake) -> Error {
    Error::Hierarchy {
        line: None,
        mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dictionary(values: &[&str]) -> Dictionary {
        Dictionary::build(&values.iter().copied().collect(), false, None).0
    }

    fn texts(hierarchy: &Hierarchy, level: usize) -> Vec<String> {
        let level = &hierarchy.levels()[level];
        level
            .nodes
            .iter()
            .map(|&node| {
                level.labels[node as usize]
                    .as_deref()
                    .unwrap_or("(missing)")
                    .to_owned()
            })
            .collect()
    }

    fn widths(widths: &[&str]) -> Vec<Decimal> {
        widths
            .iter()
            .map(|text| Decimal::parse(text).unwrap())
            .collect()
    }

    #[test]
    fn intervals_start_at_multiples() {
        let hierarchy = Hierarchy::intervals(
            &dictionary(&["17", "20", "39", "-3"]),
            &widths(&["5", "20"]),
        )
        .unwrap();
        assert_eq!(texts(&hierarchy, 1), ["[-5, 0)", "15-19", "20-24", "35-39"]);
        assert_eq!(texts(&hierarchy, 2), ["[-20, 0)", "0-19", "20-39", "20-39"]);
        assert_eq!(texts(&hierarchy, 3), ["*"; 4]);
        assert!(Hierarchy::intervals(&dictionary(&["1"]), &widths(&["5", "7"])).is_err());
        assert!(Hierarchy::intervals(&dictionary(&["x"]), &widths(&["5"])).is_err());
    }

    #[test]
    fn decimal_intervals_do_not_round() {
        let hierarchy =
            Hierarchy::intervals(&dictionary(&["0.3", "0.29"]), &widths(&["0.1"])).unwrap();
        assert_eq!(texts(&hierarchy, 1), ["[0.2, 0.3)", "[0.3, 0.4)"]);
    }

    #[test]
    fn redaction_from_either_end() {
        let right =
            Hierarchy::redaction(&dictionary(&["02139", "02140", "021"]), End::Right, 2, None)
                .unwrap();
        assert_eq!(texts(&right, 1), ["021**", "021**", "021**"]);
        assert_eq!(texts(&right, 2), ["0****"; 3]);
        assert_eq!(right.height(), 4);
        let left = Hierarchy::redaction(&dictionary(&["ab", "cb"]), End::Left, 1, None).unwrap();
        assert_eq!(texts(&left, 1), ["*b", "*b"]);
    }

    #[test]
    fn a_long_cell_is_refused_before_its_labels_take_the_square_of_it() {
        let code = |values: &[&str], step, most| {
            Hierarchy::redaction(&dictionary(values), End::Right, step, most)
                .map(|hierarchy| hierarchy.height())
                .map_err(|error| error.code())
        };
        let long = "x".repeat(10_000);
        assert_eq!(code(&["ab", &long], 1, None), Err("hierarchy-too-high"));
        // With a limit only the levels under it are made.
        assert_eq!(code(&["ab", &long], 1, Some(4)), Ok(5));
        assert_eq!(
            code(&["ab", &long], 1, Some(500)),
            Err("hierarchy-too-high")
        );
        assert_eq!(code(&["ab", &long], 100, None), Ok(101));
        let many: Vec<String> = (0..1000).map(|n| n.to_string()).collect();
        let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
        many.push(&long);
        assert_eq!(code(&many, 100, None), Err("hierarchy-too-large"));
        // A limit on a redaction of few levels is the plan's business, not the hierarchy's.
        assert_eq!(code(&["02139"], 1, Some(2)), Ok(6));
    }

    #[test]
    fn steps_without_end_are_refused_and_sizes_do_not_overflow() {
        let values = dictionary(&["a", "b"]);
        let order: Vec<String> = ["a", "b"].map(String::from).into();
        let code = |found: Result<Hierarchy, Error>| found.err().map(|error| error.code());
        let priority = Hierarchy::priority(&values, &order, 1 << 40);
        assert_eq!(code(priority), Some("hierarchy-too-high"));
        let sizes = [1 << 32, 1 << 32, usize::MAX];
        let ordered = Hierarchy::ordered(&values, &order, &sizes).unwrap();
        assert_eq!(texts(&ordered, 3), ["a to b", "a to b"]);
    }

    #[test]
    fn orders_group_neighbours() {
        let order: Vec<String> = ["low", "middle", "high"].map(String::from).into();
        let hierarchy =
            Hierarchy::ordered(&dictionary(&["high", "low", "middle"]), &order, &[2]).unwrap();
        assert_eq!(
            texts(&hierarchy, 1),
            ["high", "low to middle", "low to middle"]
        );
        assert!(Hierarchy::ordered(&dictionary(&["other"]), &order, &[2]).is_err());
    }

    #[test]
    fn priorities_suppress_the_least_first() {
        let order: Vec<String> = ["c", "a"].map(String::from).into();
        let hierarchy = Hierarchy::priority(&dictionary(&["a", "b", "c", "d"]), &order, 2).unwrap();
        assert_eq!(texts(&hierarchy, 1), ["a", "*", "c", "*"]);
    }

    #[test]
    fn dates_go_from_fine_to_coarse() {
        let dates = dictionary(&["2024-05-17", "2024-06-01"]);
        let hierarchy = Hierarchy::dates(&dates, &[DatePart::Month, DatePart::Year]).unwrap();
        assert_eq!(texts(&hierarchy, 1), ["2024-05", "2024-06"]);
        assert_eq!(texts(&hierarchy, 2), ["2024", "2024"]);
        assert!(Hierarchy::dates(&dates, &[DatePart::Year, DatePart::Month]).is_err());
    }

    proptest! {
        /// Whatever is computed nests: codes that share a node share every node above.
        #[test]
        fn levels_nest(values in prop::collection::btree_set("[a-c]{1,4}", 1..20), step in 1_usize..3) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let hierarchy = Hierarchy::redaction(&dictionary(&values), End::Right, step, None).unwrap();
            for level in 0..hierarchy.height() - 1 {
                let parents = hierarchy.parents(level);
                for code in 0..values.len() as u32 {
                    prop_assert_eq!(parents[hierarchy.node(level, code) as usize], hierarchy.node(level + 1, code));
                }
            }
        }
    }
}
