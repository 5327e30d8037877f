import DocumentStore
import FirestoreProtos
import SwiftProtobuf

/// The work that a query was, for clients that ask to have it explained.
struct QueryWork: Sendable {
    /// The results that the client received.
    var results = 0
    /// The operations that production would bill.
    var reads = 0
    var scannedDocuments = 0
    var scannedIndexEntries = 0
    /// The beginning of the work.
    private let began = ContinuousClock.now

    /// The work of a query that returns documents. Production bills one read for a query without results.
    static func documents(_ count: Int, scanned: Int, after work: QueryWork) -> QueryWork {
        var work = work
        (work.results, work.reads) = (count, max(1, count))
        (work.scannedDocuments, work.scannedIndexEntries) = (scanned, scanned)
        return work
    }

    /// The work of aggregations, of which production bills one read for each 1,000 entries of an index.
    static func aggregation(over entries: Int, after work: QueryWork) -> QueryWork {
        var work = work
        (work.results, work.reads) = (1, max(1, (entries + 999) / 1_000))
        work.scannedIndexEntries = entries
        return work
    }

    /// The statistics, with the time until now.
    var statistics: Google_Firestore_V1_ExecutionStats {
        // The time is never nothing, also in the microseconds of a client.
        let duration = max(began.duration(to: .now), .microseconds(1)).components
        return .with {
            $0.resultsReturned = Int64(results)
            $0.readOperations = Int64(reads)
            $0.executionDuration = Google_Protobuf_Duration(
                seconds: duration.seconds, nanos: Int32(truncatingIfNeeded: duration.attoseconds / 1_000_000_000))
            $0.debugStats = debugStatistics
        }
    }

    /// The numbers as texts, as production has them.
    private var debugStatistics: Google_Protobuf_Struct {
        [
            "billing_details": Google_Protobuf_Value(structValue: [
                "documents_billable": .count(scannedDocuments), "index_entries_billable": .count(scannedIndexEntries),
                "small_ops": .count(0), "min_query_cost": .count(0),
            ]),
            "documents_scanned": .count(scannedDocuments),
            "index_entries_scanned": .count(scannedIndexEntries),
        ]
    }
}

extension Google_Protobuf_Value {
    fileprivate static func count(_ number: Int) -> Google_Protobuf_Value {
        Google_Protobuf_Value(stringValue: "\(number)")
    }
}

extension Google_Firestore_V1_ExplainMetrics {
    /// Makes the explanation of a query.
    ///
    /// - Parameter work: the work that the query was; `nil` if it was not run.
    init(_ search: DocumentSearch, work: QueryWork?) {
        self.init()
        planSummary.indexesUsed = search.indexes.map(\.summary)
        if let work { executionStats = work.statistics }
    }
}

extension QueryIndex {
    /// The index in production's form, such as `(a ASC, __name__ ASC)`.
    fileprivate var summary: Google_Protobuf_Struct {
        let properties = fields.map(\.summary).joined(separator: ", ")
        return [
            "query_scope": Google_Protobuf_Value(stringValue: isGroup ? "Collection group" : "Collection"),
            "properties": Google_Protobuf_Value(stringValue: "(\(properties))"),
        ]
    }
}

extension QueryIndex.Field {
    fileprivate var summary: String {
        switch kind {
        case .ascending: "\(path) ASC"
        case .descending: "\(path) DESC"
        case .arrayContains: "\(path) CONTAINS"
        case .vector(let dimension): "\(path) VECTOR<\(dimension)>"
        }
    }
}
