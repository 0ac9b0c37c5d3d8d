//! ICD-10: a code, its category of three signs, its block and its chapter, in short words of our own.

use std::sync::LazyLock;

use super::ReadyMade;

pub(super) const ICD10: ReadyMade = ReadyMade {
    name: "icd-10",
    summary: "diagnoses by codes of ICD-10, those of the German and the American edition among them",
    levels: &["category", "block", "chapter"],
    example: "I21.0 > I21 > I20-I25 ischemic heart disease > I00-I99 circulation",
    source: "ranges of blocks and chapters of ICD-10 (WHO, 2019; ICD-10-GM, ICD-10-CM)",
    of: labels,
};

/// First and last category of a block, and what it is about; in the order of categories.
static BLOCKS: LazyLock<Vec<(&str, &str, &str)>> = LazyLock::new(|| {
    let line = |line: &'static str| {
        let (range, words) = line.split_once(',')?;
        let (first, last) = range.split_once('-')?;
        Some((first, last, words))
    };
    include_str!("icd10.csv").lines().filter_map(line).collect()
});

/// First and last category of a chapter, and what it is about.
const CHAPTERS: [(&str, &str, &str); 22] = [
    ("A00", "B99", "infections"),
    ("C00", "D49", "tumors"),
    ("D50", "D90", "blood and immune system"),
    ("E00", "E90", "glands and metabolism"),
    ("F00", "F99", "mind and behavior"),
    ("G00", "G99", "nervous system"),
    ("H00", "H59", "eye"),
    ("H60", "H95", "ear"),
    ("I00", "I99", "circulation"),
    ("J00", "J99", "breathing"),
    ("K00", "K95", "digestion"),
    ("L00", "L99", "skin"),
    ("M00", "M99", "bones and muscles"),
    ("N00", "N99", "urinary and genital organs"),
    ("O00", "O99", "pregnancy and birth"),
    ("P00", "P96", "newborn"),
    ("Q00", "Q99", "malformations"),
    ("R00", "R99", "signs and findings"),
    ("S00", "T98", "injuries and poisoning"),
    ("U00", "U99", "special uses"),
    ("V01", "Y99", "outer causes"),
    ("Z00", "Z99", "contacts with care"),
];

/// Categories of the American edition with a letter in the third place, and the category beside which they stand.
const LETTERS: [(&str, &str); 7] = [
    ("C4A", "C44"),
    ("C7A", "C75"),
    ("C7B", "C79"),
    ("D3A", "D36"),
    ("M1A", "M10"),
    ("O9A", "O99"),
    ("Z3A", "Z39"),
];

fn labels(value: &str) -> Option<Vec<String>> {
    let code: String = value
        .trim_end_matches(['*', '+', '!', '†', '-', '#'])
        .chars()
        .filter(|c| !matches!(c, '.' | ' '))
        .map(|c| c.to_ascii_uppercase())
        .collect();
    let signs = code.as_bytes();
    let fits = (3..=7).contains(&signs.len())
        && signs.iter().all(u8::is_ascii_alphanumeric)
        && signs[0].is_ascii_uppercase()
        && signs[1].is_ascii_digit();
    if !fits {
        return None;
    }
    let category = &code[..3];
    let beside = LETTERS
        .iter()
        .find(|(of, _)| *of == category)
        .map_or(category, |(_, beside)| beside);
    if !beside.as_bytes()[2].is_ascii_digit() {
        return None;
    }
    // Categories compare as texts do: a letter and two digits.
    let holds = |first: &str, last: &str| (first..=last).contains(&beside);
    let after = BLOCKS.partition_point(|(first, ..)| *first <= beside);
    let (first, last, words) = BLOCKS.get(after.checked_sub(1)?)?;
    if !holds(first, last) {
        return None;
    }
    let block = if first == last {
        format!("{first} {words}")
    } else {
        format!("{first}-{last} {words}")
    };
    let (first, last, words) = CHAPTERS
        .iter()
        .find(|(first, last, _)| holds(first, last))?;
    Some(vec![
        category.to_owned(),
        block,
        format!("{first}-{last} {words}"),
    ])
}

/// Every category that lies in a block.
#[cfg(test)]
pub(super) fn categories() -> impl Iterator<Item = String> {
    let all =
        ('A'..='Z').flat_map(|letter| (0..100).map(move |number| format!("{letter}{number:02}")));
    let letters = LETTERS.iter().map(|(of, _)| (*of).to_owned());
    all.filter(|code| {
        BLOCKS
            .iter()
            .any(|&(first, last, _)| (first..=last).contains(&code.as_str()))
    })
    .chain(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_in_order_and_each_lies_in_one_chapter() {
        let mut before = "";
        for &(first, last, words) in BLOCKS.iter() {
            assert!(before < first && first <= last, "{first}-{last}");
            before = last;
            assert!(!words.is_empty() && words.len() < 50, "{words}");
            let chapters = CHAPTERS
                .iter()
                .filter(|(low, high, _)| *low <= first && last <= *high);
            assert_eq!(chapters.count(), 1, "{first}-{last}");
        }
        assert_eq!(BLOCKS.len(), include_str!("icd10.csv").lines().count());
        assert!(BLOCKS.len() > 230);
    }
}
