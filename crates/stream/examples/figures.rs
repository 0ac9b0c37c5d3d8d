//! What do Figures 4 to 10 of the ITSA paper come to, on its kind of data and on ours?
//!
//! `cargo run --release -p denym-stream --example figures -- 4` prints Figure 4 as tables, and so on to 10; without a number
//! all of them. A second number takes fewer subjects. The metro is the papers' generator as we have it (the authors' file is gone from the net); MSNBC is the
//! UCI log. Distortion of a window: doublets of its subjects that it does not show, over all they have in its
//! span; averaged over the windows published. `itsa` is the rule of the paper with its join corrected; `kept`
//! is our default, which never takes back what was published.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "timestamps are small and not negative"
)]
#![allow(clippy::print_stdout, reason = "an example prints its figures")]

mod support;

use std::time::Instant;

use denym_data::Fraction;
use denym_sequences::{Algorithm, Bound, Context, Matching, Request, solve};
use denym_stream::{Options, Rule, Stream};
use support::{Source, Steps, median};

/// What a run asks for.
#[derive(Clone, Copy)]
struct Asked {
    n: u32,
    l: usize,
    k: u64,
    percent: u64,
    /// Sensitive values: 0 up to this.
    sensitive: usize,
    /// Windows to look at.
    windows: usize,
}

const METRO: Asked = Asked {
    n: 7,
    l: 4,
    k: 40,
    percent: 60,
    sensitive: 1,
    windows: usize::MAX,
};

/// "The first 10 windows sliding over the entire data set"; two of ten values are sensitive.
const MSNBC: Asked = Asked {
    n: 5,
    l: 2,
    k: 20,
    percent: 60,
    sensitive: 2,
    windows: 10,
};

impl Asked {
    fn options(&self, rule: Rule) -> Options {
        let mut options = Options::new(self.n, self.l, self.k);
        options.rule = rule;
        options.attributes = vec!["status".to_owned()];
        for value in 0..self.sensitive {
            let bound = Fraction::of(self.percent, 100);
            options = options.with_bound("status", &value.to_string(), bound);
        }
        options
    }
}

/// What a run came to.
struct Outcome {
    /// Per window: (last timestamp, distortion), `None` for a withheld one.
    distortion: Vec<(i64, Option<f64>)>,
    steps: Vec<Steps>,
}

impl Outcome {
    /// Mean distortion in percent of the windows published, and how many were withheld.
    fn cell(&self) -> String {
        let shown: Vec<f64> = self.distortion.iter().filter_map(|(_, d)| *d).collect();
        let withheld = self.distortion.len() - shown.len();
        let mean = 100.0 * shown.iter().sum::<f64>() / shown.len() as f64;
        match (shown.is_empty(), withheld) {
            (true, _) => "all withheld".to_owned(),
            (_, 0) => format!("{mean:.2}"),
            _ => format!("{mean:.2} ({withheld} withheld)"),
        }
    }

    /// Median of the paper's part of a slide and of all of it, in milliseconds; the first window aside.
    fn time(&self) -> String {
        let later = &self.steps[self.steps.len().min(1)..];
        let slide = median(later.iter().map(|s| s.slide));
        let whole = median(later.iter().map(Steps::whole));
        format!("{slide:.2} / {whole:.0}")
    }
}

fn run(source: &Source, asked: &Asked, rule: Rule) -> Outcome {
    let mut stream = Stream::new(asked.options(rule)).expect("sound options");
    let mut outcome = Outcome {
        distortion: Vec::new(),
        steps: Vec::new(),
    };
    let raw: Vec<u64> = source
        .by_time
        .iter()
        .map(|events| events.len() as u64)
        .collect();
    let last = source.by_time.len() as i64;
    for (events, time) in source.by_time.iter().zip(0..) {
        source.push(&mut stream, time, events);
        let end = time + 1 == last;
        if end {
            stream.finish();
        } else {
            stream.advance(time).expect("time goes on");
        }
        support::drain(&mut stream, &mut |slide, steps| {
            let certificate = &slide.certificate;
            assert_eq!(certificate.measured.violations, 0);
            if outcome.steps.len() >= asked.windows || certificate.to >= last {
                return;
            }
            let (from, to) = (certificate.from as usize, certificate.to as usize);
            let all: u64 = raw[from..=to].iter().sum();
            let lost = |shown: u64| 1.0 - shown as f64 / all as f64;
            let distortion = slide.window.as_ref().map(|w| lost(w.doublets()));
            outcome.distortion.push((certificate.to, distortion));
            outcome.steps.push(steps);
        });
        if outcome.steps.len() >= asked.windows {
            break;
        }
    }
    outcome
}

