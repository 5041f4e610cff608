//! The log against a model that is a plain vector of records, and against bytes of any kind.
#![cfg(not(target_arch = "wasm32"))]

use loglanes::log::{
    BatchBuilder, BatchView, Batches, Header, LAST_USABLE_OFFSET, LogConfig, NewRecord,
    PartitionLog, RecordView, SegmentParts, TimestampType, check_timestamp,
};
use loglanes::{ErrorCode, Refusal};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

type Bytes = Vec<u8>;

/// What the model keeps of a record.
#[derive(Debug, Clone, PartialEq)]
struct Model {
    timestamp: i64,
    key: Option<Bytes>,
    value: Option<Bytes>,
    headers: Vec<(Bytes, Option<Bytes>)>,
}

impl Model {
    fn with<T>(&self, f: impl FnOnce(&NewRecord<'_>) -> T) -> T {
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(key, value)| Header { key, value: value.as_deref() })
            .collect();
        f(&NewRecord {
            timestamp: self.timestamp,
            key: self.key.as_deref(),
            value: self.value.as_deref(),
            headers: &headers,
        })
    }

    fn of(record: &RecordView<'_>) -> Self {
        let owned = |bytes: &[u8]| bytes.to_vec();
        Self {
            timestamp: record.timestamp,
            key: record.key.map(owned),
            value: record.value.map(owned),
            headers: record.headers().map(|h| (owned(h.key), h.value.map(owned))).collect(),
        }
    }
}

fn record(timestamp: impl Strategy<Value = i64>) -> impl Strategy<Value = Model> {
    let bytes = || vec(any::<u8>(), 0..80);
    let headers = vec((vec(any::<u8>(), 0..3), option::of(bytes())), 0..4);
    (timestamp, option::of(bytes()), option::of(bytes()), headers)
        .prop_map(|(timestamp, key, value, headers)| Model { timestamp, key, value, headers })
}

fn build(records: &[Model]) -> BatchBuilder {
    let mut builder = BatchBuilder::new();
    for record in records {
        record.with(|record| builder.append(record)).unwrap();
    }
    builder
}

fn config() -> impl Strategy<Value = LogConfig> {
    (1500..6000, 0..400_i32, 1..300_i64, prop::sample::select(vec![24, 48, 10_485_760])).prop_map(
        |(segment_bytes, index_interval_bytes, segment_ms, segment_index_bytes)| LogConfig {
            segment_bytes,
            index_interval_bytes,
            segment_ms,
            segment_index_bytes,
            message_timestamp_after_max_ms: i64::MAX,
            ..LogConfig::default()
        },
    )
}

fn parts(log: &PartitionLog) -> Vec<SegmentParts> {
    let part = |segment: &loglanes::log::Segment| SegmentParts {
        base_offset: segment.base_offset(),
        created_ms: segment.created_ms(),
        last_modified_ms: segment.last_modified_ms(),
        bytes: segment.bytes().to_vec(),
    };
    log.segments().iter().map(part).collect()
}

