//! Check digits of numbers that authorities, insurers and banks give to people.

/// Whether a text is such a number, check digit and all: German health insurance, pension and tax numbers, Spanish identity numbers, French
/// numbers of social security, British numbers of the health service.
pub(super) fn is_official(text: &str) -> bool {
    let mut signs = [0_u8; 16];
    let mut length = 0;
    for byte in text.bytes().filter(|b| !matches!(b, b' ' | b'-' | b'.')) {
        let Some(place) = signs.get_mut(length) else {
            return false;
        };
        *place = byte.to_ascii_uppercase();
        length += 1;
    }
    let signs = &signs[..length];
    match length {
        // Spanish numbers end, German insurance numbers begin with a letter.
        9 => is_spanish(signs),
        10 => is_german_insured(signs) || is_british_health(signs),
        11 => is_german_tax(signs),
        12 => is_german_pension(signs),
        15 => is_french_social(signs),
        _ => false,
    }
}

/// The remainder by 97 of an account number, its first four signs moved to the end, must be one.
pub(super) fn is_right_iban(signs: &[u8]) -> bool {
    let rest = signs[4..].iter().chain(&signs[..4]);
    let remainder = rest.fold(0_u32, |sum, sign| match sign {
        b'0'..=b'9' => (sum * 10 + u32::from(sign - b'0')) % 97,
        letter => (sum * 100 + u32::from(letter.to_ascii_uppercase().wrapping_sub(b'A')) + 10) % 97,
    });
    remainder == 1
}

fn all_digits(signs: &[u8]) -> bool {
    signs.iter().all(u8::is_ascii_digit)
}

fn digit(sign: u8) -> u32 {
    u32::from(sign - b'0')
}

/// Eight digits and a letter that follows from them; foreigners have X, Y or Z for the first digit.
fn is_spanish(signs: &[u8]) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let first = match signs[0] {
        b'X' => b'0',
        b'Y' => b'1',
        b'Z' => b'2',
        other => other,
    };
    if !first.is_ascii_digit() || !all_digits(&signs[1..8]) {
        return false;
    }
    let number = signs[1..8]
        .iter()
        .fold(digit(first), |sum, &sign| sum * 10 + digit(sign));
    LETTERS[(number % 23) as usize] == signs[8]
}

/// A letter and nine digits; the letter counts as its two-digit place, every second digit twice, digits of sums added up.
fn is_german_insured(signs: &[u8]) -> bool {
    if !signs[0].is_ascii_uppercase() || !all_digits(&signs[1..]) {
        return false;
    }
    let place = u32::from(signs[0] - b'A') + 1;
    let digits = [place / 10, place % 10]
        .into_iter()
        .chain(signs[1..9].iter().map(|&sign| digit(sign)));
    let sum: u32 = (0..)
        .zip(digits)
        .map(|(at, digit)| if at % 2 == 0 { digit } else { digit * 2 })
        .map(|value| value / 10 + value % 10)
        .sum();
    sum % 10 == digit(signs[9])
}

/// Ten digits with weights ten to two, remainder by eleven.
fn is_british_health(signs: &[u8]) -> bool {
    if !all_digits(signs) {
        return false;
    }
    let sum: u32 = (2..=10)
        .rev()
        .zip(signs)
        .map(|(weight, &sign)| weight * digit(sign))
        .sum();
    let check = (11 - sum % 11) % 11;
    check < 10 && check == digit(signs[9])
}

/// Eight digits, a letter and three digits; the letter counts as its two-digit place, and digits of weighted sums are added up.
fn is_german_pension(signs: &[u8]) -> bool {
    const WEIGHTS: [u32; 12] = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    if !all_digits(&signs[..8]) || !signs[8].is_ascii_uppercase() || !all_digits(&signs[9..]) {
        return false;
    }
    let place = u32::from(signs[8] - b'A') + 1;
    let digits = signs[..8]
        .iter()
        .map(|&sign| digit(sign))
        .chain([place / 10, place % 10])
        .chain(signs[9..11].iter().map(|&sign| digit(sign)));
    let sum: u32 = digits
        .zip(WEIGHTS)
        .map(|(digit, weight)| digit * weight / 10 + digit * weight % 10)
        .sum();
    sum % 10 == digit(signs[11])
}

/// Eleven digits, the first not zero, one of the first ten two or three times, checked by products modulo eleven and ten.
fn is_german_tax(signs: &[u8]) -> bool {
    if !all_digits(signs) || signs[0] == b'0' {
        return false;
    }
    let mut times = [0_u8; 10];
    for &sign in &signs[..10] {
        times[usize::from(sign - b'0')] += 1;
    }
    let repeated = times.iter().filter(|&&times| times > 1).count();
    if repeated != 1 || times.iter().any(|&times| times > 3) {
        return false;
    }
    let product = signs[..10].iter().fold(10, |product, &sign| {
        let sum = match (digit(sign) + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    (11 - product) % 10 == digit(signs[10])
}

/// Thirteen digits that begin with 1 or 2 and a key of two: 97 less the remainder by 97. Corsicans have 2A or 2B for their county.
fn is_french_social(signs: &[u8]) -> bool {
    let mut signs = signs.to_vec();
    if signs[5] == b'2' && matches!(signs[6], b'A' | b'B') {
        (signs[5], signs[6]) = (b'1', if signs[6] == b'A' { b'9' } else { b'8' });
    }
    if !all_digits(&signs) || !matches!(signs[0], b'1' | b'2') {
        return false;
    }
    let number = |part: &[u8]| {
        part.iter()
            .fold(0_u64, |sum, &sign| sum * 10 + u64::from(digit(sign)))
    };
    97 - number(&signs[..13]) % 97 == number(&signs[13..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_checked() {
        // Examples made for documentation: no person has them.
        for right in [
            "12345678Z",
            "X1234567L",
            "A123456780",
            "943 476 5919",
            "86095742719",
            "15070649C103",
            "2 55 08 14 168 025 38",
        ] {
            assert!(is_official(right), "{right}");
        }
        for wrong in [
            "12345678A",
            "A123456781",
            "943 476 5918",
            "86095742718",
            "15070649C104",
            "2 55 08 14 168 025 39",
            "",
            "é",
            "1234567890123456789",
        ] {
            assert!(!is_official(wrong), "{wrong}");
        }
        assert!(is_right_iban(b"GB82WEST12345698765432"));
        assert!(!is_right_iban(b"GB82WEST12345698765433"));
    }
}
