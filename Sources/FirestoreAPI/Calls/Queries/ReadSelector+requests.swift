import FirestoreProtos
import SwiftProtobuf

extension ReadSelector {
    /// Selects the latest state if the query names none.
    init(_ selector: Google_Firestore_V1_RunQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .newTransaction(let options): self = .newTransaction(options)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    /// Selects the latest state if the aggregation names none.
    init(_ selector: Google_Firestore_V1_RunAggregationQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .newTransaction(let options): self = .newTransaction(options)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    /// Selects the latest state if the request names none. Partitions are read in no transaction.
    init(_ selector: Google_Firestore_V1_PartitionQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }
}
