//! What a broker stores: records, batches, segments, partitions.
