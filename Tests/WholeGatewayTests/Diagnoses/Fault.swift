import HTTPTypes
import JSON
import Synchronization
import TestDoubles
import TestSupport
import Testing

/// A fault for which a notification does not arrive, and the words by which a diagnosis shows that it knows it.
struct Fault: Sendable {
    /// Asks a gateway about a device, a token or an agent.
    typealias Ask = @Sendable (_ gateway: RunningGateway, _ subject: String) async throws -> Void

    let name: String
    /// The causes, of which the diagnosis must have one.
    let causes: [String]
    /// The words that the first line must have.
    let words: [String]
    /// Injects the fault into a gateway, and asks.
    let inject: Injection

    /// Injects a fault, and asks about it.
    typealias Injection = @Sendable (_ ask: @escaping Ask) async throws -> Void

    init(_ name: String, _ causes: [String], words: [String], inject: @escaping Injection) {
        self.name = name
        self.causes = causes
        self.words = words
        self.inject = inject
    }

    /// The diagnosis of a fault.
    struct Finding: Sendable {
        let name: String
        var cause = "none"
        var line = "there was no answer"
        var duration = Duration.zero
        var isRight = false

        /// The finding as a row of a table.
        var row: String { "\(isRight ? "right" : "WRONG")  \(name)  \(duration)  \(cause): \(line)" }
    }

    private final class Recorder: Sendable {
        let finding: Mutex<Finding>

        init(_ name: String) { finding = Mutex(Finding(name: name)) }
    }

    /// Injects the fault, and returns the answer to its question.
    func find() async throws -> Finding {
        let recorder = Recorder(name)
        try await inject { gateway, subject in
            let start = ContinuousClock.now
            let answer = try await gateway.ask("/v1/diagnoses", .post, ["of": .string(subject)])
            let duration = ContinuousClock.now - start
            recorder.finding.withLock { finding in
                finding.duration = duration
                finding.cause = answer.body["cause"]?.string ?? "status \(answer.status)"
                finding.line = answer.body["summary"]?.string ?? answer.text
            }
        }
        return recorder.finding.withLock { finding in
            finding.isRight = causes.contains(finding.cause) && words.allSatisfy(finding.line.contains)
            return finding
        }
    }
}

extension RunningGateway {
    /// Waits until the attempt at each notification of the newest message is stored.
    func untilAttempted() async throws {
        try await eventually("the attempt is stored") {
            guard let id = try await ask("/v1/deliveries?limit=1").body["deliveries"]?[0]?["id"]?.string else {
                return false
            }
            let notifications = try await ask("/v1/deliveries/\(id)").body["notifications"]?.array ?? []
            return !notifications.isEmpty
                && notifications.allSatisfy { $0["state"] != "pending" || $0["failures"] != nil }
        }
    }
}
