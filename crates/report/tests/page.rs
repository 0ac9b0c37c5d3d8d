//! The page as a whole: nothing foreign gets in, nothing is asked from outside, the same report gives the same bytes.

use denym_report::{
    About, Attack, Attempt, Audience, Bar, Bars, Chart, Claim, ClassSize, Correlation, Count,
    CrossTable, Distribution, Explained, Fact, Figure, Figures, Finding, Headline, Language, Loss,
    Measure, Moments, Outcome, Provenance, Report, Risk, Sample, Severity, SignOff, Statistics,
    html, risk_bars,
};

/// A report in which every text is `text` and every number is `number`.
fn everywhere(text: &str, number: f64) -> Report {
    let s = || text.to_owned();
    let bar = Bar {
        label: s(),
        values: vec![number, number],
    };
    let counts = || {
        vec![
            Count {
                label: Some(s()),
                span: Some((number, number)),
                count: u64::MAX,
            },
            Count {
                label: None,
                span: None,
                count: 1,
            },
        ]
    };
    Report {
        title: s(),
        data_name: s(),
        outcome: Outcome::Refused { because: s() },
        unit: s(),
        summary: vec![s()],
        facts: vec![Fact {
            name: s(),
            value: s(),
            note: s(),
        }],
        claims: vec![Claim {
            promise: s(),
            attribute: Some(s()),
            asked: s(),
            measured: s(),
            holds: None,
            recheckable: false,
            explanation: s(),
        }],
        risk: Some(Risk {
            headlines: vec![Headline {
                name: s(),
                explanation: s(),
                before: Some(number),
                after: None,
            }],
            bands: vec![bar.clone()],
        }),
        class_sizes: vec![
            ClassSize {
                size: u64::MAX,
                classes: u64::MAX,
                records: u64::MAX,
            },
            ClassSize {
                size: 0,
                classes: 1,
                records: 0,
            },
        ],
        losses: vec![Loss {
            attribute: s(),
            loss: number,
            how: s(),
        }],
        distributions: vec![
            Distribution {
                attribute: s(),
                role: s(),
                how: s(),
                ordered: true,
                before: counts(),
                after: counts(),
            },
            Distribution {
                attribute: s(),
                role: s(),
                how: s(),
                ordered: false,
                before: counts(),
                after: Vec::new(),
            },
        ],
        attacks: vec![Attack {
            name: s(),
            knows: s(),
            rate_before: Some(number),
            rate_after: None,
            note: s(),
            left_out: false,
        }],
        language: Language::English,
        audience: Audience::Steward,
        about: About::Records,
        statistics: Statistics {
            numbers: vec![Moments {
                attribute: s(),
                before: Some(Figures {
                    mean: number,
                    deviation: number,
                    quartiles: [number; 3],
                }),
                after: None,
            }],
            correlations: vec![Correlation {
                attributes: (s(), s()),
                before: number,
                after: number,
            }],
            cross_tables: vec![CrossTable {
                attributes: (s(), s()),
                rows: vec![s()],
                columns: vec![s()],
                cells: vec![vec![(number, number)]],
            }],
        },
        sample: Some(Sample {
            columns: vec![s()],
            rows: vec![(vec![s()], Some(vec![s()])), (vec![s()], None)],
        }),
        codebook: vec![Explained {
            column: s(),
            role: s(),
            shows: s(),
            labels: vec![(s(), s())],
            more: true,
        }],
        measures: vec![Measure {
            name: s(),
            meaning: s(),
            value: s(),
            range: s(),
        }],
        sign_off: Some(SignOff {
            prepared_by: s(),
            date: s(),
            sources: vec![(s(), s())],
            released: vec![(s(), s())],
        }),
        attempts: vec![Attempt {
            solver: s(),
            outcome: s(),
            score: s(),
            effort: s(),
            chosen: true,
            note: s(),
        }],
        figures: vec![Figure {
            title: s(),
            caption: s(),
            chart: Chart::Bars(Bars {
                title: s(),
                description: s(),
                series: vec![s(), s()],
                bars: vec![bar],
                ..Bars::default()
            }),
        }],
        notes: vec![s()],
        warnings: vec![s()],
        findings: vec![
            Finding {
                name: s(),
                severity: Severity::Warning,
                column: Some(s()),
                reason: s(),
                help: s(),
                accepted: None,
            },
            Finding {
                accepted: Some(s()),
                ..Finding::default()
            },
        ],
        provenance: Provenance {
            version: s(),
            policy: s(),
            steps: vec![s()],
            facts: vec![(s(), s())],
        },
    }
}

