//! Cuts the name of a column into words and looks them up in the tables of four languages.

use std::collections::HashMap;
use std::sync::LazyLock;

use denym_data::fold;

use super::{Meaning, english, french, german, spanish};

/// One line of a table of words: a meaning and how people say it.
///
/// An expression is one or several words, without accents. A hyphen at its end means that it may begin a longer word (`geburt-`), one at its
/// beginning that it may end one (`-diagnose`). `=` before it means that it must be the whole name.
pub(super) type Line = (Meaning, &'static [&'static str]);

/// What one language contributes.
pub(super) struct Vocabulary {
    /// Meanings with their expressions.
    pub(super) lines: &'static [Line],
    /// Words for people, which mean [`Meaning::Person`] only alone or beside a word for numbers.
    pub(super) people: &'static [&'static str],
    /// Words for papers and cases, which mean [`Meaning::RecordNumber`] only beside a word for numbers.
    pub(super) papers: &'static [&'static str],
    /// Words for numbers that tell things apart.
    pub(super) numbers: &'static [&'static str],
    /// Words without a meaning of their own.
    pub(super) small: &'static [&'static str],
}

const LANGUAGES: [&Vocabulary; 4] = [
    &english::WORDS,
    &german::WORDS,
    &french::WORDS,
    &spanish::WORDS,
];

/// What a name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// What the column is about.
    pub meaning: Meaning,
    /// The expression that says so, as the name has it, without accents.
    pub word: String,
}

/// Most words of a name that are read as one expression.
const LONGEST: usize = 4;

/// Most letters of a name that are looked at: nobody names a column at more length.
const MOST_LETTERS: usize = 200;

/// The tables of all languages, ready to be looked up.
struct Lookup {
    /// Expressions without blanks and hyphens; the flag says that they must be the whole name.
    whole: HashMap<String, (Meaning, bool)>,
    /// Expressions that may begin a word, the longest first.
    beginnings: Vec<(String, Meaning)>,
    /// Expressions that may end a word, the longest first.
    endings: Vec<(String, Meaning)>,
}

static LOOKUP: LazyLock<Lookup> = LazyLock::new(|| {
    let mut lookup = Lookup {
        whole: HashMap::new(),
        beginnings: Vec::new(),
        endings: Vec::new(),
    };
    for (meaning, expressions) in LANGUAGES.iter().flat_map(|language| language.lines) {
        for expression in *expressions {
            let alone = expression.starts_with('=');
            let text = expression.trim_start_matches('=');
            let words: Vec<&str> = text.split([' ', '-']).filter(|w| !w.is_empty()).collect();
            let joined = words.concat();
            let kept: Vec<&str> = words.iter().copied().filter(|w| !is_small(w)).collect();
            // Where languages disagree the more telling meaning wins.
            for key in [joined.clone(), kept.concat()] {
                let entry = lookup.whole.entry(key).or_insert((*meaning, alone));
                if *meaning < entry.0 {
                    *entry = (*meaning, alone);
                }
            }
            if text.ends_with('-') {
                lookup.beginnings.push((joined.clone(), *meaning));
            }
            if text.starts_with('-') {
                lookup.endings.push((joined, *meaning));
            }
        }
    }
    let longest = |a: &(String, Meaning), b: &(String, Meaning)| b.0.len().cmp(&a.0.len());
    lookup.beginnings.sort_by(longest);
    lookup.endings.sort_by(longest);
    lookup
});

