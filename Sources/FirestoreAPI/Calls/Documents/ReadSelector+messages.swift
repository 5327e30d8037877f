import FirestoreProtos

/// The states of the database that requests select.
extension ReadSelector {
    init(_ selector: Google_Firestore_V1_GetDocumentRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    init(_ selector: Google_Firestore_V1_ListDocumentsRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    init(_ selector: Google_Firestore_V1_BatchGetDocumentsRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .transaction(let id): self = .transaction(id)
        case .newTransaction(let options): self = .newTransaction(options)
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }

    init(_ selector: Google_Firestore_V1_ListCollectionIdsRequest.OneOf_ConsistencySelector?) {
        switch selector {
        case .readTime(let time): self = .time(time)
        case nil: self = .latest
        }
    }
}
