import Testing

@testable import FirestoreAPI

@Suite("Routes of REST")
struct RESTRouteTests {
    private static let root = "projects/p/databases/(default)/documents"

    private func route(_ method: String, _ path: String) throws -> RESTRoute {
        try RESTRoute(RESTRequest(method: method, path: path))
    }

    @Test("A path of both versions is a document or a collection by its number of ids", arguments: ["v1", "v1beta1"])
    func documents(version: String) throws {
        let root = "/\(version)/\(Self.root)"
        #expect(try route("GET", root + "/a/b") == .getDocument(Self.root + "/a/b"))
        #expect(try route("GET", root + "/a/b/c") == .listDocuments(parent: Self.root + "/a/b", collection: "c"))
        #expect(try route("POST", root + "/a") == .createDocument(parent: Self.root, collection: "a"))
        #expect(try route("PATCH", root + "/a/b") == .updateDocument(Self.root + "/a/b"))
        #expect(try route("DELETE", root + "/a/b") == .deleteDocument(Self.root + "/a/b"))
    }

    @Test("A method after a colon is one of the database, or of a document")
    func methods() throws {
        let root = "/v1/" + Self.root
        #expect(try route("POST", root + ":commit") == .call(.commit, "projects/p/databases/(default)"))
        #expect(try route("POST", root + "/a/b:runQuery") == .call(.runQuery, Self.root + "/a/b"))
        #expect(try route("POST", root + ":listCollectionIds") == .call(.listCollectionIds, Self.root))
    }

    @Test("Each segment is percent-decoded once, and a colon in an id stays")
    func encoding() throws {
        let root = "/v1/projects/p/databases/%28default%29/documents"
        #expect(try route("GET", root + "/a/%2541%20%C3%A9") == .getDocument(Self.root + "/a/%41 é"))
        #expect(try route("GET", root + "/a/b:runQuery") == .getDocument(Self.root + "/a/b:runQuery"))
        #expect(try route("POST", root + "/a:b") == .createDocument(parent: Self.root, collection: "a:b"))
    }

    @Test(
        "A path without a meaning is NOT_FOUND",
        arguments: [
            ("POST", "/v1/projects/p/databases/d/documents:listen"),
            ("POST", "/v1/projects/p/databases/d/documents:write"),
            ("POST", "/v1/projects/p/databases/d/documents:other"),
            ("POST", "/v1/projects/p/databases/d/documents/a/b"),
            ("POST", "/v1/projects/p/databases/d/documents/a/b:commit"),
            ("PUT", "/v1/projects/p/databases/d/documents/a/b"),
            ("GET", "/v1/projects/p/databases/d/documents"), ("DELETE", "/v1/projects/p/databases/d/documents"),
            ("GET", "/v2/projects/p/databases/d/documents/a/b"),
            ("GET", "/emulator/v1/projects/p/databases/d/documents"),
        ])
    func unknown(method: String, path: String) {
        #expect { try route(method, path) } throws: { ($0 as? FirestoreStatus)?.code == .notFound }
    }

    @Test("A segment with a slash or without valid UTF-8 is INVALID_ARGUMENT", arguments: ["a%2Fb", "%FF", "%4"])
    func malformed(id: String) {
        #expect { try route("GET", "/v1/\(Self.root)/a/\(id)") } throws: {
            ($0 as? FirestoreStatus)?.code == .invalidArgument
        }
    }

    @Test("The emulator's path for clearing names a database, and -/databases all databases")
    func databases() throws {
        #expect(try route("DELETE", "/emulator/v1/\(Self.root)") == .clear("projects/p/databases/(default)"))
        #expect(try route("GET", "/v1/projects/-/databases") == .listDatabases(project: "-"))
    }
}
