//! What an adversary could learn: groups, promises, risk and utility, measured by code that never imports a solver.

pub mod paths;
