import DocumentStore
import Foundation

/// The position of a chunk in its lane's queue on disk: the lane's key, a space, and the time at which the chunk is
/// due.
///
/// One field with one index holds the queues of all lanes. Each queue is a range of the index in the order of the due
/// times, and the next lane is one seek away. A paused lane with a long queue therefore costs the others nothing.
enum QueueKey {
    static let field = FieldPath(OutboxDocuments.queue)

    static func text(_ lane: Lane, dueAt time: Timestamp) -> String { "\(lane.key) \(time)" }

    /// Returns the lane's key in a position.
    static func laneKey(in text: String) -> Substring { text.prefix { $0 != " " } }

    /// Returns a query for the first chunk of the first queue after a lane's, or of all queues.
    static func first(afterLane key: Substring?) -> Query {
        // "!" sorts after the space, and before every character that can continue a key.
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(field, .greaterThan, .string(key.map { "\($0)!" } ?? ""))
            .ordered(by: field)
            .limited(to: 1)
        query.projection = [field, FieldPath(OutboxDocuments.dueAt)]
        return query
    }

    /// Returns a query for the first chunk of a lane that is due after a time.
    static func first(in lane: Lane, dueAfter time: Timestamp) -> Query {
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(field, .greaterThan, .string(text(lane, dueAt: time)))
            .where(field, .lessThan, .string("\(lane.key)!"))
            .ordered(by: field)
            .limited(to: 1)
        query.projection = [FieldPath(OutboxDocuments.dueAt)]
        return query
    }

    /// A query for all chunks in queues.
    static var all: Query {
        Query.collectionGroup(OutboxDocuments.messages).where(field, .greaterThan, .string(""))
    }

    /// Returns a query for a lane's chunks that are due after one time and up to another, the most overdue first. It
    /// reads only names, because the documents are large.
    static func due(in lane: Lane, after start: Timestamp, by end: Timestamp, limit: Int) -> Query {
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(field, .greaterThan, .string(text(lane, dueAt: start)))
            .where(field, .lessThanOrEqual, .string(text(lane, dueAt: end)))
            .ordered(by: field)
            .limited(to: limit)
        query.projection = []
        return query
    }
}

/// The lane as a text: transport, topic and environment, such as `apns/com.example.app/sandbox`. Absent parts are
/// empty.
///
/// Letters, digits, `.`, `-` and `_` stand for themselves, and all other characters are percent-encoded (RFC 3986
/// §2.1). A key therefore contains no space, which separates it from the time in ``QueueKey``.
extension Lane {
    /// The text of the lane.
    var key: String {
        "\(Self.encode(transport.rawValue))/\(Self.encode(app.bundleID ?? ""))/\(app.environment?.rawValue ?? "")"
    }

    /// Reads a key; `nil` if the text is not one.
    init?(key: Substring) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(Self.decode)
        guard parts.count == 3, let transport = parts[0], let topic = parts[1], let name = parts[2] else { return nil }
        let environment = APNsEnvironment(rawValue: name)
        guard !transport.isEmpty, name.isEmpty || environment != nil else { return nil }
        self.init(
            transport: TransportName(rawValue: transport),
            app: AppIdentity(bundleID: topic.isEmpty ? nil : topic, environment: environment))
    }

    private static func encode(_ text: String) -> String {
        // The common case, for which Foundation would make one or two copies.
        if text.unicodeScalars.allSatisfy(plain.contains) { return text }
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static func decode(_ text: Substring) -> String? { text.removingPercentEncoding }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_")
}
