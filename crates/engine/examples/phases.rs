//! How long does each step take? `cargo run --release -p denym-engine --example phases -- FILE.csv [threads]`

use std::time::Instant;

use denym_data::{Labels, Recoding, Unit};
use denym_engine::{Engine, Error, Format, ReadOptions};

#[expect(clippy::print_stdout, reason = "an example talks")]
fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        println!("usage: phases FILE [threads]");
        return Ok(());
    };
    let threads = arguments.next().and_then(|text| text.parse().ok());
    let mut clock = Clock(Instant::now(), Instant::now());

    let engine = Engine::new(threads)?;
    clock.lap("start");
    let table = engine.read(&path, &ReadOptions::default())?;
    clock.lap("read");
    let quasi: Vec<usize> = (0..table.columns().len()).collect();
    let summary = engine.summarize(&table, &quasi, &[], None)?;
    clock.lap("summarize");
    if let Some((last, others)) = quasi.split_last() {
        engine.summarize(&table, others, &[*last], None)?;
        clock.lap("+ sensitive");
        engine.summarize(&table, &others[..others.len().min(3)], &[], Some(*last))?;
        clock.lap("+ subjects");
    }

    // Every second column keeps its values, the others lose all; the first tuples are suppressed.
    let tuples = summary.tuples();
    let mut recoding = Recoding {
        unit: Unit::Tuple,
        class_of: (0..tuples)
            .map(|tuple| (tuple > tuples / 50).then_some(tuple as u32))
            .collect(),
        labels: Vec::new(),
        published: Vec::new(),
        levels: None,
    };
    for (index, &column) in quasi.iter().enumerate() {
        let dictionary = &table.columns()[column].dictionary;
        let (texts, published) = if index % 2 == 0 {
            let texts = (0..dictionary.len()).map(|code| dictionary.text(code as u32));
            let texts = texts.map(|text| text.map(Into::into)).collect();
            (texts, summary.quasi[index].clone())
        } else {
            (vec![Some("*".into())], vec![0; tuples])
        };
        recoding.labels.push(Labels {
            shares: vec![0.0; texts.len()],
            texts,
        });
        recoding.published.push(published);
    }
    clock.lap("(recoding)");
    let release = engine.apply(&table, &quasi, &quasi, None, &summary, &recoding)?;
    clock.lap("apply");
    let by_record = Recoding {
        unit: Unit::Record,
        class_of: (0..table.records())
            .map(|row| (row % 50 > 0).then_some((row % tuples) as u32))
            .collect(),
        ..recoding.clone()
    };
    engine.apply(&table, &quasi, &quasi, None, &summary, &by_record)?;
    clock.lap("by record");
    for (name, format) in Format::ALL {
        let target = std::env::temp_dir().join(format!("phases-{}.{name}", std::process::id()));
        engine.write(&release, format, &target)?;
        clock.lap(name);
        let _ = std::fs::remove_file(target);
    }
    // The worst case for a writer that copies equal neighbors: no two are equal.
    let target = std::env::temp_dir().join(format!("phases-{}.csv", std::process::id()));
    engine.write(&table, Format::Csv, &target)?;
    clock.lap("csv, raw");
    let _ = std::fs::remove_file(target);
    println!(
        "{} records, {tuples} tuples, {} released, {:.1} ms in all",
        table.records(),
        release.records(),
        clock.0.elapsed().as_secs_f64() * 1e3
    );
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find(|line| line.starts_with("VmHWM"));
        println!("{}", peak.unwrap_or_default());
    }
    Ok(())
}

/// Start, and the end of the last lap.
struct Clock(Instant, Instant);

impl Clock {
    #[expect(clippy::print_stdout, reason = "an example talks")]
    fn lap(&mut self, name: &str) {
        let now = Instant::now();
        println!("{name:>12} {:8.1} ms", (now - self.1).as_secs_f64() * 1e3);
        self.1 = now;
    }
}
