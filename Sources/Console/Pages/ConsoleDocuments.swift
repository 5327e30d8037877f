import DocumentStore
import FirestoreAPI
import Foundation
import HTTPTypes
import JSON
import Server
import Synchronization

/// The documents that the console shows, by Firestore's own interface: with fingerprints in place of the device tokens
/// of the gateway's own database, and with the interface's checks.
struct ConsoleDocuments: Sendable {
    /// The gateway's own database.
    static let own = "pushgate/(default)"
    /// The size of the documents that are read for the table of a collection, as JSON. The last one may exceed it.
    static let namedBytes = 1 << 20

    /// The interface, with the operator's access.
    typealias Interface = @Sendable (RESTRequest) async -> RESTAnswer

    let interface: Interface
    /// The project and the database, with a slash between them.
    let database: String
    /// The documents of the gateway's own database that the user may not see; `nil` for all.
    var hidden: ConsoleSecrets?

    /// The resource name of the database's documents.
    var root: String {
        let parts = database.split(separator: "/", maxSplits: 1).map(String.init)
        return "projects/\(parts.first ?? "")/databases/\(parts.count > 1 ? parts[1] : "")/documents"
    }

    /// Returns the databases that have documents, the gateway's own first.
    static func databases(_ interface: Interface) async throws -> [String] {
        let answer = try? await Self.answer(interface, "GET", "/v1/projects/-/databases")
        let others = (answer?["databases"]?.array ?? []).compactMap { $0["name"]?.string }.compactMap { name in
            let parts = name.split(separator: "/")
            return parts.count == 4 ? "\(parts[1])/\(parts[3])" : nil
        }
        return [own] + others.filter { $0 != own }
    }

    func document(_ path: String) async throws -> JSONValue { try await answer("GET", path) }

    /// Returns a page of a collection, with the missing documents that have collections below them.
    ///
    /// - Parameter namesOnly: `true` to return the documents without their fields.
    func page(
        of collection: String, size: Int, after token: String?, namesOnly: Bool = false
    ) async throws -> JSONValue {
        try await answer(
            "GET", collection,
            [("pageSize", String(size)), ("pageToken", token ?? ""), ("showMissing", "true")]
                + (namesOnly ? [("mask.fieldPaths", "__name__")] : []))
    }

    /// Returns the documents of a collection that fulfill a condition, without their fields.
    ///
    /// - Parameter offset: The number of documents before the first one.
    func documents(
        of collection: String, where filter: DocumentFilter, size: Int, offset: Int
    ) async throws -> [JSONValue] {
        try checkAccess(to: "/v1/\(root)/\(collection)")
        let segments = collection.split(separator: "/")
        let query: JSONValue = [
            "from": [["collectionId": .string(segments.last.map(String.init) ?? "")]],
            "select": ["fields": [["fieldPath": "__name__"]]], "where": filter.json,
            "limit": .integer(Int64(size)), "offset": .integer(Int64(offset)),
        ]
        let parent = segments.dropLast().joined(separator: "/")
        let results = try await answer("POST", parent + ":runQuery", body: ["structuredQuery": query])
        return (results.array ?? []).compactMap { $0["document"] }
    }

    /// Returns the fields of each document of a page: of the first ones, which have ``namedBytes`` together; `nil` for
    /// the others, and for documents that are missing or cannot be read.
    func fields(of documents: [JSONValue]) async throws -> [JSONObject?] {
        var fields: [JSONObject?] = []
        var bytes = 0
        for document in documents {
            guard bytes < Self.namedBytes, document["updateTime"] != nil,
                let path = document["name"]?.string?.split(separator: "/", maxSplits: 5).last,
                let whole = try await readableDocument(String(path))
            else {
                fields.append(nil)
                continue
            }
            bytes += whole.serialized.count
            fields.append(whole["fields"]?.object ?? [:])
        }
        return fields
    }

    /// Returns a document; `nil` if it has been deleted meanwhile, or cannot be read.
    private func readableDocument(_ path: String) async throws -> JSONValue? {
        do {
            return try await document(path)
        } catch is APIError {
            return nil
        }
    }

