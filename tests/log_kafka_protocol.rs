//! The same batches through another implementation, the `kafka-protocol` crate, both ways.
//!
//! Its header map cannot hold a name twice, so the names here differ.
#![cfg(not(target_arch = "wasm32"))]

use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    Compression, Record, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions, TimestampType,
};
use loglanes::log::{BatchBuilder, BatchView, Header, NewRecord, RecordView};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

type Bytes = Vec<u8>;

#[derive(Debug, Clone, PartialEq)]
struct Model {
    timestamp: i64,
    key: Option<Bytes>,
    value: Option<Bytes>,
    headers: Vec<(String, Option<Bytes>)>,
}

fn records() -> impl Strategy<Value = Vec<Model>> {
    let bytes = || option::of(vec(any::<u8>(), 0..100));
    let headers = vec(bytes(), 0..4).prop_map(|values| {
        values.into_iter().enumerate().map(|(i, value)| (format!("ключ {i}"), value)).collect()
    });
    // No timestamp at all is left out: the crate sorts records by it.
    let record = (0..4_000_000_000_000_i64, bytes(), bytes(), headers)
        .prop_map(|(timestamp, key, value, headers)| Model { timestamp, key, value, headers });
    vec(record, 1..12)
}

fn model_of(record: &RecordView<'_>) -> Model {
    Model {
        timestamp: record.timestamp,
        key: record.key.map(Into::into),
        value: record.value.map(Into::into),
        headers: record
            .headers()
            .map(|h| (String::from_utf8(h.key.into()).unwrap(), h.value.map(Into::into)))
            .collect(),
    }
}

proptest! {
    #[test]
    fn it_reads_what_we_write(models in records(), base in 0..1_i64 << 60) {
        let mut builder = BatchBuilder::new();
        for model in &models {
            let headers: Vec<_> = model
                .headers
                .iter()
                .map(|(key, value)| Header { key: key.as_bytes(), value: value.as_deref() })
                .collect();
            builder.append(&NewRecord {
                timestamp: model.timestamp,
                key: model.key.as_deref(),
                value: model.value.as_deref(),
                headers: &headers,
            }).unwrap();
        }
        let mut bytes: &[u8] = builder.finish(base, 3);
        let set = RecordBatchDecoder::decode(&mut bytes).unwrap();
        prop_assert!(bytes.is_empty());
        prop_assert_eq!(set.records.len(), models.len());
        for (index, (record, model)) in set.records.iter().zip(&models).enumerate() {
            prop_assert_eq!(record.offset, base + index as i64);
            prop_assert_eq!(record.partition_leader_epoch, 3);
            prop_assert_eq!((record.producer_id, record.producer_epoch), (-1, -1));
            let read = Model {
                timestamp: record.timestamp,
                key: record.key.as_ref().map(|bytes| bytes.to_vec()),
                value: record.value.as_ref().map(|bytes| bytes.to_vec()),
                headers: record
                    .headers
                    .iter()
                    .map(|(key, value)| (key.to_string(), value.as_ref().map(|v| v.to_vec())))
                    .collect(),
            };
            prop_assert_eq!(&read, model);
        }
    }

    #[test]
    fn we_read_what_it_writes(models in records(), base in 0..1_i64 << 60, sequence in 0..1000_i32) {
        let records: Vec<_> = models.iter().enumerate().map(|(index, model)| Record {
            transactional: true,
            control: false,
            delete_horizon: false,
            partition_leader_epoch: 5,
            producer_id: 77,
            producer_epoch: 2,
            timestamp_type: TimestampType::Creation,
            offset: base + index as i64,
            sequence: sequence + index as i32,
            timestamp: model.timestamp,
            key: model.key.clone().map(Into::into),
            value: model.value.clone().map(Into::into),
            headers: model
                .headers
                .iter()
                .map(|(key, value)| (StrBytes::from_string(key.clone()), value.clone().map(Into::into)))
                .collect(),
        }).collect();
        let mut bytes = Vec::new();
        let options = RecordEncodeOptions { version: 2, compression: Compression::None };
        RecordBatchEncoder::encode(&mut bytes, &records, &options).unwrap();
        let batch = BatchView::parse(&bytes).unwrap();
        batch.verify_crc().unwrap();
        let header = batch.header();
        prop_assert_eq!(header.size_in_bytes(), bytes.len());
        prop_assert_eq!((header.base_offset, header.partition_leader_epoch), (base, 5));
        prop_assert_eq!((header.producer_id, header.producer_epoch), (77, 2));
        prop_assert_eq!((header.base_sequence, header.is_transactional()), (sequence, true));
        let read: Vec<_> = batch.records().map(|record| model_of(&record.unwrap())).collect();
        prop_assert_eq!(read, models);
        let offsets: Vec<_> = batch.records().map(|record| record.unwrap().offset).collect();
        prop_assert!(offsets.into_iter().eq(base..=header.last_offset()));
    }
}
