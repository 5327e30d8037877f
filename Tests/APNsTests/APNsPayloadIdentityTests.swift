import JSON
import Messaging
import Testing

@testable import APNs

@Suite("FCM ids in the APNs payload")
struct APNsPayloadIdentityTests {
    private let identity = FCMIdentity.sample
    private let fid = FCMIdentity.sampleInstallationID

    private func size(bodyOf length: Int) throws -> Int {
        let body = String(repeating: "a", count: length)
        let payload = try #require(APNsPayload(Message(notification: .init(body: body)), identity: identity))
        return payload.bytes(installationID: fid).count
    }

    @Test("A message that did not come through FCM's API has no FCM ids in its payload")
    func none() throws {
        let payload = try #require(APNsPayload(Message(data: ["k": "v"])))
        #expect(payload.bytes(installationID: fid) == payload.bytes)
        #expect(try JSONValue(parsing: payload.bytes) == ["aps": [:], "k": "v"])
    }

    @Test("The body is cut until the payload with the FCM ids fits 4,096 bytes")
    func room() throws {
        let fixed = try size(bodyOf: 0)
        #expect(try size(bodyOf: 4_096 - fixed) == 4_096)
        #expect((4_094...4_096).contains(try size(bodyOf: 4_097 - fixed)))
        #expect((4_094...4_096).contains(try size(bodyOf: 6_000)))
    }

    @Test("A full payload without a body leaves out the installation id first")
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

    @Test("An installation id in the APNs payload is escaped like any text")
    func escaping() throws {
        let payload = try #require(APNsPayload(Message(), identity: identity))
        let json = try JSONValue(parsing: payload.bytes(installationID: "a\"b\\c"))
        #expect(json["google.c.fid"] == "a\"b\\c")
    }

    @Test("A VoIP payload may have 5,120 bytes")
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
