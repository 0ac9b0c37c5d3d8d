//! A sweep: all groups of the data divided into regions of neighboring groups, anew each time.

use crate::index::Index;
use crate::random::{RandomSource, SplitMix64};
use crate::{Centroid, Matrix, centroid_of};

/// Records of a region, about: enough groups to let records travel, few enough that the distances stay in the cache.
const RECORDS: usize = 128;
/// The fewest and the most groups of a region.
const LEAST: usize = 3;
const MOST: usize = 24;

/// Regions as group numbers; every group is in one region at most. Groups whose neighbors are all taken may be in none.
///
/// Seeds are drawn, so that the borders of one sweep are inside regions of the next.
pub(super) fn regions(
    matrix: &Matrix,
    groups: &[Vec<u32>],
    random: &mut SplitMix64,
) -> Vec<Vec<u32>> {
    let size = (matrix.rows() / groups.len()).max(1);
    let most = (RECORDS / size).clamp(LEAST, MOST);
    let centroids: Vec<Vec<f64>> = groups
        .iter()
        .map(|group| centroid_of(matrix, group, Centroid::Mean))
        .collect();
    let Ok(centroids) = Matrix::from_rows(&centroids) else {
        return Vec::new();
    };
    let mut index = Index::new(&centroids);
    let mut order: Vec<u32> = (0..groups.len() as u32).collect();
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    let mut taken = vec![false; groups.len()];
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    let mut regions = Vec::with_capacity(groups.len() / most + 1);
    for seed in order {
        if taken[seed as usize] {
            continue;
        }
        // Regions of different sizes: small ones are searched thoroughly, large ones let records go far.
        let count = (most / 2).max(LEAST) + random.below(most - (most / 2).max(LEAST) + 1);
        let center = centroids.row(seed as usize);
        index.nearest(center, count - 1, seed, &mut stack, &mut found);
        let mut region = vec![seed];
        region.extend(found.iter().map(|&(_, group)| group));
        for &group in &region {
            taken[group as usize] = true;
            index.remove(group);
        }
        if region.len() > 1 {
            regions.push(region);
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_in_one_region_at_most_and_nearly_all_are_in_one() {
        let mut random = SplitMix64::new(3);
        let matrix = Matrix::new((0..3000).map(|_| random.normal()).collect(), 3).unwrap();
        let groups: Vec<Vec<u32>> = (0..200).map(|g| (5 * g..5 * g + 5).collect()).collect();
        let mut times = vec![0; groups.len()];
        for region in regions(&matrix, &groups, &mut random) {
            assert!((2..=MOST).contains(&region.len()));
            for group in region {
                times[group as usize] += 1;
            }
        }
        assert!(times.iter().all(|&count| count <= 1));
        assert!(
            times.iter().sum::<i32>() >= 199,
            "only the last seed can be alone"
        );
    }
}