proptest! {
    #[test]
    fn whatever_is_written_is_read(
        records in vec(record(prop_oneof![-1..1000_i64, -1..=i64::MAX]), 1..20),
        base in 0..=LAST_USABLE_OFFSET - 20,
    ) {
        let mut builder = build(&records);
        let bytes = builder.finish(base, 0);
        let batch = BatchView::parse(bytes).unwrap();
        batch.verify_crc().unwrap();
        let mut at = 61;
        let mut count = 0;
        for (index, (read, written)) in batch.records().zip(&records).enumerate() {
            let read = read.unwrap();
            prop_assert_eq!(read.offset, base + index as i64);
            prop_assert_eq!(&Model::of(&read), written);
            prop_assert_eq!(read.header_count(), written.headers.len());
            prop_assert_eq!(read.bytes(), &batch.bytes()[at..at + read.bytes().len()]);
            at += read.bytes().len();
            let delta = written.timestamp.wrapping_sub(records[0].timestamp);
            let len = written.with(|record| record.encoded_len(index as i32, delta));
            prop_assert_eq!(read.bytes().len() as u64, len);
            prop_assert!(len + 61 <= written.with(|record| record.size_upper_bound()));
            count += 1;
        }
        prop_assert_eq!((at, count), (batch.bytes().len(), records.len()));
        prop_assert_eq!(batch.header().max_timestamp, records.iter().map(|r| r.timestamp).max().unwrap());
    }

    #[test]
    fn a_log_is_its_records_in_order(
        config in config(),
        batches in vec(vec(record(-1..2000_i64), 1..6), 0..30),
        base in prop::sample::select(vec![0, 9_007_199_254_740_991, LAST_USABLE_OFFSET - 200]),
        looks in vec((any::<prop::sample::Index>(), 0..5000_usize, 1..2100_i64), 1..20),
    ) {
        let mut log = PartitionLog::with_base_offset(config.clone(), base, 0).unwrap();
        let mut model = Vec::new();
        for (index, batch) in batches.iter().enumerate() {
            let mut builder = build(batch);
            let end = log.log_end_offset();
            let segments = log.segments().len();
            let info = if index % 2 == 0 {
                log.append_batch(&mut builder, 0)
            } else {
                log.append(builder.finish(0, -1), 0)
            };
            let info = info.unwrap();
            model.extend(batch.iter().cloned());
            prop_assert_eq!((info.base_offset, info.last_offset), (end, end + batch.len() as i64 - 1));
            let last = log.segments().last().unwrap();
            prop_assert_eq!(info.segment_base, last.base_offset());
            prop_assert_eq!(info.position + builder.len(), last.size_in_bytes());
            prop_assert_eq!(info.rolled, log.segments().len() > segments);
        }
        let end = base + model.len() as i64;
        prop_assert_eq!((log.log_end_offset(), log.high_watermark()), (end, end));
        prop_assert_eq!(log.record_count(), model.len() as u64);

        // Segments follow each other without a gap and keep their limit.
        let mut next = base;
        for segment in log.segments() {
            prop_assert_eq!(segment.base_offset(), next);
            next = segment.next_offset();
            prop_assert!(segment.size_in_bytes() <= config.segment_bytes as usize);
        }
        prop_assert_eq!(next, end);

        for (index, max_bytes, timestamp) in looks {
            let skip = index.index(model.len() + 1);
            let offset = base + skip as i64;
            let read: Vec<_> = log.records_from(offset).map(|r| (r.offset, Model::of(&r))).collect();
            let expected: Vec<_> = (offset..).zip(model.iter().skip(skip).cloned()).collect();
            prop_assert_eq!(read, expected);

            let found = log.record(offset).map(|(_, record)| Model::of(&record));
            prop_assert_eq!(found.as_ref(), model.get(skip));

            let fetch = log.read(offset, max_bytes).unwrap();
            prop_assert_eq!(fetch.bytes.is_empty(), offset == end);
            let fetched: Vec<_> = fetch.batches().map(|batch| batch.unwrap()).collect();
            if let [first, ..] = &fetched[..] {
                prop_assert!((first.header().base_offset..=first.header().last_offset()).contains(&offset));
                prop_assert!(fetched.len() == 1 || fetch.bytes.len() <= max_bytes);
                let segment = log.segments().iter().rfind(|s| s.base_offset() <= offset).unwrap();
                let next = fetched.last().unwrap().header().next_offset();
                prop_assert!(next <= segment.next_offset());
                // As much as fits: one more would be too much, or there is none.
                if let Some(one_more) = segment.batches_from(next).next() {
                    prop_assert!(fetch.bytes.len() + one_more.bytes().len() > max_bytes);
                }
            }

            let naive = (base..).zip(&model).find(|(_, record)| record.timestamp >= timestamp);
            let naive = naive.map(|(offset, record)| (offset, record.timestamp));
            prop_assert_eq!(log.offset_for_timestamp(timestamp), naive);
        }
        let newest = model.iter().map(|record| record.timestamp).max().filter(|&newest| newest >= 0);
        let naive = newest.map(|newest| {
            let at = model.iter().position(|record| record.timestamp == newest).unwrap();
            (base + at as i64, newest)
        });
        prop_assert_eq!(log.max_timestamp_offset(), naive);

        for outside in [base - 1, end + 1] {
            let error = log.read(outside, 1).unwrap_err();
            prop_assert_eq!(error.code(), Some(ErrorCode::OffsetOutOfRange.code()));
            prop_assert!(log.record(outside).is_none());
        }

        let again = PartitionLog::restore(config, base, parts(&log)).unwrap();
        prop_assert_eq!(parts(&again), parts(&log));
        prop_assert_eq!(again.record_count(), log.record_count());
        prop_assert_eq!(again.log_end_offset(), end);
        for (a, b) in again.segments().iter().zip(log.segments()) {
            prop_assert_eq!(a.offset_index(), b.offset_index());
            prop_assert_eq!(a.closed_time_index(), b.closed_time_index());
            prop_assert_eq!(a.first_batch_max_timestamp(), b.first_batch_max_timestamp());
        }
    }

    #[test]
    fn a_lost_or_changed_byte_never_panics_and_never_restores(
        records in vec(record(-1..2000_i64), 1..6),
        at: prop::sample::Index,
        change in 1..=255_u8,
    ) {
        let mut builder = build(&records);
        let good = builder.finish(0, -1).to_vec();
        let at = at.index(good.len());
        let mut bad = good.clone();
        bad[at] ^= change;
        for bytes in [&bad[..], &good[..at]] {
            for batch in Batches::new(bytes).flatten() {
                let _ = batch.verify_crc();
                for record in batch.records().flatten() {
                    prop_assert!(record.headers().count() <= record.header_count());
                }
            }
            let mut log = PartitionLog::new(LogConfig::default(), 0);
            let mut sent = bytes.to_vec();
            if log.append(&mut sent, 0).is_err() {
                prop_assert_eq!((log.log_end_offset(), log.size_in_bytes()), (0, 0));
                prop_assert_eq!(&sent[..], bytes);
            } else {
                // Only what the broker writes itself lies outside the CRC.
                prop_assert!((12..16).contains(&at));
            }
        }
        let part = |bytes: &[u8]| SegmentParts {
            base_offset: 0, created_ms: 0, last_modified_ms: 0, bytes: bytes.to_vec(),
        };
        if !(0..16).contains(&at) {
            let error = PartitionLog::restore(LogConfig::default(), 0, vec![part(&bad)]).unwrap_err();
            prop_assert_eq!(error.refusal(), Refusal::Corrupt);
            prop_assert!(error.message().starts_with("00000000000000000000.log, byte 0: "));
        }
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in vec(any::<u8>(), 0..200), size: bool, crc: bool) {
        let mut bytes = bytes;
        // Nearer to a batch: the right length, magic and CRC, so that the records are looked at.
        if size && bytes.len() >= 61 {
            let length = bytes.len() as i32 - 12;
            bytes[8..12].copy_from_slice(&length.to_be_bytes());
            bytes[16] = 2;
            bytes[22] &= !7;
            if crc {
                bytes[..8].fill(0);
                bytes[57..60].fill(0);
                let crc = loglanes::log::crc32c::checksum(&bytes[21..]);
                bytes[17..21].copy_from_slice(&crc.to_be_bytes());
            }
        }
        let mut position = 0;
        for batch in Batches::new(&bytes) {
            let Ok(batch) = batch else { break };
            position += batch.bytes().len();
            for record in batch.records().flatten() {
                for header in record.headers() {
                    prop_assert!(header.key.len() < bytes.len());
                }
            }
        }
        prop_assert!(position <= bytes.len());
        let mut log = PartitionLog::new(LogConfig::default(), 0);
        let _ = log.append(&mut bytes.clone(), 0);
        let _ = log.append_as_follower(&bytes, 0);
        let part = SegmentParts { base_offset: 0, created_ms: 0, last_modified_ms: 0, bytes };
        let _ = PartitionLog::restore(LogConfig::default(), 0, vec![part]);
    }
}

