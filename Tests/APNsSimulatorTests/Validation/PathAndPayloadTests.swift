import APNsSimulator
import JSON
import Testing

@Suite("Method, path and payload of a request to the simulator")
struct PathAndPayloadTests {
    let sample: SampleRequest

    init() throws { sample = try SampleRequest() }

    @Test("A request with any method but POST is refused", arguments: ["GET", "PUT", "post", ""])
    func method(method: String) throws {
        var request = try sample.request()
        request.method = method
        #expect(sample.verdict(on: request).rejection == .methodNotAllowed)
    }

    @Test(
        "A path other than /3/device/ and one device token is refused",
        arguments: [
            ("/", APNsRejection.badPath), ("", .badPath), ("/2/device/abcd", .badPath), ("/3/devices/abcd", .badPath),
            ("/3/device/abcd/ef", .badPath), ("/3/device/abcd?x=1", .badPath), ("/3/device/abcd/", .badPath),
            ("/3/device/", .missingDeviceToken), ("/3/device", .missingDeviceToken),
            ("/3/device/abc", .badDeviceToken), ("/3/device/xyz0", .badDeviceToken),
            ("/3/device/" + String(repeating: "ab", count: 201), .badDeviceToken),
        ])
    func path(path: String, rejection: APNsRejection) throws {
        var request = try sample.request()
        request.path = path
        #expect(sample.verdict(on: request).rejection == rejection)
    }

    @Test(
        "A device token may have any length up to 200 bytes, and letters of either case",
        arguments: ["ab", "ABCDEF01", String(repeating: "ab", count: 200)])
    func deviceToken(token: String) throws {
        var request = try sample.request()
        request.path = "/3/device/" + token
        let verdict = sample.verdict(on: request)
        #expect(verdict.isAccepted)
        #expect(verdict.deviceToken == token.lowercased())
    }

    @Test(
        "A payload that is no JSON object is refused",
        arguments: ["", "[]", "null", "\"aps\"", "{", "{\"aps\":{}} x"])
    func payload(text: String) throws {
        var request = try sample.request()
        request.body = Array(text.utf8)
        #expect(sample.verdict(on: request).rejection == .payloadEmpty)
    }

    @Test(
        "A payload may have 4,096 bytes, and 5,120 for VoIP",
        arguments: [(PushType.alert, 4096), (.background, 4096), (.liveactivity, 4096), (.voip, 5120)])
    func size(pushType: PushType, limit: Int) throws {
        var request = try sample.request([
            "apns-push-type": pushType.rawValue, "apns-priority": "5",
            "apns-topic": "com.example.app" + (pushType.topicSuffix ?? ""),
        ])
        request.body =
            Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: limit - 8) + Array(#""}"#.utf8)
        #expect(request.body.count == limit)
        #expect(sample.verdict(on: request).isAccepted)
        request.body.append(UInt8(ascii: " "))
        #expect(sample.verdict(on: request).rejection == .payloadTooLarge)
    }

    @Test("Of several faults the outermost is reported first")
    func order() throws {
        var request = try sample.request([
            "authorization": nil, "apns-topic": nil, "apns-id": "x", "apns-priority": "x",
        ])
        request.method = "GET"
        request.path = "/3/device"
        request.body = []
        var seen: [APNsRejection?] = [sample.verdict(on: request).rejection]
        request.method = "POST"
        seen.append(sample.verdict(on: request).rejection)
        request.path = "/3/device/x"
        seen.append(sample.verdict(on: request).rejection)
        request.headers.append(
            ("authorization", try sample.signingKey.authorization(issuedAt: .integer(SampleRequest.now))))
        seen.append(sample.verdict(on: request).rejection)
        request.headers.append(("apns-topic", "com.example.app"))
        seen.append(sample.verdict(on: request).rejection)
        request.headers.removeAll { $0.name == "apns-id" }
        seen.append(sample.verdict(on: request).rejection)
        request.headers.removeAll { $0.name == "apns-priority" }
        seen.append(sample.verdict(on: request).rejection)
        request.path = "/3/device/ab"
        seen.append(sample.verdict(on: request).rejection)
        #expect(
            seen == [
                .methodNotAllowed, .missingDeviceToken, .missingProviderToken, .missingTopic, .badMessageID,
                .badPriority, .badDeviceToken, .payloadEmpty,
            ])
    }

    @Test("A request refused for its method keeps its apns-id")
    func idOfRefused() throws {
        var request = try sample.request()
        request.method = "GET"
        #expect(sample.verdict(on: request).apnsID == SampleRequest.id)
    }
}
