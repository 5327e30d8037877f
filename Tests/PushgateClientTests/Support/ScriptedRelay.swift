import Cryptography
import Foundation
import PushgateClient

/// A relay in memory. It checks each signature, and counts it once.
actor ScriptedRelay: HTTPSending {
    enum Kind: Sendable {
        case register, check, close, newSecret, revoke
    }

    /// A call as the relay reads it.
    struct Call: Hashable, Sendable {
        let method: String
        let path: String
        let body: String
        /// The time that the call is signed for.
        let signedAt: String?

        /// The parts of the path behind that of all addresses.
        var parts: [String] { path.split(separator: "/").dropFirst(3).map(String.init) }

        var kind: Kind? {
            switch (method, parts.count) {
            case ("POST", 0): .register
            case ("GET", 1): .check
            case ("DELETE", 1): .close
            case ("POST", 2): .newSecret
            case ("DELETE", 3): .revoke
            default: nil
            }
        }
    }

    /// An installation that the relay knows.
    struct Installation: Sendable {
        var isGone = false
        /// The body of its last registration.
        var registration = ""
        /// The send secrets by their ids.
        var secrets: [String: String] = [:]
    }

    static let host = "relay.example.com"
    private static let tolerance: Int64 = 3_600

    private let clock: TestClock
    /// The host in addresses.
    private var host = ScriptedRelay.host
    /// The number of seconds by which this relay's clock is ahead.
    private var lead: Int64 = 0
    /// The name of the relay's secret, of which ids are made.
    private var secretName = "first"
    private var installations: [String: Installation] = [:]
    private var usedSignatures: Set<String> = []
    private var secretCount = 0
    private var scripted: (@Sendable (Call) throws -> GatewayResponse?)?
    private(set) var calls: [Call] = []
    /// The signatures that were wrong, used before, or too late.
    private(set) var refusedSignatures = 0

    init(clock: TestClock) { self.clock = clock }

    /// Sets the answers from now on; `nil` for those of a relay.
    func answer(_ scripted: (@Sendable (Call) throws -> GatewayResponse?)?) { self.scripted = scripted }

    /// Answers every call with this response from now on.
    func answer(_ response: GatewayResponse) { scripted = { _ in response } }

    /// The kinds of the calls so far, in their order.
    var kinds: [Kind?] { calls.map(\.kind) }

    func forgetCalls() { calls = [] }
    func setLead(_ seconds: Int64) { lead = seconds }

    /// The installations by the ids of their addresses.
    var known: [String: Installation] { installations }

    /// Changes all installations.
    func change(_ edit: @Sendable (inout Installation) -> Void) {
        for (id, old) in installations {
            var new = old
            edit(&new)
            installations[id] = new
        }
    }

    /// Goes back to an earlier state, as a relay that is restored from a backup.
    func restore(_ earlier: [String: Installation]) { installations = earlier }

    /// Begins to make other addresses.
    func changeIdentity(to name: String) { secretName = name }

    /// Takes another name, which addresses have from now on.
    func move(to host: String) { self.host = host }

    func send(_ request: GatewayRequest) async throws -> GatewayResponse {
        let path = request.url.path
        let call = Call(
            method: request.method, path: path, body: String(decoding: request.body, as: UTF8.self),
            signedAt: request.headerFields["Relay-Time"])
        calls.append(call)
        if let response = try scripted?(call) { return response }
        let time = Int64(clock.now.timeIntervalSince1970) + lead
        guard let key = request.headerFields["Relay-Key"], let point = Base64URL.decode(key),
            let signature = request.headerFields["Relay-Signature"], let signedAt = call.signedAt,
            let seconds = Int64(signedAt), isValid(signature, of: call, at: signedAt, by: point)
        else { return refusal(#"{"error":"unauthorized"}"#) }
        guard abs(seconds - time) <= Self.tolerance else { return refusal(#"{"error":"clock","time":\#(time)}"#) }
        guard usedSignatures.insert(signature).inserted else { return refusal(#"{"error":"unauthorized"}"#) }
        return answer(to: call, of: id(of: point))
    }

    private func refusal(_ body: String) -> GatewayResponse {
        refusedSignatures += 1
        return GatewayResponse(status: 401, body: Data(body.utf8))
    }

    private func isValid(_ signature: String, of call: Call, at time: String, by point: [UInt8]) -> Bool {
        let digest = SHA256.hexadecimal(of: call.body)
        let text = "pushgate-relay-v1\n\(call.method)\n\(call.path)\n\(time)\n\(digest)"
        let prefix: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
            0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let lines = Data(prefix + point).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let pem = "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
        guard let key = try? ES256PublicKey(pem: pem), let bytes = Base64URL.decode(signature) else { return false }
        return key.isValid(bytes, for: Array(text.utf8))
    }

    private func id(of point: [UInt8]) -> String {
        Base64URL.encode(HMACSHA256.code(for: point, key: Array(secretName.utf8)).prefix(16))
    }

    private func answer(to call: Call, of id: String) -> GatewayResponse {
        if call.kind == .register { return register(id, call.body) }
        guard call.parts.first == id, let installation = installations[id] else { return Self.unknown }
        switch call.kind {
        case .check: return describe(installation)
        case .close:
            installations[id] = Installation(isGone: true)
            return GatewayResponse(status: 204)
        case .newSecret: return makeSecret(for: id)
        case .revoke:
            guard installations[id]?.secrets.removeValue(forKey: call.parts.last ?? "") != nil else {
                return Self.unknown
            }
            return GatewayResponse(status: 204)
        case .register, nil: return Self.unknown
        }
    }

    private func register(_ id: String, _ body: String) -> GatewayResponse {
        var installation = installations[id] ?? Installation()
        installation.isGone = false
        installation.registration = body
        installations[id] = installation
        return Self.ok(#"{"address":"relay:\#(host)/\#(id)","state":"registered"}"#)
    }

    private func describe(_ installation: Installation) -> GatewayResponse {
        let secrets = installation.secrets.keys.sorted().map { #"{"id":"\#($0)","created_at":1780000000}"# }
        let state = installation.isGone ? "gone" : "registered"
        return Self.ok(#"{"state":"\#(state)","secrets":[\#(secrets.joined(separator: ","))]}"#)
    }

    private func makeSecret(for id: String) -> GatewayResponse {
        guard installations[id]?.isGone == false else { return Self.unknown }
        secretCount += 1
        let secret = Base64URL.encode(SHA256.digest(of: "secret \(secretCount)".utf8))
        installations[id]?.secrets["s\(secretCount)"] = secret
        return Self.ok(#"{"id":"s\#(secretCount)","send_secret":"\#(secret)"}"#)
    }

    private static func ok(_ body: String) -> GatewayResponse { GatewayResponse(status: 200, body: Data(body.utf8)) }
    private static let unknown = GatewayResponse(status: 404, body: Data(#"{"error":"unknown"}"#.utf8))
}
