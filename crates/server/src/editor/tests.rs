//! Clicks change what they say and nothing else.

use super::*;

const POLICY: &str = "# a word before\n[data]\npath = \"p.csv\"\n\n[attributes]\nname = \"identifier\"    # never released\nage  = { role = \"quasi\", hierarchy = { interval = [5, 25] } }\ndisease = { role = \"sensitive\", taxonomy = \"d.csv\" }\n\n[promise]\nk-anonymity = 5   # a handful\nl-diversity = { attribute = \"disease\", kind = \"entropy\", l = 3 }\n";

fn edited(change: impl FnOnce(&mut Editor) -> Result<(), Failure>) -> String {
    let mut editor = Editor::open(POLICY).expect("TOML");
    change(&mut editor).expect("a change");
    editor.text()
}

/// The lines that differ, old and new.
fn difference(new: &str) -> (Vec<&str>, Vec<&str>) {
    let old: Vec<&str> = POLICY.lines().collect();
    let new: Vec<&str> = new.lines().collect();
    let only = |one: &[&'static str], other: &[&str]| -> Vec<&'static str> {
        one.iter()
            .filter(|line| !other.contains(line))
            .copied()
            .collect()
    };
    let gone = only(&old, &new);
    let come = new
        .iter()
        .filter(|line| !old.contains(line))
        .copied()
        .collect();
    (gone, come)
}

#[test]
fn a_role_is_one_line_and_its_comment_stays() {
    let text = edited(|editor| editor.set_role("name", Some("insensitive")));
    assert_eq!(
        difference(&text).1,
        ["name = \"insensitive\"    # never released"]
    );
    let text = edited(|editor| editor.set_role("disease", Some("quasi")));
    assert_eq!(
        difference(&text).1,
        ["disease = { role = \"quasi\", hierarchy = \"d.csv\" }"]
    );
    let text = edited(|editor| editor.set_role("age", Some("sensitive")));
    assert_eq!(difference(&text).1, ["age  = \"sensitive\""]);
    let text = edited(|editor| editor.set_role("age", None));
    let (gone, come) = difference(&text);
    assert_eq!((gone.len(), come.len()), (1, 0));
}

#[test]
fn a_hierarchy_is_put_in_and_taken_away() {
    let text = edited(|editor| editor.set_hierarchy("age", Some("{ interval = [10] }")));
    assert_eq!(
        difference(&text).1,
        ["age  = { role = \"quasi\", hierarchy = { interval = [10] } }"]
    );
    let text = edited(|editor| editor.set_hierarchy("age", None));
    assert_eq!(difference(&text).1, ["age  = \"quasi\""]);
}

#[test]
fn numbers_of_promises_change_in_place() {
    let k = [("k".to_owned(), "7".to_owned())];
    let text = edited(|editor| editor.set_promise("k-anonymity", 0, &k));
    assert_eq!(difference(&text).1, ["k-anonymity = 7   # a handful"]);
    let l = [("l".to_owned(), "2.5".to_owned())];
    let text = edited(|editor| editor.set_promise("l-diversity", 0, &l));
    assert_eq!(
        difference(&text).1,
        ["l-diversity = { attribute = \"disease\", kind = \"entropy\", l = 2.5 }"]
    );
    for wrong in ["x", "1e3", "-1", "inf", "5\n[release]", "{ a = 1 }"] {
        let given = [("k".to_owned(), wrong.to_owned())];
        let mut editor = Editor::open(POLICY).expect("TOML");
        assert!(
            editor.set_promise("k-anonymity", 0, &given).is_err(),
            "{wrong}"
        );
        assert_eq!(editor.text(), POLICY);
    }
}

#[test]
fn every_promise_can_be_added_and_taken_away_again() {
    for entry in PROMISES.iter().filter(|entry| entry.in_policy.is_some()) {
        let mut editor = Editor::open(POLICY).expect("TOML");
        editor.add_promise(entry.name).expect("added");
        let own: Vec<Promised> = editor.promises();
        let key = entry.in_policy.map_or("", |(key, _)| key);
        let at = own.iter().filter(|one| one.key == key).count() - 1;
        assert!(Editor::open(&editor.text()).is_ok(), "{}", entry.name);
        editor.remove_promise(key, at).expect("removed");
        assert_eq!(editor.promises().len(), 2, "{}", entry.name);
    }
}

#[test]
fn a_point_of_the_frontier_is_written_where_it_belongs() {
    let chosen = [
        ("k", "10"),
        ("l", "2"),
        ("suppress", "0.05"),
        ("algorithm", "auto"),
    ];
    let chosen = chosen.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let text = edited(|editor| editor.choose(&chosen));
    let lines = difference(&text).1;
    for line in [
        "k-anonymity = 10   # a handful",
        "l-diversity = { attribute = \"disease\", kind = \"entropy\", l = 2 }",
        "suppress-at-most = 0.05",
        "algorithm = \"auto\"",
    ] {
        assert!(lines.contains(&line), "{line}: {text}");
    }
}

#[test]
fn an_algorithm_takes_with_it_what_only_the_last_one_used() {
    let text = "[data]\npath = \"a.csv\"\n[attributes]\nage = \"quasi\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"auto\"\ngrain = \"mixed\"\nranges = \"rounded\"   # why\nseed = 7\n";
    let mut editor = Editor::open(text).expect("a policy");
    editor.set_algorithm("mondrian").expect("set");
    assert!(
        !editor.text().contains("grain") && editor.text().contains("ranges"),
        "{}",
        editor.text()
    );
    editor.set_algorithm("full-domain").expect("set");
    let left = editor.text();
    assert!(
        !left.contains("ranges") && left.contains("seed = 7"),
        "{left}"
    );
    denym::parse_policy(&left, Path::new("policy.toml")).expect("no mistake is left");
}