/// A table: `rows` down, `columns` across, a cell for each.
fn table<R: Copy, C: Copy>(
    title: &str,
    corner: &str,
    (rows, row): (&[R], impl Fn(R) -> String),
    (columns, column): (&[C], impl Fn(C) -> String),
    cell: impl Fn(R, C) -> String,
) {
    println!("\n{title}\n");
    let heads: Vec<String> = columns.iter().map(|&c| column(c)).collect();
    println!("| {corner} | {} |", heads.join(" | "));
    println!("|---{}|", "|---".repeat(columns.len()));
    for &r in rows {
        let cells: Vec<String> = columns.iter().map(|&c| cell(r, c)).collect();
        println!("| {} | {} |", row(r), cells.join(" | "));
    }
}

const RULES: [(&str, Rule); 2] = [
    ("itsa", Rule::Retract),
    (
        "kept",
        Rule::KeepPublished {
            horizon: denym_stream::Horizon::Window,
        },
    ),
];

fn main() {
    let mut numbers = std::env::args()
        .skip(1)
        .filter_map(|n| n.parse::<u64>().ok());
    let figure = numbers.next();
    let subjects = numbers.next();
    for number in 4..=10 {
        if figure.is_none_or(|figure| figure == number) {
            println!("\n## Figure {number}");
            match number {
                4 => figure_4(subjects.unwrap_or(100_000)),
                5 => figure_5(subjects.unwrap_or(100_000)),
                6 => figure_6(subjects.unwrap_or(1_000_000)),
                7 => figure_7(subjects),
                8 => figure_8(subjects),
                9 => figure_9(subjects),
                _ => figure_10(subjects),
            }
        }
    }
}

fn figure_4(riders: u64) {
    let source = Source::metro(riders);
    for (name, rule) in RULES {
        table(
            &format!("4a, `{name}`: distortion in %, {riders} riders, N = 7, L = 4"),
            "K",
            (&[20, 40, 60, 80, 100], |k: u64| k.to_string()),
            (&[20, 40, 60, 80, 100], |c: u64| format!("C = {c} %")),
            |k, percent| {
                run(
                    &source,
                    &Asked {
                        k,
                        percent,
                        ..METRO
                    },
                    rule,
                )
                .cell()
            },
        );
    }
    for (name, rule) in RULES {
        table(
            &format!("4b, `{name}`: distortion in %, {riders} riders, N = 7, C = 60 %"),
            "L",
            (&[1, 2, 3, 4, 5], |l: usize| l.to_string()),
            (&[20, 40, 60], |k: u64| format!("K = {k}")),
            |l, k| run(&source, &Asked { l, k, ..METRO }, rule).cell(),
        );
    }
}

fn figure_5(riders: u64) {
    let source = Source::metro(riders);
    table(
        &format!("5a: distortion in %, {riders} riders, L = 4, K = 40, C = 60 %"),
        "N",
        (&[5, 6, 7, 8, 9], |n: u32| n.to_string()),
        (&RULES, |(name, _)| name.to_owned()),
        |n, (_, rule)| run(&source, &Asked { n, ..METRO }, rule).cell(),
    );
    println!("\n5b: distortion of each window in %, N = 7\n");
    for (name, rule) in RULES {
        let outcome = run(&source, &METRO, rule);
        let cells = outcome
            .distortion
            .iter()
            .map(|(_, d)| d.map_or("withheld".to_owned(), |d| format!("{:.1}", 100.0 * d)));
        println!("{name}: {}", cells.collect::<Vec<_>>().join(" "));
    }
}

fn figure_6(most: u64) {
    let sizes: Vec<u64> = (1..=5).map(|fifth| most * fifth / 5).collect();
    table(
        "6: milliseconds per slide / with building, judge and certificate; L = 4, K = 120, C = 60 %, N = 7",
        "riders",
        (&sizes, |n: u64| n.to_string()),
        (&RULES, |(name, _)| name.to_owned()),
        |n, (_, rule)| {
            let source = Source::metro(n);
            run(&source, &Asked { k: 120, ..METRO }, rule).time()
        },
    );
}

fn msnbc(users: Option<u64>, last: u32) -> Option<Source> {
    let users = users.map_or(usize::MAX, |users| users as usize);
    let source = Source::msnbc(users, last)?;
    println!(
        "\nMSNBC: {} users, {} events up to position {last}",
        source.paths.len(),
        source.events()
    );
    Some(source)
}

