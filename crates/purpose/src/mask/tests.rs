use super::*;
use proptest::prelude::*;

fn with_cell<T>(
    record: &str,
    purpose: &str,
    hidden: &[&str],
    run: impl FnOnce(&Cell<'_>) -> T,
) -> T {
    let key = MaskKey::new(vec![3; 32]);
    let raw = |column: &str| Value::Text(format!("stored in {column}"));
    let served = |column: &str| {
        if hidden.contains(&column) {
            Compliance::Conditional
        } else {
            Compliance::Full
        }
    };
    run(&Cell {
        key: &key,
        table: "t",
        column: "c",
        purpose,
        record,
        raw: &raw,
        served: &served,
    })
}

fn masked(mask: &Mask, value: &Value) -> Value {
    with_cell("1", "marketing", &["name"], |cell| mask.apply(value, cell))
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

#[test]
fn each_mask_by_example() {
    let interval = |width, show| Mask::Interval {
        width,
        origin: 0.0,
        show,
    };
    let characters = Mask::Characters {
        keep_first: 1,
        keep_last: 2,
        with: '*',
    };
    let levels = Arc::new(Levels::new([vec![
        "4350".into(),
        "43**".into(),
        "*".into(),
    ]]));
    let level = |level| Mask::Level {
        hierarchy: "zip".into(),
        levels: levels.clone(),
        level,
    };
    let cases = [
        (Mask::FirstLetters(1), text("Alice"), text("A")),
        (Mask::FirstLetters(2), text("Ünal"), text("Ün")),
        (characters.clone(), text("0412345"), text("0****45")),
        (characters.clone(), text("abc"), text("***")),
        (characters, text(""), text("")),
        (
            interval(10000.0, Bound::Range),
            Value::Integer(35000),
            text("30000-40000"),
        ),
        (
            interval(10.0, Bound::Range),
            Value::Integer(-1),
            text("-10-0"),
        ),
        (
            interval(10.0, Bound::Lower),
            Value::Integer(-1),
            Value::Integer(-10),
        ),
        (
            interval(10.0, Bound::Midpoint),
            Value::Integer(48),
            Value::Integer(45),
        ),
        (
            interval(0.5, Bound::Lower),
            Value::Float(1.7),
            Value::Float(1.5),
        ),
        (
            interval(10.0, Bound::Lower),
            Value::Float(f64::NAN),
            Value::Null,
        ),
        (
            interval(10.0, Bound::Lower),
            Value::Integer(i64::MIN),
            Value::Null,
        ),
        (
            interval(10.0, Bound::Lower),
            text("typed wrongly"),
            Value::Null,
        ),
        (level(1), text("4350"), text("43**")),
        (level(2), Value::Integer(4350), text("*")),
        (level(1), text("9999"), Value::Null),
        (
            Mask::Stored {
                column: "alt".into(),
                kind: Kind::Text,
            },
            Value::Null,
            text("stored in alt"),
        ),
        (Mask::Null, text("x"), Value::Null),
        (Mask::FirstLetters(1), Value::Null, Value::Null),
    ];
    for (mask, value, expect) in cases {
        assert_eq!(masked(&mask, &value), expect, "{mask:?}");
    }
}

#[test]
fn income_only_where_the_name_is_hidden() {
    let mask = Mask::WhereHidden {
        columns: vec!["name".into()],
        then: Box::new(Mask::Value),
        otherwise: Box::new(Mask::Null),
    };
    let income = Value::Integer(35000);
    with_cell("1", "p", &["name"], |cell| {
        assert_eq!(mask.apply(&income, cell), income);
    });
    with_cell("1", "p", &[], |cell| {
        assert_eq!(mask.apply(&income, cell), Value::Null);
    });
    assert_eq!(mask.visible_kind(Kind::Integer), Kind::Integer);
}

#[test]
fn pseudonyms_are_keyed_per_cell_and_purpose() {
    let draw = |record: &str, purpose: &str, value: &str, reach| {
        let mask = Mask::Pseudonym { length: 16, reach };
        with_cell(record, purpose, &[], |cell| mask.apply(&text(value), cell))
    };
    let one = draw("1", "a", "x", Reach::Cell);
    assert_eq!(one, draw("1", "a", "x", Reach::Cell), "repeats");
    assert_ne!(one, draw("2", "a", "x", Reach::Cell), "another record");
    assert_ne!(one, draw("1", "b", "x", Reach::Cell), "another purpose");
    assert_eq!(
        draw("1", "a", "x", Reach::Value),
        draw("2", "a", "x", Reach::Value)
    );
    assert_ne!(
        draw("1", "a", "x", Reach::Value),
        draw("1", "a", "y", Reach::Value)
    );
    assert_ne!(
        draw("1", "a", "x", Reach::Value),
        draw("1", "b", "x", Reach::Value)
    );
}

#[test]
fn noise_repeats_and_is_centered() {
    let draw = |record: usize, shape| {
        let mask = Mask::Noise {
            spread: 100.0,
            shape,
        };
        with_cell(&record.to_string(), "p", &[], |cell| {
            match mask.apply(&Value::Float(0.0), cell) {
                Value::Float(noise) => noise,
                other => panic!("noise keeps the type, not {other:?}"),
            }
        })
    };
    for shape in [Shape::Uniform, Shape::Laplace] {
        assert!((draw(5, shape) - draw(5, shape)).abs() < f64::EPSILON);
        let draws: Vec<f64> = (0..4000).map(|record| draw(record, shape)).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        let spread = draws.iter().map(|d| d * d).sum::<f64>() / 4000.0;
        // variance 100^2/3 and 2*100^2; the bounds are more than five standard errors wide (fixed key: no retry)
        let variance = if shape == Shape::Uniform {
            10000.0 / 3.0
        } else {
            20000.0
        };
        assert!(
            mean.abs() < 5.0 * f64::sqrt(variance / 4000.0),
            "{shape:?} mean {mean}"
        );
        assert!(
            (spread / variance - 1.0).abs() < 0.2,
            "{shape:?} variance {spread}"
        );
    }
}

#[test]
fn types_are_checked_and_shown() {
    let range = Mask::Interval {
        width: 10.0,
        origin: 0.0,
        show: Bound::Range,
    };
    let lower = Mask::Interval {
        width: 10.0,
        origin: 0.0,
        show: Bound::Lower,
    };
    assert_eq!(range.visible_kind(Kind::Integer), Kind::Text);
    assert_eq!(lower.visible_kind(Kind::Integer), Kind::Integer);
    assert_eq!(Mask::Null.visible_kind(Kind::Date), Kind::Date);
    assert!(range.kind(Kind::Text).is_err());
    assert!(Mask::FirstLetters(1).kind(Kind::Integer).is_err());
    assert!(
        Mask::Interval {
            width: 0.5,
            origin: 0.0,
            show: Bound::Lower
        }
        .kind(Kind::Integer)
        .is_err()
    );
}

proptest! {
    #[test]
    fn intervals_hold_their_number(number: i64, width in 1i64..1_000_000, origin in -1000i64..1000) {
        let low = integer_interval(number, width as f64, origin as f64, Bound::Lower);
        if let Value::Integer(low) = low {
            prop_assert!(low <= number && i128::from(number) < i128::from(low) + i128::from(width));
            prop_assert_eq!((i128::from(low) - i128::from(origin)).rem_euclid(i128::from(width)), 0);
        } else {
            prop_assert!(i128::from(number) - i128::from(width) < i128::from(i64::MIN));
        }
    }

    #[test]
    fn every_mask_answers_every_value(keep_first in 0usize..5, keep_last in 0usize..5, word in ".{0,12}", number: i64, float: f64) {
        let masks = [
            Mask::FirstLetters(keep_first),
            Mask::Characters { keep_first, keep_last, with: '#' },
            Mask::Interval { width: 3.0, origin: 1.0, show: Bound::Range },
            Mask::Noise { spread: 1e300, shape: Shape::Laplace },
            Mask::Pseudonym { length: 64, reach: Reach::Cell },
        ];
        for mask in masks {
            for value in [text(&word), Value::Integer(number), Value::Float(float), Value::Boolean(true), Value::Date(3)] {
                masked(&mask, &value);
            }
        }
        let all = masked(&Mask::Characters { keep_first, keep_last, with: '#' }, &text(&word));
        prop_assert!(word.is_empty() || word.contains('#') || all != text(&word));
    }
}
