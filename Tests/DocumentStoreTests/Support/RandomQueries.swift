import TestDoubles

@testable import DocumentStore

/// The indexes of a database with random documents.
enum RandomIndexes: CaseIterable {
    case ofOneType, ofAllTypes, automatic, automaticAndDeclared

    var isAutomatic: Bool { self == .automatic || self == .automaticAndDeclared }

    var declared: [FieldIndex] {
        switch self {
        case .ofOneType:
            [
                FieldIndex(collectionGroup: "t", field: "f", type: .string),
                FieldIndex(collectionGroup: "t", field: "f", type: .timestamp),
                FieldIndex(collectionGroup: "t", field: "g", type: .boolean),
            ]
        case .ofAllTypes:
            [
                FieldIndex(collectionGroup: "t", field: "f"),
                FieldIndex(collectionGroup: "t", field: FieldPath("a\"b")),
                FieldIndex(collectionGroup: "t", field: FieldPath(segments: ["g", "a"])),
                FieldIndex(collectionGroup: "u", field: "h"),
                FieldIndex(collectionGroup: "u", field: "h", type: .string),
            ]
        case .automatic: []
        case .automaticAndDeclared: [FieldIndex(collectionGroup: "t", field: "g")]
        }
    }
}

extension SeededGenerator {
    static let fieldNames = ["f", "g", "a\"b", "h"]

    mutating func path() throws -> DocumentPath {
        let ids = ["a", "b", "a!", "a\u{0}", "a\u{1}", "é", "1", "10", "9"]
        let parent = pick(["", "", "x/y/", "t/a/", "t/a!/", "t/__id7__/", "u/b/t/a/"])
        let numeric = pick(["__id-2__", "__id7__", "__id12__"])
        let id = chance(15) ? numeric : "\(pick(ids))\(chance(60) ? pick(ids) : "")"
        return try DocumentPath("\(parent)\(pick(["t", "t", "t", "u", "a!"]))/\(id)")
    }

    mutating func change(_ names: [String]) throws -> Write {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: .delete(try path())
        case 1: .set(try path(), fields(names))
        default: .merge(try path(), fields(names), mask: [FieldPath(pick(names)), FieldPath(pick(names))])
        }
    }

    mutating func query(_ names: [String]) throws -> Query {
        if chance(10) { return try kindless() }
        var query = Query(try scope())
        if chance(80) { query.filter = try filter(names, depth: 2) }
        for _ in 0..<pick([0, 0, 1, 1, 2]) {
            let field = fieldPath(names)
            if !query.orders.contains(where: { $0.field == field }) { query = query.ordered(by: field, direction()) }
        }
        if chance(15) { query = query.ordered(by: .documentName, direction()) }
        if chance(30) { query.start = try cursor(query.orders) }
        if chance(20) { query.end = try cursor(query.orders) }
        if chance(20) { query.offset = Int.random(in: 0..<4, using: &self) }
        if chance(30) { query.limit = Int.random(in: 0..<20, using: &self) }
        if chance(15) { query.projection = [fieldPath(names), .documentName] }
        if chance(5) { query.projection = [] }
        return query
    }

    /// Returns a query over collections of any id, with conditions on names only.
    private mutating func kindless() throws -> Query {
        let document = try pick([nil, "t/a", "x/y", "u/b", "t/a!", "t/__id7__"]).map { try DocumentPath($0) }
        var query = chance(50) ? Query.children(of: document) : .descendants(of: document)
        if chance(50) { query = query.where(.documentName, pick([.lessThan, .greaterThan, .notEqual]), try name()) }
        if chance(50) { query = query.ordered(by: .documentName, direction()) }
        if chance(50) { query.start = try cursor(query.orders) }
        if chance(20) { query.offset = Int.random(in: 0..<4, using: &self) }
        if chance(50) { query.limit = Int.random(in: 0..<20, using: &self) }
        return query
    }

    private mutating func scope() throws -> Query.Scope {
        switch Int.random(in: 0..<6, using: &self) {
        case 0, 1: .collection(try CollectionPath(pick(["t", "x/y/t", "t/a/t", "t/__id7__/t"])))
        case 2: .collectionGroup("t", below: try DocumentPath(pick(["t/a", "x/y"])))
        default: .collectionGroup(pick(["t", "u"]))
        }
    }

    private mutating func direction() -> Order.Direction { pick([.ascending, .descending]) }

    private mutating func fieldPath(_ names: [String]) -> FieldPath {
        chance(85) ? FieldPath(pick(names)) : FieldPath(segments: [pick(names), pick(["a", "b", "é", "a\u{0}"])])
    }

    private mutating func filter(_ names: [String], depth: Int) throws -> Filter {
        if depth > 0, chance(30) {
            let filters = try (0..<Int.random(in: 1...3, using: &self)).map { _ in try filter(names, depth: depth - 1) }
            return chance(50) ? .and(chance(10) ? [] : filters) : .or(filters)
        }
        if chance(15) { return .unary(fieldPath(names), pick([.isNull, .isNaN, .isNotNull, .isNotNaN])) }
        let comparison: Filter.Comparison = pick([
            .lessThan, .lessThanOrEqual, .equal, .equal, .notEqual, .greaterThanOrEqual, .greaterThan, .greaterThan,
            .arrayContains, .arrayContainsAny, .in, .notIn,
        ])
        if chance(10), comparison != .arrayContains, comparison != .arrayContainsAny {
            let isList = comparison == .in || comparison == .notIn
            return .field(.documentName, comparison, isList ? .array([try name(), try name()]) : try name())
        }
        return .field(fieldPath(names), comparison, operand(comparison))
    }

    private mutating func operand(_ comparison: Filter.Comparison) -> Value {
        switch comparison {
        case .in, .notIn, .arrayContainsAny:
            .array((0..<Int.random(in: 1...4, using: &self)).map { _ in chance(50) ? .string(string()) : value() })
        default: chance(30) ? .string(string()) : value()
        }
    }

    private mutating func cursor(_ orders: [Order]) throws -> Cursor {
        let values = try orders.prefix(Int.random(in: 0...orders.count, using: &self)).map { order in
            order.field.isDocumentName ? try name() : (chance(40) ? .string(string()) : value())
        }
        return Cursor(values, isAfter: chance(50))
    }

    private mutating func name() throws -> Value { .reference(try path().name(in: .gateway)) }
}

extension DocumentStore {
    /// All documents in the collections that ``TestDoubles/SeededGenerator`` fills.
    var everything: [Document] {
        get async throws {
            var all: [Document] = []
            for group in ["t", "u", "a!"] { all += try await documents(matching: .collectionGroup(group)) }
            return all
        }
    }
}