/// What the name of a column says; `None` when it says nothing that is known.
pub fn meaning_of(name: &str) -> Option<Told> {
    let all = words_of(name);
    let words: Vec<&str> = {
        let kept: Vec<&str> = all
            .iter()
            .map(String::as_str)
            .filter(|w| !is_small(w))
            .collect();
        if kept.is_empty() {
            all.iter().map(String::as_str).collect()
        } else {
            kept
        }
    };
    if words.is_empty() {
        return None;
    }
    let found = |meaning: Meaning, word: String| Some(Told { meaning, word });
    // The whole name first, then the meaning that tells most, then the longest expression.
    let whole = words.concat();
    if let Some(&(meaning, _)) = LOOKUP.whole.get(&whole) {
        return found(meaning, words.join(" "));
    }
    let mut best: Option<(Meaning, usize, String)> = None;
    let mut offer = |meaning: Meaning, word: String| {
        let better = best.as_ref().is_none_or(|(known, length, _)| {
            meaning < *known || meaning == *known && word.len() > *length
        });
        if better {
            best = Some((meaning, word.len(), word));
        }
    };
    for start in 0..words.len() {
        for end in start + 1..=words.len().min(start + LONGEST) {
            let run = &words[start..end];
            if let Some(&(meaning, false)) = LOOKUP.whole.get(&run.concat()) {
                offer(meaning, run.join(" "));
            }
        }
        if let Some((meaning, word)) = compound(words[start]) {
            offer(meaning, word.to_owned());
        }
    }
    let is = |of: fn(&Vocabulary) -> &'static [&'static str], word: &str| {
        LANGUAGES
            .iter()
            .any(|language| of(language).contains(&word))
    };
    let number = |word: &str| is(|l| l.numbers, word) || word.bytes().all(|b| b.is_ascii_digit());
    let person = |word: &str| is(|l| l.people, word);
    let paper = |word: &str| is(|l| l.papers, word);
    let telling = best
        .as_ref()
        .is_some_and(|(meaning, ..)| *meaning < Meaning::RecordNumber);
    if !telling {
        let numbered = words.iter().any(|word| number(word));
        if words.iter().any(|word| person(word))
            && words.iter().all(|word| person(word) || number(word))
        {
            return found(Meaning::Person, words.join(" "));
        }
        let papers = words.iter().any(|word| paper(word))
            && words
                .iter()
                .all(|word| paper(word) || person(word) || number(word));
        // A number of something unknown is a number of a record, too; whether it names anybody is seen by its values.
        let unknown = best.is_none() && words.iter().any(|word| is(|l| l.numbers, word));
        if numbered && (papers || unknown) {
            return found(Meaning::RecordNumber, words.join(" "));
        }
    }
    best.map(|(meaning, _, word)| Told { meaning, word })
}

/// What a single long word says by its end or its beginning, the end first: a `Diagnosedatum` is a date.
fn compound(word: &str) -> Option<(Meaning, &str)> {
    let ends = |(end, meaning): &(String, Meaning)| {
        (word.len() > end.len() && word.ends_with(end.as_str())).then_some((*meaning, word))
    };
    let begins = |(start, meaning): &(String, Meaning)| {
        (word.len() > start.len() && word.starts_with(start.as_str())).then_some((*meaning, word))
    };
    let end = LOOKUP.endings.iter().find_map(ends);
    let start = LOOKUP.beginnings.iter().find_map(begins);
    match (end, start) {
        // A name that anybody could have (`-nr`, `-name`) says less than what it is the name of.
        (Some(end), Some(start)) if end.0 >= Meaning::Name && start.0 < end.0 => Some(start),
        (end, start) => end.or(start),
    }
}

fn is_small(word: &str) -> bool {
    LANGUAGES
        .iter()
        .any(|language| language.small.contains(&word))
}

/// The words of a name, in small letters without accents: `Pat.-Nr.` as `pat`, `nr`; `birthDate` as `birth`, `date`; `Größe2` as
/// `groesse`, `2`.
pub fn words_of(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().take(MOST_LETTERS).collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at
            .checked_sub(1)
            .and_then(|before| letters.get(before).copied());
        let after = letters.get(at + 1).copied();
        let is_mark = ('\u{300}'..='\u{36f}').contains(&letter);
        let border = before.is_some_and(|before| {
            let camel = letter.is_uppercase()
                && (before.is_lowercase()
                    || before.is_uppercase() && after.is_some_and(char::is_lowercase));
            let digits = before.is_alphanumeric() && before.is_numeric() != letter.is_numeric();
            !is_mark && (camel || digits)
        });
        if (border || !(letter.is_alphanumeric() || is_mark)) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() || is_mark {
            fold(letter, &mut word);
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
