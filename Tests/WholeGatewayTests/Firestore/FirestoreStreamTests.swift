import GRPC
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import Gateway

@Suite("Firestore's streams and the emulator's service over a running gateway's gRPC", .timeLimit(.minutes(10)))
struct FirestoreStreamTests {
    private static let database = "projects/demo-app/databases/(default)"
    private static let service = "/google.firestore.v1.Firestore"

    /// Returns a field of a message whose content has a length below 128.
    private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    private static func text(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

    /// A request to add the target 1 with one document.
    private static var listenRequest: [UInt8] {
        let document = text(2, "\(database)/documents/users/ada")
        return text(1, database) + field(2, field(3, document) + [5 << 3, 1])
    }

    @Test("A Listen and a Write stream that are open when the gateway stops end as UNAVAILABLE, so that clients resume")
    func stopping() async throws {
        let streams = try await withGateway { gateway async throws in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            return [
                try await client.open("\(Self.service)/Listen", Self.listenRequest),
                try await client.open("\(Self.service)/Write", Self.text(1, Self.database)),
            ]
        }
        for stream in streams {
            let answer = try await stream.get()
            #expect(answer.status == "14")
            #expect(!answer.messages.isEmpty)
        }
    }

    @Test(
        "A message that cannot be read ends each method with INVALID_ARGUMENT, after which clients send nothing again",
        arguments: ["GetDocument", "Commit", "RunQuery", "RunAggregationQuery", "BatchGetDocuments", "Listen", "Write"])
    func unreadable(method: String) async throws {
        try await withGateway { gateway async throws in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            let bodies: [(bytes: [UInt8], encoding: String?)] = [
                ([1, 0, 0, 0, 3, 1, 2, 3], "gzip"), ([1, 0, 0, 0, 3, 1, 2, 3], nil), ([0, 0, 0, 0, 9, 1], nil),
                ([0, 0xFF, 0xFF, 0xFF, 0xFF, 1], nil),
            ]
            for (bytes, encoding) in bodies {
                let answer = try await client.call("\(Self.service)/\(method)", bytes: bytes, encoding: encoding)
                #expect(answer.status == "3", "\(bytes): \(answer.message ?? "")")
            }
            try await client.close()
        }
    }

    /// Commits the document `users/ada` for a client that has gone, or waits, when its call begins.
    private func commit(on gateway: RunningGateway, isAwaited: Bool) async throws {
        let call = GRPCCall(
            path: "\(Self.service)/Commit", headers: [":authority": "localhost"],
            peer: try SocketAddress(ipAddress: "127.0.0.1", port: 1), isAwaited: { isAwaited })
        guard case .unary(let method)? = gateway.gateway.grpc(call) else {
            Issue.record("Commit is a unary method")
            return
        }
        let document = Self.text(1, "\(Self.database)/documents/users/ada")
        _ = try await method(Self.text(1, Self.database) + Self.field(2, Self.field(1, document)), call)
    }

    @Test("A commit over gRPC whose client has closed its side of the connection is not applied")
    func goneClient() async throws {
        try await withGateway { gateway async throws in
            let path = "/v1/\(Self.database)/documents/users/ada"
            let status = await #expect(throws: GRPCStatus.self) { try await commit(on: gateway, isAwaited: false) }
            #expect(status?.code == 1)
            #expect(try await gateway.caller.send(.get, path).status == 404)
            try await commit(on: gateway, isAwaited: true)
            #expect(try await gateway.caller.send(.get, path).status == 200)
        }
    }

    @Test("ClearData of the emulator's service empties a database, and not the gateway's own")
    func clearData() async throws {
        let root = "/v1/\(Self.database)/documents"
        let clear = "/google.firestore.emulator.v1.FirestoreEmulator/ClearData"
        try await withGateway { gateway async throws in
            _ = try await gateway.caller.send(.patch, "\(root)/users/ada", body: Array("{}".utf8))
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            let own = try await client.call(clear, [Self.text(1, "projects/pushgate/databases/(default)")])
            #expect(own.status == "7")
            #expect(try await gateway.caller.send(.get, "\(root)/users/ada").status == 200)
            let cleared = try await client.call(clear, [Self.text(1, Self.database)])
            #expect(cleared.status == "0" && cleared.messages == [[]])
            #expect(try await gateway.caller.send(.get, "\(root)/users/ada").status == 404)
            #expect(try await client.call("\(Self.service)/ClearData", [Self.text(1, Self.database)]).status == "12")
            try await client.close()
        }
        try await withGateway(["firestore.enabled": "false"]) { gateway async throws in
            let client = try await GRPCTestClient.connect(port: Int(gateway.port))
            #expect(try await client.call(clear, [Self.text(1, Self.database)]).status == "7")
            try await client.close()
        }
    }
}
