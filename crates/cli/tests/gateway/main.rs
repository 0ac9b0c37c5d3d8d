//! `denym gateway` as a process; needs the feature `gateway`.

mod log;
mod process;
