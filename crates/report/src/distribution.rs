//! The values of one attribute before and after, as charts that stay readable with two values or two million.

use std::collections::BTreeMap;

use crate::chart::MERGED;
use crate::histogram::Histogram;
use crate::{Bar, Bars, Chart, Columns, Count, Distribution, Format, Language, number};

/// Most rows of a chart that shows both sides together.
const TOGETHER: usize = 12;
/// Most rows of a chart that shows one side.
const ALONE: usize = 9;
/// The label of a value of which nothing is shown.
const HIDDEN: &str = "*";
/// Most columns of an ordered chart; about four pixels each. A column per year of age fits.
const COLUMNS: usize = 110;

/// The charts of `distribution`, each with a word for what it shows.
///
/// One chart with both sides when the release shows the source's own values, else one chart for each side.
pub(crate) fn charts(distribution: &Distribution, language: Language) -> Vec<(String, Chart)> {
    let Distribution {
        before,
        after,
        ordered,
        attribute,
        ..
    } = distribution;
    let both = || {
        vec![
            language.say("word.before", &[]),
            language.say("word.after", &[]),
        ]
    };
    let chart = |sides: &[&[Count]], most: usize, what: &str| -> Chart {
        let (bars, rest) = if *ordered {
            (in_order(sides, COLUMNS, language), None)
        } else {
            by_count(sides, most, language)
        };
        let title = format!("{attribute}, {what}");
        let description = language.say("values.description", &[("side", what)]);
        let series: Vec<String> = match sides.len() {
            2 => both(),
            _ => vec![what.to_owned()],
        };
        if *ordered && bars.len() > 4 {
            let format = Format::Share;
            Chart::Columns(Columns {
                title,
                description,
                series,
                bars,
                format,
                ..Columns::default()
            })
        } else {
            Chart::Bars(Bars {
                title,
                description,
                series,
                bars,
                rest,
                format: Format::Share,
                full: None,
            })
        }
    };
    if after.is_empty() {
        return Vec::new();
    }
    let (one, other) = (
        language.say("word.before", &[]),
        language.say("word.after", &[]),
    );
    let together = language.say("word.before-and-after", &[]);
    let numeric = |side: &[Count]| side.iter().any(|count| count.span.is_some());
    // Without a source the few labels of a release say more than bins.
    if before.is_empty() && (!numeric(after) || after.len() <= TOGETHER) {
        return vec![(String::new(), chart(&[after], ALONE, &other))];
    }
    let sides: Vec<&[Count]> = if before.is_empty() {
        vec![after]
    } else {
        vec![before, after]
    };
    if *ordered
        && sides.iter().all(|side| numeric(side))
        && let Some(found) = Histogram::new(&sides)
    {
        let histogram = Columns {
            title: format!("{attribute}, {together}"),
            description: language.say("values.description", &[("side", &together)]),
            series: if sides.len() == 2 {
                both()
            } else {
                vec![other]
            },
            bars: found.bars,
            format: Format::Share,
            starts: true,
            x_axis: elsewhere(&found.elsewhere, language),
        };
        return vec![(String::new(), Chart::Columns(histogram))];
    }
    if before.is_empty() {
        return vec![(String::new(), chart(&[after], ALONE, &other))];
    }
    if same_values(before, after) {
        return vec![(String::new(), chart(&[before, after], TOGETHER, &together))];
    }
    vec![
        (capital(&one), chart(&[before], ALONE, &one)),
        (capital(&other), chart(&[after], ALONE, &other)),
    ]
}

/// The values of one column as they are, before anything was done to them.
pub fn values_chart(attribute: &str, ordered: bool, counts: &[Count], language: Language) -> Chart {
    let title = attribute.to_owned();
    let description = language.say("values.of-column", &[]);
    let series = vec![attribute.to_owned()];
    let format = Format::Share;
    let numeric = counts.iter().any(|count| count.span.is_some());
    if ordered
        && numeric
        && let Some(found) = Histogram::new(&[counts])
    {
        return Chart::Columns(Columns {
            title,
            description,
            series,
            bars: found.bars,
            format,
            starts: true,
            ..Columns::default()
        });
    }
    let (bars, rest) = if ordered {
        (in_order(&[counts], COLUMNS, language), None)
    } else {
        by_count(&[counts], ALONE, language)
    };
    if ordered && bars.len() > 4 {
        return Chart::Columns(Columns {
            title,
            description,
            series,
            bars,
            format,
            ..Columns::default()
        });
    }
    Chart::Bars(Bars {
        title,
        description,
        series,
        bars,
        rest,
        format,
        full: None,
    })
}

