//! Metrics of the verified optimal releases of Adult, applied from their levels.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use denym_data::{Fraction, Hierarchy};
use denym_measure::Promise;
use denym_measure::metrics::{
    Cells, Publication, ambiguity, average_class_size, discernibility, height, iloss,
    kl_divergence, loss, minimal_distortion, ncp, non_uniform_entropy, precision, random_queries,
    workload_error,
};
use denym_measure::promises::{DistinctDiversity, KAnonymity, TCloseness};
use support::{adult, close, full_domain, hierarchy, summary};

#[test]
fn verified_releases_have_the_verified_figures() {
    let Some(table) = adult(1) else {
        return;
    };
    let vectors = denym_testkit::vectors("adult-full-domain");
    for config in ["a", "b", "c", "d"] {
        let expected = &vectors["configs"][config];
        let quasi: Vec<&str> = expected["quasi_identifiers"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap())
            .collect();
        let sensitive: Vec<&str> = expected["sensitive"].as_str().into_iter().collect();
        let hierarchies: Vec<Hierarchy> = quasi
            .iter()
            .map(|name| hierarchy(table.column(name).unwrap()))
            .collect();
        let summary = summary(&table, &quasi, &sensitive);
        assert_eq!(expected["distinct_qi_tuples"], summary.tuples() as u64);
        let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 5 })];
        if config == "c" {
            promises.push(Box::new(DistinctDiversity { attribute: 0, l: 3 }));
        }
        if config == "d" {
            let column = table.column("occupation").unwrap();
            let mut reference = vec![0; column.dictionary.len()];
            for &code in &column.codes {
                reference[code as usize] += 1;
            }
            promises.push(Box::new(TCloseness::equal(
                0,
                Fraction::parse("0.2").unwrap(),
                &reference,
            )));
        }
        for metric in ["loss", "dm"] {
            let want = &expected["results"][metric];
            let levels: Vec<usize> = want["levels"]
                .as_array()
                .unwrap()
                .iter()
                .map(|level| level.as_u64().unwrap() as usize)
                .collect();
            let recoding = full_domain(&summary, &hierarchies, &levels, &promises);
            let cells = Cells::of_recoding(&summary, &recoding, &hierarchies).unwrap();
            let publication = Publication::new(&summary, &recoding, &hierarchies).unwrap();
            let name = format!("{config} {metric}");
            assert_eq!(want["suppressed_rows"], cells.suppressed, "{name}");
            assert_eq!(want["classes"], publication.sizes.len() as u64, "{name}");
            assert_eq!(
                want["min_class"],
                *publication.sizes.iter().min().unwrap(),
                "{name}"
            );
            assert_eq!(
                want["max_class"],
                *publication.sizes.iter().max().unwrap(),
                "{name}"
            );
            let found = loss(&cells, &[]).unwrap();
            for (attribute, value) in quasi.iter().zip(&found.per_attribute) {
                let want = want["per_attribute_loss"][attribute].as_f64().unwrap();
                assert!(
                    (value - want).abs() < 1e-11,
                    "{name} {attribute}: {value} for {want}"
                );
            }
            assert!(
                close(found.geometric, want["loss_geometric"].as_f64().unwrap()),
                "{name}"
            );
            assert!(
                close(found.arithmetic, want["loss_arith"].as_f64().unwrap()),
                "{name}"
            );
            let dm = discernibility(
                &publication.sizes,
                publication.suppressed,
                publication.total,
            );
            assert_eq!(
                u128::from(want["discernibility"].as_u64().unwrap()),
                dm,
                "{name}"
            );
            let score = if metric == "loss" {
                found.geometric
            } else {
                dm as f64
            };
            assert!(close(score, want["score"].as_f64().unwrap()), "{name}");
            sane(&cells, &publication, &levels);
        }
    }
}

/// What must hold of the metrics without verified figures: ranges, and the ties between them.
fn sane(cells: &Cells, publication: &Publication<'_>, levels: &[usize]) {
    let weights = vec![0.0; levels.len()];
    assert!(loss(cells, &weights).unwrap().geometric.abs() < 1e-12);
    assert!(ncp(cells, &weights).unwrap().mean.abs() < 1e-12);
    assert!(loss(cells, &[1.0]).is_err());
    let (iloss, ncp) = (iloss(cells, &[]).unwrap(), ncp(cells, &[]).unwrap());
    assert!(0.0 < iloss.mean && iloss.mean < ncp.mean && ncp.mean <= 1.0);
    let precision = precision(cells);
    assert!((0.0..1.0).contains(&precision));
    let steps: u64 = cells
        .attributes
        .iter()
        .map(|attribute| attribute.height as u64 - 1)
        .sum();
    assert_eq!(
        minimal_distortion(cells),
        height(levels) as u64 * (cells.total - cells.suppressed) + steps * cells.suppressed
    );
    let entropy = non_uniform_entropy(publication);
    assert!(0.0 < entropy.normalized && entropy.normalized < 1.0);
    assert!(ambiguity(publication) > 1.0);
    let kept: u64 = publication.sizes.iter().sum();
    assert!(close(
        average_class_size(&publication.sizes),
        kept as f64 / publication.sizes.len() as f64
    ));
    assert!(kl_divergence(publication) > 0.0);
    let queries = random_queries(publication, 50, 7);
    let error = workload_error(publication, &queries, 10.0);
    assert!(error.mean > 0.0 && error.mean.is_finite());
}

/// The raw table loses nothing by any metric.
#[test]
fn nothing_is_lost_at_level_zero() {
    let Some(table) = adult(1) else {
        return;
    };
    let quasi = ["sex", "age", "education"];
    let hierarchies: Vec<Hierarchy> = quasi
        .iter()
        .map(|name| hierarchy(table.column(name).unwrap()))
        .collect();
    let summary = summary(&table, &quasi, &["occupation"]);
    let recoding = full_domain(&summary, &hierarchies, &[0, 0, 0], &[]);
    let cells = Cells::of_recoding(&summary, &recoding, &hierarchies).unwrap();
    let publication = Publication::new(&summary, &recoding, &hierarchies).unwrap();
    let zero = |value: f64| assert!(value.abs() < 1e-9, "{value}");
    zero(loss(&cells, &[]).unwrap().geometric);
    zero(iloss(&cells, &[]).unwrap().total);
    zero(ncp(&cells, &[]).unwrap().total);
    zero(precision(&cells) - 1.0);
    zero(minimal_distortion(&cells) as f64);
    zero(ambiguity(&publication) - 1.0);
    zero(non_uniform_entropy(&publication).bits);
    zero(kl_divergence(&publication));
    let queries = random_queries(&publication, 100, 1);
    zero(workload_error(&publication, &queries, 1.0).largest);
    // Read back as a table the cells are the same.
    let columns: Vec<usize> = quasi
        .iter()
        .map(|name| table.position(name).unwrap())
        .collect();
    let again = Cells::of_table(&table, &columns, &hierarchies, table.records() as u64).unwrap();
    zero(loss(&again, &[]).unwrap().geometric);
}
