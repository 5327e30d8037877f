import Foundation
import PushgateClient
import Synchronization

/// A gateway that answers as told, writes down what it was asked, and can hold its answers back.
actor ScriptedGateway: HTTPSending {
    /// One request, as a gateway reads it.
    struct Call: Hashable, Sendable {
        let url: String
        let secret: String?
        let fields: [String: String]

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

    /// What is answered from now on, if not 200.
    func answer(_ answering: @escaping Answering) { self.answering = answering }

    /// Answers every call from now on with this.
    func answer(_ response: GatewayResponse) { answering = { _ in response } }

    /// Keeps callers waiting from now on.
    func hold() { isHeld = true }

    /// Answers those who wait, and whoever comes.
    func release() {
        isHeld = false
        for caller in held { caller.resume() }
        held = []
    }

    /// Waits until so many calls have arrived in all.
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
        url = request.url.absoluteString
        secret = request.headerFields["Authorization"].map { String($0.dropFirst("Bearer ".count)) }
        fields = (try? JSONDecoder().decode([String: String].self, from: request.body)) ?? [:]
    }
}
