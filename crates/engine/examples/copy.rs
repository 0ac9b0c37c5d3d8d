//! Merely reads a file into columns and writes it again: what a release is compared with.

use denym_engine::{Engine, Format, ReadOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(source), Some(target)) = (args.next(), args.next()) else {
        return Err("usage: copy SOURCE TARGET".into());
    };
    let engine = Engine::new(None)?;
    let table = engine.read(source, &ReadOptions::default())?;
    engine.write(&table, Format::Csv, target)?;
    Ok(())
}
