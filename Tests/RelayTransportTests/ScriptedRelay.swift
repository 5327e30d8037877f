import JSON
import Messaging
import Synchronization
import TestDoubles

@testable import RelayTransport

/// A relay that answers as its script says, without a network.
final class ScriptedRelay: RelayCaller {
    typealias Answer = Result<RelayAnswer, RelayRequestError>

    private struct State {
        var answers: [Answer] = []
        var requests: [RelayRequest] = []
        var cancelled: [[UInt8]] = []
    }

    private let state = Mutex(State())
    private let gate: Gate?

    /// - Parameter gate: It is passed before an answer.
    init(_ answers: [Answer] = [], gate: Gate? = nil) {
        self.gate = gate
        state.withLock { $0.answers = answers }
    }

    var requests: [RelayRequest] { state.withLock(\.requests) }
    var cancelled: [[UInt8]] { state.withLock(\.cancelled) }
    /// The bodies of the requests.
    var bodies: [JSONValue] { requests.compactMap { try? JSONValue(parsing: $0.body) } }

    func answer(to request: RelayRequest) async -> Answer {
        let answer = state.withLock { state -> Answer in
            state.requests.append(request)
            return state.answers.isEmpty ? .accepted : state.answers.removeFirst()
        }
        await gate?.pass()
        return answer
    }

    func cancel(_ body: [UInt8]) { state.withLock { $0.cancelled.append(body) } }
}

extension ScriptedRelay.Answer {
    static var accepted: ScriptedRelay.Answer { answer(202, "accepted") }
    static var gone: ScriptedRelay.Answer { answer(410, "gone") }
    static var unauthorized: ScriptedRelay.Answer { answer(401, "unauthorized") }
    static var unknown: ScriptedRelay.Answer { answer(404, "unknown") }

    static func answer(_ status: Int, _ word: String, retryAfter: String? = nil) -> ScriptedRelay.Answer {
        .success(RelayAnswer(status: status, body: Array(#"{"result":"\#(word)"}"#.utf8), retryAfter: retryAfter))
    }

    static var noConnection: ScriptedRelay.Answer {
        .failure(RelayRequestError(kind: "couldNotConnect", isWithoutConnection: true))
    }
}
