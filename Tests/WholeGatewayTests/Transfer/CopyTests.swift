import DocumentStore
import Foundation
import HTTPTypes
import JSON
import PostgreSQLStore
import Secrets
import TestBasics
import TestDoubles
import TestSupport
import Testing

@testable import Gateway
@testable import Instance

@Suite("Copies from one store to another", .enabled(if: PostgreSQLServer.isInstalled), .timeLimit(.minutes(10)))
struct CopyTests {
    private struct Interruption: Error {
        let documents: Int
    }

    private static let other = DatabaseID(project: "demo-a", database: "games")

    private func configuration(_ directory: String) -> GatewayConfiguration {
        var configuration = GatewayConfiguration()
        configuration.data.directory = directory
        configuration.store.lease = .seconds(3)
        return configuration
    }

    /// Writes documents into two databases of a data directory.
    private func fill(_ path: String, documents count: Int) async throws {
        let directory = try DataDirectory(creating: path)
        let engine = try SQLiteEngine(SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
        for number in 0..<count {
            let fields: Fields = [
                "number": .integer(Int64(number)), "nan": .double(.nan), "zero": .double(-0.0),
                "text": .string("é\u{0}"), "bytes": .bytes([0, 255]),
                "list": .array([.null, .map(["deep": .timestamp(.now)])]),
            ]
            _ = try await engine.store(for: .gateway).commit([.set(try DocumentPath("rooms/\(number)"), fields)])
        }
        _ = try await engine.store(for: Self.other).commit([.set(try DocumentPath("a/b/c/d"), ["token": "whole"])])
        await engine.close()
    }

    private func copy(
        _ source: StorePlace, _ target: StorePlace, _ configuration: GatewayConfiguration,
        leavesOutUnreadable: Bool = false, failingAfter limit: Int = .max
    ) async throws -> StoreCopy.Result {
        try await StoreCopy.copy(
            from: source, to: target, configuration, leavesOutUnreadable: leavesOutUnreadable, logger: .silent
        ) { count in
            if count >= limit { throw Interruption(documents: count) }
        }
    }

    @Test("Documents, photos and secrets arrive in PostgreSQL and back, and the same phones are notified there")
    func roundTrip() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withTemporaryDirectory { parent in
            let (path, back) = (parent + "/old", parent + "/back")
            let secret = String.randomSecret()
            let settings = ["store.url": "", "webpush.subject": "mailto:ops@pushgate.dev"]
            let (key, publicKey) = try await withGateway(settings, in: path) { gateway in
                try await Daemon(gateway.caller, secret: secret).register("phone", token: "emulated:phone")
                let publicKey = try await gateway.caller.send(.get, "/webpush/key").text
                return (gateway.gateway.storage.key.accessTokens, publicKey)
            }
            #expect(publicKey.utf8.count == 87)
            try await fill(path, documents: 20)
            let photo = [UInt8](repeating: 7, count: 600_000)
            try await FolderFiles("photos", in: DataDirectory(existing: path)).write(photo, to: "a.jpg", in: "task")
            let server = StorePlace.server(RedactedString(url))
            let there = try await copy(.directory(path), server, configuration(path))
            #expect(there.written == there.contents.documents && there.written > 21 && there.files == 1)
            let again = try await copy(server, .directory(back), configuration(path))
            #expect(again.contents == there.contents && again.files == 1)
            let photos = FolderFiles("photos", in: DataDirectory(existing: back))
            #expect(try await photos.contents(of: "a.jpg", in: "task", 0..<1_000_000) == photo)
            for (place, directory) in [(url, parent + "/fresh"), ("", back)] {
                try await withGateway(settings.merging(["store.url": place]) { $1 }, in: directory) {
                    gateway async throws in
                    #expect(gateway.gateway.storage.key.accessTokens == key)
                    // Without it every browser must subscribe again.
                    #expect(try await gateway.caller.send(.get, "/webpush/key").text == publicKey)
                    #expect(try await Daemon(gateway.caller, secret: secret).trigger().body["sent"] == 1)
                }
            }
        }
    }

