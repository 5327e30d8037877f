/// The messages that can contain lists, as far as requests have them.
enum ListedMessage: Sendable {
    case getDocument, listDocuments, createDocument, updateDocument, batchGet
    case commit, batchWrite, writeStream, write, document, mask, transform, fieldTransform
    case entry, value, fields, array, function, pipeline
    case queryRequest, query, projection, filter, compositeFilter, fieldFilter, nearest, cursor
    case aggregationRequest, aggregationQuery
    case listen, target, documentsTarget
    /// A text, or a message without lists.
    case leaf

    /// Finds the message of a request by its name in the proto; `nil` for a request without lists.
    init?(request name: String) {
        switch name {
        case "google.firestore.v1.GetDocumentRequest": self = .getDocument
        case "google.firestore.v1.ListDocumentsRequest": self = .listDocuments
        case "google.firestore.v1.CreateDocumentRequest": self = .createDocument
        case "google.firestore.v1.UpdateDocumentRequest": self = .updateDocument
        case "google.firestore.v1.BatchGetDocumentsRequest": self = .batchGet
        case "google.firestore.v1.CommitRequest": self = .commit
        case "google.firestore.v1.BatchWriteRequest": self = .batchWrite
        case "google.firestore.v1.WriteRequest": self = .writeStream
        case "google.firestore.v1.RunQueryRequest", "google.firestore.v1.PartitionQueryRequest": self = .queryRequest
        case "google.firestore.v1.RunAggregationQueryRequest": self = .aggregationRequest
        case "google.firestore.v1.ListenRequest": self = .listen
        // The page token of a list.
        case "google.firestore.v1.Cursor": self = .cursor
        default: return nil
        }
    }

    /// The greatest number of writes in a request; `nil` for one without writes.
    var mostWrites: Int? {
        switch self {
        case .commit, .writeStream: RequestLimits.writes
        case .batchWrite: RequestLimits.batchWrites
        default: nil
        }
    }

    /// The greatest number of elements of a request.
    var mostElements: Int { self == .listen ? RequestLimits.targetElements : RequestLimits.elements }

    /// `true` for the content of a map or of an array, which is a part of its value.
    var isPartOfValue: Bool { self == .fields || self == .array }

    /// Returns `true` if a field is a list or a map; `false` if a message has it once at most.
    func isList(_ number: UInt64) -> Bool {
        switch (self, number) {
        case (.commit, 2), (.batchWrite, 2...3), (.writeStream, 3), (.writeStream, 5), (.write, 7), (.transform, 2),
            (.mask, 1), (.document, 2), (.fields, 1), (.array, 1), (.function, 2...3), (.pipeline, 1), (.query, 2),
            (.query, 4), (.projection, 2), (.compositeFilter, 2), (.cursor, 1), (.aggregationQuery, 3), (.batchGet, 2),
            (.listen, 4), (.documentsTarget, 2):
            true
        default: false
        }
    }

    /// Returns the message in a field, by its number in `Protos/`; `nil` for a field that is no part of a list.
    func content(ofField number: UInt64) -> ListedMessage? {
        contentOfRequest(number) ?? contentOfWrite(number) ?? contentOfValue(number) ?? contentOfQuery(number)
    }

    private func contentOfRequest(_ number: UInt64) -> ListedMessage? {
        switch (self, number) {
        case (.commit, 2), (.batchWrite, 2), (.writeStream, 3): .write
        case (.getDocument, 2), (.listDocuments, 7), (.createDocument, 5), (.updateDocument, 2...3), (.batchGet, 3):
            .mask
        case (.createDocument, 4), (.updateDocument, 1): .document
        case (.queryRequest, 2): .query
        case (.aggregationRequest, 2): .aggregationQuery
        case (.listen, 2): .target
        case (.target, 2): .queryRequest
        case (.target, 3): .documentsTarget
        case (.batchGet, 2), (.documentsTarget, 2), (.batchWrite, 3), (.writeStream, 5), (.listen, 4): .leaf
        default: nil
        }
    }

    private func contentOfWrite(_ number: UInt64) -> ListedMessage? {
        switch (self, number) {
        case (.write, 1): .document
        case (.write, 3): .mask
        case (.write, 6): .transform
        case (.write, 7), (.transform, 2): .fieldTransform
        case (.fieldTransform, 3...5): .value
        case (.fieldTransform, 6...7): .array
        case (.mask, 1): .leaf
        default: nil
        }
    }

    private func contentOfValue(_ number: UInt64) -> ListedMessage? {
        switch (self, number) {
        case (.document, 2), (.fields, 1), (.function, 3): .entry
        case (.entry, 2), (.array, 1), (.function, 2): .value
        case (.value, 6): .fields
        case (.value, 9): .array
        // A pipeline's stages have the fields of functions.
        case (.value, 20), (.pipeline, 1): .function
        case (.value, 21): .pipeline
        default: nil
        }
    }

    private func contentOfQuery(_ number: UInt64) -> ListedMessage? {
        switch (self, number) {
        case (.aggregationQuery, 1): .query
        case (.query, 1): .projection
        case (.query, 3), (.compositeFilter, 2): .filter
        case (.query, 7...8): .cursor
        case (.query, 9): .nearest
        case (.filter, 1): .compositeFilter
        case (.filter, 2): .fieldFilter
        case (.fieldFilter, 3), (.nearest, 2), (.cursor, 1): .value
        case (.query, 2), (.query, 4), (.projection, 2), (.aggregationQuery, 3): .leaf
        default: nil
        }
    }
}
