import Foundation
import HTTPTypes
import JSON
import TestSupport
import Testing

@Suite("Memory of an emulator", .timeLimit(.minutes(10)))
struct EmulatorMemoryTests {
    private static let messages = 48
    private static let hasProcessTable = FileManager.default.fileExists(atPath: "/proc/self/status")

    /// A body close to the size limit, with as many small values as fit: in memory a JSON value is many times
    /// larger than its text.
    private let body: [UInt8] = {
        let values = repeatElement("[0]", count: 15_000).joined(separator: ",")
        let message = "{\"token\":\"phone\",\"webpush\":{\"notification\":{\"a\":[\(values)]}}}"
        return Array("{\"message\":\(message)}".utf8)
    }()

    @Test(
        "An emulator's logs use about as much memory as the messages' text",
        .enabled(if: hasProcessTable, "needs /proc"))
    func memory() async throws {
        try await ServingProcess.running { serving in
            func send() async throws {
                let answer = try await serving.caller.send(
                    .post, "/v1/projects/pushgate/messages:send", body: body)
                #expect(answer.status == 200)
            }
            for _ in 0..<8 { try await send() }
            let before = try #require(serving.child.residentBytes)
            for _ in 0..<Self.messages { try await send() }
            let after = try #require(serving.child.residentBytes)
            // Both logs contain each message, which is 5.8 MB of text.
            let growth = (after - before) >> 20
            #expect(!isAtFullSpeed || growth < 40, "\(growth) MiB for \(Self.messages) messages")
            print("The emulator's logs grew by \(growth) MiB from \(before >> 20) MiB.")
        }
    }
}
