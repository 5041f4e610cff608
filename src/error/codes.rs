//! Kafka's own error table, row by row.
//!
//! Source: `org.apache.kafka.common.protocol.Errors` of Apache Kafka 4.4.0, as a broker's
//! classes print it. Code 0 (`NONE`) is no error and has no row.

macro_rules! error_codes {
    ($($code:literal $variant:ident $name:literal $exception:literal $retriable:literal $message:literal;)*) => {
        /// One row of Kafka's error table: what a broker answers when it refuses.
        ///
        /// Source: `org.apache.kafka.common.protocol.Errors`, Apache Kafka 4.4.0.
        ///
        /// ```
        /// use loglanes::ErrorCode;
        ///
        /// let refused = ErrorCode::from_code(37).unwrap();
        /// assert_eq!(refused, ErrorCode::InvalidPartitions);
        /// assert_eq!(refused.name(), "INVALID_PARTITIONS");
        /// assert_eq!(refused.message(), "Number of partitions is below 1.");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorCode {
            $(#[doc = $message] $variant,)*
        }

        impl ErrorCode {
            /// Every row, in the order of the codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The number on the wire; negative only for `UNKNOWN_SERVER_ERROR`.
            #[must_use]
            pub const fn code(self) -> i16 {
                match self { $(Self::$variant => $code,)* }
            }

            /// Kafka's name of it, such as `INVALID_PARTITIONS`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The Java exception a client raises for it, without its package
            /// (`org.apache.kafka.common.errors`).
            #[must_use]
            pub const fn exception(self) -> &'static str {
                match self { $(Self::$variant => $exception,)* }
            }

            /// The text a client shows when the broker sent the code alone.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(Self::$variant => $message,)* }
            }

            /// Whether Kafka's clients try such a request again by themselves.
            #[must_use]
            pub const fn is_retriable(self) -> bool {
                match self { $(Self::$variant => $retriable,)* }
            }

            /// The row of a code; none for 0 (no error) and for codes that Kafka 4.4.0 lacks.
            #[must_use]
            pub const fn from_code(code: i16) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

error_codes! {
    -1 UnknownServerError "UNKNOWN_SERVER_ERROR" "UnknownServerException" false "The server experienced an unexpected error when processing the request.";
    1 OffsetOutOfRange "OFFSET_OUT_OF_RANGE" "OffsetOutOfRangeException" false "The requested offset is not within the range of offsets maintained by the server.";
    2 CorruptMessage "CORRUPT_MESSAGE" "CorruptRecordException" true "This message has failed its CRC checksum, exceeds the valid size, has a null key for a compacted topic, or is otherwise corrupt.";
    3 UnknownTopicOrPartition "UNKNOWN_TOPIC_OR_PARTITION" "UnknownTopicOrPartitionException" true "This server does not host this topic-partition.";
    4 InvalidFetchSize "INVALID_FETCH_SIZE" "InvalidFetchSizeException" false "The requested fetch size is invalid.";
    5 LeaderNotAvailable "LEADER_NOT_AVAILABLE" "LeaderNotAvailableException" true "There is no leader for this topic-partition as we are in the middle of a leadership election.";
    6 NotLeaderOrFollower "NOT_LEADER_OR_FOLLOWER" "NotLeaderOrFollowerException" true "For requests intended only for the leader, this error indicates that the broker is not the current leader. For requests intended for any replica, this error indicates that the broker is not a replica of the topic partition.";
    7 RequestTimedOut "REQUEST_TIMED_OUT" "TimeoutException" true "The request timed out.";
    8 BrokerNotAvailable "BROKER_NOT_AVAILABLE" "BrokerNotAvailableException" false "The broker is not available.";
    9 ReplicaNotAvailable "REPLICA_NOT_AVAILABLE" "ReplicaNotAvailableException" true "The replica is not available for the requested topic-partition. Produce/Fetch requests and other requests intended only for the leader or follower return NOT_LEADER_OR_FOLLOWER if the broker is not a replica of the topic-partition.";
    10 MessageTooLarge "MESSAGE_TOO_LARGE" "RecordTooLargeException" false "The request included a message larger than the max message size the server will accept.";
    11 StaleControllerEpoch "STALE_CONTROLLER_EPOCH" "ControllerMovedException" false "The controller moved to another broker.";
    12 OffsetMetadataTooLarge "OFFSET_METADATA_TOO_LARGE" "OffsetMetadataTooLarge" false "The metadata field of the offset request was too large.";
    13 NetworkException "NETWORK_EXCEPTION" "NetworkException" true "The server disconnected before a response was received.";
    14 CoordinatorLoadInProgress "COORDINATOR_LOAD_IN_PROGRESS" "CoordinatorLoadInProgressException" true "The coordinator is loading and hence can't process requests.";
    15 CoordinatorNotAvailable "COORDINATOR_NOT_AVAILABLE" "CoordinatorNotAvailableException" true "The coordinator is not available.";
    16 NotCoordinator "NOT_COORDINATOR" "NotCoordinatorException" true "This is not the correct coordinator.";
    17 InvalidTopicException "INVALID_TOPIC_EXCEPTION" "InvalidTopicException" false "The request attempted to perform an operation on an invalid topic.";
    18 RecordListTooLarge "RECORD_LIST_TOO_LARGE" "RecordBatchTooLargeException" false "The request included message batch larger than the configured segment size on the server.";
    19 NotEnoughReplicas "NOT_ENOUGH_REPLICAS" "NotEnoughReplicasException" true "Messages are rejected since there are fewer in-sync replicas than required.";
    20 NotEnoughReplicasAfterAppend "NOT_ENOUGH_REPLICAS_AFTER_APPEND" "NotEnoughReplicasAfterAppendException" true "Messages are written to the log, but to fewer in-sync replicas than required.";
    21 InvalidRequiredAcks "INVALID_REQUIRED_ACKS" "InvalidRequiredAcksException" false "Produce request specified an invalid value for required acks.";
    22 IllegalGeneration "ILLEGAL_GENERATION" "IllegalGenerationException" false "Specified group generation id is not valid.";
    23 InconsistentGroupProtocol "INCONSISTENT_GROUP_PROTOCOL" "InconsistentGroupProtocolException" false "The group member's supported protocols are incompatible with those of existing members or first group member tried to join with empty protocol type or empty protocol list.";
    24 InvalidGroupId "INVALID_GROUP_ID" "InvalidGroupIdException" false "The group id is invalid.";
    25 UnknownMemberId "UNKNOWN_MEMBER_ID" "UnknownMemberIdException" false "The coordinator is not aware of this member.";
    26 InvalidSessionTimeout "INVALID_SESSION_TIMEOUT" "InvalidSessionTimeoutException" false "The session timeout is not within the range allowed by the broker (as configured by group.min.session.timeout.ms and group.max.session.timeout.ms).";
    27 RebalanceInProgress "REBALANCE_IN_PROGRESS" "RebalanceInProgressException" false "The group is rebalancing, so a rejoin is needed.";
    28 InvalidCommitOffsetSize "INVALID_COMMIT_OFFSET_SIZE" "InvalidCommitOffsetSizeException" false "The committing offset data size is not valid.";
    29 TopicAuthorizationFailed "TOPIC_AUTHORIZATION_FAILED" "TopicAuthorizationException" false "Topic authorization failed.";
    30 GroupAuthorizationFailed "GROUP_AUTHORIZATION_FAILED" "GroupAuthorizationException" false "Group authorization failed.";
    31 ClusterAuthorizationFailed "CLUSTER_AUTHORIZATION_FAILED" "ClusterAuthorizationException" false "Cluster authorization failed.";
    32 InvalidTimestamp "INVALID_TIMESTAMP" "InvalidTimestampException" false "The timestamp of the message is out of acceptable range.";
    33 UnsupportedSaslMechanism "UNSUPPORTED_SASL_MECHANISM" "UnsupportedSaslMechanismException" false "The broker does not support the requested SASL mechanism.";
    34 IllegalSaslState "ILLEGAL_SASL_STATE" "IllegalSaslStateException" false "Request is not valid given the current SASL state.";
    35 UnsupportedVersion "UNSUPPORTED_VERSION" "UnsupportedVersionException" false "The version of API is not supported.";
    36 TopicAlreadyExists "TOPIC_ALREADY_EXISTS" "TopicExistsException" false "Topic with this name already exists.";
    37 InvalidPartitions "INVALID_PARTITIONS" "InvalidPartitionsException" false "Number of partitions is below 1.";
    38 InvalidReplicationFactor "INVALID_REPLICATION_FACTOR" "InvalidReplicationFactorException" false "Replication factor is below 1 or larger than the number of available brokers.";
    39 InvalidReplicaAssignment "INVALID_REPLICA_ASSIGNMENT" "InvalidReplicaAssignmentException" false "Replica assignment is invalid.";
    40 InvalidConfig "INVALID_CONFIG" "InvalidConfigurationException" false "Configuration is invalid.";
    41 NotController "NOT_CONTROLLER" "NotControllerException" true "This is not the correct controller for this cluster.";
    42 InvalidRequest "INVALID_REQUEST" "InvalidRequestException" false "This most likely occurs because of a request being malformed by the client library or the message was sent to an incompatible broker. See the broker logs for more details.";
    43 UnsupportedForMessageFormat "UNSUPPORTED_FOR_MESSAGE_FORMAT" "UnsupportedForMessageFormatException" false "The message format version on the broker does not support the request.";
    44 PolicyViolation "POLICY_VIOLATION" "PolicyViolationException" false "Request parameters do not satisfy the configured policy.";
    45 OutOfOrderSequenceNumber "OUT_OF_ORDER_SEQUENCE_NUMBER" "OutOfOrderSequenceException" false "The broker received an out of order sequence number.";
    46 DuplicateSequenceNumber "DUPLICATE_SEQUENCE_NUMBER" "DuplicateSequenceException" false "The broker received a duplicate sequence number.";
    47 InvalidProducerEpoch "INVALID_PRODUCER_EPOCH" "InvalidProducerEpochException" false "Producer attempted to produce with an old epoch.";
    48 InvalidTxnState "INVALID_TXN_STATE" "InvalidTxnStateException" false "The producer attempted a transactional operation in an invalid state.";
    49 InvalidProducerIdMapping "INVALID_PRODUCER_ID_MAPPING" "InvalidPidMappingException" false "The producer attempted to use a producer id which is not currently assigned to its transactional id.";
    50 InvalidTransactionTimeout "INVALID_TRANSACTION_TIMEOUT" "InvalidTxnTimeoutException" false "The transaction timeout is larger than the maximum value allowed by the broker (as configured by transaction.max.timeout.ms).";
    51 ConcurrentTransactions "CONCURRENT_TRANSACTIONS" "ConcurrentTransactionsException" true "The producer attempted to update a transaction while another concurrent operation on the same transaction was ongoing.";
    52 TransactionCoordinatorFenced "TRANSACTION_COORDINATOR_FENCED" "TransactionCoordinatorFencedException" false "Indicates that the transaction coordinator sending a WriteTxnMarker is no longer the current coordinator for a given producer.";
    53 TransactionalIdAuthorizationFailed "TRANSACTIONAL_ID_AUTHORIZATION_FAILED" "TransactionalIdAuthorizationException" false "Transactional Id authorization failed.";
    54 SecurityDisabled "SECURITY_DISABLED" "SecurityDisabledException" false "Security features are disabled.";
    55 OperationNotAttempted "OPERATION_NOT_ATTEMPTED" "OperationNotAttemptedException" false "The broker did not attempt to execute this operation. This may happen for batched RPCs where some operations in the batch failed, causing the broker to respond without trying the rest.";
    56 KafkaStorageError "KAFKA_STORAGE_ERROR" "KafkaStorageException" true "Disk error when trying to access log file on the disk.";
    57 LogDirNotFound "LOG_DIR_NOT_FOUND" "LogDirNotFoundException" false "The user-specified log directory is not found in the broker config.";
    58 SaslAuthenticationFailed "SASL_AUTHENTICATION_FAILED" "SaslAuthenticationException" false "SASL Authentication failed.";
    59 UnknownProducerId "UNKNOWN_PRODUCER_ID" "UnknownProducerIdException" false "This exception is raised by the broker if it could not locate the producer metadata associated with the producerId in question. This could happen if, for instance, the producer's records were deleted because their retention time had elapsed. Once the last records of the producerId are removed, the producer's metadata is removed from the broker, and future appends by the producer will return this exception.";
    60 ReassignmentInProgress "REASSIGNMENT_IN_PROGRESS" "ReassignmentInProgressException" false "A partition reassignment is in progress.";
    61 DelegationTokenAuthDisabled "DELEGATION_TOKEN_AUTH_DISABLED" "DelegationTokenDisabledException" false "Delegation Token feature is not enabled.";
    62 DelegationTokenNotFound "DELEGATION_TOKEN_NOT_FOUND" "DelegationTokenNotFoundException" false "Delegation Token is not found on server.";
    63 DelegationTokenOwnerMismatch "DELEGATION_TOKEN_OWNER_MISMATCH" "DelegationTokenOwnerMismatchException" false "Specified Principal is not valid Owner/Renewer.";
    64 DelegationTokenRequestNotAllowed "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED" "UnsupportedByAuthenticationException" false "Delegation Token requests are not allowed on PLAINTEXT/1-way SSL channels and on delegation token authenticated channels.";
    65 DelegationTokenAuthorizationFailed "DELEGATION_TOKEN_AUTHORIZATION_FAILED" "DelegationTokenAuthorizationException" false "Delegation Token authorization failed.";
    66 DelegationTokenExpired "DELEGATION_TOKEN_EXPIRED" "DelegationTokenExpiredException" false "Delegation Token is expired.";
    67 InvalidPrincipalType "INVALID_PRINCIPAL_TYPE" "InvalidPrincipalTypeException" false "Supplied principalType is not supported.";
    68 NonEmptyGroup "NON_EMPTY_GROUP" "GroupNotEmptyException" false "The group is not empty.";
    69 GroupIdNotFound "GROUP_ID_NOT_FOUND" "GroupIdNotFoundException" false "The group id does not exist.";
    70 FetchSessionIdNotFound "FETCH_SESSION_ID_NOT_FOUND" "FetchSessionIdNotFoundException" true "The fetch session ID was not found.";
    71 InvalidFetchSessionEpoch "INVALID_FETCH_SESSION_EPOCH" "InvalidFetchSessionEpochException" true "The fetch session epoch is invalid.";
    72 ListenerNotFound "LISTENER_NOT_FOUND" "ListenerNotFoundException" true "There is no listener on the leader broker that matches the listener on which metadata request was processed.";
    73 TopicDeletionDisabled "TOPIC_DELETION_DISABLED" "TopicDeletionDisabledException" false "Topic deletion is disabled.";
    74 FencedLeaderEpoch "FENCED_LEADER_EPOCH" "FencedLeaderEpochException" true "The leader epoch in the request is older than the epoch on the broker.";
    75 UnknownLeaderEpoch "UNKNOWN_LEADER_EPOCH" "UnknownLeaderEpochException" true "The leader epoch in the request is newer than the epoch on the broker.";
    76 UnsupportedCompressionType "UNSUPPORTED_COMPRESSION_TYPE" "UnsupportedCompressionTypeException" false "The requesting client does not support the compression type of given partition.";
    77 StaleBrokerEpoch "STALE_BROKER_EPOCH" "StaleBrokerEpochException" false "Broker epoch has changed.";
    78 OffsetNotAvailable "OFFSET_NOT_AVAILABLE" "OffsetNotAvailableException" true "The leader high watermark has not caught up from a recent leader election so the offsets cannot be guaranteed to be monotonically increasing.";
    79 MemberIdRequired "MEMBER_ID_REQUIRED" "MemberIdRequiredException" false "The group member needs to have a valid member id before actually entering a consumer group.";
    80 PreferredLeaderNotAvailable "PREFERRED_LEADER_NOT_AVAILABLE" "PreferredLeaderNotAvailableException" true "The preferred leader was not available.";
    81 GroupMaxSizeReached "GROUP_MAX_SIZE_REACHED" "GroupMaxSizeReachedException" false "The group has reached its maximum size.";
    82 FencedInstanceId "FENCED_INSTANCE_ID" "FencedInstanceIdException" false "The broker rejected this static consumer since another consumer with the same group.instance.id has registered with a different member.id.";
    83 EligibleLeadersNotAvailable "ELIGIBLE_LEADERS_NOT_AVAILABLE" "EligibleLeadersNotAvailableException" true "Eligible topic partition leaders are not available.";
    84 ElectionNotNeeded "ELECTION_NOT_NEEDED" "ElectionNotNeededException" true "Leader election not needed for topic partition.";
    85 NoReassignmentInProgress "NO_REASSIGNMENT_IN_PROGRESS" "NoReassignmentInProgressException" false "No partition reassignment is in progress.";
    86 GroupSubscribedToTopic "GROUP_SUBSCRIBED_TO_TOPIC" "GroupSubscribedToTopicException" false "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it.";
    87 InvalidRecord "INVALID_RECORD" "org.apache.kafka.common.InvalidRecordException" false "This record has failed the validation on broker and hence will be rejected.";
    88 UnstableOffsetCommit "UNSTABLE_OFFSET_COMMIT" "UnstableOffsetCommitException" true "There are unstable offsets that need to be cleared.";
    89 ThrottlingQuotaExceeded "THROTTLING_QUOTA_EXCEEDED" "ThrottlingQuotaExceededException" true "The throttling quota has been exceeded.";
    90 ProducerFenced "PRODUCER_FENCED" "ProducerFencedException" false "There is a newer producer with the same transactionalId which fences the current one.";
    91 ResourceNotFound "RESOURCE_NOT_FOUND" "ResourceNotFoundException" false "A request illegally referred to a resource that does not exist.";
    92 DuplicateResource "DUPLICATE_RESOURCE" "DuplicateResourceException" false "A request illegally referred to the same resource twice.";
    93 UnacceptableCredential "UNACCEPTABLE_CREDENTIAL" "UnacceptableCredentialException" false "Requested credential would not meet criteria for acceptability.";
    94 InconsistentVoterSet "INCONSISTENT_VOTER_SET" "InconsistentVoterSetException" false "Indicates that the either the sender or recipient of a voter-only request is not one of the expected voters.";
    95 InvalidUpdateVersion "INVALID_UPDATE_VERSION" "InvalidUpdateVersionException" false "The given update version was invalid.";
    96 FeatureUpdateFailed "FEATURE_UPDATE_FAILED" "FeatureUpdateFailedException" false "Unable to update finalized features due to an unexpected server error.";
    97 PrincipalDeserializationFailure "PRINCIPAL_DESERIALIZATION_FAILURE" "PrincipalDeserializationException" false "Request principal deserialization failed during forwarding. This indicates an internal error on the broker cluster security setup.";
    98 SnapshotNotFound "SNAPSHOT_NOT_FOUND" "SnapshotNotFoundException" false "Requested snapshot was not found.";
    99 PositionOutOfRange "POSITION_OUT_OF_RANGE" "PositionOutOfRangeException" false "Requested position is not greater than or equal to zero, and less than the size of the snapshot.";
    100 UnknownTopicId "UNKNOWN_TOPIC_ID" "UnknownTopicIdException" true "This server does not host this topic ID.";
    101 DuplicateBrokerRegistration "DUPLICATE_BROKER_REGISTRATION" "DuplicateBrokerRegistrationException" false "This broker ID is already in use.";
    102 BrokerIdNotRegistered "BROKER_ID_NOT_REGISTERED" "BrokerIdNotRegisteredException" false "The given broker ID was not registered.";
    103 InconsistentTopicId "INCONSISTENT_TOPIC_ID" "InconsistentTopicIdException" true "The log's topic ID did not match the topic ID in the request.";
    104 InconsistentClusterId "INCONSISTENT_CLUSTER_ID" "InconsistentClusterIdException" false "The clusterId in the request does not match that found on the server.";
    105 TransactionalIdNotFound "TRANSACTIONAL_ID_NOT_FOUND" "TransactionalIdNotFoundException" false "The transactionalId could not be found.";
    106 FetchSessionTopicIdError "FETCH_SESSION_TOPIC_ID_ERROR" "FetchSessionTopicIdException" true "The fetch session encountered inconsistent topic ID usage.";
    107 IneligibleReplica "INELIGIBLE_REPLICA" "IneligibleReplicaException" false "The new ISR contains at least one ineligible replica.";
    108 NewLeaderElected "NEW_LEADER_ELECTED" "NewLeaderElectedException" false "The AlterPartition request successfully updated the partition state but the leader has changed.";
    109 OffsetMovedToTieredStorage "OFFSET_MOVED_TO_TIERED_STORAGE" "OffsetMovedToTieredStorageException" false "The requested offset is moved to tiered storage.";
    110 FencedMemberEpoch "FENCED_MEMBER_EPOCH" "FencedMemberEpochException" false "The member epoch is fenced by the group coordinator. The member must abandon all its partitions and rejoin.";
    111 UnreleasedInstanceId "UNRELEASED_INSTANCE_ID" "UnreleasedInstanceIdException" false "The instance ID is still used by another member in the consumer group. That member must leave first.";
    112 UnsupportedAssignor "UNSUPPORTED_ASSIGNOR" "UnsupportedAssignorException" false "The assignor or its version range is not supported by the consumer group.";
    113 StaleMemberEpoch "STALE_MEMBER_EPOCH" "StaleMemberEpochException" false "The member epoch is stale. The member must retry after receiving its updated member epoch via the ConsumerGroupHeartbeat API.";
    114 MismatchedEndpointType "MISMATCHED_ENDPOINT_TYPE" "MismatchedEndpointTypeException" false "The request was sent to an endpoint of the wrong type.";
    115 UnsupportedEndpointType "UNSUPPORTED_ENDPOINT_TYPE" "UnsupportedEndpointTypeException" false "This endpoint type is not supported yet.";
    116 UnknownControllerId "UNKNOWN_CONTROLLER_ID" "UnknownControllerIdException" false "This controller ID is not known.";
    117 UnknownSubscriptionId "UNKNOWN_SUBSCRIPTION_ID" "UnknownSubscriptionIdException" false "Client sent a push telemetry request with an invalid or outdated subscription ID.";
    118 TelemetryTooLarge "TELEMETRY_TOO_LARGE" "TelemetryTooLargeException" false "Client sent a push telemetry request larger than the maximum size the broker will accept.";
    119 InvalidRegistration "INVALID_REGISTRATION" "InvalidRegistrationException" false "The controller has considered the broker registration to be invalid.";
    120 TransactionAbortable "TRANSACTION_ABORTABLE" "TransactionAbortableException" false "The server encountered an error with the transaction. The client can abort the transaction to continue using this transactional ID.";
    121 InvalidRecordState "INVALID_RECORD_STATE" "InvalidRecordStateException" false "The record state is invalid. The acknowledgement of delivery could not be completed.";
    122 ShareSessionNotFound "SHARE_SESSION_NOT_FOUND" "ShareSessionNotFoundException" true "The share session was not found.";
    123 InvalidShareSessionEpoch "INVALID_SHARE_SESSION_EPOCH" "InvalidShareSessionEpochException" true "The share session epoch is invalid.";
    124 FencedStateEpoch "FENCED_STATE_EPOCH" "FencedStateEpochException" false "The coordinator rejected the request because the state epoch did not match.";
    125 InvalidVoterKey "INVALID_VOTER_KEY" "InvalidVoterKeyException" false "The voter key doesn't match the receiving replica's key.";
    126 DuplicateVoter "DUPLICATE_VOTER" "DuplicateVoterException" false "The voter is already part of the set of voters.";
    127 VoterNotFound "VOTER_NOT_FOUND" "VoterNotFoundException" false "The voter is not part of the set of voters.";
    128 InvalidRegularExpression "INVALID_REGULAR_EXPRESSION" "InvalidRegularExpression" false "The regular expression is not valid.";
    129 RebootstrapRequired "REBOOTSTRAP_REQUIRED" "RebootstrapRequiredException" false "Client metadata is stale. The client should rebootstrap to obtain new metadata.";
    130 StreamsInvalidTopology "STREAMS_INVALID_TOPOLOGY" "StreamsInvalidTopologyException" false "The supplied topology is invalid.";
    131 StreamsInvalidTopologyEpoch "STREAMS_INVALID_TOPOLOGY_EPOCH" "StreamsInvalidTopologyEpochException" false "The supplied topology epoch is invalid.";
    132 StreamsTopologyFenced "STREAMS_TOPOLOGY_FENCED" "StreamsTopologyFencedException" false "The supplied topology epoch is outdated.";
    133 ShareSessionLimitReached "SHARE_SESSION_LIMIT_REACHED" "ShareSessionLimitReachedException" true "The limit of share sessions has been reached.";
    134 GroupDeletionFailed "GROUP_DELETION_FAILED" "GroupDeletionFailedException" false "DeleteGroups could not complete; see the error message on the per-group result for details.";
    135 StreamsTopologyDescriptionUpdateFailed "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED" "StreamsTopologyDescriptionUpdateFailedException" false "The broker could not process the topology description update; see the error message for details.";
    136 ControllerIdNotRegistered "CONTROLLER_ID_NOT_REGISTERED" "ControllerIdNotRegisteredException" false "The given controller ID was not registered.";
}