/// What has no place on an axis of numbers, in words; nothing where everything has.
fn elsewhere(shares: &[f64], language: Language) -> String {
    if shares.iter().all(|share| *share <= 0.0) {
        return String::new();
    }
    let share = |side: usize| number::percent(shares.get(side).copied().unwrap_or(0.0));
    let (before, after) = (share(0), share(1));
    language.say(
        "values.elsewhere",
        &[("before", &before), ("after", &after)],
    )
}

/// A word at the beginning of a line.
fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Whether every released value is one of the source's.
fn same_values(before: &[Count], after: &[Count]) -> bool {
    let known: std::collections::BTreeSet<&Option<String>> =
        before.iter().map(|c| &c.label).collect();
    after.iter().all(|count| known.contains(&count.label))
}

fn total(side: &[Count]) -> f64 {
    let sum = side
        .iter()
        .fold(0_u64, |sum, count| sum.saturating_add(count.count));
    if sum == 0 { 1.0 } else { sum as f64 }
}

/// One row per label in the order of the first side, with its share on every side.
fn aligned(sides: &[&[Count]]) -> Vec<(Option<String>, Vec<f64>)> {
    let Some(first) = sides.first() else {
        return Vec::new();
    };
    let totals: Vec<f64> = sides.iter().map(|side| total(side)).collect();
    let mut rows: Vec<(Option<String>, Vec<f64>)> = Vec::with_capacity(first.len());
    let mut position: BTreeMap<&Option<String>, usize> = BTreeMap::new();
    for (side, counts) in sides.iter().enumerate() {
        for count in *counts {
            let row = *position.entry(&count.label).or_insert_with(|| {
                rows.push((count.label.clone(), vec![0.0; sides.len()]));
                rows.len() - 1
            });
            rows[row].1[side] += count.count as f64 / totals[side];
        }
    }
    rows
}

/// The most frequent values first, the missing last; what is left over beside them.
fn by_count(sides: &[&[Count]], most: usize, language: Language) -> (Vec<Bar>, Option<Bar>) {
    let (missing, mut rows): (Vec<_>, Vec<_>) = aligned(sides)
        .into_iter()
        .partition(|(label, _)| label.is_none());
    // stable: equals stay in the order given
    rows.sort_by(|a, b| b.1[0].total_cmp(&a.1[0]));
    let rest = rows.split_off(rows.len().min(most));
    let rest = (!rest.is_empty()).then(|| Bar {
        label: match rest.len() {
            1 => language.say("values.other-one", &[]),
            n => language.say("values.others", &[("count", &number::count(n as u64))]),
        },
        values: sum(&rest, sides.len()),
    });
    let bars = rows.into_iter().chain(missing);
    (bars.map(|row| bar(row, language)).collect(), rest)
}

/// Values by the numbers they start and end with, else in the order given; neighbors merged evenly when there are too many; what is
/// not shown and what is missing last.
fn in_order(sides: &[&[Count]], most: usize, language: Language) -> Vec<Bar> {
    let (missing, rows): (Vec<_>, Vec<_>) = aligned(sides)
        .into_iter()
        .partition(|(label, _)| label.is_none());
    let (hidden, mut rows): (Vec<_>, Vec<_>) = rows
        .into_iter()
        .partition(|(label, _)| label.as_deref() == Some(HIDDEN));
    let starts: Option<Vec<(f64, f64)>> = rows
        .iter()
        .map(|(label, _)| label.as_deref().and_then(ends))
        .collect();
    if let Some(starts) = starts {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let by_ends = |&a: &usize, &b: &usize| {
            let ((low, high), (from, to)) = (starts[a], starts[b]);
            low.total_cmp(&from).then(high.total_cmp(&to))
        };
        order.sort_by(by_ends); // stable
        rows = order.iter().map(|&row| rows[row].clone()).collect();
    }
    let width = rows.len().div_ceil(most).max(1);
    let mut bars: Vec<Bar> = rows
        .chunks(width)
        .map(|chunk| {
            let name = |row: &(Option<String>, Vec<f64>)| row.0.clone().unwrap_or_default();
            let label = match chunk {
                [first, .., last] => format!(
                    "{}{MERGED}{}",
                    crate::shorten(&name(first), 40),
                    crate::shorten(&name(last), 40)
                ),
                _ => chunk.first().map(name).unwrap_or_default(),
            };
            Bar {
                label,
                values: sum(chunk, sides.len()),
            }
        })
        .collect();
    bars.extend(
        hidden
            .into_iter()
            .chain(missing)
            .map(|row| bar(row, language)),
    );
    bars
}

/// The numbers a label starts and ends with: of `5-9`, `[-5, 0)`, `7`; of `2024-03` year and month, of a whole date the year alone.
fn ends(label: &str) -> Option<(f64, f64)> {
    let low = leading_number(label)?;
    let text = label.trim_matches(['[', '(', ']', ')']);
    let cut = text
        .char_indices()
        .skip(1)
        .find(|(_, c)| matches!(c, '-' | ','));
    let rest = cut.map_or("", |(at, _)| text[at + 1..].trim());
    Some((low, rest.parse().unwrap_or(low)))
}