fn value_only(timestamp: i64, value: &[u8]) -> NewRecord<'_> {
    NewRecord { timestamp, key: None, value: Some(value), headers: &[] }
}

#[test]
fn the_last_usable_offset_is_taken_and_the_next_refused() {
    for base in [i64::MAX - 1, i64::MAX] {
        let mut log = PartitionLog::with_base_offset(LogConfig::default(), base, 0).unwrap();
        let mut builder = BatchBuilder::new();
        builder.append(&value_only(0, b"v")).unwrap();
        let mut sent = builder.finish(0, -1).to_vec();
        if base == LAST_USABLE_OFFSET {
            assert_eq!(log.append(&mut sent.clone(), 0).unwrap().last_offset, base);
            assert_eq!(log.log_end_offset(), i64::MAX);
        }
        for error in [
            log.append(&mut sent, 0).unwrap_err(),
            log.append_batch(&mut builder, 0).unwrap_err(),
            log.append_as_follower(builder.finish(i64::MAX, 0), 0).unwrap_err(),
        ] {
            assert_eq!(error.refusal(), Refusal::Limit("LAST_USABLE_OFFSET"));
        }
        assert_eq!(log.log_end_offset(), i64::MAX);
        assert_eq!(log.records_from(0).count() as u64, log.record_count());
    }
    assert!(PartitionLog::with_base_offset(LogConfig::default(), -1, 0).is_err());
}

