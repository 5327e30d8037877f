import Cryptography
import DocumentStore
import Gateway
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("Gateway on a nearly full disk", .timeLimit(.minutes(10)))
struct NearlyFullGatewayTests {
    private static let secret = String(repeating: "s", count: 40)
    private static let register: JSONValue = ["cwd": "/a", "installation_id": "phone", "fcm_token": "emulated:phone"]

    /// More bytes than any disk has.
    private static let noRoom = ["data.minimumFreeBytes": "9000000000000000000"]

    @Test("A gateway on a nearly full disk answers 503 to new data, and still unregisters and reads")
    func refusal() async throws {
        try await withGateway(Self.noRoom) { gateway in
            // A server and its device, stored earlier.
            let server = try DocumentPath("servers/\(SHA256.hexadecimal(of: Self.secret))")
            let phone = try server.collection("agents").document(SHA256.hexadecimal(of: "/a")).collection("devices")
                .document("phone")
            let fields: Fields = ["fcmToken": .string("emulated:phone")]
            _ = try await gateway.gateway.store.commit([.set(server, [:]), .set(phone, fields)])
            for (function, body) in [
                ("registerSubscription", Self.register), ("triggerReplyFinished", ["cwd": "/a"]),
            ] as [(String, JSONValue)] {
                let answer = try await gateway.caller.call(function, body, secret: Self.secret)
                #expect(answer.status == 503 && answer.code == "unavailable")
                #expect(answer.body["message"]?.string?.contains("free space") == true)
                #expect(answer.headerFields[.retryAfter] == "5")
            }
            let sent = try await gateway.caller.send(
                .post, "/v1/projects/pushgate/messages:send", headerFields: [.contentType: "application/json"],
                body: (["message": ["token": "emulated:x", "notification": ["title": "x"]]] as JSONValue).serialized
            )
            #expect(sent.status == 503)
            #expect(sent.body["error"]?["message"]?.string?.contains("data.minimumFreeBytes") == true)
            let gone = try await gateway.caller.call(
                "unregisterSubscription", ["installation_id": "phone", "cwd": "/a"], secret: Self.secret)
            #expect(gone.body["deleted"] == 1)
            #expect(gateway.log.lines.contains { $0.contains("refusing new data") })
        }
    }
}
