import DocumentStore
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import Messaging

/// The read-only endpoints for documents. They require the admin token and use the paths of [Firestore's REST
/// API](https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents).
///
/// - `GET /v1/projects/{p}/databases/{d}/documents/{document}` returns a document.
/// - `GET /v1/projects/{p}/databases/{d}/documents/{collection}?pageSize=&pageToken=` returns a page of a collection.
/// - `POST /v1/projects/{p}/databases/{d}/documents[/{document}]:listCollectionIds` lists collections.
struct DocumentEndpoints: Sendable {
    private static let defaultPageSize = 100
    private static let maximumPageSize = 1_000

    let store: any DocumentStore

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/projects/:project/databases/:database/**") { request, context in
            try await read(request, try resource(of: context))
        }
        router.post("/v1/projects/:project/databases/:database/**") { _, context in
            try await listCollectionIDs(try resource(of: context))
        }
    }

    private func read(_ request: Request, _ resource: DocumentResource) async throws -> Response {
        guard resource.method == nil else { throw APIError.methodNotAllowed(allow: "POST") }
        switch resource.segments.count {
        case 0: throw APIError.invalidArgument("name a document or a collection, such as documents/servers")
        case let count where count.isMultiple(of: 2): return try await document(try DocumentPath(resource.path))
        default: return try await page(of: try CollectionPath(resource.path), request)
        }
    }

    private func document(_ path: DocumentPath) async throws -> Response {
        guard let document = try await store.document(at: path) else {
            throw APIError.notFound("there is no document \(path)")
        }
        return Response(json: document.redacted.json(in: store.database))
    }

    private func page(of collection: CollectionPath, _ request: Request) async throws -> Response {
        let parameters = request.uri.queryParameters
        let size = try parameters.integer("pageSize", in: 1...Self.maximumPageSize) ?? Self.defaultPageSize
        var query = Query.collection(collection).limited(to: size + 1)
        if let token = parameters["pageToken"], !token.isEmpty {
            let last = try collection.document(String(token)).name(in: store.database)
            query = query.ordered(by: .documentName)
            query.start = Cursor([.reference(last)], isAfter: true)
        }
        let documents = try await store.documents(matching: query)
        let page = documents.prefix(size)
        var body: JSONObject = ["documents": .array(page.map { $0.redacted.json(in: store.database) })]
        if documents.count > size { body["nextPageToken"] = page.last.map { .string($0.path.id) } }
        return Response(json: .object(body))
    }

    private func listCollectionIDs(_ resource: DocumentResource) async throws -> Response {
        guard resource.method == "listCollectionIds" else {
            throw APIError.notFound("documents are read-only here; the only method is :listCollectionIds")
        }
        let document = resource.segments.isEmpty ? nil : try DocumentPath(resource.path)
        let ids = try await store.collectionIDs(below: document)
        return Response(json: ["collectionIds": .array(ids.map(JSONValue.string))])
    }

    private func resource(of context: GatewayRequestContext) throws -> DocumentResource {
        let database = DatabaseID(
            project: try context.parameters.require("project"), database: try context.parameters.require("database"))
        guard database == store.database, let resource = DocumentResource(context.parameters.getCatchAll()) else {
            throw APIError.notFound("the only database is \(store.database)/documents")
        }
        guard !resource.segments.contains(where: { $0.contains("/") }) else {
            throw APIError.invalidArgument("an id cannot contain a slash, not even as %2F")
        }
        return resource
    }
}

/// The part of a request's path after the database: `documents`, a path below it, and an optional method after a
/// colon.
private struct DocumentResource {
    let segments: [String]
    let method: String?

    var path: String { segments.joined(separator: "/") }

    init?(_ components: [Substring]) {
        guard let last = components.last else { return nil }
        let parts = last.split(separator: ":", maxSplits: 1)
        let isMethod = parts.count == 2 && parts[1] == "listCollectionIds"
        method = isMethod ? String(parts[1]) : nil
        let names = components.dropLast() + [isMethod ? parts[0] : last]
        guard names.first == "documents" else { return nil }
        segments = names.dropFirst().map { $0.removingPercentEncoding ?? String($0) }
    }
}

/// The redaction of documents before they are shown.
extension Document {
    /// The names of fields that hold a whole device token, in any module's documents.
    private static let tokenFields: Set<String> = ["fcmToken", "token", "deviceToken"]

    /// The field in which the outbox stores a message, as FCM's JSON.
    private static let messageField = "message"

    /// The document with fingerprints in place of device tokens.
    var redacted: Document {
        let fields = fields.map { ($0, Self.redacted($1, name: $0)) }
        return Document(
            path: path, fields: Dictionary(uniqueKeysWithValues: fields), createTime: createTime, updateTime: updateTime
        )
    }

    private static func redacted(_ value: Value, name: String) -> Value {
        switch value {
        case .string(let token) where tokenFields.contains(name): .string(RegistrationToken(token).description)
        case .string(let text) where name == messageField: .string(redacted(message: text))
        case .array(let elements): .array(elements.map { redacted($0, name: name) })
        case .map(let members):
            .map(Dictionary(uniqueKeysWithValues: members.map { ($0, redacted($1, name: $0)) }))
        default: value
        }
    }

    /// Returns the text of a message without the token of a live activity, which is inside the text. Any other text
    /// is returned unchanged.
    private static func redacted(message text: String) -> String {
        guard let json = try? JSONValue(parsing: text), json["apns"]?["liveActivityToken"] != nil else { return text }
        return Message(json: json).redactedJSON.text
    }
}
