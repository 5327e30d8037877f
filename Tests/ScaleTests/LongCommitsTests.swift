import HTTPTypes
import TestDoubles
import TestSupport
import Testing

/// Commits that search an array of 100,000 integers for as many others. One took more than a minute when each integer
/// was compared with each. All commits of a gateway wait for the one that is applied.
@Suite("Long commits over Firestore's interface", .timeLimit(.minutes(10)))
struct LongCommitsTests {
    private static let documents = "projects/demo-long/databases/(default)/documents"
    private static let count = 100_000
    private static let clients = 4

    private static func integers(from first: Int) -> String {
        (first..<first + count).map { #"{"integerValue":"\#($0)"}"# }.joined(separator: ",")
    }

    private func commit(_ write: String, to gateway: RunningGateway) async throws -> Int {
        let body = Array(#"{"writes":[\#(write)]}"#.utf8)
        return try await gateway.caller.send(.post, "/v1/\(Self.documents):commit", body: body).status
    }

    /// The clients go on until the others have their answers, so these do not come after the last commit.
    @Test("A registration and /readyz are answered while clients commit one array transform after another")
    func beside() async throws {
        let name = "\(Self.documents)/lists/long"
        let list = #"{"arrayValue":{"values":[\#(Self.integers(from: 0))]}}"#
        let others = Self.integers(from: Self.count)
        let transform = #"{"fieldPath":"list","removeAllFromArray":{"values":[\#(others)]}}"#
        let removal = #"{"transform":{"document":"\#(name)","fieldTransforms":[\#(transform)]}}"#
        try await withGateway { gateway in
            let first = #"{"update":{"name":"\#(name)","fields":{"list":\#(list)}}}"#
            #expect(try await commit(first, to: gateway) == 200)
            let (applied, answered) = (Tally(), Tally())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.clients {
                    group.addTask {
                        while answered.count == 0 {
                            let status = try await commit(removal, to: gateway)
                            #expect(status == 200)
                            applied.add()
                        }
                    }
                }
                try await eventually("the clients commit") { applied.count > Self.clients }
                let registration = try await Daemon(gateway.caller).register("phone", token: .randomToken())
                #expect(registration.status == 200)
                #expect(try await gateway.caller.send(.get, "/readyz").status == 200)
                answered.add()
                try await group.waitForAll()
            }
        }
    }
}
