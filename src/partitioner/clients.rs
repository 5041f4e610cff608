//! The client families and their partitioners: one table.
//!
//! Every row says where three kinds of records go: with a key, with the empty key, with none.
//! Clients differ in all three, so the same key can lie on different partitions of one topic.
//!
//! Source: measured on the versions of [`Client::version`], see `tests/golden/placement`
//! (`clients.ndjson`, `null-and-empty.ndjson`); the two older Java rules from KIP-480 and from
//! `DefaultPartitioner` of Kafka 2.3.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::client::Client;
use super::placement::{Placement, StartsAt, Stay, TurnOrder};
use super::{HashFamily, KeyArithmetic, KeyHash, SignRule};

/// Where one kind of record goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Where the hash of its key points; no key is hashed as the empty one.
    Hash(HashFamily),
    /// As a record whose key does not count.
    Keyless(Placement),
}

struct Row {
    id: &'static str,
    client: Client,
    name: &'static str,
    is_default: bool,
    key: Rule,
    empty: Rule,
    null: Rule,
}

const MURMUR2: Rule = Rule::Hash(HashFamily::JAVA);
const LEGACY: Rule = hash(KeyHash::KafkajsLegacyMurmur2, SignRule::Mask);
const CRC32: Rule = hash(KeyHash::Crc32, SignRule::Unsigned);
const FNV1A_ABS: Rule = hash(KeyHash::Fnv1a, SignRule::Absolute);
const FNV1A_MASK: Rule = hash(KeyHash::Fnv1a, SignRule::Mask);
const FNV1A_UNSIGNED: Rule = hash(KeyHash::Fnv1a, SignRule::Unsigned);
const RANDOM: Rule = Rule::Keyless(Placement::Random);
const TURNS: Rule = turns(StartsAt::First, TurnOrder::PartitionNumber);
const TURNS_ANYWHERE: Rule = turns(StartsAt::Random, TurnOrder::PartitionNumber);
const JAVA_TURNS: Rule = turns(StartsAt::First, TurnOrder::JavaMap);
const JAVA_TURNS_ANYWHERE: Rule = turns(StartsAt::Random, TurnOrder::JavaMap);
const STICKY_BATCH_SIZE: Rule = sticky(Stay::BatchSize);
const STICKY_BATCH: Rule = sticky(Stay::Batch);
const STICKY_TIME: Rule = sticky(Stay::Time);
const STICKY_64K: Rule = sticky(Stay::Bytes(65_536));

const fn hash(hash: KeyHash, sign: SignRule) -> Rule {
    Rule::Hash(HashFamily { hash, sign })
}

const fn turns(starts_at: StartsAt, order: TurnOrder) -> Rule {
    Rule::Keyless(Placement::RoundRobin { starts_at, order })
}

const fn sticky(stay: Stay) -> Rule {
    Rule::Keyless(Placement::Sticky { stay })
}

macro_rules! partitioners {
    ($($variant:ident $id:literal $client:ident $name:literal $default:literal
        $key:ident $empty:ident $null:ident;)*) => {
        /// A partitioner of some client, as one would choose it in that client's own words.
        ///
        /// ```
        /// use loglanes::partitioner::{Client, Partitioner, Placement};
        ///
        /// let kcat = Partitioner::from_id("librdkafka/consistent_random").unwrap();
        /// assert_eq!(kcat.client(), Client::Librdkafka);
        /// assert!(kcat.is_default());
        /// assert_eq!(kcat.place(Some(b"order-1008"), 12), Placement::Fixed(1));
        /// assert_eq!(Partitioner::JavaDefault.place(Some(b"order-1008"), 12), Placement::Fixed(7));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum Partitioner {
            $(
                #[doc = concat!("`", $name, "` of the client `", stringify!($client), "`.")]
                #[serde(rename = $id)]
                $variant,
            )*
        }

        impl Partitioner {
            /// All of them: the Java client's first, the default of each client before its others.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        id: $id,
                        client: Client::$client,
                        name: $name,
                        is_default: $default,
                        key: $key,
                        empty: $empty,
                        null: $null,
                    },)*
                }
            }
        }
    };
}

