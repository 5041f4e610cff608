//! From key bytes to a partition, one file a client family.