/// Every tag of the page as `name attributes`; panics when quotes or brackets do not match.
fn tags(page: &str) -> Vec<String> {
    let body = page.split_once("</style>").expect("the page has a style").1;
    let mut tags = Vec::new();
    let mut rest = body;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').expect("a tag ends") + start;
        tags.push(rest[start + 1..end].to_owned());
        rest = &rest[end + 1..];
    }
    tags
}

#[test]
fn hostile_labels_add_no_element_and_no_attribute() {
    // what is left of each tag without its quoted values; rounded corners depend on a width
    let names = |page: &str| -> Vec<String> {
        let bare = |tag: &String| tag.split('"').step_by(2).collect::<String>();
        let tags = tags(page);
        tags.iter()
            .map(|tag| bare(tag).replace(" rx=", ""))
            .collect()
    };
    let harmless = names(&html(&everywhere("x", 0.5)));
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "</style><script>",
        "]]><!-- ",
        "\0\u{1b}[31m\u{202E}",
    ] {
        let page = html(&everywhere(hostile, 0.5));
        assert!(names(&page) == harmless, "{hostile}");
        assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\0'));
    }
}

#[test]
fn long_labels_stay_short() {
    let small = html(&everywhere("x", 0.5)).len();
    let large = html(&everywhere(&"&".repeat(10_000), f64::NAN)).len();
    // prose keeps 2,000 characters, each five bytes once escaped
    assert!(large < small + 300_000, "{large}");
    assert!(!html(&everywhere("x", f64::NAN)).contains("NaN"));
    assert!(!html(&everywhere("x", f64::INFINITY)).contains("inf\""));
}

