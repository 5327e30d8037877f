import Cryptography
import DocumentStore
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import Testing

typealias RelayBench = SystemBench<AuthorRelay>

extension RelayBench {
    static let host = "push.example.com"
    static var publicURL: String { "https://\(host)" }

    init(
        on disk: TemporaryStore? = nil, clock: ManualClock = ManualClock(),
        _ transport: ScriptedTransport = ScriptedTransport(), publicURL: String? = Self.publicURL,
        configure: (inout AuthorRelaySettings) -> Void = { _ in }
    ) throws {
        var settings = AuthorRelaySettings()
        configure(&settings)
        try self.init(on: disk, clock: clock, transport) {
            var services = $0
            services.host.publicURL = publicURL
            return try AuthorRelay(settings: settings, services: services)
        }
    }

    /// Waits until all messages have settled, and moves the clock on to their next attempts.
    func untilSettled() async throws {
        try await eventually("all messages settle", advancing: clock, by: .milliseconds(100)) {
            try await documents(in: "messages").allSatisfy { $0["settledAt"] != nil }
        }
    }

    func clean() async throws {
        for job in system.jobs { try await job.run() }
    }
}

/// An app on a phone, with its own key, at a relay.
struct RelayApp: Sendable {
    /// A device token in APNs' form.
    static let token = String(repeating: "a1", count: 32)
    static let root = "/relay/v1/addresses"

    let bench: RelayBench
    let key: ES256PrivateKey
    var clientAddress = "192.0.2.1"
    /// The origin that the app calls; `nil` if its requests name none.
    var origin: String?

    init(at bench: RelayBench, key: ES256PrivateKey? = nil) throws {
        self.bench = bench
        self.key = try key ?? ES256PrivateKey.generate()
    }

    /// Returns the header fields of a call.
    ///
    /// - Parameter time: The time by the phone's clock, in seconds since 1970; the relay's time if it is `nil`.
    func fields(
        _ method: HTTPRequest.Method, _ path: String, body: [UInt8] = [], at time: Int64? = nil
    ) throws -> HTTPFields {
        let time = String(time ?? bench.clock.seconds)
        let digest = SHA256.digest(of: body).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = "pushgate-relay-v1\n\(method.rawValue)\n\(path)\n\(time)\n\(digest)"
        return [
            try Self.name("Relay-Key"): Base64URL.encode(try key.publicKey.point().bytes),
            try Self.name("Relay-Time"): time,
            try Self.name("Relay-Signature"): Base64URL.encode(try key.signature(for: text.utf8)),
        ]
    }

    static func name(_ text: String) throws -> HTTPField.Name { try #require(HTTPField.Name(text)) }

    /// Makes a signed call.
    func call(
        _ method: HTTPRequest.Method, _ path: String, _ json: JSONValue? = nil, at time: Int64? = nil
    ) async throws -> FunctionResponse {
        let body = json?.serialized ?? []
        return try await bench.call(
            method, path, bytes: body, headers: try fields(method, path, body: body, at: time), address: clientAddress,
            origin: origin)
    }

    static func device(_ token: String = Self.token) -> JSONValue { ["apns": ["token": .string(token)]] }

    /// Registers the phone's token.
    func register(_ json: JSONValue = Self.device(), at time: Int64? = nil) async throws -> FunctionResponse {
        try await call(.post, Self.root, json, at: time)
    }

    /// Registers, and returns the address.
    func address(_ token: String = Self.token) async throws -> String {
        let answer = try await register(Self.device(token))
        #expect(answer.status == .ok, "\(answer.body)")
        return try #require(answer.body["address"]?.string)
    }

    static func path(of address: String) -> String { root + "/" + (address.split(separator: "/").last ?? "") }

    func secret(of address: String) async throws -> (id: String, text: String) {
        let answer = try await call(.post, Self.path(of: address) + "/secrets", [:])
        #expect(answer.status == .ok, "\(answer.body)")
        return (try #require(answer.body["id"]?.string), try #require(answer.body["send_secret"]?.string))
    }

    func show(_ address: String) async throws -> FunctionResponse { try await call(.get, Self.path(of: address)) }
}

/// A gateway that sends to one phone through the relay.
struct RelaySender: Sendable {
    let bench: RelayBench
    let address: String
    let secret: String
    var clientAddress = "198.51.100.1"

    /// Bytes in the form of a sealed content, with a plain text of a size.
    static func sealed(_ size: Int = 256, fill: UInt8 = 0x5A) -> String {
        let header = [UInt8](repeating: 1, count: 20) + [65, 4] + [UInt8](repeating: 2, count: 64)
        return Base64URL.encode(header + [UInt8](repeating: fill, count: size + 17))
    }

    static func body(_ address: String, id: String = "n-1", _ more: JSONObject = [:]) -> JSONObject {
        var body: JSONObject = [
            "address": .string(address), "id": .string(id), "sealed": .string(sealed()), "priority": "high",
            "ttl": 3_600, "kind": "alert",
        ]
        for (name, value) in more.members { body[name] = value }
        return body
    }

    func send(id: String = "n-1", _ more: JSONObject = [:]) async throws -> FunctionResponse {
        try await bench.call(
            .post, "/relay/v1/send", .object(Self.body(address, id: id, more)),
            headers: [.authorization: "Bearer \(secret)"], address: clientAddress)
    }
}

extension RelayApp {
    /// Registers the phone, and returns a sender with a secret of its own.
    func sender(_ token: String = Self.token) async throws -> RelaySender {
        let address = try await address(token)
        return RelaySender(bench: bench, address: address, secret: try await secret(of: address).text)
    }
}

extension FunctionResponse {
    /// The answer to a message that was accepted.
    static let relayAccepted = FunctionResponse.json(.accepted, ["result": "accepted"])

    /// The status and the word of an answer to a sender or an app.
    var word: String { "\(status.code) \(body["result"]?.string ?? body["error"]?.string ?? "")" }
}
