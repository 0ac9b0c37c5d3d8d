//! The generators equal the reference byte for byte: SHA-256 of the serial form.

use std::fmt::Write;

use denym_sequences::generate::{self, Row};
use sha2::{Digest, Sha256};

fn check(rows: impl Iterator<Item = Row>, records: usize, doublets: usize, sha256: &str) {
    let mut text = String::new();
    let (mut n, mut instances) = (0, 0);
    for row in rows {
        n += 1;
        instances += row.path.len();
        row.write_serial(&mut text);
    }
    let digest = Sha256::digest(text.as_bytes());
    let mut hex = String::new();
    for byte in digest {
        write!(hex, "{byte:02x}").expect("a string takes all");
    }
    assert_eq!((n, instances, hex.as_str()), (records, doublets, sha256));
}

#[test]
fn equal_the_reference() {
    check(
        generate::subway_uniform(42, 20_000),
        20_000,
        62_394,
        "957c5da313722f3099ab29ee2993e27f899878e35404bc536e48c1b450a6a86e",
    );
    check(
        generate::subway(42, 20_000),
        20_000,
        63_967,
        "e8013b9962737ad5d2653af5cdb11dde43dee2d49f587d8fda6f25639bcb953c",
    );
    check(
        generate::metro(65, 100_000),
        100_000,
        799_119,
        "83ce5177334fa984be5784873e707123e3145267f42a30d57149a9d39cef3a84",
    );
    check(
        generate::scalability(7, 100_000),
        100_000,
        243_570,
        "b1ecfceedbd243e0d3120dc44286cfbef64aa322a32e61618d86e93f6606fedb",
    );
}
