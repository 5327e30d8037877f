import FirestoreProtos
import SwiftProtobuf

extension ReadSelector {
    /// Makes the selector of a query.
    init(_ selector: Google_Firestore_V1_RunQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .newTransaction(let options): self = .newTransaction(options)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    /// Makes the selector of an aggregation.
    init(_ selector: Google_Firestore_V1_RunAggregationQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .newTransaction(let options): self = .newTransaction(options)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    /// Makes the selector of a partition.
    init(_ selector: Google_Firestore_V1_PartitionQueryRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }
}
