//! The indexes beside the logs, kept between questions and brought up to date when one comes.

use std::collections::HashMap;

use crate::error::Result;
use crate::insight::{KeyCensus, LaneIndex};
use crate::log::PartitionLog;
use crate::topic::{Topic, TopicId};

/// One lane index and one census for each topic that was asked about.
#[derive(Default)]
pub(super) struct Insights {
    topics: HashMap<String, Watched>,
    /// Counted up by every change; an index as old as this is up to date.
    revision: u64,
}

struct Watched {
    id: TopicId,
    lanes: LaneIndex,
    lanes_at: Option<u64>,
    census: KeyCensus,
}

impl Insights {
    /// The logs may have changed.
    pub(super) fn changed(&mut self) {
        self.revision += 1;
    }

    /// The logs are those of another step of the history: they may end earlier than what was read of
    /// them, and go on in another way.
    pub(super) fn cut<'a>(&mut self, topic: impl Fn(&str) -> Option<&'a Topic>) {
        self.revision += 1;
        self.topics.retain(|name, watched| match topic(name) {
            Some(held) if held.id == watched.id => {
                watched.lanes.cut(logs(held));
                watched.census = KeyCensus::new();
                true
            }
            _ => false,
        });
    }

    /// What can be drawn of a topic.
    pub(super) fn lanes(&mut self, name: &str, topic: &Topic) -> &LaneIndex {
        let revision = self.revision;
        let watched = self.watched(name, topic);
        if watched.lanes_at != Some(revision) {
            watched.lanes.update(logs(topic));
            watched.lanes_at = Some(revision);
        }
        &watched.lanes
    }

    /// What is known of a topic's keys.
    pub(super) fn census(&mut self, name: &str, topic: &Topic) -> Result<&KeyCensus> {
        let watched = self.watched(name, topic);
        let logs: Vec<&PartitionLog> = logs(topic).collect();
        watched.census.update(logs.iter().copied())?;
        Ok(&watched.census)
    }

    /// A topic of the same name that was made anew is another topic.
    fn watched(&mut self, name: &str, topic: &Topic) -> &mut Watched {
        if self.topics.get(name).is_some_and(|watched| watched.id != topic.id) {
            self.topics.remove(name);
        }
        self.topics.entry(name.to_owned()).or_insert_with(|| Watched {
            id: topic.id,
            lanes: LaneIndex::new(),
            lanes_at: None,
            census: KeyCensus::new(),
        })
    }

    /// Forgets topics that are gone.
    pub(super) fn retain(&mut self, is_there: impl Fn(&str) -> bool) {
        self.topics.retain(|name, _| is_there(name));
    }
}

fn logs(topic: &Topic) -> impl Iterator<Item = &PartitionLog> {
    topic.partitions.iter().map(|partition| &partition.log)
}