/// The number a label starts with: of `5-9`, `[-5, 0)`, `2024-Q1`. Text order would put `10-14` before `5-9`.
fn leading_number(label: &str) -> Option<f64> {
    let text = label.trim_start_matches(['[', '(']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let length = digits
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(digits.len());
    text[..text.len() - digits.len() + length].parse().ok()
}

fn bar((label, values): (Option<String>, Vec<f64>), language: Language) -> Bar {
    Bar {
        label: label.unwrap_or_else(|| language.say("word.missing", &[])),
        values,
    }
}

fn sum(rows: &[(Option<String>, Vec<f64>)], sides: usize) -> Vec<f64> {
    (0..sides)
        .map(|side| rows.iter().map(|row| row.1[side]).sum())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Language = Language::English;

    fn counts(counts: &[(&str, u64)]) -> Vec<Count> {
        counts
            .iter()
            .map(|&(label, count)| Count {
                label: (label != "-").then(|| label.to_owned()),
                count,
                span: None,
            })
            .collect()
    }

    fn labels(bars: &[Bar]) -> Vec<&str> {
        bars.iter().map(|bar| bar.label.as_str()).collect()
    }

    #[test]
    fn the_rest_is_one_line_and_nothing_is_lost() {
        let side = counts(&[("a", 1), ("b", 5), ("-", 2), ("c", 3), ("d", 1)]);
        let (bars, rest) = by_count(&[&side], 2, EN);
        let rest = rest.unwrap();
        assert_eq!(labels(&bars), ["b", "c", "(missing)"]);
        assert_eq!(rest.label, "2 other values");
        let all = bars.iter().chain([&rest]).map(|bar| bar.values[0]);
        assert!((all.sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(by_count(&[&side], 4, EN).1.is_none());
    }

    #[test]
    fn neighbors_merge_in_order() {
        let side = counts(&[("1", 1), ("2", 1), ("3", 1), ("4", 1), ("5", 1), ("-", 5)]);
        let bars = in_order(&[&side], 3, EN);
        assert_eq!(labels(&bars), ["1 – 2", "3 – 4", "5", "(missing)"]);
        assert!((bars[0].values[0] - 0.2).abs() < 1e-9 && (bars[3].values[0] - 0.5).abs() < 1e-9);
    }

    #[test]
    fn intervals_go_by_their_start() {
        let side = counts(&[
            ("10-14", 1),
            ("5-9", 1),
            ("-", 1),
            ("[-5, 0)", 1),
            ("0-4", 1),
        ]);
        let bars = in_order(&[&side], 9, EN);
        assert_eq!(
            labels(&bars),
            ["[-5, 0)", "0-4", "5-9", "10-14", "(missing)"]
        );
        let words = counts(&[("low", 1), ("10", 1), ("high", 1)]);
        assert_eq!(labels(&in_order(&[&words], 9, EN)), ["low", "10", "high"]);
        let mixed = counts(&[
            ("*", 1),
            ("0-3", 1),
            ("16-31", 1),
            ("3", 1),
            ("8-15", 1),
            ("4-7", 1),
            ("16-19", 1),
        ]);
        assert_eq!(
            labels(&in_order(&[&mixed], 9, EN)),
            ["0-3", "3", "4-7", "8-15", "16-19", "16-31", "*"]
        );
        let days = counts(&[("2023-12-30", 1), ("2024-01-15", 1), ("2024-02-03", 1)]);
        assert_eq!(
            labels(&in_order(&[&days], 9, EN)),
            ["2023-12-30", "2024-01-15", "2024-02-03"]
        );
        let months = counts(&[("2024-10", 1), ("2024-02", 1), ("2023-12", 1)]);
        assert_eq!(
            labels(&in_order(&[&months], 9, EN)),
            ["2023-12", "2024-02", "2024-10"]
        );
        assert_eq!(leading_number("1.2.3"), None);
        assert_eq!(leading_number(""), None);
    }

    #[test]
    fn generalized_values_get_a_chart_of_their_own() {
        let mut distribution = Distribution {
            before: counts(&[("02139", 3), ("02140", 2)]),
            after: counts(&[("0213*", 3)]),
            ..Distribution::default()
        };
        assert_eq!(charts(&distribution, EN).len(), 2);
        distribution.after = counts(&[("02139", 3)]);
        assert_eq!(charts(&distribution, EN).len(), 1);
        distribution.after.clear();
        assert!(charts(&distribution, EN).is_empty());
    }
}