#[test]
fn every_element_closes() {
    for report in [everywhere("a < b", -1.0), Report::default()] {
        let mut open: Vec<String> = Vec::new();
        for tag in tags(&html(&report)).iter().skip(1) {
            if let Some(name) = tag.strip_prefix('/') {
                if name == "html" {
                    break;
                }
                assert_eq!(open.pop().as_deref(), Some(name));
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or_default().to_owned());
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}

#[test]
fn asks_for_nothing_from_outside() {
    let page = html(&everywhere("http://example.org/x.js", 0.2));
    for tag in tags(&page) {
        for attribute in ["src=", "href=\"h", "url(", "@import", "onclick", "<link"] {
            assert!(!tag.contains(attribute), "{tag}");
        }
    }
    assert!(page.contains("default-src 'none'"));
    let style = page
        .split("<style>")
        .nth(1)
        .and_then(|s| s.split("</style>").next());
    assert!(style.is_some_and(|style| !style.contains("url(") && !style.contains("@import")));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(html(&everywhere("x", 0.5)), html(&everywhere("x", 0.5)));
}

#[test]
fn a_broken_promise_is_never_good_news() {
    let mut report = Report {
        outcome: Outcome::Released,
        claims: vec![
            Claim {
                promise: "k-anonymity".into(),
                asked: "at least 5".into(),
                measured: "4".into(),
                holds: Some(false),
                ..Claim::default()
            },
            Claim {
                holds: Some(true),
                ..Claim::default()
            },
        ],
        ..Report::default()
    };
    let page = html(&report);
    assert!(page.contains("1 of 2 promises does not hold") && !page.contains("verdict good"));
    report.claims[0].holds = Some(true);
    assert!(html(&report).contains("Released: both promises hold"));
    report.claims[0].holds = None;
    assert!(!html(&report).contains("verdict good"));
}

#[test]
fn empty_parts_are_left_out() {
    let page = html(&Report::default());
    assert!(!page.contains("<section") && !page.contains("<nav"));
}

#[test]
fn shows_what_it_was_given() {
    let before = [
        ClassSize {
            size: 1,
            classes: 8,
            records: 8,
        },
        ClassSize {
            size: 2,
            classes: 1,
            records: 2,
        },
    ];
    let after = [ClassSize {
        size: 9,
        classes: 1,
        records: 9,
    }];
    let report = Report {
        risk: Some(Risk {
            headlines: Vec::new(),
            bands: risk_bars(&before, &after, Language::English),
        }),
        class_sizes: after.to_vec(),
        losses: vec![Loss {
            attribute: "zip".into(),
            loss: 0.25,
            how: "masked".into(),
        }],
        ..Report::default()
    };
    let page = html(&report);
    for text in [
        "<tr><td>certain (1 in 1)</td><td class=\"n\">80\u{a0}%</td><td class=\"n\">0\u{a0}%</td></tr>",
        "<tr><td>1 in 5 to 9</td><td class=\"n\">0\u{a0}%</td><td class=\"n\">90\u{a0}%</td></tr>",
        "<tr><td>not released</td><td class=\"n\">0\u{a0}%</td><td class=\"n\">10\u{a0}%</td></tr>",
        "<tr><td class=\"name\">zip</td><td>masked</td><td class=\"n\">25\u{a0}%</td></tr>",
        "The smallest has 9 records, the largest 9.",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn the_source_is_only_in_the_report_of_the_steward() {
    let mut report = everywhere("x", 0.5);
    report.sample = Some(Sample {
        columns: vec!["age".into()],
        rows: vec![(vec!["thirty-four".into()], None)],
    });
    report.sign_off = Some(SignOff {
        sources: vec![("patients.csv".into(), "0123abcd".into())],
        ..SignOff::default()
    });
    let inside = html(&report);
    assert!(inside.contains("thirty-four") && inside.contains("0123abcd"));
    assert!(inside.contains("Name, date, signature"));
    report.audience = Audience::Recipient;
    let outside = html(&report);
    assert!(!outside.contains("thirty-four") && !outside.contains("0123abcd"));
    assert!(outside.contains("It may be handed out") && !outside.contains("Do not hand out"));
}

#[test]
fn attacks_that_do_not_apply_are_behind_a_fold() {
    let attack = |name: &str, left_out: bool| Attack {
        name: name.into(),
        knows: "something".into(),
        rate_after: (!left_out).then_some(0.25),
        left_out,
        ..Attack::default()
    };
    let page = html(&Report {
        attacks: vec![attack("linkage", false), attack("forced", true)],
        ..Report::default()
    });
    let (table, fold) = page.split_once("<details>").expect("a fold");
    assert!(table.contains("linkage") && !table.contains("<b>forced"));
    assert!(fold.contains("forced") && !fold.contains("n/a"));
}

#[test]
fn a_german_page_says_nothing_in_english() {
    let mut report = everywhere("x", 0.5);
    report.language = Language::German;
    let page = html(&report);
    assert!(page.contains("<html lang=\"de\">"));
    for word in [
        "What was promised",
        "Attack<",
        "Words in this",
        "Warning.",
        ">before<",
        "Sample",
    ] {
        assert!(!page.contains(word), "{word}");
    }
    for word in [
        "Was zugesagt wurde",
        "Angriff",
        "Begriffe in diesem Bericht",
        "Warnung.",
    ] {
        assert!(page.contains(word), "{word}");
    }
}

#[test]
fn the_banner_is_never_green_beside_what_is_worse_than_a_note() {
    use Severity::{Grave, Note, Warning};
    let banner = |outcome: Outcome, severities: &[Severity]| {
        let report = Report {
            outcome,
            findings: severities
                .iter()
                .map(|&severity| Finding {
                    severity,
                    reason: "seen".into(),
                    ..Finding::default()
                })
                .collect(),
            ..Report::default()
        };
        let page = html(&report);
        let (_, rest) = page.split_once("<div class=\"verdict ").expect("a banner");
        let (class, _) = rest.split_once('"').expect("a class");
        class.to_owned()
    };
    for (severities, class) in [
        (&[][..], "good"),
        (&[Note], "good"),
        (&[Warning, Note], "warn"),
        (&[Grave, Warning, Note], "bad"),
    ] {
        assert_eq!(
            banner(Outcome::Released, severities),
            class,
            "{severities:?}"
        );
    }
    // A refusal stays red.
    let refused = Outcome::Refused {
        because: "k".into(),
    };
    assert_eq!(banner(refused, &[Warning]), "bad");
}
