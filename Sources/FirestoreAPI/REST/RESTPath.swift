import Foundation

/// The methods of Firestore's service that have a name in REST: the text after the colon of a path.
enum RESTMethod: String, Sendable {
    case batchGet, runQuery, runAggregationQuery, commit, batchWrite, beginTransaction, rollback, listCollectionIds,
        partitionQuery, executePipeline
    /// These two exist only over gRPC.
    case listen, write

    /// `true` if the method is one of a database; `false` if it can also be of a document.
    var isOfDatabase: Bool {
        switch self {
        case .batchGet, .commit, .batchWrite, .beginTransaction, .rollback, .executePipeline: true
        case .runQuery, .runAggregationQuery, .listCollectionIds, .partitionQuery, .listen, .write: false
        }
    }
}

/// The path of a request: its segments, each percent-decoded once, and the method after a colon.
struct RESTPath: Sendable {
    let segments: [String]
    let method: RESTMethod?

    /// Parses a path.
    ///
    /// - Parameters:
    ///   - text: the path as it was sent.
    ///   - takesMethod: `true` if a known method after the last colon is not part of the last segment. An id may
    ///     contain colons too.
    /// - Throws: `INVALID_ARGUMENT` if a segment cannot be decoded, or contains a slash afterwards.
    init(_ text: String, takesMethod: Bool) throws(FirestoreStatus) {
        var parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.first?.isEmpty == true { parts.removeFirst() }
        method = takesMethod ? Self.removeMethod(from: &parts) : nil
        var segments: [String] = []
        segments.reserveCapacity(parts.count)
        for part in parts { segments.append(try Self.decoded(part)) }
        self.segments = segments
    }

    private static func removeMethod(from parts: inout [Substring]) -> RESTMethod? {
        guard let last = parts.last, let colon = last.lastIndex(of: ":"),
            let method = RESTMethod(rawValue: String(last[last.index(after: colon)...]))
        else { return nil }
        parts[parts.count - 1] = last[..<colon]
        return method
    }

    private static func decoded(_ part: Substring) throws(FirestoreStatus) -> String {
        guard let text = part.removingPercentEncoding else {
            throw .invalid("The path's segment \"\(part)\" is not percent-encoded UTF-8.")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")) else {
            throw .invalid("An id cannot contain a slash, not even as %2F.")
        }
        return text
    }
}
