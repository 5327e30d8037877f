import DocumentStore
import Foundation
import Functions
import JSON

/// The fields of a document in Firestore's JSON, for people: as a tree with types, and short for a table.
struct DocumentFields {
    /// The letters of a value in a table.
    private static let shortLength = 60
    /// The columns of a table.
    private static let maximumColumns = 4

    // MARK: A tree

    /// Returns all fields with their types and values, those of maps and arrays below them.
    func tree(of fields: JSONObject) -> HTML {
        guard !fields.isEmpty else { return "<p>It has no fields.</p>" }
        return "<ul class=\"tree\" aria-label=\"Fields\">\n\(fields.members.map { item($0.name, $0.value) })</ul>"
    }

    private func item(_ name: String, _ value: JSONValue) -> HTML {
        let (type, content) = (value.object?.members.first).map { ($0.name, $0.value) } ?? ("", JSONValue.null)
        switch type {
        case "mapValue":
            let fields = content["fields"]?.object?.members ?? []
            return branch(
                name, "map, \(ConsoleText.count(fields.count, "field", "fields"))",
                fields.map { item($0.name, $0.value) })
        case "arrayValue":
            let values = content["values"]?.array ?? []
            return branch(
                name, "array, \(ConsoleText.count(values.count, "value", "values"))",
                values.enumerated().map { item("\($0.offset)", $0.element) })
        default:
            return """
                <li><strong>\(name)</strong> <span class="type">\(Self.word(for: type))</span> \
                <span class="value">\(leaf(type, content))</span></li>

                """
        }
    }

    private func branch(_ name: String, _ type: String, _ items: [HTML]) -> HTML {
        """
        <li><details open><summary>\(name) <span class="type">\(type)</span></summary>
        <ul class="tree">\(items)</ul></details></li>

        """
    }

    /// Returns the name of a type as people say it, such as `timestamp` for `timestampValue`.
    private static func word(for type: String) -> String {
        switch type {
        case "booleanValue": "true or false"
        case "integerValue": "whole number"
        case "doubleValue": "number"
        case "geoPointValue": "place"
        default: type.hasSuffix("Value") ? String(type.dropLast(5)) : type
        }
    }

    private func leaf(_ type: String, _ content: JSONValue) -> HTML {
        switch type {
        case "nullValue": "null"
        case "stringValue": "\(content.string ?? "")"
        case "timestampValue": content.string.flatMap { Timestamp($0) }.map(ConsoleText.time) ?? "\(content.text)"
        case "referenceValue": Self.reference(content.string ?? "")
        case "geoPointValue": "\(content["latitude"]?.text ?? "0"), \(content["longitude"]?.text ?? "0")"
        case "bytesValue":
            "\(ConsoleText.bytes(Int64(Data(base64Encoded: content.string ?? "")?.count ?? 0)))"
        default: "\(content.string ?? content.text)"
        }
    }

    /// Returns the link to the document that a reference names.
    private static func reference(_ name: String) -> HTML {
        let parts = name.split(separator: "/", maxSplits: 5).map(String.init)
        guard parts.count == 6, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents" else {
            return "\(name)"
        }
        let database = "\(parts[1])/\(parts[3])"
        let link = ConsoleText.link(
            "/console/documents",
            [("database", database == ConsoleDocuments.own ? nil : database), ("path", parts[5])])
        return "<a href=\"\(link)\">\(parts[5])</a>"
    }

    // MARK: A table

    /// Returns the names of the columns for documents: the fields that most of them have.
    static func columns(for documents: [JSONObject?]) -> [String] {
        var order: [String] = []
        var counts: [String: Int] = [:]
        for name in documents.compactMap(\.self).flatMap({ $0.members.map(\.name) }) {
            if counts[name] == nil { order.append(name) }
            counts[name, default: 0] += 1
        }
        // The sort is stable: of fields that equally many documents have, the first ones come first.
        return Array(order.sorted { counts[$0, default: 0] > counts[$1, default: 0] }.prefix(maximumColumns))
    }

    /// Returns a value in a few words; empty if there is none.
    func short(_ value: JSONValue?) -> HTML {
        guard let (type, content) = (value?.object?.members.first).map({ ($0.name, $0.value) }) else { return "" }
        switch type {
        case "mapValue": return "{\(content["fields"]?.object?.count ?? 0)}"
        case "arrayValue": return "[\(content["values"]?.array?.count ?? 0)]"
        case "stringValue":
            let text = content.string ?? ""
            return "\(text.count > Self.shortLength ? String(text.prefix(Self.shortLength)) + "…" : text)"
        default: return leaf(type, content)
        }
    }
}
