import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Transactions of a gateway that is killed", .timeLimit(.minutes(10)))
struct RepeatedCommitTests {
    private static let documents = "/v1/projects/demo/databases/(default)/documents"

    /// A transfer that changes a counter.
    private func transfer(_ transaction: JSONValue) -> JSONValue {
        let name = "\(Self.documents.dropFirst(4))/accounts/one"
        return [
            "transaction": transaction,
            "writes": [
                [
                    "transform": [
                        "document": .string(name),
                        "fieldTransforms": [["fieldPath": "n", "increment": ["integerValue": "1"]]],
                    ]
                ]
            ],
        ]
    }

    private func commit(_ transaction: JSONValue, _ serving: ServingProcess) async throws -> Answer {
        try await serving.ask("\(Self.documents):commit", .post, transfer(transaction))
    }

    private func begin(_ serving: ServingProcess) async throws -> JSONValue {
        try #require(try await serving.ask("\(Self.documents):beginTransaction", .post, [:]).body["transaction"])
    }

    @Test("A commit that was applied and is repeated after a kill gets its first answer, and is applied once")
    func repetition() async throws {
        try await withTemporaryDirectory { directory in
            let settings = ["firestore.enabled": "true"]
            let (applied, open, answer) = try await ServingProcess.running(in: directory, settings) { serving in
                let (applied, open) = (try await begin(serving), try await begin(serving))
                let answer = try await commit(applied, serving)
                #expect(answer.status == 200)
                serving.child.send(signal: SIGKILL)
                #expect(try await serving.child.finish().isSignalled)
                return (applied, open, answer)
            }
            try await ServingProcess.running(in: directory, settings) { serving in
                let repeated = try await commit(applied, serving)
                #expect(repeated.status == 200)
                #expect(repeated.body == answer.body)
                let lost = try await commit(open, serving)
                #expect(lost.status == 409)
                #expect(lost.body["error"]?["status"] == "ABORTED")
                let document = try await serving.ask("\(Self.documents)/accounts/one")
                #expect(document.body["fields"]?["n"]?["integerValue"] == "1")
            }
        }
    }
}
