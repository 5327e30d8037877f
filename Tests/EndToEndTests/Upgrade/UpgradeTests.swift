import APNsSimulator
import DocumentStore
import Foundation
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Database of an earlier version", .timeLimit(.minutes(10)))
struct UpgradeTests {
    /// The ids in that version's log; of the other message nothing had been sent.
    private static let loggedIDs: Set = [
        "0f1ff949-9f81-8104-ae7f-1d0a215122d1", "5689c274-ab41-8772-b872-e82aec2a2eba",
    ]
    private static let tokens = [1, 2].map { String(repeating: "0", count: 63) + "\($0)" }

    @Test(
        "A database of an earlier version opens, and its queue is sent once under the same ids",
        .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
    func queued() async throws {
        try await withSimulator { apns in
            try await withDataDirectory { directory in
                let file = URL(filePath: directory).appending(path: "pushgate.sqlite").path
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                try SQLiteEngine.run(try GoldenFile("earlier-gateway.sql").text, onFile: file)
                // The second run has nothing left to send.
                for _ in 1...2 {
                    try await ServingProcess.running(in: directory, apns.gatewaySettings) { serving in
                        try await eventually("both messages are sent to both devices") {
                            apns.simulator.received().count >= 4
                        }
                        try await expectHistory(serving)
                    }
                }
                let received = apns.simulator.received()
                #expect(received.compactMap(\.token).sorted() == (Self.tokens + Self.tokens).sorted())
                let ids = Set(received.map(\.apnsID))
                #expect(ids.count == 4 && Self.loggedIDs.isSubset(of: ids))
            }
        }
    }

    private func expectHistory(_ serving: ServingProcess) async throws {
        try await eventually("all outcomes are stored, the earlier ones included") {
            let deliveries = try await serving.ask("/v1/deliveries").body["deliveries"]?.array ?? []
            return deliveries.map { $0["accepted"] } == [3, 3]
        }
    }
}
