import DocumentStore
import Foundation
import Functions
import JSON
import Server

/// A condition on one field, by which the console selects documents of a collection.
struct DocumentFilter: Sendable {
    /// Returns the comparisons that queries of a database may have. The gateway's own has hidden values, and the order
    /// of all values but one would tell something about them.
    static func choices(in database: String) -> [(id: String, word: String)] {
        comparisons.filter { $0.id != "NOT_EQUAL" || database != ConsoleDocuments.own }
    }

    /// The comparisons of Firestore's queries, with their words.
    private static let comparisons: [(id: String, word: String)] = [
        ("EQUAL", "is"), ("NOT_EQUAL", "is not"), ("LESS_THAN", "is less than"),
        ("LESS_THAN_OR_EQUAL", "is at most"), ("GREATER_THAN", "is greater than"),
        ("GREATER_THAN_OR_EQUAL", "is at least"), ("ARRAY_CONTAINS", "contains"),
    ]

    let field: String
    let comparison: String
    let text: String

    /// Reads the condition in the address of a page; `nil` if it has none.
    init?(_ visit: ConsoleVisit) {
        guard let field = visit.parameter("field") else { return nil }
        self.field = field
        comparison = visit.parameter("is").flatMap { id in Self.comparisons.first { $0.id == id }?.id } ?? "EQUAL"
        text = visit.parameter("value") ?? ""
    }

    /// The condition in Firestore's JSON.
    var json: JSONValue {
        let name: JSONValue = ["fieldPath": .string(field)]
        guard text != "null" else {
            return ["unaryFilter": ["field": name, "op": comparison == "NOT_EQUAL" ? "IS_NOT_NULL" : "IS_NULL"]]
        }
        return ["fieldFilter": ["field": name, "op": .string(comparison), "value": Self.value(text)]]
    }

    /// Returns a value as people write it: a number, `true`, a time, or a text, which may be in quotes.
    static func value(_ text: String) -> JSONValue {
        if text == "true" || text == "false" { return ["booleanValue": .bool(text == "true")] }
        if let number = Int64(text) { return ["integerValue": .string(String(number))] }
        if let number = Double(text), number.isFinite { return ["doubleValue": .double(number)] }
        if let time = Timestamp(text) { return ["timestampValue": .string(time.description)] }
        let isQuoted = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        return ["stringValue": .string(isQuoted ? String(text.dropFirst().dropLast()) : text)]
    }
}
