//! Seed tables: batches whose bytes are known, and the rule for `batch.size`.

use super::*;
use crate::log::{Header, NewRecord};

const T0: i64 = 1_700_000_000_000;

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect()
}

fn record<'a>(key: Option<&'a [u8]>, value: Option<&'a [u8]>) -> NewRecord<'a> {
    NewRecord { timestamp: T0, key, value, headers: &[] }
}

/// Two batches by another client's encoder (kafka-python).
#[test]
fn known_batches_come_out_byte_for_byte() {
    let mut builder = BatchBuilder::new();
    builder.append(&record(Some(b"k"), Some(b"v"))).unwrap();
    let bytes = unhex(
        "00000000000000000000003a0000000002e99b8dd80000000000000000018bcfe568000000018bcfe56800\
         ffffffffffffffffffffffffffff0000000110000000026b027600",
    );
    assert_eq!(builder.finish(0, 0), bytes);
    assert_eq!(BatchHeader::parse(&bytes).unwrap().crc, 0xe99b_8dd8);

    builder.clear();
    builder.append(&record(Some(b""), None)).unwrap();
    let headers = [Header { key: b"a", value: Some(b"1") }, Header { key: b"b", value: None }];
    builder
        .append(&NewRecord {
            timestamp: T0 + 5,
            headers: &headers,
            ..record(Some(b"key"), Some(b"value"))
        })
        .unwrap();
    let bytes = unhex(
        "00000000000000000000004e0000000002a8fda7510000000000010000018bcfe568000000018bcfe56805\
         ffffffffffffffffffffffffffff000000020c0000000001002a000a02066b65790a76616c756504026102\
         31026201",
    );
    assert_eq!(builder.finish(0, 0), bytes);
    let view = BatchView::parse(&bytes).unwrap();
    view.verify_crc().unwrap();
    let second = view.records().nth(1).unwrap().unwrap();
    assert_eq!((second.offset, second.timestamp), (1, T0 + 5));
    assert_eq!(second.headers().collect::<Vec<_>>(), headers);
    assert_eq!(second.headers().len(), 2);
}

/// As measured with a real `RecordAccumulator` of Kafka 4.4.0: after a first value of so many
/// bytes the batch has `first` bytes, and `second` is the largest second value that joins it.
#[test]
fn a_second_record_joins_by_kafka_s_rule() {
    let one_header: &[Header<'_>] = &[Header { key: b"h", value: Some(b"v") }];
    let keyless = (None, &[][..]);
    let keyed = (Some(&b"k"[..]), &[][..]);
    let with_header = (None, one_header);
    for ((key, headers), batch_size, value, first, second, both) in [
        (keyless, 1000, 0, 68, 923, 1000),
        (keyless, 1000, 100, 170, 821, 1000),
        (keyless, 1000, 900, 970, 23, 1000),
        (keyless, 1000, 924, 994, 9, 1010),
        (keyless, 1000, 934, 1004, 9, 1020),
        (keyless, 1000, 2000, 2070, 9, 2086),
        (keyless, 16_384, 100, 170, 16_203, 16_384),
        (keyless, 16_384, 16_300, 16_372, 8, 16_387),
        (keyless, 0, 0, 68, 10, 85),
        (keyless, 1, 10, 78, 10, 95),
        (keyless, 75, 0, 68, 10, 85),
        (keyed, 1000, 0, 69, 921, 1000),
        (keyed, 1000, 924, 995, 8, 1011),
        (with_header, 1000, 900, 974, 15, 1000),
        (with_header, 1000, 2000, 2074, 5, 2090),
    ] {
        let bytes = vec![7; 20_000];
        let sized = |len: usize| NewRecord { headers, ..record(key, Some(&bytes[..len])) };
        let mut builder = BatchBuilder::new();
        assert!(builder.has_room_for(&sized(value), batch_size));
        builder.append(&sized(value)).unwrap();
        assert_eq!(builder.len(), first);
        assert!(builder.has_room_for(&sized(second), batch_size), "{batch_size} {value}");
        assert!(!builder.has_room_for(&sized(second + 1), batch_size), "{batch_size} {value}");
        builder.append(&sized(second)).unwrap();
        assert_eq!(builder.len(), both);
        if both >= batch_size {
            assert!(!builder.has_room_for(&sized(0), batch_size));
        }
    }
}

#[test]
fn max_request_size_counts_kafka_s_upper_estimate() {
    for (limit, largest) in [(1_048_576, 1_048_489), (1000, 914)] {
        let bytes = vec![0; largest];
        assert_eq!(record(None, Some(&bytes)).size_upper_bound(), limit);
        assert_eq!(record(Some(b""), Some(&bytes)).size_upper_bound(), limit);
        assert_eq!(record(Some(b"k"), Some(&bytes)).size_upper_bound(), limit + 1);
        let headers = &[Header { key: b"h", value: Some(b"v") }];
        let with_header = NewRecord { headers, ..record(None, Some(&bytes)) };
        assert_eq!(with_header.size_upper_bound(), limit + 4);
    }
}

#[test]
fn a_refused_record_leaves_the_batch_as_it_was() {
    let mut builder = BatchBuilder::new();
    assert!(builder.finish(0, 0).is_empty());
    builder.append_at(5, &record(None, None)).unwrap();
    let before = builder.finish(0, 0).to_vec();
    let negative = NewRecord { timestamp: -2, ..record(None, None) };
    assert_eq!(builder.append(&negative).unwrap_err().message(), "Invalid negative timestamp -2");
    assert_eq!(
        builder.append_at(5, &record(None, None)).unwrap_err().message(),
        "Illegal offset 5 following previous offset 5 (Offsets must increase monotonically)."
    );
    assert!(builder.append_marker(EndTransaction::Abort, 0, 0).is_err());
    assert!(builder.set_transactional().is_err());
    for (id, epoch, sequence) in [(-1, 0, 0), (0, -1, 0), (0, 0, -1)] {
        assert!(builder.set_producer(id, epoch, sequence).is_err());
    }
    assert_eq!(builder.finish(0, 0), before);
    builder.set_last_offset_delta(i32::MAX);
    let error = builder.append(&record(None, None)).unwrap_err();
    assert_eq!(error.name(), "IllegalArgumentException");
    assert_eq!(builder.count(), 1);
}

#[test]
fn sequences_wrap_to_zero() {
    let mut builder = BatchBuilder::new();
    builder.set_producer(1, 0, i32::MAX - 1).unwrap();
    for last in [i32::MAX - 1, i32::MAX, 0, 1] {
        builder.append(&record(None, None)).unwrap();
        assert_eq!(BatchHeader::parse(builder.finish(0, 0)).unwrap().last_sequence(), last);
    }
}

#[test]
fn errors_name_the_byte_where_the_batch_begins() {
    let mut builder = BatchBuilder::new();
    builder.append(&record(None, None)).unwrap();
    let mut bytes = builder.finish(0, 0).repeat(2);
    bytes.push(0);
    let mut batches = Batches::new(&bytes);
    assert_eq!(batches.by_ref().take(2).filter(Result::is_ok).count(), 2);
    assert_eq!(batches.position(), 136);
    let error = batches.next().unwrap().unwrap_err();
    assert!(error.message().starts_with("byte 136: "), "{error}");
    assert!(batches.next().is_none());
}
