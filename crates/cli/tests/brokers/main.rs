//! Streams through NATS and Kafka; needs the feature `brokers`.

#[path = "../support/kafka.rs"]
mod kafka;
#[path = "../support/mod.rs"]
mod support;

mod delivery;
mod logins;
mod oyster;
