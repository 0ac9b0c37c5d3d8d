//! The history of a ledger as a picture: who came and who went with each release, and how well all of them together hide people.

use denym_report::{Chart, Figure, Format, Language, Lines, Mark, Series};

/// One release of a ledger, in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The number of its entry.
    pub(crate) number: u64,
    /// People in it.
    pub(crate) people: u64,
    /// Those of them who were in the release before.
    pub(crate) stayed: u64,
    /// The fewest people whom nobody can tell apart, over it and all before.
    pub(crate) smallest_block: u64,
}

/// The pictures of these releases; one release has no history.
pub(crate) fn figures(moments: &[Moment], language: Language) -> Vec<Figure> {
    if moments.len() < 2 {
        return Vec::new();
    }
    let series = |name: String, value: &dyn Fn(usize) -> Option<u64>| Series {
        name,
        mark: Mark::Line,
        points: (0..moments.len())
            .filter_map(|at| Some((moments[at].number as f64, value(at)? as f64)))
            .collect(),
        labels: Vec::new(),
        links: Vec::new(),
    };
    let before = |at: usize| at.checked_sub(1).map(|before| moments[before]);
    let lines = |title: String, caption: String, y_axis: String, series: Vec<Series>| Figure {
        chart: Chart::Lines(Lines {
            title: title.clone(),
            description: caption.clone(),
            x_axis: language.say("history.entry", &[]),
            y_axis,
            x_format: Format::Count,
            y_format: Format::Count,
            series,
        }),
        title,
        caption,
    };
    let people = language.say("history.people", &[]);
    vec![
        lines(
            language.say("history.moves", &[]),
            language.say("history.moves.line", &[]),
            people.clone(),
            vec![
                series(language.say("history.in", &[]), &|at| {
                    Some(moments[at].people)
                }),
                series(language.say("history.came", &[]), &|at| {
                    before(at).map(|_| moments[at].people - moments[at].stayed)
                }),
                series(language.say("history.went", &[]), &|at| {
                    before(at).map(|before| before.people - moments[at].stayed)
                }),
            ],
        ),
        lines(
            language.say("history.hidden", &[]),
            language.say("history.hidden.line", &[]),
            people,
            vec![series(language.say("history.fewest", &[]), &|at| {
                Some(moments[at].smallest_block)
            })],
        ),
    ]
}
