import DocumentStore
import Foundation
import Texts

/// The positions of chunks in the queues on disk of one gateway: the gateway's name, if several share the documents,
/// the lane's key, and the time at which the chunk is due, separated by spaces.
///
/// One field with one index holds the queues of all lanes. Each queue is a range of the index in the order of the due
/// times, and the next lane is one seek away. A paused lane with a long queue therefore costs the others nothing.
struct QueueKey: Sendable {
    static let field = FieldPath(OutboxDocuments.queue)

    /// The beginning of all positions: the gateway's name and a space; empty if the documents are its own.
    private let prefix: String

    /// Makes the positions of a gateway.
    ///
    /// - Parameter owner: the gateway's name; `nil` if the documents are its own.
    init(owner: String? = nil) { prefix = owner.map { "\($0) " } ?? "" }

    func text(_ lane: Lane, dueAt time: Timestamp) -> String {
        let key = lane.key
        var text = ""
        text.reserveCapacity(prefix.utf8.count + key.utf8.count + 1 + Timestamp.textLength)
        text += prefix
        text += key
        text += " "
        time.append(to: &text)
        return text
    }

    /// Returns the lane's key in a position of this gateway.
    func laneKey(in text: String) -> Substring { text.dropFirst(prefix.count).prefix { $0 != " " } }

    /// Returns the lane of a position; `nil` if it is in a queue of another gateway.
    func lane(of text: String) -> Lane? { text.hasPrefix(prefix) ? Lane(key: laneKey(in: text)) : nil }

    /// Returns a query for the first chunk of the first queue after a lane's, or of all queues.
    func first(afterLane key: Substring?) -> Query {
        // "!" sorts after the space, and before every character that can continue a key.
        Self.chunks(after: key.map { "\(prefix)\($0)!" } ?? prefix, before: end).limited(to: 1)
    }

    /// Returns a query for the first chunk of a lane that is due after a time.
    func first(in lane: Lane, dueAfter time: Timestamp) -> Query {
        Self.chunks(after: text(lane, dueAt: time), before: "\(prefix)\(lane.key)!").limited(to: 1)
    }

    /// Returns a query for a lane's chunks, the most overdue first. It reads only names, because the documents are
    /// large.
    func waiting(in lane: Lane, limit: Int) -> Query {
        var query = Self.chunks(after: "\(prefix)\(lane.key) ", before: "\(prefix)\(lane.key)!").limited(to: limit)
        query.projection = []
        return query
    }

    /// A query for all chunks in queues.
    var all: Query { Self.chunks(after: prefix, before: end) }

    /// Returns a query for a lane's chunks that are due after one time and up to another, the most overdue first. It
    /// reads only names, because the documents are large.
    func due(in lane: Lane, after start: Timestamp, by end: Timestamp, limit: Int) -> Query {
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(Self.field, .greaterThan, .string(text(lane, dueAt: start)))
            .where(Self.field, .lessThanOrEqual, .string(text(lane, dueAt: end)))
            .ordered(by: Self.field)
            .limited(to: limit)
        query.projection = []
        return query
    }

    /// A position after all those of this gateway; `nil` if the documents are its own.
    private var end: String? { prefix.isEmpty ? nil : Self.end(of: prefix) }

    /// Returns a query for the chunks of all gateways between two positions, with only their positions, times and
    /// collapse keys.
    static func chunks(after start: String, before end: String? = nil) -> Query {
        var query = Query.collectionGroup(OutboxDocuments.messages).where(field, .greaterThan, .string(start))
        if let end { query = query.where(field, .lessThan, .string(end)) }
        query = query.ordered(by: field)
        query.projection = [field, FieldPath(OutboxDocuments.dueAt), FieldPath(OutboxDocuments.collapseKey)]
        return query
    }
}

/// The owners of queues: gateways, of which some may be gone.
extension QueueKey {
    /// The gateway whose queue a position is in; `nil` if it names none.
    static func owner(in text: String) -> Substring? {
        let first = text.prefix { $0 != " " }
        // The key of a lane has slashes, the name of a gateway none.
        return first.contains("/") ? nil : first
    }

    /// Returns the same position in the queue of this gateway.
    func adopted(_ text: String) -> String {
        let rest = Self.owner(in: text).map { text.dropFirst($0.count + 1) } ?? text[...]
        return prefix + rest
    }

    /// Returns a position after all those that begin like one: those of its gateway, or of its lane if it names none.
    static func end(of text: String) -> String { "\(text.prefix { $0 != " " })!" }
}

/// The lane as a text: transport, topic and environment, such as `apns/com.example.app/sandbox`. Absent parts are
/// empty.
///
/// Letters, digits, `.`, `-` and `_` stand for themselves, and all other characters are percent-encoded (RFC 3986
/// §2.1). A key therefore contains no space, which separates it from the time in ``QueueKey``.
extension Lane {
    /// The text of the lane.
    var key: String {
        let transport = Self.encode(transport.rawValue)
        let (topic, environment) = (Self.encode(app.bundleID ?? ""), Self.encode(app.environment ?? ""))
        var key = ""
        key.reserveCapacity(transport.utf8.count + topic.utf8.count + environment.utf8.count + 2)
        key += transport
        key += "/"
        key += topic
        key += "/"
        key += environment
        return key
    }

    /// Reads a key; `nil` if the text is not one.
    init?(key: Substring) {
        let parts = key.split(separator: "/", omittingEmptySubsequences: false).map(Self.decode)
        guard parts.count == 3, let transport = parts[0], let topic = parts[1], let environment = parts[2],
            !transport.isEmpty
        else { return nil }
        self.init(
            transport: TransportName(rawValue: transport),
            app: AppIdentity(bundleID: topic.isEmpty ? nil : topic, environment: environment))
    }

    private static func encode(_ text: String) -> String {
        // The common case, for which Foundation would make one or two copies.
        if text.utf8.allSatisfy({ $0.isASCIILetterOrDigit || ".-_".utf8.contains($0) }) { return text }
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }

    private static func decode(_ text: Substring) -> String? { text.removingPercentEncoding }

    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_")
}
