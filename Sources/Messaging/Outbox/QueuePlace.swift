internal import DocumentStore

/// Where a chunk stands in the queue of its lane on disk: the lane's key, a space, and when the chunk is due.
///
/// One field, and one index over it, hold a queue for every lane: each is a range of it, in the order in which its chunks
/// are due, and the next lane is one seek away. So a lane that stands still, however long its queue, costs nobody else.
enum QueuePlace {
    static let field = FieldPath(OutboxDocuments.queue)

    static func text(_ lane: Lane, dueAt time: Timestamp) -> String { "\(lane.key) \(time)" }

    /// The lane's key in a place.
    static func laneKey(in text: String) -> Substring { text.prefix { $0 != " " } }

    /// The chunk that is first in the first queue after that of a lane, or of all.
    static func first(afterLane key: Substring?) -> Query {
        // "!" follows the space, and precedes everything a key can go on with.
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(field, .greaterThan, .string(key.map { "\($0)!" } ?? ""))
            .ordered(by: field)
            .limited(to: 1)
        query.projection = [field, FieldPath(OutboxDocuments.dueAt)]
        return query
    }

    /// The chunk of a lane that is due first after a time.
    static func first(in lane: Lane, dueAfter time: Timestamp) -> Query {
        var query = Query.collectionGroup(OutboxDocuments.messages)
            .where(field, .greaterThan, .string(text(lane, dueAt: time)))
            .where(field, .lessThan, .string("\(lane.key)!"))
            .ordered(by: field)
            .limited(to: 1)
        query.projection = [FieldPath(OutboxDocuments.dueAt)]
        return query
    }

    /// Every chunk in a queue.
    static var all: Query {
        Query.collectionGroup(OutboxDocuments.messages).where(field, .greaterThan, .string(""))
    }

    /// A lane's chunks that are due after one time and by another, the longest due first: their names, as the rest is large.
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
