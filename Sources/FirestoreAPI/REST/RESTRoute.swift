/// The meaning of a request's method and path. Names are full names, such as
/// `projects/{p}/databases/{d}/documents/{path}`.
enum RESTRoute: Hashable, Sendable {
    case getDocument(String)
    case listDocuments(parent: String, collection: String)
    case createDocument(parent: String, collection: String)
    case updateDocument(String)
    case deleteDocument(String)
    /// A method, and the name of its database, or of the parent of what it reads.
    case call(RESTMethod, String)
    /// The databases of a project, or of all projects for `-`.
    case listDatabases(project: String)
    /// The removal of all documents of a database, as in Google's emulator.
    case clear(String)

    /// Finds the route of a request.
    ///
    /// - Throws: `NOT_FOUND` if there is none; `INVALID_ARGUMENT` if the path cannot be decoded.
    init(_ request: RESTRequest) throws(FirestoreStatus) {
        let path = try RESTPath(request.path, takesMethod: request.method == "POST")
        guard let route = Self.route(request.method, path) else {
            throw FirestoreStatus(.notFound, "There is nothing for \(request.method) at this path.")
        }
        self = route
    }

    private static func route(_ method: String, _ path: RESTPath) -> RESTRoute? {
        switch path.segments.first {
        case "v1", "v1beta1":
            let names = path.segments.dropFirst()
            if method == "GET", let project = project(ofDatabases: names) { return .listDatabases(project: project) }
            return Place(names).flatMap { route(method, path.method, $0) }
        case "emulator":
            guard method == "DELETE", path.segments.dropFirst().first == "v1",
                let place = Place(path.segments.dropFirst(2)), place.ids.isEmpty
            else { return nil }
            return .clear(place.database)
        default: return nil
        }
    }

    private static func route(_ method: String, _ call: RESTMethod?, _ place: Place) -> RESTRoute? {
        if let call { return route(calling: call, place) }
        guard let last = place.ids.last else { return nil }
        let isCollection = place.ids.count % 2 == 1
        switch method {
        case "GET" where isCollection: return .listDocuments(parent: place.parent, collection: last)
        case "GET": return .getDocument(place.name)
        case "POST" where isCollection: return .createDocument(parent: place.parent, collection: last)
        case "PATCH": return .updateDocument(place.name)
        case "DELETE": return .deleteDocument(place.name)
        default: return nil
        }
    }

    private static func route(calling method: RESTMethod, _ place: Place) -> RESTRoute? {
        if method.isOfDatabase { return place.ids.isEmpty ? .call(method, place.database) : nil }
        guard method != .listen, method != .write else { return nil }
        return .call(method, place.name)
    }

    /// Returns the project of a path `projects/{p}/databases`.
    private static func project(ofDatabases names: ArraySlice<String>) -> String? {
        let names = Array(names)
        guard names.count == 3, names[0] == "projects", names[2] == "databases", !names[1].isEmpty else { return nil }
        return names[1]
    }
}

extension RESTRoute {
    /// The name of the route's method in the proto; `nil` if it has none.
    var rpc: String? {
        switch self {
        case .getDocument: "GetDocument"
        case .listDocuments: "ListDocuments"
        case .createDocument: "CreateDocument"
        case .updateDocument: "UpdateDocument"
        case .deleteDocument: "DeleteDocument"
        case .call(.batchGet, _): "BatchGetDocuments"
        case .call(let method, _): method.rawValue.prefix(1).uppercased() + String(method.rawValue.dropFirst())
        case .clear: "ClearData"
        case .listDatabases: nil
        }
    }

    /// `true` if the answer is a stream of messages.
    var isAnsweredWithStream: Bool {
        switch self {
        case .call(.batchGet, _), .call(.runQuery, _), .call(.runAggregationQuery, _): true
        default: false
        }
    }

    /// The greatest number of writes in the body; `nil` if the method takes no list of them.
    var mostWrites: Int? {
        switch self {
        case .call(.commit, _): RequestLimits.writes
        case .call(.batchWrite, _): RequestLimits.batchWrites
        default: nil
        }
    }
}

/// A place among the documents of a database.
private struct Place {
    /// The database's name.
    let database: String
    /// The ids below the database's documents.
    let ids: ArraySlice<String>

    /// The name of the document, of the collection, or of the root.
    var name: String { ([database, "documents"] + ids).joined(separator: "/") }

    /// The name without the last id.
    var parent: String { ([database, "documents"] + ids.dropLast()).joined(separator: "/") }

    /// Parses `projects/{p}/databases/{d}/documents` and the ids after it.
    init?(_ names: ArraySlice<String>) {
        let head = Array(names.prefix(5))
        guard head.count == 5, head[0] == "projects", head[2] == "databases", head[4] == "documents" else { return nil }
        database = head[..<4].joined(separator: "/")
        ids = names.dropFirst(5)
    }
}
