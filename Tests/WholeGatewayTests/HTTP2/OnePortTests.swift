import GRPC
import NIOCore
import NIOPosix
import TestDoubles
import TestSupport
import Testing

@testable import Gateway

@Suite("One port", .timeLimit(.minutes(10)))
struct OnePortTests {
    private static let health = Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    private static let router: GRPCRouter = { call in
        switch call.path {
        case "/test.Echo/Unary": .unary { message, _ in message }
        case "/test.Echo/UnaryForGone":
            .unary { message, call in
                while call.isAwaited(), !Task.isCancelled { await Task.yield() }
                return Task.isCancelled ? [] : message
            }
        case "/test.Echo/Streaming":
            .streaming { messages, _, writer in
                for try await message in messages { try await writer.write(message) }
            }
        default: nil
        }
    }

    private func withPort(_ body: (RunningGateway) async throws -> Void) async throws {
        try await withGateway(grpc: Self.router, body)
    }

    @Test("A request of HTTP/1.1 is answered on the port that also speaks gRPC")
    func http1() async throws {
        try await withPort { gateway in
            let outcome = await RawExchange([.send(Self.health), .send(Self.health)], answers: 2).run(
                port: gateway.port)
            #expect(outcome.answers.map(\.status) == [200, 200])
        }
    }

    @Test("A connection whose client closes its side within the preface is closed")
    func halfClosed() async throws {
        try await withPort { gateway in
            for steps in [[.halfClose], [.send(Array("PRI * HT".utf8)), .halfClose]] as [[RawExchange.Step]] {
                let outcome = await RawExchange(steps).run(port: gateway.port)
                #expect(outcome.ending == .closed)
                #expect(outcome.answers.isEmpty)
            }
        }
    }

    @Test("Without Firestore's interface, a call over gRPC fails at once and names the setting")
    func off() async throws {
        try await withGateway(["firestore.enabled": "false"]) { gateway in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            // The field 1 of the request.
            let parent = Array("projects/p/databases/(default)/documents".utf8)
            let answer = try await client.call(
                "/google.firestore.v1.Firestore/ListCollectionIds", [[0x0A, UInt8(parent.count)] + parent])
            #expect(answer.status == "7")
            #expect(answer.message?.contains("firestore.enabled") == true)
        }
    }

    @Test("A call over gRPC learns that its client has closed its side of the connection, and is answered")
    func gone() async throws {
        try await withPort { gateway in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            #expect(try await client.call("/test.Echo/Unary", [[1]]).messages == [[1]])
            let answer = try await client.begin("/test.Echo/UnaryForGone", [[2]])
            try await client.closeOutput()
            let arrived = try await answer.get()
            #expect(arrived.messages == [[2]] && arrived.status == "0")
        }
    }

    @Test("One connection of HTTP/2 serves unary calls, streaming calls and the routes")
    func shared() async throws {
        try await withPort { gateway in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            let unary = try await client.call("/test.Echo/Unary", [[1, 2, 3]])
            #expect(unary.messages == [[1, 2, 3]] && unary.status == "0")
            let streaming = try await client.call("/test.Echo/Streaming", [[1], [], [2, 3]])
            #expect(streaming.messages == [[1], [], [2, 3]] && streaming.status == "0")
            let large = [UInt8](repeating: 7, count: 1_000_000)
            #expect(try await client.call("/test.Echo/Streaming", [large]).messages == [large])
            #expect(try await client.call("/test.Echo/Other", [[1]]).status == "12")
            #expect(try await client.get("/healthz").httpStatus == "200")
            try await client.close()
        }
    }
}
