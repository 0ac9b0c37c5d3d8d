//! Hierarchies that are computed: keep or suppress, intervals, date parts, redaction, orderings, priorities.

use super::Hierarchy;
use crate::{Date, DatePart, Decimal, Dictionary, Error, HierarchyMistake, Kind};

/// The label of a value of which nothing is left.
const SUPPRESSED: &str = "*";

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
        with_ends(dictionary, Vec::new())
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
        let mut levels = Vec::new();
        for width in widths {
            let width = width.scaled(scale);
            if width <= 0 || below > 0 && (width <= below || width % below != 0) {
                return Err(bad(
                    "interval widths must be positive and each must be a multiple of the one before",
                ));
            }
            below = width;
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
            levels.push(values.iter().map(label).collect());
        }
        Ok(with_ends(dictionary, levels))
    }

    /// Coarser and coarser parts of a date.
    pub fn dates(dictionary: &Dictionary, parts: &[DatePart]) -> Result<Hierarchy, Error> {
        if dictionary.kind() != Kind::Date {
            return Err(wrong_kind("a date hierarchy", "date", dictionary));
        }
        if !parts.is_sorted_by(|a, b| a < b) {
            return Err(bad("date parts must go from fine to coarse, each once"));
        }
        let dates: Vec<Date> = dictionary.values().filter_map(Date::parse).collect();
        let levels = parts
            .iter()
            .map(|part| dates.iter().map(|&date| part.of(date)).collect())
            .collect();
        Ok(with_ends(dictionary, levels))
    }

    /// Replaces `step` more characters from one end by `*` at every level, until nothing is left.
    ///
    /// Values are aligned at the other end, so that shorter ones keep what longer ones lose last.
    pub fn redaction(dictionary: &Dictionary, end: End, step: usize) -> Result<Hierarchy, Error> {
        if step == 0 {
            return Err(bad("redaction must take at least one character per level"));
        }
        let values: Vec<Vec<char>> = dictionary
            .values()
            .map(|text| text.chars().collect())
            .collect();
        let longest = values.iter().map(Vec::len).max().unwrap_or(0);
        let mut levels = Vec::new();
        let mut masked = step;
        while masked < longest {
            let keep = longest - masked;
            let label = |value: &Vec<char>| {
                let kept = keep.min(value.len());
                let stars = "*".repeat(masked);
                match end {
                    End::Right => format!("{}{stars}", value[..kept].iter().collect::<String>()),
                    End::Left => format!(
                        "{stars}{}",
                        value[value.len() - kept..].iter().collect::<String>()
                    ),
                }
            };
            levels.push(values.iter().map(label).collect());
            masked += step;
        }
        Ok(with_ends(dictionary, levels))
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
        let mut width = 1;
        let mut levels = Vec::new();
        for &size in sizes {
            if size < 2 {
                return Err(bad("groups of an order must have at least two members"));
            }
            width *= size;
            let label = |value: &str| {
                let first = rank[value] / width * width;
                let last = (first + width).min(order.len()) - 1;
                if first == last {
                    order[first].clone()
                } else {
                    format!("{} to {}", order[first], order[last])
                }
            };
            levels.push(dictionary.values().map(label).collect());
        }
        Ok(with_ends(dictionary, levels))
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
        let levels = (1..steps)
            .map(|step| {
                let kept = values * (steps - step) / steps;
                let label = |value: &str| {
                    if position[value] < kept {
                        value.to_owned()
                    } else {
                        SUPPRESSED.to_owned()
                    }
                };
                dictionary.values().map(label).collect()
            })
            .collect();
        Ok(with_ends(dictionary, levels))
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

/// Puts the values themselves below `levels` and `*` above them; a missing value keeps to itself until the top.
fn with_ends(dictionary: &Dictionary, levels: Vec<Vec<String>>) -> Hierarchy {
    let missing = dictionary.missing().is_some();
    let mut names: Vec<Vec<Option<String>>> = vec![
        dictionary
            .values()
            .map(|text| Some(text.to_owned()))
            .collect(),
    ];
    names.extend(
        levels
            .into_iter()
            .map(|level| level.into_iter().map(Some).collect()),
    );
    if missing {
        for level in &mut names {
            level.push(None);
        }
    }
    names.push(vec![Some(SUPPRESSED.to_owned()); dictionary.len()]);
    Hierarchy::from_names(&names, &[])
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
    Error::Hierarchy {
        line: None,
        mistake: HierarchyMistake::BadParameters { what },
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
            Hierarchy::redaction(&dictionary(&["02139", "02140", "021"]), End::Right, 2).unwrap();
        assert_eq!(texts(&right, 1), ["021**", "021**", "021**"]);
        assert_eq!(texts(&right, 2), ["0****"; 3]);
        assert_eq!(right.height(), 4);
        let left = Hierarchy::redaction(&dictionary(&["ab", "cb"]), End::Left, 1).unwrap();
        assert_eq!(texts(&left, 1), ["*b", "*b"]);
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
            let hierarchy = Hierarchy::redaction(&dictionary(&values), End::Right, step).unwrap();
            for level in 0..hierarchy.height() - 1 {
                let parents = hierarchy.parents(level);
                for code in 0..values.len() as u32 {
                    prop_assert_eq!(parents[hierarchy.node(level, code) as usize], hierarchy.node(level + 1, code));
                }
            }
        }
    }
}