// The columns: variant, id, client, name there, whether it is the client's default; then where a
// record goes with a key, with the empty key, without a key.
#[rustfmt::skip]
partitioners! {
    JavaDefault "java/default" Java "default" true MURMUR2 MURMUR2 STICKY_BATCH_SIZE;
    JavaIgnoreKeys "java/ignore_keys" Java "partitioner.ignore.keys=true" false STICKY_BATCH_SIZE STICKY_BATCH_SIZE STICKY_BATCH_SIZE;
    JavaRoundRobin "java/round_robin" Java "RoundRobinPartitioner" false JAVA_TURNS JAVA_TURNS JAVA_TURNS;
    JavaSticky "java/sticky_2.4" Java "DefaultPartitioner (Kafka 2.4 to 3.2)" false MURMUR2 MURMUR2 STICKY_BATCH;
    JavaTurns "java/round_robin_before_2.4" Java "DefaultPartitioner (before Kafka 2.4)" false MURMUR2 MURMUR2 JAVA_TURNS_ANYWHERE;

    LibrdkafkaConsistentRandom "librdkafka/consistent_random" Librdkafka "consistent_random" true CRC32 STICKY_TIME STICKY_TIME;
    LibrdkafkaConsistent "librdkafka/consistent" Librdkafka "consistent" false CRC32 CRC32 CRC32;
    LibrdkafkaMurmur2 "librdkafka/murmur2" Librdkafka "murmur2" false MURMUR2 MURMUR2 MURMUR2;
    LibrdkafkaMurmur2Random "librdkafka/murmur2_random" Librdkafka "murmur2_random" false MURMUR2 MURMUR2 STICKY_TIME;
    LibrdkafkaFnv1a "librdkafka/fnv1a" Librdkafka "fnv1a" false FNV1A_ABS FNV1A_ABS FNV1A_ABS;
    LibrdkafkaFnv1aRandom "librdkafka/fnv1a_random" Librdkafka "fnv1a_random" false FNV1A_ABS FNV1A_ABS STICKY_TIME;
    LibrdkafkaRandom "librdkafka/random" Librdkafka "random" false RANDOM RANDOM STICKY_TIME;

    SaramaHash "sarama/hash" Sarama "NewHashPartitioner" true FNV1A_ABS FNV1A_ABS RANDOM;
    SaramaReferenceHash "sarama/reference_hash" Sarama "NewReferenceHashPartitioner" false FNV1A_MASK FNV1A_MASK RANDOM;
    SaramaConsistentCrcHash "sarama/consistent_crc_hash" Sarama "NewConsistentCRCHashPartitioner" false CRC32 CRC32 RANDOM;
    SaramaMurmur2 "sarama/murmur2" Sarama "NewMurmur2Partitioner" false MURMUR2 MURMUR2 RANDOM;
    SaramaRandom "sarama/random" Sarama "NewRandomPartitioner" false RANDOM RANDOM RANDOM;
    SaramaRoundRobin "sarama/round_robin" Sarama "NewRoundRobinPartitioner" false TURNS TURNS TURNS;

    KafkajsDefault "kafkajs/default" Kafkajs "DefaultPartitioner" true MURMUR2 MURMUR2 TURNS_ANYWHERE;
    KafkajsJavaCompatible "kafkajs/java_compatible" Kafkajs "JavaCompatiblePartitioner" false MURMUR2 MURMUR2 TURNS_ANYWHERE;
    KafkajsLegacy "kafkajs/legacy" Kafkajs "LegacyPartitioner" false LEGACY LEGACY TURNS_ANYWHERE;

    FranzGoUniformBytes "franz-go/uniform_bytes" FranzGo "UniformBytesPartitioner(65536, true, true, nil)" true MURMUR2 MURMUR2 STICKY_64K;
    FranzGoUniformBytesEven "franz-go/uniform_bytes_not_adaptive" FranzGo "UniformBytesPartitioner(65536, false, true, nil)" false MURMUR2 MURMUR2 STICKY_64K;
    FranzGoStickyKey "franz-go/sticky_key" FranzGo "StickyKeyPartitioner(nil)" false MURMUR2 MURMUR2 STICKY_BATCH;
    FranzGoStickyKeyKafkaFnv1a "franz-go/sticky_key_kafka_fnv1a" FranzGo "StickyKeyPartitioner(KafkaHasher(fnv1a))" false FNV1A_MASK FNV1A_MASK STICKY_BATCH;
    FranzGoStickyKeySaramaFnv1a "franz-go/sticky_key_sarama_fnv1a" FranzGo "StickyKeyPartitioner(SaramaHasher(fnv1a))" false FNV1A_UNSIGNED FNV1A_UNSIGNED STICKY_BATCH;
    FranzGoStickyKeySaramaCrc32 "franz-go/sticky_key_sarama_crc32" FranzGo "StickyKeyPartitioner(SaramaHasher(crc32))" false CRC32 CRC32 STICKY_BATCH;
    FranzGoStickyKeySaramaCompatFnv1a "franz-go/sticky_key_sarama_compat_fnv1a" FranzGo "StickyKeyPartitioner(SaramaCompatHasher(fnv1a))" false FNV1A_ABS FNV1A_ABS STICKY_BATCH;
    FranzGoRoundRobin "franz-go/round_robin" FranzGo "RoundRobinPartitioner()" false TURNS TURNS TURNS;

    KafkaGoRoundRobin "kafka-go/round_robin" KafkaGo "RoundRobin" true TURNS TURNS TURNS;
    KafkaGoHash "kafka-go/hash" KafkaGo "Hash" false FNV1A_ABS FNV1A_ABS TURNS;
    KafkaGoReferenceHash "kafka-go/reference_hash" KafkaGo "ReferenceHash" false FNV1A_MASK FNV1A_MASK RANDOM;
    KafkaGoCrc32 "kafka-go/crc32" KafkaGo "CRC32Balancer{Consistent:false}" false CRC32 RANDOM RANDOM;
    KafkaGoCrc32Consistent "kafka-go/crc32_consistent" KafkaGo "CRC32Balancer{Consistent:true}" false CRC32 CRC32 CRC32;
    KafkaGoMurmur2 "kafka-go/murmur2" KafkaGo "Murmur2Balancer{Consistent:false}" false MURMUR2 MURMUR2 RANDOM;
    KafkaGoMurmur2Consistent "kafka-go/murmur2_consistent" KafkaGo "Murmur2Balancer{Consistent:true}" false MURMUR2 MURMUR2 MURMUR2;

    KafkaPythonDefault "kafka-python/default" KafkaPython "DefaultPartitioner" true MURMUR2 MURMUR2 RANDOM;
    KafkaPythonSticky "kafka-python/sticky" KafkaPython "StickyPartitioner" false MURMUR2 MURMUR2 STICKY_BATCH;

    AiokafkaDefault "aiokafka/default" Aiokafka "DefaultPartitioner" true MURMUR2 MURMUR2 RANDOM;
}