    /// Returns the ids of some collections below a document, or of the root, and the token of the next page.
    func collections(below path: String, after token: String? = nil) async throws -> (ids: [String], next: String?) {
        let answer = try await answer(
            "POST", path + ":listCollectionIds", body: ["pageSize": 300, "pageToken": .string(token ?? "")])
        return ((answer["collectionIds"]?.array ?? []).compactMap(\.string), answer["nextPageToken"]?.filledString)
    }

    /// Returns the ids of all collections below a document.
    func allCollections(below path: String) async throws -> [String] {
        var (ids, token) = ([String](), String?.none)
        repeat {
            let page = try await collections(below: path, after: token)
            ids += page.ids
            token = page.next
        } while token != nil
        return ids
    }

    func create(_ path: String, _ fields: JSONValue) async throws -> JSONValue {
        try await answer("PATCH", path, [("currentDocument.exists", "false")], body: ["fields": fields])
    }

    /// Changes single fields of a document, if it still has its update time. A field of the mask that is not among the
    /// fields is removed.
    func patch(_ path: String, _ fields: JSONValue, mask: [String], updateTime: String) async throws -> JSONValue {
        try await answer(
            "PATCH", path,
            mask.map { ("updateMask.fieldPaths", $0) } + [("currentDocument.updateTime", updateTime)],
            body: ["fields": fields])
    }

    func delete(_ path: String, updateTime: String?) async throws {
        _ = try await answer(
            "DELETE", path,
            updateTime.map { [("currentDocument.updateTime", $0)] } ?? [("currentDocument.exists", "true")])
    }

    private func answer(
        _ method: String, _ path: String, _ parameters: [(String, String)] = [], body: JSONValue? = nil
    ) async throws -> JSONValue {
        var components = URLComponents()
        components.path = "/v1/\(root)" + (path.isEmpty || path.hasPrefix(":") ? path : "/\(path)")
        try checkAccess(to: components.path)
        components.queryItems = parameters.map { URLQueryItem(name: $0.0, value: $0.1) }
        let query = (components.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        return try await Self.answer(interface, method, components.percentEncodedPath, query, body)
    }

    /// Refuses a path below `/v1/projects/{project}/databases/{database}/documents/` that the user may not see.
    private func checkAccess(to path: String) throws(APIError) {
        guard !isHidden(path) else { throw Self.hiddenDocuments }
    }

    /// Returns `true` for a collection that the user may see.
    func shows(_ collection: String) -> Bool { !isHidden("/v1/\(root)/\(collection)") }

    private func isHidden(_ path: String) -> Bool {
        let segments = path.split(separator: "/")
        guard let hidden, segments.count > 6,
            DatabaseID(project: String(segments[2]), database: String(segments[4])) == .gateway,
            let collection = segments[6].split(separator: ":").first
        else { return false }
        return hidden.collections.contains(String(collection))
    }

    private static var hiddenDocuments: APIError {
        APIError(
            status: .forbidden, name: "PERMISSION_DENIED",
            message: "the ids of these documents are enough to change something, so only the admin token shows them")
    }

    /// Returns a whole body. Answers that come in pieces are those of queries, which have limits.
    private static func bytes(of body: RESTAnswer.Body) async throws -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .stream(let produce):
            let pieces = BodyPieces()
            try await produce { pieces.append($0) }
            return pieces.bytes
        }
    }

    private static func answer(
        _ interface: Interface, _ method: String, _ path: String, _ query: String = "",
        _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let answer = await interface(
            RESTRequest(method: method, path: path, query: query, body: body?.serialized ?? []))
        let json = try JSONValue(parsing: try await Self.bytes(of: answer.body))
        guard answer.status == 200 else {
            throw APIError(
                status: HTTPResponse.Status(code: answer.status), name: json["error"]?["status"]?.string ?? "UNKNOWN",
                message: json["error"]?["message"]?.string ?? "the store answered \(answer.status)")
        }
        return json
    }
}

/// The pieces of a body, in the order of their arrival.
private final class BodyPieces: Sendable {
    private let whole = Mutex<[UInt8]>([])

    var bytes: [UInt8] { whole.withLock { $0 } }

    func append(_ piece: [UInt8]) { whole.withLock { $0.append(contentsOf: piece) } }
}

extension JSONValue {
    /// A string that is not empty; `nil` for any other value.
    var filledString: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
}