    @Test("An interrupted copy goes on where it was, and until then no gateway starts on the new store")
    func interrupted() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withTemporaryDirectory { parent in
            let (path, server) = (parent + "/old", StorePlace.server(RedactedString(url)))
            try await fill(path, documents: 1_200)
            let interruption = await #expect(throws: Interruption.self) {
                _ = try await copy(.directory(path), server, configuration(path), failingAfter: 500)
            }
            let copied = try #require(interruption).documents
            #expect((500..<1_201).contains(copied))
            let refused = await #expect(throws: GatewayError.self) {
                try await withGateway(["store.url": url], in: parent + "/gateway") { _ in }
            }
            #expect(refused?.description.contains("a copy into this gateway's store was begun") == true)
            let elsewhere = parent + "/elsewhere"
            try await fill(elsewhere, documents: 1)
            let foreign = await #expect(throws: GatewayError.self) {
                _ = try await copy(.directory(elsewhere), server, configuration(path))
            }
            #expect(foreign?.description.contains("the copy of another store") == true)
            let result = try await copy(.directory(path), server, configuration(path))
            #expect(result.written == 1_201 - copied && result.contents.documents == 1_201)
            try await withGateway(["store.url": url], in: parent + "/another") { _ in }
            let full = await #expect(throws: GatewayError.self) {
                _ = try await copy(.directory(path), server, configuration(path))
            }
            #expect(full?.description.contains("has documents already") == true)
        }
    }

    @Test("An interrupted copy goes on after a document whose name only earlier versions accepted")
    func earlierNames() async throws {
        try await withTemporaryDirectory { parent in
            let (path, new) = (parent + "/old", parent + "/new")
            let directory = try DataDirectory(creating: path)
            let engine = try SQLiteEngine(SQLiteStoreConfiguration(path: directory.database.path), logger: .silent)
            let writes = (1...600).map { Write.set(DocumentPath(unchecked: "t/__id0\($0)__"), [:]) }
            _ = try await engine.store(for: Self.other).commit(writes)
            await engine.close()
            let interruption = await #expect(throws: Interruption.self) {
                _ = try await copy(.directory(path), .directory(new), configuration(path), failingAfter: 1)
            }
            let copied = try #require(interruption).documents
            let result = try await copy(.directory(path), .directory(new), configuration(path))
            #expect(result.written == 600 - copied && result.contents.documents == 600)
        }
    }

    @Test("A source that was changed between the parts of a copy is noticed, and the new store stays closed")
    func changed() async throws {
        try await withTemporaryDirectory { parent in
            let (path, new) = (parent + "/old", parent + "/new")
            try await fill(path, documents: 600)
            await #expect(throws: Interruption.self) {
                _ = try await copy(.directory(path), .directory(new), configuration(path), failingAfter: 300)
            }
            let engine = try SQLiteEngine(
                SQLiteStoreConfiguration(path: DataDirectory(existing: path).database.path), logger: .silent)
            _ = try await engine.store(for: Self.other).commit([.set(try DocumentPath("a/b/c/d"), ["token": "new"])])
            _ = try await engine.store(for: .gateway).commit([
                .set(try DocumentPath("rooms/0"), ["number": .integer(-1)])
            ])
            await engine.close()
            let error = await #expect(throws: GatewayError.self) {
                _ = try await copy(.directory(path), .directory(new), configuration(path))
            }
            #expect(error?.description.contains("is not the same as its source: 601 documents") == true)
            await #expect(throws: GatewayError.self) { try await withGateway(["store.url": ""], in: new) { _ in } }
        }
    }

    @Test("A copy without the documents that cannot be read fails, unless they are to be left out")
    func unreadable() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withTemporaryDirectory { parent in
            let (path, new) = (parent + "/old", StorePlace.directory(parent + "/new"))
            let server = StorePlace.server(RedactedString(url))
            try await fill(path, documents: 5)
            _ = try await copy(.directory(path), server, configuration(path))
            try PostgreSQLEngine.run("UPDATE documents SET fields = '{\"n\":1}' WHERE document LIKE '%3%'", at: url)
            let error = await #expect(throws: GatewayError.self) {
                _ = try await copy(server, new, configuration(path))
            }
            #expect(error?.description.contains("1 are missing from the copy") == true)
            await #expect(throws: GatewayError.self) {
                try await withGateway(["store.url": ""], in: parent + "/new") { _ in }
            }
            let result = try await copy(server, new, configuration(path), leavesOutUnreadable: true)
            #expect(result.unreadable == 1 && result.written == 0 && result.contents.documents == 5)
        }
    }

    @Test("A store that a gateway uses is neither copied nor written, and one that does not exist is named")
    func refusals() async throws {
        let url = try await TestStore.emptyDatabase()
        try await withTemporaryDirectory { parent in
            let (path, server) = (parent + "/gateway", StorePlace.server(RedactedString(url)))
            let (old, new) = (StorePlace.directory(parent + "/old"), StorePlace.directory(parent + "/new"))
            let configuration = configuration(path)
            try await withGateway(["store.url": url, "store.lease": "3s"], in: path) { _ in
                try await fill(parent + "/old", documents: 1)
                for (source, target) in [(server, new), (old, server)] {
                    let error = await #expect(throws: GatewayError.self) {
                        _ = try await copy(source, target, configuration)
                    }
                    #expect(error?.description.contains("a gateway is using the database") == true)
                }
            }
            try await withGateway(["store.url": ""], in: parent + "/used") { _ async throws -> Void in
                await #expect(throws: GatewayError.self) {
                    _ = try await copy(.directory(parent + "/used"), .directory(parent + "/new2"), configuration)
                }
            }
            let missing = await #expect(throws: GatewayError.self) {
                _ = try await copy(.directory(parent + "/none"), server, configuration)
            }
            #expect(missing?.description.contains("there is no gateway's data in \(parent)/none") == true)
            await #expect(throws: GatewayError.self) { _ = try await copy(server, server, configuration) }
        }
    }

    @Test("Places are read from texts, and printed without their passwords")
    func places() throws {
        #expect(try StorePlace("sqlite:/var/lib/pushgate") == .directory("/var/lib/pushgate"))
        #expect(
            try StorePlace("postgres://me:secret@a:1,b:2/gateway?sslmode=require").description
                == "postgres://a:1,b:2/gateway")
        #expect(
            try StorePlace("host=db.example.com password=secret dbname=x").description
                == "postgres://db.example.com/x")
        for text in ["", "sqlite:", "pushgate-data", "mysql://x/y"] {
            #expect(throws: GatewayError.self) { _ = try StorePlace(text) }
        }
    }
}