impl Partitioner {
    /// A short text that will not change: client, `/`, partitioner.
    ///
    /// ```
    /// use loglanes::partitioner::Partitioner;
    ///
    /// assert_eq!(Partitioner::SaramaHash.id(), "sarama/hash");
    /// ```
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.row().id
    }

    /// The partitioner of an [`id`](Self::id).
    ///
    /// ```
    /// use loglanes::partitioner::Partitioner;
    ///
    /// assert_eq!(Partitioner::from_id("java/default"), Some(Partitioner::JavaDefault));
    /// assert_eq!(Partitioner::from_id("JAVA/default"), None);
    /// ```
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|partitioner| partitioner.id() == id)
    }

    /// Whose it is.
    #[must_use]
    pub const fn client(self) -> Client {
        self.row().client
    }

    /// What it is called there: a class, a function, a value of a setting.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it is what the client does unless told otherwise.
    #[must_use]
    pub const fn is_default(self) -> bool {
        self.row().is_default
    }

    /// How it hashes a key that is not empty; none where keys do not count.
    ///
    /// ```
    /// use loglanes::partitioner::{HashFamily, Partitioner};
    ///
    /// assert_eq!(Partitioner::AiokafkaDefault.family(), Some(HashFamily::JAVA));
    /// assert_eq!(Partitioner::JavaRoundRobin.family(), None);
    /// ```
    #[must_use]
    pub const fn family(self) -> Option<HashFamily> {
        match self.row().key {
            Rule::Hash(family) => Some(family),
            Rule::Keyless(_) => None,
        }
    }

    /// Where a record with this key goes, as far as that can be said; none is no key.
    ///
    /// `partitions` of 0 is taken as 1. An explicit partition in the record overrides all this.
    ///
    /// ```
    /// use loglanes::partitioner::{Partitioner, Placement};
    ///
    /// // The empty key and no key are two things, and clients disagree about both.
    /// let murmur2 = Partitioner::LibrdkafkaMurmur2Random;
    /// assert_eq!(murmur2.place(Some(b""), 4), Placement::Fixed(1));
    /// assert!(matches!(murmur2.place(None, 4), Placement::Sticky { .. }));
    /// assert_eq!(Partitioner::LibrdkafkaConsistent.place(None, 4), Placement::Fixed(0));
    /// ```
    #[must_use]
    pub fn place(self, key: Option<&[u8]>, partitions: u32) -> Placement {
        match self.rule_for(key) {
            Rule::Hash(family) => {
                Placement::Fixed(family.partition(key.unwrap_or_default(), partitions))
            }
            Rule::Keyless(placement) => placement,
        }
    }

    /// The arithmetic behind a [`Placement::Fixed`]; none where no hash decides.
    ///
    /// ```
    /// use loglanes::partitioner::Partitioner;
    ///
    /// let sum = Partitioner::KafkaGoHash.arithmetic(Some(b"user-8"), 12).unwrap();
    /// assert_eq!(sum.partition, 5);
    /// assert_eq!(Partitioner::JavaDefault.arithmetic(None, 12), None);
    /// ```
    #[must_use]
    pub fn arithmetic(self, key: Option<&[u8]>, partitions: u32) -> Option<KeyArithmetic> {
        match self.rule_for(key) {
            Rule::Hash(family) => {
                Some(KeyArithmetic::of(family, key.unwrap_or_default(), partitions))
            }
            Rule::Keyless(_) => None,
        }
    }

    /// What it does with a key, with the empty key and without one, in one sentence.
    ///
    /// ```
    /// use loglanes::partitioner::Partitioner;
    ///
    /// assert_eq!(
    ///     Partitioner::SaramaHash.rule(),
    ///     "A key goes to |fnv1a| % partitions, no key to a partition drawn for each record."
    /// );
    /// ```
    #[must_use]
    pub fn rule(self) -> String {
        let Row { key, empty, null, .. } = self.row();
        match (key == empty, empty == null) {
            (true, true) => format!("Every record goes {key}, whatever its key."),
            (true, false) => format!("A key goes {key}, no key {null}."),
            (false, true) => format!("A key goes {key}, an empty key and no key {null}."),
            (false, false) => {
                format!("A key goes {key}, an empty key {empty}, no key {null}.")
            }
        }
    }

    const fn rule_for(self, key: Option<&[u8]>) -> Rule {
        let row = self.row();
        match key {
            None => row.null,
            Some([]) => row.empty,
            Some(_) => row.key,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hash(family) => {
                let hash = family.hash.name();
                match family.sign {
                    SignRule::Mask => write!(f, "to ({hash} & 0x7fffffff) % partitions"),
                    SignRule::Absolute => write!(f, "to |{hash}| % partitions"),
                    SignRule::Unsigned => write!(f, "to {hash} (unsigned) % partitions"),
                }
            }
            Self::Keyless(placement) => placement.fmt(f),
        }
    }
}