fn figure_7(users: Option<u64>) {
    let Some(source) = msnbc(users, 14) else {
        return;
    };
    for percent in [20, 60, 100] {
        table(
            &format!("7, C = {percent} %: distortion in %, `itsa` / `kept`, N = 5"),
            "K",
            (&[5, 15, 25], |k: u64| k.to_string()),
            (&[1, 2, 3], |l: usize| format!("L = {l}")),
            |k, l| {
                let asked = Asked {
                    l,
                    k,
                    percent,
                    ..MSNBC
                };
                RULES
                    .map(|(_, rule)| run(&source, &asked, rule).cell())
                    .join(" / ")
            },
        );
    }
}

fn figure_8(users: Option<u64>) {
    let Some(source) = msnbc(users, 59) else {
        return;
    };
    let title = |what: &str| {
        format!("{what}: milliseconds per slide / with building, judge and certificate; C = 60 %")
    };
    table(
        &title("8a, L = 2, N = 5"),
        "K",
        (&[20, 60, 100], |k: u64| k.to_string()),
        (&RULES, |(name, _)| name.to_owned()),
        |k, (_, rule)| run(&source, &Asked { k, ..MSNBC }, rule).time(),
    );
    table(
        &title("8b, K = 20, N = 5"),
        "L",
        (&[1, 2, 3, 4, 5], |l: usize| l.to_string()),
        (&RULES, |(name, _)| name.to_owned()),
        |l, (_, rule)| run(&source, &Asked { l, ..MSNBC }, rule).time(),
    );
    table(
        &title("8c, K = 20, L = 2"),
        "N",
        (&[10, 30, 50], |n: u32| n.to_string()),
        (&RULES, |(name, _)| name.to_owned()),
        |n, (_, rule)| run(&source, &Asked { n, ..MSNBC }, rule).time(),
    );
}

fn figure_9(users: Option<u64>) {
    let Some(source) = msnbc(users, 14) else {
        return;
    };
    let models = [("L = N, C = 100 %", 5, 100), ("L = 2, C = 60 %", 2, 60)];
    table(
        "9: distortion in %, N = 5, `itsa` / `kept`",
        "K",
        (&[10, 30, 50], |k: u64| k.to_string()),
        (&models, |(name, _, _)| name.to_owned()),
        |k, (_, l, percent)| {
            let asked = Asked {
                l,
                k,
                percent,
                ..MSNBC
            };
            RULES
                .map(|(_, rule)| run(&source, &asked, rule).cell())
                .join(" / ")
        },
    );
}

fn figure_10(users: Option<u64>) {
    let Some(source) = msnbc(users, 19) else {
        return;
    };
    let asked = Asked { n: 10, ..MSNBC };
    let mut request = Request::new(asked.l, asked.k);
    request.matching = Matching::Covers;
    request.algorithm = Algorithm::GlobalSuppression;
    request.bounds = (0..2)
        .map(|value: u32| Bound::value("status", &value.to_string(), Fraction::of(3, 5)))
        .collect();
    let mut stream = Stream::new(asked.options(Rule::Retract)).expect("sound options");
    let mut gone: Vec<(i64, u32)> = Vec::new();
    println!(
        "\n10: milliseconds per window, L = 2, K = 20, C = 60 %, N = 10; both suppress the same\n"
    );
    println!("| window | slide | from scratch on the carried window | ratio |\n|---|---|---|---|");
    let last = source.by_time.len() as i64;
    let mut each = |slide: denym_stream::Slide, steps: Steps| {
        let certificate = &slide.certificate;
        if certificate.window > 10 || certificate.to >= last {
            return;
        }
        let carried = source.carried(certificate.from, certificate.to, &gone);
        let started = Instant::now();
        let solved = solve(&carried, &request, &Context::default()).expect("solvable");
        let scratch = started.elapsed();
        let mut expect: Vec<(i64, u32)> = solved
            .suppressed
            .iter()
            .map(|&id| carried.doublets()[id as usize])
            .map(|doublet| (i64::from(doublet.time), doublet.location))
            .collect();
        expect.sort_unstable();
        let suppressed = slide.suppressed.iter();
        let mut found: Vec<(i64, u32)> = suppressed
            .map(|(l, t)| (*t, l.parse().expect("a page")))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expect, "window {}", certificate.window);
        gone.extend(found);
        println!(
            "| {} | {:.2} | {:.2} | {:.1} |",
            certificate.window,
            steps.slide.as_secs_f64() * 1e3,
            scratch.as_secs_f64() * 1e3,
            scratch.as_secs_f64() / steps.slide.as_secs_f64()
        );
    };
    source.replay(&mut stream, 0, &mut each);
    stream.finish();
    support::drain(&mut stream, &mut each);
}
