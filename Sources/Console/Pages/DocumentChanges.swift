import DocumentStore
import Foundation
import Functions
import JSON
import Server
import Texts

/// The changes of documents by forms.
struct DocumentChanges {
    let services: ConsoleServices
    let visit: ConsoleVisit

    /// Makes the change of a form, and returns to the document or its collection.
    func answer() async throws -> ConsoleAnswer {
        let form = try visit.form()
        let path = (form["path"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let database = form["database"] ?? ConsoleDocuments.own
        let documents = ConsoleDocuments(interface: services.documents, database: database)
        var (shown, done) = (path, "")
        switch form["action"] {
        case "create":
            _ = try await documents.create(path, try Self.fields(form))
            done = "The document is created."
        case "patch":
            let count = try await patch(path, try Self.fields(form), form["updateTime"] ?? "", documents)
            done = count == 0 ? "Nothing differs." : "\(ConsoleText.count(count, "field is", "fields are")) written."
        case "delete":
            try await documents.delete(path, updateTime: form["updateTime"].flatMap { $0.isEmpty ? nil : $0 })
            shown = path.split(separator: "/").dropLast().joined(separator: "/")
            done = "The document \(path) is deleted."
        default: throw APIError.invalidArgument("the form has no known action")
        }
        return .see(
            ConsoleText.link(
                "/console/documents",
                [("database", database == ConsoleDocuments.own ? nil : database), ("path", shown)]), done: done)
    }

    /// Writes the fields that differ from those of the document, which must still have its update time.
    ///
    /// - Returns: The number of fields that were written or removed.
    private func patch(
        _ path: String, _ fields: JSONValue, _ updateTime: String, _ documents: ConsoleDocuments
    ) async throws -> Int {
        let old = try await documents.document(path)["fields"]?.withoutRedacted.object ?? [:]
        let new = fields.object ?? [:]
        let names = Set((old.members + new.members).map { ExactText($0.name) })
        let changed = names.sorted().map(\.text).filter { old[$0] != new[$0] }
        guard !changed.isEmpty else { return 0 }
        let written = JSONObject(changed.compactMap { name in new[name].map { (name, $0) } })
        _ = try await documents.patch(
            path, .object(written), mask: changed.map { FieldPath($0).description }, updateTime: updateTime)
        return changed.count
    }

    private static func fields(_ form: [String: String]) throws(APIError) -> JSONValue {
        do throws(WrittenFieldsError) {
            return .object(try WrittenFields.fields((form["fields"] ?? "").utf8))
        } catch {
            throw .invalidArgument(error.description)
        }
    }
}

extension JSONValue {
    /// `true` if a field in Firestore's JSON shows a fingerprint in place of a token.
    var isRedacted: Bool { text.contains(#""token#"#) }

    /// Fields without those that show a fingerprint.
    var withoutRedacted: JSONValue {
        .object(JSONObject((object?.members ?? []).filter { !$0.value.isRedacted }.map { ($0.name, $0.value) }))
    }
}
