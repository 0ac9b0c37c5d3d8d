//! Worlds one after the other: every assignment of values to people, every table of a few records.

/// Every assignment of one of `values` values to each of `people` people, all equally likely.
pub fn every_assignment(people: usize, values: u32) -> Vec<(Vec<u32>, f64)> {
    let all = (values as usize).pow(people as u32);
    let world = |mut number: usize| {
        let digits = (0..people).map(|_| {
            let digit = number % values as usize;
            number /= values as usize;
            digit as u32
        });
        (digits.collect(), 1.0)
    };
    (0..all).map(world).collect()
}

/// Every table of `records` records of some of `kinds` kinds, in no order, as likely as its orders are many.
pub fn every_multiset(records: usize, kinds: u32) -> Vec<(Vec<u32>, f64)> {
    let mut worlds = Vec::new();
    let mut world = vec![0; records];
    loop {
        worlds.push((world.clone(), orders(&world)));
        // The next ascending sequence: the last place that can grow takes all after it along.
        let Some(place) = world.iter().rposition(|&kind| kind + 1 < kinds) else {
            return worlds;
        };
        let kind = world[place] + 1;
        world[place..].fill(kind);
    }
}

/// In how many orders an ascending sequence can be written.
fn orders(world: &[u32]) -> f64 {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    let runs = world.chunk_by(|a, b| a == b);
    factorial(world.len()) / runs.map(|run| factorial(run.len())).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ordered_table_is_counted_once() {
        for (records, power, kinds) in [(1, 1, 1), (3, 3, 2), (4, 4, 5)] {
            let worlds = every_multiset(records, kinds);
            let all: f64 = worlds.iter().map(|world| world.1).sum();
            assert!((all - f64::from(kinds).powi(power)).abs() < 1e-9);
            assert_eq!(
                every_assignment(records, kinds).len(),
                kinds.pow(records as u32) as usize
            );
        }
    }
}
