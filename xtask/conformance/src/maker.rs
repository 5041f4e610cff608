//! What all random histories are made with.

use loglanes::{Cluster, Command};

use crate::act::Act;
use crate::history::empty_cluster;

/// A history in the making: each act is drawn with the product's state in view.
pub struct Maker {
    pub random: fastrand::Rng,
    pub cluster: Cluster,
    pub now_ms: i64,
    pub acts: Vec<Act>,
}

impl Maker {
    /// An empty history, which follows from its seed.
    pub fn new(seed: u64, now_ms: i64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self { random, cluster: empty_cluster(seed), now_ms, acts: Vec::new() }
    }

    /// One command more.
    pub fn push(&mut self, command: Command) {
        // Refused or not: both sides are to answer the same.
        let _answer = self.cluster.apply(&command, self.now_ms);
        self.acts.push(Act::Command(command));
    }

    pub fn one_in(&mut self, count: u32) -> bool {
        self.random.u32(0..count) == 0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())]
    }
}
