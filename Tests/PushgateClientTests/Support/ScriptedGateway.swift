import Foundation
import PushgateClient
import Synchronization

/// A gateway that gives scripted answers, records the requests, and can delay its answers.
actor ScriptedGateway: HTTPSending {
    /// A request as a gateway reads it.
    struct Call: Hashable, Sendable {
        let url: String
        let secret: String?
        /// The texts, and the flags as `true` and `false`.
        let fields: [String: String]
        var method = "POST"
        /// The secrets of an address at a relay.
        var relay: [String: String]?
        /// The part for cards, as JSON with sorted names.
        var liveActivity: String?

        var function: String { String(url.split(separator: "/").last ?? "") }
        var cwd: String? { fields["cwd"] }
        var token: String? { fields["fcm_token"] }
    }

    typealias Answering = @Sendable (Call) throws -> GatewayResponse

    private(set) var calls: [Call] = []
    private var answering: Answering = { _ in GatewayResponse(status: 200) }
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [(count: Int, CheckedContinuation<Void, Never>)] = []

    /// Sets the answers from now on; without it every answer is 200.
    func answer(_ answering: @escaping Answering) { self.answering = answering }

    /// Answers every call with this response from now on.
    func answer(_ response: GatewayResponse) { answering = { _ in response } }

    /// Delays all answers from now on.
    func hold() { isHeld = true }

    /// Sends the delayed answers, and delays no further ones.
    func release() {
        isHeld = false
        for caller in held { caller.resume() }
        held = []
    }

    /// Waits until the given number of calls has arrived in total.
    func arrived(_ count: Int) async {
        guard calls.count < count else { return }
        await withCheckedContinuation { arrivals.append((count, $0)) }
    }

    func forgetCalls() { calls = [] }

    func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        let call = Call(request)
        calls.append(call)
        for arrival in arrivals where arrival.count <= calls.count { arrival.1.resume() }
        arrivals.removeAll { $0.count <= calls.count }
        if isHeld { await withCheckedContinuation { held.append($0) } }
        return try answering(call)
    }
}

extension ScriptedGateway.Call {
    init(_ request: GatewayRequest) {
        method = request.method
        url = request.url.absoluteString
        secret = request.headerFields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        let object = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any]
        fields = (object ?? [:]).compactMapValues { value in
            value as? String ?? (value as? Bool).map { "\($0)" }
        }
        relay = object?["relay"] as? [String: String]
        if let part = object?["live_activity"],
            let json = try? JSONSerialization.data(withJSONObject: part, options: .sortedKeys)
        {
            liveActivity = String(decoding: json, as: UTF8.self)
        }
    }
}