#[test]
fn the_largest_message_is_kafka_s_to_the_byte() {
    let mut log = PartitionLog::new(LogConfig::default(), 0);
    for (value_len, code) in [(1_048_516, None), (1_048_517, Some(10))] {
        let mut builder = BatchBuilder::new();
        builder.append(&value_only(0, &vec![0; value_len])).unwrap();
        assert_eq!(log.append(builder.finish(0, -1), 0).err().and_then(|e| e.code()), code);
        assert_eq!(log.append_batch(&mut builder, 0).err().and_then(|e| e.code()), code);
    }
    assert_eq!(log.log_end_offset(), 2);
}

#[test]
fn timestamps_are_checked_to_the_millisecond() {
    let config = LogConfig { message_timestamp_before_max_ms: 60_000, ..LogConfig::default() };
    let now = 1_700_000_000_000;
    let mut log = PartitionLog::new(config.clone(), now);
    for (timestamp, taken) in [
        (now + 3_600_000, true),
        (now + 3_600_001, false),
        (now - 60_000, true),
        (now - 60_001, false),
        (-1, true),
        (0, false),
    ] {
        assert_eq!(check_timestamp(&config, 0, timestamp, now).is_ok(), taken, "{timestamp}");
        let mut builder = BatchBuilder::new();
        builder.append(&value_only(now, b"first")).unwrap();
        builder.append(&value_only(timestamp, b"second")).unwrap();
        let sent = log.clone().append(builder.finish(0, -1), now);
        let built = log.append_batch(&mut builder, now);
        assert_eq!(sent, built);
        assert_eq!(built.is_ok(), taken, "{timestamp}");
        if let Err(error) = built {
            assert_eq!(error.code(), Some(32));
            let text = format!(
                "Timestamp {timestamp} of message with offset 1 is out of range. The timestamp \
                 should be within [1699999940000, 1700003600000]"
            );
            assert_eq!(error.message(), text);
        }
    }
    // The broker's own time is never out of range.
    let config =
        LogConfig { message_timestamp_type: TimestampType::LogAppendTime, ..LogConfig::default() };
    let mut log = PartitionLog::new(config, now);
    let mut builder = BatchBuilder::new();
    builder.append(&value_only(i64::MAX, b"v")).unwrap();
    let info = log.append_batch(&mut builder, now).unwrap();
    assert_eq!(info.log_append_time, Some(now));
    assert_eq!(log.records_from(0).next().unwrap().timestamp, now);
}

