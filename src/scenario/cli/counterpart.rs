//! What each act is on a real cluster's command line.

/// An act's counterpart. `docs/scenarios.md` has the same as a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counterpart {
    /// The act's first word.
    pub verb: &'static str,
    /// The tools that do it, as a person names them; empty: there is none.
    pub command: &'static str,
    /// What of it is not carried over, and what a real cluster does instead; empty: all of it is.
    pub lost: &'static str,
}

const fn of(verb: &'static str, command: &'static str, lost: &'static str) -> Counterpart {
    Counterpart { verb, command, lost }
}

/// No tool keeps a member of a group alive between two commands.
const NO_MEMBER: &str =
    "No member runs there: a tool's consumer leaves its group when its command ends.";

const NO_TRANSACTION: &str = "No tool has transactions.";

/// Every act, in the order of [`VERBS`](crate::scenario::VERBS).
///
/// ```
/// use loglanes::scenario::{COUNTERPARTS, VERBS};
///
/// assert!(VERBS.iter().eq(COUNTERPARTS.iter().map(|one| &one.verb)));
/// ```
pub const COUNTERPARTS: [Counterpart; 40] = [
    of("topic", "kafka-topics --create", ""),
    of("delete-topic", "kafka-topics --delete", ""),
    of("partitions", "kafka-topics --alter", ""),
    of("configs", "kafka-configs --alter", ""),
    of(
        "produce",
        "kafka-console-producer; kcat -P -p where that would place or hold a record otherwise",
        "No tool sets a timestamp: records get the time at which they are sent.",
    ),
    of(
        "produce-many",
        "kafka-console-producer or kcat -P -p, with a file",
        "No tool sets a timestamp: records get the time at which they are sent.",
    ),
    of(
        "copy-log",
        "kafka-console-producer or kcat -P -p, with a file",
        "No tool fills a broker's folder: the records are sent as new ones, without the offsets, batches and timestamps that they had.",
    ),
    of(
        "producer",
        "--producer-property, or kcat -X, where it sends",
        "No producer runs on between two commands: each command that sends starts one with these settings.",
    ),
    of("close-producer", "", "No producer runs there that could be closed."),
    of("kill-producer", "", "No producer runs there that could be killed."),
    of(
        "retry",
        "kafka-console-producer or kcat -P -p for what is stored twice",
        "No tool sends a batch a second time: Kafka's clients do so by themselves, when an answer is lost.",
    ),
    of("init-transactions", "", NO_TRANSACTION),
    of(
        "begin-transaction",
        "",
        "No tool has transactions: records of those that are committed are sent as plain ones, the others are not sent.",
    ),
    of(
        "send-offsets",
        "",
        "No tool has transactions: the offsets are set where this one is committed.",
    ),
    of(
        "commit-transaction",
        "kafka-consumer-groups --reset-offsets for the offsets in it",
        "No tool has transactions: the records were sent as plain ones, and no marker takes an offset.",
    ),
    of(
        "abort-transaction",
        "",
        "No tool has transactions: the records were not sent, and no marker takes an offset.",
    ),
    of(
        "join",
        "",
        "No member runs there: kafka-console-consumer --group would be one, in a terminal of its own, for as long as it runs.",
    ),
    of(
        "assign",
        "kafka-console-consumer --partition for what a lone one reads",
        "No consumer runs there: kafka-console-consumer --partition would be one, of one partition, for as long as it runs.",
    ),
    of("leave", "", NO_MEMBER),
    of("crash", "", NO_MEMBER),
    of("restart", "", NO_MEMBER),
    of("subscribe", "", NO_MEMBER),
    of("unsubscribe", "", NO_MEMBER),
    of("enforce-rebalance", "", NO_MEMBER),
    of("exceed-poll-interval", "", NO_MEMBER),
    of("remove-members", "", NO_MEMBER),
    of(
        "poll",
        "kafka-console-consumer --group --max-messages, or --partition --offset for the same records",
        "",
    ),
    of(
        "commit",
        "kafka-consumer-groups --reset-offsets",
        "No tool commits a text or a leader's epoch beside an offset.",
    ),
    of(
        "seek",
        "",
        "No member runs there whose position could be moved: what it reads next is read from there.",
    ),
    of("pause", "", NO_MEMBER),
    of("resume", "", NO_MEMBER),
    of("refresh-metadata", "", NO_MEMBER),
    of(
        "reset-offsets",
        "kafka-consumer-groups --reset-offsets",
        "The times of the records are others there: the offsets are given that were found here.",
    ),
    of("delete-offsets", "kafka-consumer-groups --delete-offsets", ""),
    of("delete-group", "kafka-consumer-groups --delete", ""),
    of("delete-records", "kafka-delete-records", ""),
    of(
        "retention",
        "kafka-delete-records up to where it came here",
        "No tool makes a broker look for old segments: it does so by itself, every five minutes unless log.retention.check.interval.ms says otherwise, and goes by its own clock.",
    ),
    of(
        "compaction",
        "",
        "No tool makes a broker clean its logs: the cleaner does so by itself, where enough is dirty and outside the active segment.",
    ),
    of(
        "clock",
        "kafka-delete-records, where old segments went",
        "Nothing moves a real cluster's clock: what runs by it comes in its own time.",
    ),
    of(
        "tick",
        "kafka-delete-records, where old segments went",
        "Nothing moves a real cluster's clock: what runs by it comes in its own time.",
    ),
];

/// That of an act's first word.
pub(super) fn counterpart(verb: &str) -> &'static Counterpart {
    COUNTERPARTS.iter().find(|one| one.verb == verb).unwrap_or(&NONE)
}

const NONE: Counterpart = of("", "", "There is no tool for it.");