/// Where every client would put a record with this key, in the order of [`Partitioner::ALL`].
///
/// ```
/// use loglanes::partitioner::{Partitioner, Placement, side_by_side};
///
/// let all = side_by_side(Some(b"tenant-b"), 6);
/// assert_eq!(all[0], (Partitioner::JavaDefault, Placement::Fixed(4)));
/// assert!(all.contains(&(Partitioner::LibrdkafkaConsistentRandom, Placement::Fixed(3))));
/// assert!(all.contains(&(Partitioner::SaramaHash, Placement::Fixed(2))));
/// ```
#[must_use]
pub fn side_by_side(key: Option<&[u8]>, partitions: u32) -> Vec<(Partitioner, Placement)> {
    Partitioner::ALL
        .iter()
        .map(|&partitioner| (partitioner, partitioner.place(key, partitions)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_begin_with_the_client_and_lead_back() {
        let ids: HashSet<_> = Partitioner::ALL.iter().map(|one| one.id()).collect();
        assert_eq!(ids.len(), Partitioner::ALL.len());
        for &one in Partitioner::ALL {
            assert_eq!(one.id().split_once('/').unwrap().0, one.client().name());
            assert_eq!(Partitioner::from_id(one.id()), Some(one));
            assert_eq!(serde_json::to_value(one).unwrap(), one.id());
        }
    }

    #[test]
    fn each_client_has_one_default_and_it_comes_first() {
        let clients: HashSet<_> = Partitioner::ALL.iter().map(|one| one.client()).collect();
        for client in clients {
            let own: Vec<_> =
                Partitioner::ALL.iter().filter(|one| one.client() == client).collect();
            assert!(own[0].is_default(), "{client}");
            assert_eq!(own.iter().filter(|one| one.is_default()).count(), 1, "{client}");
        }
    }

    #[test]
    fn the_rule_names_the_empty_key_only_where_it_is_special() {
        let rule = Partitioner::LibrdkafkaConsistentRandom.rule();
        assert!(rule.contains("an empty key and no key to a random partition"), "{rule}");
        assert!(Partitioner::KafkaGoRoundRobin.rule().starts_with("Every record goes"));
        assert!(!Partitioner::JavaDefault.rule().contains("empty"));
    }

    fn fixed(partitioner: Partitioner, key: &str, partitions: u32) -> Option<u32> {
        match partitioner.place(Some(key.as_bytes()), partitions) {
            Placement::Fixed(partition) => Some(partition),
            _ => None,
        }
    }

    #[test]
    fn three_families_put_one_key_on_three_partitions() {
        let families = [
            Partitioner::JavaDefault,
            Partitioner::LibrdkafkaConsistentRandom,
            Partitioner::SaramaHash,
        ];
        for (key, partitions, expected) in [
            ("order-1007", 12, [6, 0, 10]),
            ("order-1008", 12, [7, 1, 9]),
            ("device-12", 6, [3, 1, 1]),
            ("tenant-b", 6, [4, 3, 2]),
            ("tenant-a", 6, [3, 3, 1]),
            ("user-8", 12, [9, 0, 5]),
        ] {
            let found = families.map(|family| fixed(family, key, partitions));
            assert_eq!(found, expected.map(Some), "{key} of {partitions}");
        }
    }

    #[test]
    fn keys_that_look_alike_differ_by_their_bytes() {
        for (key, of_6, of_12) in [
            ("m\u{fc}ller-42", 3, 9),
            ("mu\u{308}ller-42", 0, 6),
            ("\u{c5}ngstr\u{f6}m-7", 2, 8),
            ("\u{5c71}\u{7530}-1", 0, 6),
        ] {
            assert_eq!(fixed(Partitioner::JavaDefault, key, 6), Some(of_6), "{key} of 6");
            assert_eq!(fixed(Partitioner::JavaDefault, key, 12), Some(of_12), "{key} of 12");
        }
    }

    #[test]
    fn the_empty_key_is_hashed_and_no_key_is_not() {
        for (partitions, expected) in
            [(3, 0), (4, 1), (5, 1), (6, 3), (8, 1), (10, 1), (12, 9), (24, 9)]
        {
            assert_eq!(fixed(Partitioner::JavaDefault, "", partitions), Some(expected));
        }
        assert_eq!(fixed(Partitioner::LibrdkafkaFnv1aRandom, "", 4), Some(3));
        assert_eq!(fixed(Partitioner::LibrdkafkaConsistentRandom, "", 4), None);
        assert_eq!(Partitioner::LibrdkafkaMurmur2.place(None, 4), Placement::Fixed(1));
        assert_eq!(
            Partitioner::JavaDefault.place(None, 4),
            Placement::Sticky { stay: Stay::BatchSize }
        );
    }

    #[test]
    fn the_text_null_is_a_key_like_any_other() {
        let text = fixed(Partitioner::JavaDefault, "null", 6);
        assert_eq!(text, Some(super::super::partition_for_key(b"null", 6)));
    }

    #[test]
    fn the_arithmetic_is_there_exactly_where_a_partition_is_certain() {
        for key in [None, Some(&b""[..]), Some(&b"key"[..])] {
            for (partitioner, placement) in side_by_side(key, 7) {
                let sum = partitioner.arithmetic(key, 7).map(|sum| sum.partition);
                match placement {
                    Placement::Fixed(partition) => assert_eq!(sum, Some(partition)),
                    _ => assert_eq!(sum, None),
                }
            }
        }
    }
}
