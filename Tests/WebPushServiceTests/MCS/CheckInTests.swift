import Testing

@testable import WebPushService

@Suite("Check-in and registration of Chromium")
struct CheckInTests {
    @Test("A first check-in has no id, and a later one has that of the answer")
    func checkIn() throws {
        let response = CheckInResponse(androidID: 5_012_345_678, securityToken: .max, time: 1_800_000_000_000)
        let fields = try ProtobufFields(response.bytes)
        #expect(fields.number(1) == 1)
        #expect(fields.number(3) == 1_800_000_000_000)
        #expect(fields.number(7) == 5_012_345_678)
        #expect(fields.number(8) == UInt64.max)

        var first = ProtobufWriter()
        first.write(0, 2)
        first.write(4) { $0.write(3, 12) }
        first.write(fixed: 0, 13)
        let firstRequest = try CheckInRequest(first.bytes)
        #expect(firstRequest.androidID == nil)
        #expect(firstRequest.securityToken == nil)

        var later = ProtobufWriter()
        later.write(5_012_345_678, 2)
        later.write(fixed: .max, 13)
        let laterRequest = try CheckInRequest(later.bytes)
        #expect(laterRequest.androidID == 5_012_345_678)
        #expect(laterRequest.securityToken == UInt64.max)
        #expect(throws: MCSError.malformed) { try CheckInRequest([0x08]) }
    }

    private func registration(_ form: String, authorization: String? = "AidLogin 12:34") -> RegistrationRequest? {
        RegistrationRequest(form: Array(form.utf8), authorization: authorization)
    }

    @Test("A registration is read from its form and its credentials")
    func form() throws {
        let request = try #require(
            registration(
                "app=org.chromium.linux&X-subtype=wp%3Ahttps%3A%2F%2Fexample.com%2F%23a+b&device=12&appid=inst1"
                    + "&scope=GCM&sender=BKey_-1&gmsv=140"))
        #expect(request.androidID == 12)
        #expect(request.securityToken == 34)
        #expect(request.app == "org.chromium.linux")
        #expect(request.subtype == "wp:https://example.com/#a b")
        #expect(request.sender == "BKey_-1")
        #expect(request.instanceID == "inst1")
        #expect(!request.isDeletion)
    }

    @Test("The answer to a deletion names what was deleted")
    func deletion() throws {
        let instance = try #require(registration("app=a&X-subtype=s&appid=inst1&delete=true&sender=*"))
        #expect(instance.isDeletion)
        #expect(instance.sender == "*")
        #expect(instance.deletionAnswer == "token=inst1")
        let app = try #require(registration("app=wp%3Aa&delete=true"))
        #expect(app.sender == "*")
        #expect(app.deletionAnswer == "deleted=wp:a")
    }

    @Test("A registration without a required value is refused")
    func incomplete() {
        #expect(registration("app=a") == nil)
        #expect(registration("sender=BKey") == nil)
        #expect(registration("app=a&sender=") == nil)
        for authorization in [nil, "", "AidLogin 12", "AidLogin a:b", "Bearer 12:34", "AidLogin 1:2:3"] {
            #expect(registration("app=a&sender=BKey", authorization: authorization) == nil)
        }
    }
}
