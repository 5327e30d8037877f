import APNsSimulator
import Cryptography
import JSON
import Messaging
import TestDoubles
import Testing

@testable import APNs

/// Tests against `Golden/messages.json`, which was written by hand: FCM messages, and the request that Apple must get
/// for each.
///
/// All go to the app `com.example.app` and expire at 1,800,000,000.
@Suite("FCM messages as APNs requests")
struct GoldenMessagesTests {
    @Test("An FCM message becomes exactly the expected APNs headers and payload", arguments: try GoldenMessage.all())
    func golden(message: GoldenMessage) throws {
        let actual = try message.translated()
        #expect(actual == message.expected, "\(Self.sideBySide(message.expected, actual))")
    }

    @Test("The expected APNs request follows Apple's rules strictly", arguments: try GoldenMessage.all())
    func valid(message: GoldenMessage) throws {
        let headers = try #require(message.expected["headers"]?.object?.members)
        let request = APNsRequest(
            method: "POST", path: "/3/device/a1b2c3d4",
            headers: [("authorization", "bearer \(try Self.providerToken.get())")]
                + headers.map { ($0.name, $0.value.string ?? "") },
            body: message.expected["payload"]?.serialized ?? [])
        var validator = RequestValidator(rules: ValidationRules(isStrict: true))
        #expect(validator.validate(request, now: 1_799_000_000).rejection == nil)
    }

    @Test("The golden file has at least 60 messages with unique names")
    func count() throws {
        let names = try GoldenMessage.all().map(\.testDescription)
        #expect(names.count >= 60)
        #expect(Set(names).count == names.count)
    }

    private static let providerToken = Result {
        try APNs.ProviderToken.signed(with: .generate(), keyID: "KEY", teamID: "TEAM", issuedAt: 1_799_000_000)
    }

    private static func sideBySide(_ expected: JSONValue, _ actual: JSONValue) -> String {
        let left = ["EXPECTED"] + expected.sorted.prettyText.split(separator: "\n").map(String.init)
        let right = ["ACTUAL"] + actual.sorted.prettyText.split(separator: "\n").map(String.init)
        let width = left.map(\.count).max() ?? 0
        return (0..<max(left.count, right.count)).map { index in
            let line = index < left.count ? left[index] : ""
            let other = index < right.count ? right[index] : ""
            let mark = line == other || index == 0 ? " " : "≠"
            return line + String(repeating: " ", count: width - line.count) + " \(mark) " + other
        }.joined(separator: "\n")
    }
}

struct GoldenMessage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// `true` if the message comes through FCM's API instead of from a function.
    let isThroughAPI: Bool
    let message: JSONValue
    /// `headers` and `payload`.
    let expected: JSONValue

    static func all() throws -> [GoldenMessage] {
        let json = try JSONValue(parsing: GoldenFile("messages.json").text)
        return try #require(json.array).map { json in
            GoldenMessage(
                testDescription: try #require(json["name"]?.string),
                isThroughAPI: json["throughAPI"] == true, message: try #require(json["message"]),
                expected: ["headers": try #require(json["headers"]), "payload": try #require(json["payload"])])
        }
    }

    func translated() throws -> JSONValue {
        var request = try #require(message.object)
        request["fid"] = .string(FCMIdentity.sampleInstallationID)
        let message = try SendRequest(json: ["message": .object(request)]).message
        let outgoing = OutgoingMessage(
            message: message, lane: Lane(transport: .apns), expiration: 1_800_000_000,
            identity: isThroughAPI ? .sample : nil)
        let headers = APNsHeaders.common(for: outgoing, topic: "com.example.app", bundleID: "com.example.app")
        let payload = try #require(APNsPayload(message, identity: outgoing.identity))
        return [
            "headers": .object(JSONObject(headers.map { ($0.name, .string($0.value)) })),
            "payload": try JSONValue(parsing: payload.bytes(installationID: FCMIdentity.sampleInstallationID)),
        ]
    }
}

extension JSONValue {
    /// The value with the members of all objects sorted by name, so that equal members stand side by side.
    fileprivate var sorted: JSONValue {
        switch self {
        case .object(let object):
            .object(JSONObject(object.members.sorted { $0.name < $1.name }.map { ($0.name, $0.value.sorted) }))
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}
