//! Letters without case and accents, as names are compared.

/// Adds a letter in small and without its accent; German vowels become two letters, as Germans write them where keys are missing.
pub fn fold(letter: char, word: &mut String) {
    for small in letter.to_lowercase() {
        match small {
            'à' | 'á' | 'â' | 'ã' | 'å' => word.push('a'),
            'ä' | 'æ' => word.push_str("ae"),
            'ç' => word.push('c'),
            'è' | 'é' | 'ê' | 'ë' => word.push('e'),
            'ì' | 'í' | 'î' | 'ï' => word.push('i'),
            'ñ' => word.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ø' => word.push('o'),
            'ö' | 'œ' => word.push_str("oe"),
            'ù' | 'ú' | 'û' => word.push('u'),
            'ü' => word.push_str("ue"),
            'ý' | 'ÿ' => word.push('y'),
            'ß' => word.push_str("ss"),
            // Two dots behind a vowel, from a file that keeps accents apart.
            '\u{308}' if word.ends_with(['a', 'o', 'u']) => word.push('e'),
            '\u{300}'..='\u{36f}' | 'º' | 'ª' => {}
            other => word.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_are_gone() {
        let plain = |text: &str| {
            let mut word = String::new();
            text.chars().for_each(|letter| fold(letter, &mut word));
            word
        };
        assert_eq!(plain("Größe"), "groesse");
        assert_eq!(plain("Gro\u{308}ße"), "groesse");
        assert_eq!(plain("ÉTÉ"), "ete");
        assert_eq!(plain("Ñandú"), "nandu");
    }
}
