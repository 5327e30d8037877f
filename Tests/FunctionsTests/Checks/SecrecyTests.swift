import DocumentStore
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

@testable import Functions

@Suite("Secrecy of secrets and tokens")
struct SecrecyTests {
    @Test("Secrets and tokens appear in no log line and no answer, and the secret in no document or message")
    func everywhere() async throws {
        let tokens = ["dead", "busy", "good", "refused"].map { $0 + ":0123456789abcdef0123456789abcdef" }
        let bench = try Bench(
            ScriptedTransport { sent in
                switch sent.token.prefix(4) {
                case "dead":
                    .rejected(
                        Rejection(
                            code: .registrationTokenNotRegistered, reason: "Unregistered",
                            invalidation: .unregistered(since: nil)))
                case "busy": .failed(Failure(code: .serverUnavailable, reason: "ServiceUnavailable"))
                case "refu": .rejected(Rejection(code: .invalidArgument, reason: "BadTopic"))
                default: .accepted
                }
            }
        ) { $0.triggerWait = .zero }
        var answers: [FunctionResponse] = []
        try await bench.running {
            for token in tokens { answers.append(try await bench.register(.register(token, token: token))) }
            answers.append(try await bench.register(.register("a/b", token: tokens[0])))
            answers.append(try await bench.trigger(.trigger(["exclude_fcm_token": .string(tokens[3])])))
            try await eventually("the attempt is stored") { try await bench.chunkAttempts() == 1 }
            let documents = try await bench.documents()
            #expect(documents.count >= 6)
            #expect(!"\(documents)".contains(Call.secret))
            bench.store.set { hooks in
                hooks.beforeCommit = { _ throws(StoreError) in throw StoreError(.internal, "defect") }
                hooks.beforeQuery = { _ throws(StoreError) in throw .diskFull }
            }
            answers.append(try await bench.register(.register("x", token: tokens[0])))
            answers.append(try await bench.trigger())
            answers.append(try await bench.unregister(.unregister(tokens[0])))
        }
        #expect(answers.count { $0.status.code >= 400 } == 4)
        #expect(bench.log.lines.count >= 5)
        for text in answers.map({ "\($0) \($0.body.text)" }) + bench.log.lines {
            #expect(!text.contains(Call.secret))
            #expect(!text.contains("0123456789abcdef0123456789abcdef"))
        }
        #expect(!bench.transport.sent.isEmpty)
        for sent in bench.transport.sent { #expect(!sent.message.message.json.text.contains(Call.secret)) }
    }

    @Test("A secret does not appear in its description or dump")
    func printing() throws {
        let secret = try #require(BearerCredential(authorization: "Bearer \(Call.secret)"))
        #expect(secret.value == Call.secret)
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), String(describing: [secret]), dumped] {
            #expect(!text.contains(Call.secret))
        }
    }
}
