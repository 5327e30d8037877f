import JSON
import Messaging
import Testing

@testable import APNs

@Suite("FCM's ids in APNs' payload")
struct APNsPayloadIdentityTests {
    private let identity = FCMIdentity.sample
    private let fid = FCMIdentity.sampleInstallationID

    private func size(bodyOf length: Int) throws -> Int {
        let body = String(repeating: "a", count: length)
        let payload = try #require(APNsPayload(Message(notification: .init(body: body)), identity: identity))
        return payload.bytes(installationID: fid).count
    }

    @Test("are not in a message that is not FCM's, whoever gets it")
    func none() throws {
        let payload = try #require(APNsPayload(Message(data: ["k": "v"])))
        #expect(payload.bytes(installationID: fid) == payload.bytes)
        #expect(try JSONValue(parsing: payload.bytes) == ["aps": [:], "k": "v"])
    }

    @Test("have room made for them: the body is cut until the payload fits to the byte, the id included")
    func room() throws {
        let fixed = try size(bodyOf: 0)
        #expect(try size(bodyOf: 4_096 - fixed) == 4_096)
        #expect((4_094...4_096).contains(try size(bodyOf: 4_097 - fixed)))
        #expect((4_094...4_096).contains(try size(bodyOf: 6_000)))
    }

    @Test("give way where there is no body to cut: the installation's id is left out first")
    func noRoom() throws {
        let empty = try #require(APNsPayload(Message(data: ["k": ""]), identity: identity))
        func payload(_ size: Int) -> APNsPayload? {
            let value = String(repeating: "v", count: size - empty.bytes.count)
            return APNsPayload(Message(data: ["k": value]), identity: identity)
        }
        let roomy = try #require(payload(4_096 - 40))
        #expect(roomy.bytes(installationID: fid).count == 4_096)
        #expect(roomy.bytes(installationID: fid + "x") == roomy.bytes)
        let full = try #require(payload(4_096))
        #expect(full.bytes(installationID: fid) == full.bytes)
        #expect(payload(4_097) == nil)
    }

    @Test("escape an installation's id like any text")
    func escaping() throws {
        let payload = try #require(APNsPayload(Message(), identity: identity))
        let json = try JSONValue(parsing: payload.bytes(installationID: "a\"b\\c"))
        #expect(json["google.c.fid"] == "a\"b\\c")
    }

    @Test("a call over VoIP may have 5,120 bytes")
    func voip() throws {
        func message(_ count: Int, _ pushType: String) -> Message {
            Message(
                data: ["k": String(repeating: "v", count: count)],
                apns: .init(headers: ["apns-push-type": pushType]))
        }
        #expect(APNsPayload(message(5_000, "voip")) != nil)
        #expect(APNsPayload(message(5_120, "voip")) == nil)
        #expect(APNsPayload(message(5_000, "alert")) == nil)
    }
}
