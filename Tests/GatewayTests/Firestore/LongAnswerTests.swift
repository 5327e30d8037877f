import DocumentStore
import FCMInterface
import FirestoreAPI
import GRPC
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Secrets
import Server
import Settings
import Synchronization
import TestDoubles
import Testing

@testable import Gateway

@Suite("Long answers of Firestore's interface over REST")
struct LongAnswerTests {
    private static let memoryBytes = 1 << 20

    private struct NothingThere: Error {}

    /// A client that does something when it takes a piece.
    private struct Reader: ResponseBodyWriter {
        let take: @Sendable () -> Void

        mutating func write(_ buffer: ByteBuffer) async throws { take() }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    private let store: TemporaryStore
    private let memory = MessageMemory(maximumBytes: LongAnswerTests.memoryBytes)

    init() throws { store = try TemporaryStore(clock: ManualClock(), fieldIndexes: []) }

    private var isMemoryFree: Bool {
        let reservation = try? memory.reserve(Self.memoryBytes, isCompressed: false, limit: Self.memoryBytes)
        return reservation != nil
    }

    private var route: FirestoreRoute {
        let clientAddress = ClientAddress(trustedProxies: [])
        let access = FirestoreAccess(
            isServed: true, adminToken: RedactedString("an-admin-token-of-a-test"),
            tokens: AccessTokens(key: [UInt8](repeating: 1, count: 32), now: { 1_767_225_600 }),
            clientAddress: clientAddress, allowedPeers: [],
            origins: FirestoreOrigins(
                policy: OriginPolicy(names: [], listensOnLoopbackOnly: true), allowed: [.loopback],
                clientAddress: clientAddress))
        return FirestoreRoute(
            FirestoreService(engine: store.engine, redaction: .tokens, server: 1, logger: .silent),
            access: access, memory: memory, refusals: RefusalLog(clientAddress: clientAddress, logger: .silent))
    }

    /// Sends a query in a large body, and takes the answer.
    ///
    /// - Returns: the status.
    private func query(take: @escaping @Sendable () -> Void) async throws -> HTTPResponse.Status {
        let body = #"{"structuredQuery":{"from":[{"collectionId":"c"}]}"# + String(repeating: " ", count: 100_000) + "}"
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let context = GatewayRequestContext(source: .init(channel: channel, logger: .silent))
        let head = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080",
            path: "/v1/projects/demo-app/databases/(default)/documents:runQuery",
            headerFields: [.contentLength: String(body.utf8.count)])
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let response = try await route.handle(request, context: context) { _, _ in throw NothingThere() }
        let content = response.body
        try await content.write(Reader(take: take))
        await channel.testingEventLoop.run()
        return response.status
    }

    @Test("The body of a request counts until the client has the whole answer")
    func memoryOfBody() async throws {
        let text = String(repeating: "x", count: 400_000)
        let writes = try (0..<4).map { Write.set(try DocumentPath("c/\($0)"), ["x": .string(text)]) }
        _ = try await store.engine.store(for: DatabaseID(project: "demo-app")).commit(writes)
        let seen = Mutex<[Bool]>([])
        let status = try await query { seen.withLock { $0.append(isMemoryFree) } }
        let wasFree = seen.withLock(\.self)
        #expect(status == .ok && wasFree.count > 1)
        #expect(!wasFree.contains(true))
        #expect(isMemoryFree)
    }
}
