import DocumentStore
import HTTPTypes
import Hummingbird
import JSON

/// The endpoints for the gateway's own documents. They require the admin token and use the paths of [Firestore's REST
/// API](https://firebase.google.com/docs/firestore/reference/rest/v1/projects.databases.documents).
///
/// - `GET /v1/projects/{p}/databases/{d}/documents/{document}` returns a document.
/// - `GET /v1/projects/{p}/databases/{d}/documents/{collection}?pageSize=&pageToken=` returns a page of a collection.
/// - `POST /v1/projects/{p}/databases/{d}/documents[/{document}]:listCollectionIds` lists collections.
///
/// The endpoints that write are in `DocumentEndpoints+writing.swift`.
struct DocumentEndpoints: Sendable {
    private static let defaultPageSize = 100
    private static let maximumPageSize = 1_000

    let store: any DocumentStore

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.get("/v1/projects/:project/databases/:database/**") { request, context in
            try await read(request, try resource(of: context))
        }
        router.post("/v1/projects/:project/databases/:database/**") { request, context in
            let resource = try resource(of: context)
            guard resource.method == nil else { return try await listCollectionIDs(resource) }
            return try await create(request, resource)
        }
        router.patch("/v1/projects/:project/databases/:database/**") { request, context in
            try await update(request, try resource(of: context))
        }
        router.delete("/v1/projects/:project/databases/:database/**") { request, context in
            try await delete(request, try resource(of: context))
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
