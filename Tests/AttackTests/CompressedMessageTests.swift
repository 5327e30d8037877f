import HTTPTypes
import TestSupport
import Testing

@Suite("Compressed messages of Firestore's interface", .serialized, .timeLimit(.minutes(10)))
struct CompressedMessageTests {
    /// A commit of nine documents of nearly 1 MiB each, which has some 10 KB as it is sent.
    private static let commit: [UInt8] = {
        let value = field(18, [UInt8](repeating: 0, count: 1_000_000))
        let writes = (0..<9).flatMap { number in
            let name = "projects/demo-attack/databases/(default)/documents/large/\(number)"
            return field(2, field(1, field(1, Array(name.utf8)) + field(2, field(1, [0x78]) + field(2, value))))
        }
        return compressed(field(1, Array("projects/demo-attack/databases/(default)".utf8)) + writes)
    }()

    /// A commit of five million empty writes of two bytes each, which has some 10 KB as it is sent.
    private static let emptyWrites: [UInt8] = {
        var message: [UInt8] = []
        message.reserveCapacity(10_000_000)
        for _ in 0..<5_000_000 { message += [0x12, 0x00] }
        return compressed(message)
    }()

    /// Returns a message with its compression and its prefix.
    private static func compressed(_ message: [UInt8]) -> [UInt8] {
        let bytes = Gzip.compress(message)
        let count = bytes.count
        return [1, 0, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + bytes
    }

    /// Returns a field of a message that contains bytes
    /// ([encoding](https://protobuf.dev/programming-guides/encoding/)).
    private static func field(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        varint(number << 3 | 2) + varint(content.count) + content
    }

    private static func varint(_ number: Int) -> [UInt8] {
        number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128)] + varint(number >> 7)
    }

    @Test(
        "150 calls at once, which would take 1.4 GB without their compression, use some of it and delay nobody",
        .enabled(if: isLinux))
    func flood() async throws {
        try #require(Self.commit.count < 16_384)
        try await withGatewayUnderAttack { gateway in
            let port = Int(gateway.serving.caller.port)
            let growth = try await gateway.growth {
                let latencies = try await gateway.latencies {
                    _ = try await concurrently(Array(0..<25), limit: 25) { _ in
                        try await Self.send(Self.commit, 6, to: port)
                    }
                }
                #expect(!isAtFullSpeed || latencies[latencies.count / 2] < .milliseconds(300))
            }
            #expect(!isAtFullSpeed || growth < 640, "\(growth) MiB")
            let stored = "/v1/projects/demo-attack/databases/(default)/documents/large/0"
            #expect(try await gateway.serving.caller.send(.get, stored).status == 200, "some were accepted")
        }
    }

    @Test(
        "40 calls at once with five million empty writes each, which would take 1.7 GB each, use little of it",
        .enabled(if: isLinux))
    func floodOfEmptyWrites() async throws {
        try #require(Self.emptyWrites.count < 64 * 1_024)
        try await withGatewayUnderAttack { gateway in
            let port = Int(gateway.serving.caller.port)
            let growth = try await gateway.growth {
                _ = try await concurrently(Array(0..<10), limit: 10) { _ in
                    try await Self.send(Self.emptyWrites, 4, to: port)
                }
            }
            #expect(!isAtFullSpeed || growth < 640, "\(growth) MiB")
            let listed = "/v1/projects/demo-attack/databases/(default)/documents/large"
            #expect(try await gateway.serving.caller.send(.get, listed).status == 200, "it still answers")
        }
    }

    /// Makes calls with a message at once on a new connection, and waits for their answers.
    private static func send(_ message: [UInt8], _ count: UInt32, to port: Int) async throws {
        let connection = try await TLSConnection.openPlain(port: port)
        try await connection.send(HTTP2Frames.preface)
        let fields = [("content-type", "application/grpc"), ("te", "trailers"), ("grpc-encoding", "gzip")]
        let calls = (0..<count).flatMap { number in
            HTTP2Frames.request(
                "POST", "/google.firestore.v1.Firestore/Commit", on: 2 * number + 1,
                authority: "127.0.0.1:\(port)", more: fields)
                + HTTP2Frames.frame(.data, flags: HTTP2Frames.endStream, on: 2 * number + 1, message)
        }
        try await connection.send(calls)
        for _ in 0..<count { try await connection.receive { HTTP2Frames.takeEnd(from: &$0) } }
        try await connection.close()
    }
}