#[test]
fn gaps_and_control_batches_are_passed_over() {
    let mut log = PartitionLog::new(LogConfig::default(), 0);
    let mut builder = BatchBuilder::new();
    builder.append_at(1, &value_only(0, b"one")).unwrap();
    builder.append_at(4, &value_only(0, b"four")).unwrap();
    builder.set_last_offset_delta(6);
    // A producer may not send gaps; a follower takes what its leader has.
    assert_eq!(log.append_batch(&mut builder, 0).unwrap_err().code(), Some(87));
    assert_eq!(log.append(builder.finish(0, -1), 0).unwrap_err().code(), Some(87));
    log.append_as_follower(builder.finish(10, 0), 0).unwrap();
    let mut marker = BatchBuilder::new();
    marker.set_control();
    marker.set_producer(1, 0, -1).unwrap();
    marker.set_transactional().unwrap();
    marker.append_marker(loglanes::log::EndTransaction::Commit, 0, 0).unwrap();
    assert_eq!(log.append_batch(&mut marker, 0).unwrap_err().code(), Some(87));
    log.append_as_follower(marker.finish(17, 0), 0).unwrap();
    builder.clear();
    builder.append(&value_only(0, b"last")).unwrap();
    log.append_batch(&mut builder, 0).unwrap();

    let offsets = |from| log.records_from(from).map(|r| r.offset).collect::<Vec<_>>();
    assert_eq!(offsets(0), [11, 14, 18]);
    assert_eq!(offsets(12), [14, 18]);
    assert_eq!(offsets(15), [18]);
    assert_eq!((log.record_count(), log.log_end_offset()), (3, 19));
    let found: Vec<_> = (0..20).filter(|&offset| log.record(offset).is_some()).collect();
    assert_eq!(found, [11, 14, 18]);
    assert_eq!(log.read(0, 1).unwrap().batches().next().unwrap().unwrap().header().base_offset, 10);
    // Below the log end nothing can be appended any more.
    let error = log.append_as_follower(builder.finish(18, 0), 0).unwrap_err();
    assert_eq!(error.refusal(), Refusal::Corrupt);

    let again = PartitionLog::restore(LogConfig::default(), 12, parts(&log)).unwrap();
    assert_eq!(again.record_count(), 2);
    assert_eq!(again.read(11, 1).unwrap_err().code(), Some(1));
    assert!(again.record(11).is_none());
    assert_eq!(again.records_from(0).next().unwrap().offset, 14);
}

#[test]
fn what_cannot_be_a_log_is_not_restored() {
    let mut builder = BatchBuilder::new();
    builder.append(&value_only(0, b"v")).unwrap();
    let mut part = |base_offset, first: i64| SegmentParts {
        base_offset,
        created_ms: 0,
        last_modified_ms: 0,
        bytes: builder.finish(first, 0).to_vec(),
    };
    let empty = |base_offset| SegmentParts {
        base_offset,
        created_ms: 0,
        last_modified_ms: 0,
        bytes: vec![],
    };
    let good = vec![part(0, 0), part(5, 7)];
    let restore = |start, parts: &[SegmentParts]| {
        PartitionLog::restore(LogConfig::default(), start, parts.to_vec())
    };
    assert_eq!(restore(8, &good).unwrap().record_count(), 0);
    for (start, parts) in [
        (0, vec![]),
        (9, good.clone()),
        (-1, good.clone()),
        (0, vec![part(1, 1)]),
        (0, vec![part(5, 7), part(0, 0)]),
        (0, vec![part(0, 0), part(0, 0)]),
        (0, vec![empty(0), empty(0)]),
        (0, vec![part(3, 2)]),
        (0, vec![part(0, 1 << 31)]),
        (-5, vec![part(-5, -5)]),
    ] {
        let error = restore(start, &parts).expect_err(&format!("{start} {parts:?}"));
        assert_eq!(error.refusal(), Refusal::Corrupt, "{error}");
    }
}

#[test]
fn a_segment_s_buffer_stays_near_its_bytes() {
    let mut log = PartitionLog::new(LogConfig::default(), 0);
    let mut builder = BatchBuilder::new();
    while builder.has_room_for(&value_only(0, &[7; 100]), 16_384) {
        builder.append(&value_only(0, &[7; 100])).unwrap();
    }
    for _ in 0..1_000 {
        log.append_batch(&mut builder, 0).unwrap();
        let segment = &log.segments()[0];
        let most = segment.size_in_bytes() * 5 / 4 + 128 * 1024;
        assert!(segment.capacity() <= most, "{} > {most}", segment.capacity());
    }
}
