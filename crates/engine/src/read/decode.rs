//! Text that is not UTF-8, turned into it.

use crate::Encoding;

/// The encoding that the first bytes of a file announce, and how many bytes announce it.
pub(crate) fn byte_order_mark(head: &[u8]) -> Option<(Encoding, usize)> {
    match head {
        [0xEF, 0xBB, 0xBF, ..] => Some((Encoding::UTF_8, 3)),
        [0xFF, 0xFE, ..] => Some((Encoding::UTF_16LE, 2)),
        [0xFE, 0xFF, ..] => Some((Encoding::UTF_16BE, 2)),
        _ => None,
    }
}

/// `bytes` as UTF-8; the error is the text up to the first bytes that mean nothing.
pub(crate) fn decode(bytes: &[u8], encoding: Encoding) -> Result<String, String> {
    if encoding == Encoding::UTF_8 {
        return match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()),
        };
    }
    if encoding == Encoding::UTF_16LE {
        return utf16(bytes, u16::from_le_bytes);
    }
    if encoding == Encoding::UTF_16BE {
        return utf16(bytes, u16::from_be_bytes);
    }
    if encoding == Encoding::WINDOWS_1252 {
        let mut text = String::with_capacity(bytes.len());
        for &byte in bytes {
            match windows_1252(byte) {
                Some(char) => text.push(char),
                None => return Err(text),
            }
        }
        return Ok(text);
    }
    let mut decoder = encoding.tables().new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len());
        text.reserve(room.unwrap_or(rest.len()));
        let (outcome, used) = decoder.decode_to_string_without_replacement(rest, &mut text, true);
        rest = &rest[used..];
        match outcome {
            encoding_rs::DecoderResult::InputEmpty => return Ok(text),
            encoding_rs::DecoderResult::OutputFull => {}
            encoding_rs::DecoderResult::Malformed(..) => return Err(text),
        }
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len() / 2);
    for char in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        match char {
            Ok(char) => text.push(char),
            Err(_) => return Err(text),
        }
    }
    if rest.is_empty() { Ok(text) } else { Err(text) }
}

/// The 27 characters that Windows-1252 has where Latin-1 has control codes; five bytes mean nothing.
fn windows_1252(byte: u8) -> Option<char> {
    const HIGH: [u16; 32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
        0x0152, 0, 0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC,
        0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
    ];
    match byte {
        0x80..=0x9F => match HIGH[usize::from(byte - 0x80)] {
            0 => None,
            unit => char::from_u32(u32::from(unit)),
        },
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_other_programs_save() {
        assert_eq!(decode(b"\x80\xE9", Encoding::WINDOWS_1252).unwrap(), "€é");
        assert_eq!(
            decode(&[0xE9, 0, 0x3D, 0xD8, 0, 0xDE], Encoding::UTF_16LE).unwrap(),
            "é😀"
        );
        assert_eq!(decode(&[0, b'a'], Encoding::UTF_16BE).unwrap(), "a");
        let named = |label: &str| Encoding::parse(label).unwrap();
        assert_eq!(decode(b"\xA4", named("iso-8859-15")).unwrap(), "€");
        assert_eq!(decode(b"\x93\xFA\x96{", named("sjis")).unwrap(), "日本");
        assert_eq!(decode(b"\xE9", named("latin1")).unwrap(), "é");
    }

    #[test]
    fn says_how_far_it_came() {
        assert_eq!(decode(b"ab\x81", Encoding::WINDOWS_1252).unwrap_err(), "ab");
        assert_eq!(decode(b"a\xFFb", Encoding::UTF_8).unwrap_err(), "a");
        let japanese = Encoding::parse("sjis").unwrap();
        assert_eq!(decode(b"ab\xFF", japanese).unwrap_err(), "ab");
        assert_eq!(decode(b"a\0b", Encoding::UTF_16LE).unwrap_err(), "a");
        assert_eq!(
            decode(&[0, 0xD8, b'a', 0], Encoding::UTF_16LE).unwrap_err(),
            ""
        );
    }
}
