//! ISCO-08: an occupation's code, its minor group, its sub-major and its major group, in short words of our own.

use super::ReadyMade;

pub(super) const ISCO08: ReadyMade = ReadyMade {
    name: "isco-08",
    summary: "occupations by codes of ISCO-08, four digits or fewer",
    levels: &["minor group", "sub-major group", "major group"],
    example: "2211 > 221* > 22 health professionals > 2 professionals",
    source: "groups of ISCO-08 (ILO, 2012)",
    of: labels,
};

/// Major groups (one digit) and sub-major groups (two) with what they are about.
const GROUPS: &str = include_str!("isco08.csv");

fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    GROUPS.lines().filter_map(|line| line.split_once(','))
}

fn named(group: &str) -> Option<String> {
    let (code, words) = lines().find(|(code, _)| *code == group)?;
    Some(format!("{code} {words}"))
}

fn labels(value: &str) -> Option<Vec<String>> {
    let digits: String = value.chars().filter(|c| !matches!(c, '.' | ' ')).collect();
    if !(1..=4).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Armed forces lose their zero in spreadsheets; 11, 21 and 31 have no minor group of these numbers.
    let code = match digits.as_str() {
        "110" | "210" | "310" => format!("0{digits}"),
        _ => digits,
    };
    let major = named(&code[..1])?;
    let sub_major = if code.len() > 1 {
        named(&code[..2])?
    } else {
        major.clone()
    };
    let minor = match code.get(..3) {
        Some(minor) => format!("{minor}*"),
        None => sub_major.clone(),
    };
    Some(vec![minor, sub_major, major])
}

/// Every sub-major group.
#[cfg(test)]
pub(super) fn groups() -> impl Iterator<Item = &'static str> {
    lines().map(|(code, _)| code).filter(|code| code.len() == 2)
}
