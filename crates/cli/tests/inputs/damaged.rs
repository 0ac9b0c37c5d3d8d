//! Damaged files of every kind, at random places: an answer or a refusal, never a panic, never a cell.

use super::run;
use super::support::{PATIENTS, POLICY, files, patients, write};

/// Where bytes change, the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }

    /// `bytes` with a bit flipped, a byte set, a piece gone or doubled.
    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut changed = bytes.to_vec();
        for _ in 0..=self.below(3) {
            if changed.is_empty() {
                break;
            }
            let at = self.below(changed.len());
            match self.below(5) {
                0 => changed[at] ^= 1 << self.below(8),
                1 => changed[at] = self.below(256) as u8,
                2 => changed.truncate(at),
                3 => {
                    let end = (at + self.below(40)).min(changed.len());
                    changed.drain(at..end);
                }
                _ => {
                    let end = (at + self.below(40)).min(changed.len());
                    let piece = changed[at..end].to_vec();
                    changed.splice(at..at, piece);
                }
            }
        }
        changed
    }
}

/// Whatever happened is one of ours, and says nothing of anybody.
fn is_an_answer(what: &str, code: i32, text: &str) {
    for cell in ["Sekretna", "panicked", "RUST_BACKTRACE"] {
        assert!(!text.contains(cell), "{what}: {text}");
    }
    assert!((0..=3).contains(&code), "{what}: {code} {text}");
    if code == 3 {
        assert_eq!(text.lines().count(), 1, "{what}: {text}");
    }
}

const HIERARCHY: &str = "10115;1011*;101**;*\n10117;1011*;101**;*\n10119;1011*;101**;*\n10243;1024*;102**;*\n10245;1024*;102**;*\n10247;1024*;102**;*\n";

#[test]
fn every_damaged_input_is_answered() {
    let directory = patients();
    let at = directory.path();
    let data = PATIENTS
        .replace("Ann", "Sekretna Ann")
        .replace("Eva", "Sekretna Eva");
    let lines: Vec<&str> = data.lines().collect();
    let names: Vec<&str> = lines[0].split(',').collect();
    let objects: String = lines[1..]
        .iter()
        .map(|line| {
            let cells = names.iter().zip(line.split(','));
            let cells: Vec<String> = cells
                .map(|(name, cell)| format!("\"{name}\":\"{cell}\""))
                .collect();
            format!("{{{}}}\n", cells.join(","))
        })
        .collect();
    let policy = POLICY.replace("{ redact = \"right\" }", "{ file = \"zip.csv\" }");
    write(at, "zip.csv", HIERARCHY);
    write(at, "patients.csv", &data);
    write(
        at,
        "plain.toml",
        POLICY
            .replace("[release]\n", "[release]\nformat = \"parquet\"\n")
            .replace("name = \"identifier\"", "name = \"insensitive\"")
            + "[accept]\nidentifier-released = { column = \"name\", reason = \"a source\" }\n",
    );
    // A Parquet file of our own, to be read as a source.
    let (code, text) = run(at, &["anonymize", "plain.toml", "-o", "made"]);
    assert_eq!(code, 0, "{text}");
    let made = files(&at.join("made/release"));
    let parquet = made
        .iter()
        .find(|(name, _)| name.extension().is_some_and(|e| e == "parquet"));
    let parquet = &parquet.expect("a Parquet file").1;
    for (format, bytes) in [
        ("csv", data.as_bytes()),
        ("json", objects.as_bytes()),
        ("parquet", parquet),
    ] {
        let file = format!("source.{format}");
        write(at, &file, bytes);
        let flat = policy.replace("patients.csv", &file);
        let flat = if format == "parquet" {
            flat.replace("{ file = \"zip.csv\" }", "\"flat\"")
                .replace("{ interval = [5, 10, 20] }", "\"flat\"")
        } else {
            flat
        };
        write(at, &format!("{format}.toml"), flat);
    }
    let inputs: [(&str, &[u8], &str, usize); 5] = [
        ("source.csv", data.as_bytes(), "csv.toml", 25),
        ("source.json", objects.as_bytes(), "json.toml", 25),
        ("source.parquet", parquet, "parquet.toml", 60),
        ("zip.csv", HIERARCHY.as_bytes(), "csv.toml", 20),
        ("csv.toml", policy.as_bytes(), "csv.toml", 30),
    ];
    let mut dice = Dice(14);
    for (file, bytes, policy, times) in inputs {
        let whole = std::fs::read(at.join(file)).expect("a file");
        for time in 0..times {
            write(at, file, dice.damage(bytes));
            let (code, text) = run(
                at,
                &[
                    "anonymize",
                    policy,
                    "-o",
                    "out",
                    "--force",
                    "--threads",
                    "1",
                ],
            );
            is_an_answer(&format!("{file} {time}"), code, &text);
            if time % 5 == 0 {
                let (code, text) = run(at, &["profile", file]);
                is_an_answer(&format!("profile {file} {time}"), code, &text);
            }
            assert!(!std::fs::read_dir(at).expect("a directory").any(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .starts_with(".denym")
            }));
        }
        write(at, file, whole);
    }
    let (code, text) = run(at, &["anonymize", "csv.toml", "-o", "good"]);
    assert_eq!(code, 0, "{text}");
    let certificate =
        std::fs::read(at.join("good/release/certificate.json")).expect("a certificate");
    for time in 0..40 {
        write(
            at,
            "good/release/certificate.json",
            dice.damage(&certificate),
        );
        let (code, text) = run(at, &["verify", "good"]);
        is_an_answer(&format!("certificate {time}"), code, &text);
    }
}
