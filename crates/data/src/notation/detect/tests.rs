//! What a column tells, and what it leaves open.

use super::*;

fn found(texts: &[&str]) -> Detected {
    detect(texts.iter().copied(), &AskedNotation::default(), None)
}

fn formats(texts: &[&str]) -> Vec<String> {
    match found(texts) {
        Detected::As(Notation::Dates(formats)) => formats.iter().map(DateFormat::text).collect(),
        other => panic!("{other:?}"),
    }
}

fn number(texts: &[&str]) -> (char, Option<char>, Option<String>) {
    match found(texts) {
        Detected::As(Notation::Number(n)) => (n.decimal, n.thousands, n.unit.map(|u| u.text)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn dates_are_told_by_the_column() {
    assert_eq!(formats(&["26.08.1992", "01.02.2003"]), ["DD.MM.YYYY"]);
    assert_eq!(formats(&["6.8.1992", "11.12.2003"]), ["D.M.YYYY"]);
    assert_eq!(formats(&["03/04/2020", "25/04/2020"]), ["DD/MM/YYYY"]);
    assert_eq!(formats(&["03/04/2020", "04/25/2020"]), ["MM/DD/YYYY"]);
    assert_eq!(formats(&["2008/06/08 23:40:39"]), ["YYYY/MM/DD hh:mm:ss"]);
    assert_eq!(
        formats(&["12/31/2020 1:05 PM", "1/2/2021 12:00 AM"]),
        ["M/D/YYYY h:mm AM", "M/D/YYYY hh:mm AM"]
    );
    assert_eq!(
        formats(&["26.08.1992", "1.2.2003", "2004-05-06"]),
        ["DD.MM.YYYY", "YYYY-MM-DD"]
    );
}

#[test]
fn two_readings_are_both_named() {
    assert_eq!(
        found(&["03/04/2020", "05/06/2021"]),
        Detected::Ambiguous(
            "format = \"DD/MM/YYYY\"".into(),
            "format = \"MM/DD/YYYY\"".into()
        )
    );
    assert_eq!(
        found(&["1,234", "2,500"]),
        Detected::Ambiguous(
            "decimal = \",\"".into(),
            "decimal = \".\", thousands = \",\"".into()
        )
    );
}

#[test]
fn what_a_program_wrote_stays() {
    for texts in [
        &["2020-01-02", "2020-01-03T10:00:00"][..],
        &["2020-01-02 10:00"],
        &["1.5", "7"],
        &["1234", "-9"],
        &["a", "b"],
        &["01067", "99999"],
        &["A12", "A13"],
        &["3rd", "3rd"],
        &["25/04/2020", "04/25/2020"],
        &["31.02.2020"],
        &["1,5", "abc"],
        &["192.168.0.1"],
        &[],
    ] {
        assert_eq!(found(texts), Detected::Plain, "{texts:?}");
    }
}

#[test]
fn numbers_are_told_by_the_column() {
    assert_eq!(number(&["162,1", "170"]), (',', None, None));
    assert_eq!(number(&["3.281,24", "999,50"]), (',', Some('.'), None));
    assert_eq!(number(&["1 234,5", "7,5"]), (',', Some(' '), None));
    assert_eq!(number(&["1.234.567", "950"]), (',', Some('.'), None));
    assert_eq!(number(&["1,234.50", "7"]), ('.', Some(','), None));
    assert_eq!(
        number(&["82 kg", "79,5 kg"]),
        (',', None, Some("kg".into()))
    );
    assert_eq!(
        number(&["€ 3.281,24", "€ 12,00"]),
        (',', Some('.'), Some("€".into()))
    );
    assert_eq!(number(&["37,5 °C"]), (',', None, Some("°C".into())));
}

#[test]
fn what_is_asked_for_decides() {
    let asked = AskedNotation {
        decimal: Some(','),
        ..AskedNotation::default()
    };
    let Detected::As(notation) = detect(["1,234", "2,500"].into_iter(), &asked, None) else {
        panic!("a decimal comma was asked for");
    };
    assert_eq!(notation.plain("1,234").as_deref(), Some("1.234"));
    let unit = AskedNotation {
        unit: Some("Stück".into()),
        ..AskedNotation::default()
    };
    let Detected::As(notation) = detect(["12 Stück"].into_iter(), &unit, None) else {
        panic!("a unit was asked for");
    };
    assert_eq!(notation.plain("12 Stück").as_deref(), Some("12"));
}

#[test]
fn codes_of_missing_values_are_those_of_a_list() {
    let found = |values: &[(&'static str, usize)]| missing_codes(values.iter().copied());
    assert_eq!(
        found(&[("1", 40), ("2", 40), ("3", 40), ("NA", 3), ("-9", 2)]),
        ["NA", "-9"]
    );
    assert_eq!(
        found(&[
            ("26.08.1992", 40),
            ("01.02.1993", 9),
            ("k.A.", 3),
            ("-9", 2)
        ]),
        ["k.A.", "-9"]
    );
    assert_eq!(found(&[("1,5", 40), ("2,5", 40), ("k.A.", 3)]), ["k.A."]);
    assert!(found(&[("-5", 40), ("2", 40), ("3", 40), ("-9", 2)]).is_empty());
    assert!(found(&[("red", 40), ("blue", 40), ("NA", 3)]).is_empty());
    assert!(found(&[("1", 4), ("NA", 30)]).is_empty());
}

#[test]
fn names_of_months_are_told_by_the_column() {
    assert_eq!(
        formats(&["26. August 1992", "1. Februar 2003"]),
        ["D. MMMM[de] YYYY"]
    );
    assert_eq!(
        formats(&["26 Aug 1992", "01 Feb 2003"]),
        ["DD MMM[en] YYYY"]
    );
    assert_eq!(
        formats(&["August 26, 1992", "Mar 1, 2003", "Dec 2, 2003"]),
        ["MMM[en] D, YYYY", "MMMM[en] D, YYYY"]
    );
    assert_eq!(
        formats(&["26 de agosto de 1992"]),
        ["D 'de' MMMM[es] 'de' YYYY"]
    );
    assert_eq!(
        formats(&["1 févr. 2020", "3 déc. 2020"]),
        ["D MMM[fr] YYYY"]
    );
    assert_eq!(
        formats(&["26-Aug-1992 14:30", "01-Feb-2003 07:05"]),
        ["DD-MMM[en]-YYYY hh:mm"]
    );
    for texts in [
        &["26. August 1992", "3. février 2003"][..],
        &["Mai 5", "Mai 6"],
        &["31. Februar 2003"],
        &["ward 26 August 1992"],
    ] {
        assert_eq!(found(texts), Detected::Plain, "{texts:?}");
    }
}

#[test]
fn two_digits_of_a_year_are_asked_for_their_century() {
    let both = |one: &str, other: &str| {
        Detected::Ambiguous(
            format!("format = \"{one}\""),
            format!("format = \"{other}\""),
        )
    };
    assert_eq!(
        found(&["01.02.03", "26.08.92"]),
        both("DD.MM.YY[1930]", "DD.MM.YY[2000]")
    );
    assert_eq!(
        found(&["01/02/03"]),
        both("DD/MM/YY[1930]", "MM/DD/YY[1930]")
    );
    assert_eq!(
        found(&["12/31/03", "01/02/04"]),
        both("MM/DD/YY[1930]", "MM/DD/YY[2000]")
    );
    assert_eq!(
        found(&["26-Aug-92", "1-Feb-03"]),
        both("D-MMM[en]-YY[1930]", "D-MMM[en]-YY[2000]")
    );
    // Versions and parts of addresses.
    assert_eq!(found(&["1.2.3"]), Detected::Plain);
    assert_eq!(found(&["40.50.60"]), Detected::Plain);
}

#[test]
fn formats_that_read_different_days_are_not_chosen_from() {
    let asked = |formats: &[&str]| AskedNotation {
        dates: formats
            .iter()
            .map(|text| DateFormat::parse(text).expect("a format"))
            .collect(),
        ..AskedNotation::default()
    };
    let both = asked(&["DD/MM/YYYY", "MM/DD/YYYY"]);
    let read = |texts: &[&'static str]| detect(texts.iter().copied(), &both, None);
    assert!(matches!(
        read(&["25/04/2020", "04/26/2020"]),
        Detected::As(_)
    ));
    assert_eq!(
        read(&["25/04/2020", "03/04/2020"]),
        Detected::Ambiguous(
            "format = \"DD/MM/YYYY\"".into(),
            "format = \"MM/DD/YYYY\"".into()
        )
    );
    // The third of the third is one day.
    assert!(matches!(read(&["03/03/2020"]), Detected::As(_)));
}
