//! Formats go both ways, and mistakes are named.

use super::*;

fn format(text: &str) -> DateFormat {
    DateFormat::parse(text).expect("a format")
}

#[track_caller]
fn both_ways(form: &str, written: &str, plain: &str) {
    let own = format(form);
    assert_eq!(own.plain(written).as_deref(), Some(plain), "{form}");
    assert_eq!(own.written(plain).as_deref(), Some(written), "{form}");
    assert_eq!(own.text(), form);
}

#[test]
fn dates_and_times_go_both_ways() {
    both_ways("DD.MM.YYYY", "26.08.1992", "1992-08-26");
    both_ways("D.M.YYYY", "6.8.1992", "1992-08-06");
    both_ways("MM/DD/YYYY", "08/26/1992", "1992-08-26");
    both_ways("YYYYMMDD", "19920826", "1992-08-26");
    both_ways(
        "YYYY/MM/DD hh:mm:ss",
        "2008/06/08 23:40:39",
        "2008-06-08T23:40:39",
    );
    both_ways("DD.MM.YYYY hh:mm", "01.02.2020 07:05", "2020-02-01T07:05");
    both_ways(
        "MM/DD/YYYY h:mm AM",
        "12/31/2020 12:05 AM",
        "2020-12-31T00:05",
    );
    both_ways(
        "MM/DD/YYYY h:mm:ss AM",
        "12/31/2020 1:05:09.250 PM",
        "2020-12-31T13:05:09.250",
    );
}

#[test]
fn a_zero_more_or_less_is_the_same_day() {
    assert_eq!(
        format("DD.MM.YYYY").plain("6.8.1992").as_deref(),
        Some("1992-08-06")
    );
    assert_eq!(
        format("D.M.YYYY").plain("06.08.1992").as_deref(),
        Some("1992-08-06")
    );
}

#[test]
fn what_the_calendar_lacks_is_no_date() {
    for wrong in [
        "31.02.2020",
        "00.01.2020",
        "1.13.2020",
        "01.02.20",
        "01.02.2020 ",
        "",
        "x",
    ] {
        assert_eq!(format("DD.MM.YYYY").plain(wrong), None, "{wrong}");
    }
    for wrong in ["01.02.2020 24:00", "01.02.2020 7:5", "01.02.2020"] {
        assert_eq!(format("DD.MM.YYYY hh:mm").plain(wrong), None, "{wrong}");
    }
    assert_eq!(
        format("MM/DD/YYYY h:mm AM").plain("12/31/2020 13:05 AM"),
        None
    );
}

#[test]
fn months_lose_their_day_and_come_back() {
    let own = format("DD.MM.YYYY hh:mm");
    assert_eq!(own.written("1992-08").as_deref(), Some("08.1992"));
    assert_eq!(own.restored("08.1992").as_deref(), Some("1992-08"));
    assert_eq!(own.written("1992-08-26").as_deref(), Some("26.08.1992"));
    assert_eq!(own.restored("26.08.1992").as_deref(), Some("1992-08-26"));
    assert_eq!(own.written("1992"), None);
    assert_eq!(
        format("YYYY/MM/DD").written("1992-08").as_deref(),
        Some("1992/08")
    );
}

#[test]
fn a_time_that_would_be_lost_is_not_written() {
    assert_eq!(format("DD.MM.YYYY").written("1992-08-26T10:00"), None);
    assert_eq!(
        format("DD.MM.YYYY hh:mm").written("1992-08-26T10:00:01"),
        None
    );
}

#[test]
fn mistakes_are_named() {
    use DateFormatMistake as M;
    for (text, mistake) in [
        ("DD.MM.YY", M::ShortYear),
        ("DD.MM.YY[30]", M::ShortYear),
        ("DD.MM.YY[9999]", M::ShortYear),
        ("D. MMMM YYYY", M::NoTongue),
        ("D. MMM[it] YYYY", M::NoTongue),
        ("DD.YYYY", M::Incomplete),
        ("dd.mm.yyyy", M::Incomplete),
        ("DD.MM.YYYY hh", M::BadTime),
        ("DD.MM.YYYY ss", M::BadTime),
        ("Q.MM.YYYY", M::Unknown('Q')),
    ] {
        assert_eq!(DateFormat::parse(text), Err(mistake), "{text}");
    }
    assert_eq!(
        DateFormat::parse("dd.MM.yyyy"),
        DateFormat::parse("DD.MM.YYYY")
    );
}

#[test]
fn a_date_gets_the_time_of_another_format() {
    let asked = format("YYYY-MM-DD").with_time_of(&format("DD.MM.YYYY hh:mm:ss"));
    assert_eq!(asked.text(), "YYYY-MM-DD hh:mm:ss");
    let none = format("YYYY-MM-DD").with_time_of(&format("DD.MM.YYYY"));
    assert_eq!(none.text(), "YYYY-MM-DD");
}

#[test]
fn two_digits_of_a_year_stand_in_a_stated_century() {
    both_ways("DD.MM.YY[1930]", "26.08.92", "1992-08-26");
    both_ways("DD.MM.YY[1930]", "26.08.29", "2029-08-26");
    both_ways("DD.MM.YY[1930]", "26.08.30", "1930-08-26");
    both_ways("YY[2000]/MM/DD", "03/02/01", "2003-02-01");
    let own = format("DD.MM.YY[1930]");
    // What lies outside of the hundred years would come back as another year.
    assert_eq!(own.written("1929-12-31"), None);
    assert_eq!(own.written("2030-01-01"), None);
    assert_eq!(own.written("1992-08").as_deref(), Some("08.92"));
    assert_eq!(own.restored("08.92").as_deref(), Some("1992-08"));
    assert_eq!(own.plain("26.08.1992"), None);
    assert_eq!(own.plain("26.08.2"), None);
}

#[test]
fn months_have_names_in_four_languages() {
    both_ways("D. MMMM[de] YYYY", "6. März 1992", "1992-03-06");
    both_ways("D MMM[en] YYYY", "26 Aug 1992", "1992-08-26");
    both_ways("MMMM[en] D, YYYY", "August 26, 1992", "1992-08-26");
    both_ways("D MMMM[fr] YYYY", "26 août 1992", "1992-08-26");
    both_ways(
        "D 'de' MMMM[es] 'de' YYYY",
        "26 de agosto de 1992",
        "1992-08-26",
    );
    both_ways("DD-MMM[en]-YY[2000]", "26-Aug-12", "2012-08-26");
    let own = format("D. MMM[de] YYYY");
    assert_eq!(own.plain("6. Mrz. 1992").as_deref(), Some("1992-03-06"));
    assert_eq!(own.plain("6. MÄR 1992").as_deref(), Some("1992-03-06"));
    assert_eq!(own.plain("6. März 1992"), None);
    assert_eq!(own.plain("31. Feb 1992"), None);
    let own = format("D. MMMM[de] YYYY");
    assert_eq!(own.written("1992-08").as_deref(), Some("August 1992"));
    assert_eq!(own.restored("August 1992").as_deref(), Some("1992-08"));
    let own = format("D 'de' MMMM[es] 'de' YYYY");
    assert_eq!(own.written("1992-08").as_deref(), Some("agosto de 1992"));
}
