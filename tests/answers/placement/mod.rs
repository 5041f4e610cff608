//! Partitioners and replica placement against recorded answers.
//!
//! `tests/golden/placement` and `tests/golden/errors/leaders.ndjson` were recorded from Apache
//! Kafka 4.4.0 (its Java client and a controller's placer) and from the other client libraries
//! in the versions that `Client::version` names. Set `LOGLANES_GOLDEN` to read another folder.

mod explicit;
mod keyless;
mod keys;
mod moves;
mod producer;
mod replicas;
