/**
 * @file Records that stay. Kafka deletes what is older than 7 days, by default and by the clock: whoever
 * comes back after a week would find an empty topic. So topics that the page makes are made with
 * `retention.ms=-1`, in plain sight, unless one says otherwise.
 */

/** The configs of a topic that keeps its records. */
export const KEPT = Object.freeze({ "retention.ms": "-1" });

export const KEPT_NOTE = "retention.ms=-1. Kafka’s default deletes records once they are 7 days old, by this cluster’s clock.";
