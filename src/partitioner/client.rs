//! The client libraries whose partitioners were measured, and what they are called.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A library that writes to Kafka.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// Kafka's own client, for Java and all languages of its virtual machine.
    Java,
    /// The C library behind the Confluent clients for Python, .NET, Go and JavaScript, and kcat.
    Librdkafka,
    /// IBM's (before: Shopify's) Go client.
    Sarama,
    /// The client for Node.js.
    Kafkajs,
    /// A Go client.
    FranzGo,
    /// Segment's Go client.
    KafkaGo,
    /// A client in plain Python.
    KafkaPython,
    /// A client for Python's asyncio.
    Aiokafka,
}

impl Client {
    /// The library's own name, such as `librdkafka`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Librdkafka => "librdkafka",
            Self::Sarama => "sarama",
            Self::Kafkajs => "kafkajs",
            Self::FranzGo => "franz-go",
            Self::KafkaGo => "kafka-go",
            Self::KafkaPython => "kafka-python",
            Self::Aiokafka => "aiokafka",
        }
    }

    /// The library as its users call it, with what else is built on it.
    ///
    /// ```
    /// use loglanes::partitioner::Client;
    ///
    /// assert_eq!(Client::Java.title(), "Java (Apache Kafka)");
    /// assert_eq!(Client::Java.name(), "java");
    /// ```
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Java => "Java (Apache Kafka)",
            Self::Librdkafka => "librdkafka (kcat, Confluent clients)",
            Self::Sarama => "Sarama",
            Self::Kafkajs => "KafkaJS",
            Self::FranzGo => "franz-go",
            Self::KafkaGo => "segmentio kafka-go",
            Self::KafkaPython => "kafka-python",
            Self::Aiokafka => "aiokafka",
        }
    }

    /// The version that was measured.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Self::Java => "4.4.0",
            Self::Librdkafka => "2.16.0",
            Self::Sarama => "1.61.1",
            Self::Kafkajs => "2.2.4",
            Self::FranzGo => "1.22.3",
            Self::KafkaGo => "0.4.51",
            Self::KafkaPython => "3.0.12",
            Self::Aiokafka => "0.14.0",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use crate::partitioner::Partitioner;
    use std::collections::HashSet;

    #[test]
    fn every_client_has_a_title_of_its_own_that_says_its_name() {
        let clients: HashSet<_> = Partitioner::ALL.iter().map(|one| one.client()).collect();
        let titles: HashSet<_> = clients.iter().map(|client| client.title()).collect();
        assert_eq!((titles.len(), clients.len()), (8, 8));
        for client in clients {
            let (title, name) = (client.title().to_lowercase(), client.name());
            assert!(title.contains(name), "{title} does not say {name}");
        }
    }
}
