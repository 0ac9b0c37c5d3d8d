//! How long do exact MDAV and MDAV in blocks take on large numeric data, and what do they lose?
//!
//! Usage: `large_microdata CSV [K ...]`: a header line, then numbers. Every answer is checked before its time is shown.

use std::time::Instant;

use denym_microdata::{
    Centroid, Matrix, Options, Scaling, information_loss_percent, microaggregated, solve,
};

#[expect(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: large_microdata CSV [K ...]")?;
    let ks: Vec<usize> = arguments.map(|k| k.parse()).collect::<Result<_, _>>()?;
    let ks = if ks.is_empty() { vec![3, 10] } else { ks };
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(str::parse).collect::<Result<_, _>>())
        .collect::<Result<_, _>>()?;
    let matrix = Matrix::from_rows(&rows)?.scaled(Scaling::Standardize);
    for k in ks {
        let options = Options {
            k,
            ..Options::default()
        };
        let mut losses = Vec::new();
        for name in ["mdav", "mdav-blocks"] {
            let start = Instant::now();
            let partition = solve(name, &matrix, &options)?;
            let seconds = start.elapsed().as_secs_f64();
            let loss = information_loss_percent(&matrix, &partition);
            assert!(
                partition.smallest() >= k && partition.largest() < 2 * k,
                "every group has k to 2k - 1 records"
            );
            // The loss again, from the numbers that would be published, and the means, which centroids keep.
            let published = microaggregated(&matrix, &partition, Centroid::Mean)?;
            let squares = |other: &[f64]| -> f64 {
                let pairs = matrix.cells().iter().zip(other);
                pairs.map(|(x, y)| (x - y) * (x - y)).sum()
            };
            let means = matrix.means();
            let spread: f64 = squares(&means.repeat(matrix.rows()));
            let again = 100.0 * squares(published.cells()) / spread;
            assert!((again - loss).abs() < 1e-6, "{again} {loss}");
            for (before, after) in means.iter().zip(published.means()) {
                assert!((before - after).abs() < 1e-9, "the means stay");
            }
            println!(
                "{} x {}  k={k:<3} {name:<12} {loss:.6} %  {} groups  {seconds:.2} s",
                matrix.rows(),
                matrix.columns(),
                partition.len()
            );
            losses.push(loss);
        }
        if let [mdav, blocks] = losses[..] {
            let more = 100.0 * (blocks / mdav - 1.0);
            assert!(more <= 2.0, "the sweeps mend the borders");
            println!("blocks over exact MDAV: {more:+.1} percent");
        }
    }
    Ok(())
}
