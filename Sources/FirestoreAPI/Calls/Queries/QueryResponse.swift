import DocumentStore
import FirestoreProtos
import SwiftProtobuf

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One message of a query's answer: with a document, the id of a new transaction, or neither.
package struct QueryResponse: Sendable {
    let database: DatabaseID
    var document: Document?
    var readTime: Timestamp?
    /// The number of documents before the first.
    var skipped: Int32 = 0
    var isLast = false
    var metrics: Google_Firestore_V1_ExplainMetrics?
    var transaction = Data()

    init(in database: DatabaseID) { self.database = database }

    /// The message, for REST.
    var message: Google_Firestore_V1_RunQueryResponse {
        .with {
            if let document { $0.document = Google_Firestore_V1_Document(document, in: database) }
            if let readTime { $0.readTime = Google_Protobuf_Timestamp(readTime) }
            $0.skippedResults = skipped
            if isLast { $0.done = true }
            if let metrics { $0.explainMetrics = metrics }
            $0.transaction = transaction
        }
    }

    /// Encodes a message, for gRPC. A result has thousands of them, so the documents do not become messages first.
    static func bytes(_ response: QueryResponse) throws(FirestoreStatus) -> [UInt8] {
        var bytes = MessageBytes(capacity: 512)
        if let document = response.document { bytes.append(1, document, in: response.database) }
        if !response.transaction.isEmpty { bytes.append(2, bytes: response.transaction) }
        if let readTime = response.readTime { bytes.append(3, readTime) }
        if response.skipped != 0 { bytes.append(4, integer: Int64(response.skipped)) }
        if response.isLast { bytes.append(6, boolean: true) }
        if let metrics = response.metrics { bytes.append(11, bytes: try MessageCoding.bytes(metrics)) }
        return bytes.bytes
    }
}
