import APNsSimulator
import Cryptography
import Foundation
import Gateway
import HTTPTypes
import JSON
import Secrets
import TestDoubles
import TestSupport
import Testing

@Suite("FCM endpoints in front of APNs", .timeLimit(.minutes(10)))
struct ProductionTests {
    @Test("The FCM endpoints accept the gateway's own access tokens for its project, and nothing else")
    func authentication() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                for bearer in [nil, "", "owner", "a.b", gateway.gateway.adminToken.value] {
                    let answer = try await gateway.sendMessage(["token": "a"], bearer: bearer)
                    #expect(answer.status == 401 && answer.body["error"]?["status"] == "UNAUTHENTICATED")
                    #expect(answer.errorCode == nil)
                }
                let good = try await gateway.accessToken()
                let elsewhere = try await gateway.fcm(
                    .post, "/v1/projects/other/messages:send", ["message": ["token": "a"]], bearer: good)
                #expect(elsewhere.status == 403 && elsewhere.body["error"]?["status"] == "PERMISSION_DENIED")
                #expect(try await gateway.sendMessage(["token": "emulated:a"], bearer: good).status == 200)
            }
        }
    }

    @Test("A refusal names both projects, and a token of another gateway is reported as such")
    func words() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { other in
                try await withGateway(simulator: apns) { gateway in
                    let elsewhere = try await gateway.fcm(
                        .post, "/v1/projects/my-app/messages:send", ["message": ["token": "a"]],
                        bearer: try await gateway.accessToken())
                    let text = try #require(elsewhere.body["error"]?["message"]?.string)
                    #expect(elsewhere.status == 403 && text.contains("the request is for project “my-app”"))
                    #expect(text.contains("this gateway's project is “pushgate”"))
                    let foreign = try await gateway.sendMessage(
                        ["token": "a"], bearer: try await other.accessToken())
                    #expect(foreign.status == 401 && foreign.body["error"]?["status"] == "UNAUTHENTICATED")
                    #expect(foreign.body["error"]?["message"]?.string?.contains("belongs to another gateway") == true)
                }
            }
        }
    }

    @Test(
        "An access token is issued at every path of Google's token endpoints",
        arguments: ["/token", "/oauth2/v4/token", "/o/oauth2/token"], [true, false])
    func tokenPaths(path: String, namesKey: Bool) async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                let assertion = try account.assertion(
                    ["aud": .string("https://www.googleapis.com" + path)], namesKey: namesKey)
                let answer = try await gateway.caller.askForAccessToken(with: assertion, at: path)
                let bearer = try #require(answer.body["access_token"]?.string, "\(answer.text)")
                #expect(try await gateway.sendMessage(["token": "emulated:a"], bearer: bearer).status == 200)
            }
        }
    }

    @Test("An invalid assertion gives no access token")
    func assertions() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                #expect(try await gateway.askForAccessToken().status == 200)
                for claims: [String: JSONValue] in [
                    ["iss": "me"], ["exp": 1], ["iat": 99_999_999_999], ["aud": "https://fcm.googleapis.com/"],
                ] {
                    let answer = try await gateway.askForAccessToken(claims: claims)
                    #expect(answer.status == 400 && answer.body["error"] == "invalid_grant")
                }
            }
        }
    }

    @Test("An account has a number of messages a minute, whatever its access token, and another one has its own")
    func quota() async throws {
        try await withSimulator { apns in
            try await withGateway(["fcm.messagesPerMinutePerAccount": "2"], simulator: apns) { gateway in
                let account = try await ServiceAccount(in: gateway.directory, url: gateway.url)
                var bearers: [String] = []
                for _ in 0..<2 {
                    let answer = try await gateway.caller.askForAccessToken(with: try account.assertion([:]))
                    bearers.append(try #require(answer.body["access_token"]?.string))
                }
                let token = try await gateway.register(.randomToken(), bearer: bearers[0])
                // At the end of a minute the count begins again.
                var answers: [Answer] = []
                for number in 0..<6 {
                    let bearer = bearers[number % 2]
                    answers.append(try await gateway.sendMessage(["token": .string(token)], bearer: bearer))
                }
                let refused = try #require(answers.first { $0.status != 200 })
                #expect(answers.prefix(2).allSatisfy { $0.status == 200 })
                #expect(refused.status == 429 && refused.errorCode == "QUOTA_EXCEEDED")
                #expect(refused.headerFields[.retryAfter].flatMap { Int($0) }.map { (1...60).contains($0) } == true)
                let other = try await gateway.accessToken()
                #expect(try await gateway.sendMessage(["token": .string(token)], bearer: other).status == 200)
                #expect(apns.simulator.received().count == answers.count { $0.status == 200 } + 1)
            }
        }
    }

    @Test("A message to a registration token is sent to Apple with its headers and payload")
    func delivers() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let device = String.randomToken()
                let token = try await gateway.register(device, bearer: bearer)
                let message: JSONValue = [
                    "token": .string(token), "notification": ["title": "Hello"], "data": ["a": "b"],
                    "apns": ["headers": ["apns-expiration": "4000000000"]],
                ]
                let sent = try await gateway.sendMessage(message, bearer: bearer)
                #expect(sent.status == 200)
                let id = try #require(sent.body["name"]?.string?.split(separator: "/").last)
                let notification = try #require(apns.simulator.received().first)
                #expect(notification.token == device && notification.status == 200)
                #expect(notification.topic == RunningSimulator.bundleID && notification.pushType == "alert")
                #expect(notification.priority == "10" && notification.expiration == "4000000000")
                let fid = String(token.prefix(22))
                let payload = notification.payload
                #expect(payload?["aps"] == ["alert": ["title": "Hello"]] && payload?["a"] == "b")
                #expect(payload?["gcm.message_id"] == .string(String(id)) && payload?["google.c.a.e"] == "1")
                #expect(payload?["google.c.fid"] == .string(fid))
                #expect(payload?["google.c.sender.id"]?.string?.count == 12)
                #expect(payload?.object?.members.count == 6)
                #expect(try await gateway.sendMessage(["fid": .string(fid)], bearer: bearer).status == 200)
                #expect(apns.simulator.received().map(\.token) == [device, device])
            }
        }
    }

    @Test("A permanent refusal by Apple answers FCM's error, and a 410 unregisters the token")
    func errors() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let devices = (0..<2).map { _ in String.randomToken() }
                var tokens: [String] = []
                for device in devices { tokens.append(try await gateway.register(device, bearer: bearer)) }
                apns.simulator.script(
                    token: devices[0],
                    answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
                apns.simulator.script(
                    token: devices[1], answers: [ScriptedAnswer(status: 400, reason: "BadCollapseId")])
                let gone = try await gateway.sendMessage(["token": .string(tokens[0])], bearer: bearer)
                #expect(gone.status == 404 && gone.errorCode == "UNREGISTERED")
                #expect(
                    gone.body["error"]?["details"]?.array?.last == [
                        "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError", "statusCode": 410,
                        "reason": "Unregistered",
                    ])
                #expect(try await gateway.sendMessage(["token": .string(tokens[0])], bearer: bearer).status == 404)
                #expect(apns.simulator.received().count == 1)
                let refused = try await gateway.sendMessage(["token": .string(tokens[1])], bearer: bearer)
                #expect(refused.status == 400 && refused.errorCode == "INVALID_ARGUMENT")
            }
        }
    }

    @Test("A token that is gone can be reported as INVALID_ARGUMENT by a setting")
    func unregisteredAsInvalidArgument() async throws {
        try await withSimulator { apns in
            try await withGateway(["fcm.unregisteredAs": "invalid_argument"], simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let device = String.randomToken()
                let token = try await gateway.register(device, bearer: bearer)
                apns.simulator.script(
                    token: device,
                    answers: [ScriptedAnswer(status: 410, reason: "Unregistered", timestamp: 4_000_000_000_000)])
                let gone = try await gateway.sendMessage(["token": .string(token)], bearer: bearer)
                #expect(gone.status == 400 && gone.errorCode == "INVALID_ARGUMENT")
                #expect(gone.body["error"]?["message"] == "APNs device token is disabled.")
                #expect(gone.body["error"]?["details"]?.array?.last?["statusCode"] == 410)
            }
        }
    }

    @Test("A send answers 200 if Apple is unavailable or slow, as the gateway retries")
    func retries() async throws {
        try await withSimulator { apns in
            try await withGateway(["fcm.sendWait": "100ms"], simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let devices = (0..<2).map { _ in String.randomToken() }
                var tokens: [String] = []
                for device in devices { tokens.append(try await gateway.register(device, bearer: bearer)) }
                apns.simulator.script(
                    token: devices[0], answers: [ScriptedAnswer(status: 503, reason: "ServiceUnavailable")])
                apns.simulator.script(token: devices[1], answers: [.accepting(after: .seconds(2))])
                for token in tokens {
                    #expect(try await gateway.sendMessage(["token": .string(token)], bearer: bearer).status == 200)
                }
                #expect(
                    await eventually {
                        Set(apns.simulator.received().filter { $0.status == 200 }.map(\.token)) == Set(devices)
                    })
            }
        }
    }

    @Test("A token of another sender answers SENDER_ID_MISMATCH, and an invalid text INVALID_ARGUMENT")
    func strangers() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let bearer = try await gateway.accessToken()
                let mismatch = try await gateway.sendMessage(["token": .string(.foreignToken)], bearer: bearer)
                #expect(mismatch.status == 403 && mismatch.errorCode == "SENDER_ID_MISMATCH")
                #expect(!mismatch.text.contains(String.foreignToken))
                let invalid = try await gateway.sendMessage(["token": "my-phone"], bearer: bearer)
                #expect(invalid.status == 400 && invalid.errorCode == "INVALID_ARGUMENT")
                #expect(
                    invalid.body["error"]?["message"]
                        == "The registration token is not a valid FCM registration token")
            }
        }
    }
}
