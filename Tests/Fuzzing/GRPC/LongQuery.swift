import TestBasics

/// Requests for queries that have more filters and orders than a query may have, as messages of gRPC
/// ([encoding](https://protobuf.dev/programming-guides/encoding)).
enum LongQuery {
    /// The methods that run a query.
    static let methods: Set = ["RunQuery", "RunAggregationQuery"]

    private static let parent = Array("projects/pushgate/databases/(default)/documents".utf8)

    /// Returns the request for a query of the gateway's own documents, which may be ordered by their names only.
    static func content(of method: String, _ generator: inout SeededGenerator) -> [UInt8] {
        let (filters, orders) = generator.pick([(101, 0), (0, 101), (60, 41), (1_100, 0), (0, 1_100), (1_100, 1_100)])
        let query = query(filters: filters, orders: orders)
        guard method == "RunAggregationQuery" else { return message(1, parent) + message(2, query) }
        let count = message(1, [])
        return message(1, parent) + message(2, message(1, query) + message(3, count))
    }

    private static func query(filters: Int, orders: Int) -> [UInt8] {
        let collection = message(2, message(2, Array("notes".utf8)))
        let conditions = (0..<filters).map { message(2, message(2, condition($0))) }
        // AND
        let filter = filters == 0 ? [] : message(3, message(1, number(1, 1) + conditions.flatMap(\.self)))
        return collection + filter + (0..<orders).flatMap { _ in message(4, field("__name__")) }
    }

    /// Returns a filter of the field by a number.
    private static func condition(_ value: Int) -> [UInt8] {
        // EQUAL
        field("n") + number(2, 5) + message(3, number(2, value))
    }

    private static func field(_ name: String) -> [UInt8] { message(1, message(2, Array(name.utf8))) }

    private static func message(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2] + varint(content.count) + content
    }

    private static func number(_ number: UInt8, _ value: Int) -> [UInt8] { [number << 3] + varint(value) }

    private static func varint(_ value: Int) -> [UInt8] {
        var (bytes, rest): ([UInt8], Int) = ([], value)
        while rest >= 128 {
            bytes.append(UInt8(rest & 127 | 128))
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
