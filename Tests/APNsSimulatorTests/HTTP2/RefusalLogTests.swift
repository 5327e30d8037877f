import Cryptography
import Foundation
import JSON
import SimulatorTools
import TestDoubles
import Testing

@testable import APNsSimulator

@Suite("Log of the simulator's refusals")
struct RefusalLogTests {
    let sample: SampleRequest
    private let log = CollectedLog()
    private let scripts = ScriptTable()
    private let history = NotificationHistory(limits: .init(notifications: 100, payloadBytes: 100_000))

    init() throws { sample = try SampleRequest() }

    private func respond(to request: APNsRequest) -> APNsResponse {
        var configuration = APNsSimulatorConfiguration()
        configuration.now = { .init(timeIntervalSince1970: Double(SampleRequest.now)) }
        let responder = APNsResponder(configuration, history: history, scripts: scripts, logger: log.logger)
        var validator = RequestValidator(rules: sample.rules)
        var providerTokens = ProviderTokenWatch()
        return responder.respond(to: request, connection: 7, validator: &validator, providerTokens: &providerTokens)
    }

    @Test(
        "A refusal logs one line with its cause and the sent value",
        arguments: [
            ("apns-priority", "high", "BadPriority", "apns-priority is “high”; it takes 10, 5 or 1"),
            ("apns-push-type", "Alert", "InvalidPushType", "apns-push-type is “Alert”; it takes one of alert, "),
            ("apns-expiration", "soon", "BadExpirationDate", "apns-expiration is “soon”; it takes seconds since 1970"),
            ("apns-topic", "com.example app", "BadTopic", "apns-topic is “com.example app”; it takes a bundle id"),
            ("apns-id", "1", "BadMessageId", "apns-id is “1”; it takes a UUID in lower case"),
            ("authorization", "basic YTpi", "InvalidProviderToken", "authorization is not “bearer”"),
        ])
    func line(name: String, value: String, reason: String, cause: String) throws {
        #expect(try respond(to: sample.request([name: value])).status >= 400)
        #expect(log.lines.count == 1)
        let line = try #require(log.lines.first)
        #expect(line.hasPrefix("notice refused a notification") && line.contains(reason) && line.contains(cause))
        #expect(line.contains("token#" + SHA256.hexadecimal(of: SampleRequest.deviceToken).prefix(8)))
        #expect(line.contains(#""payload_bytes": 24"#) && line.contains(#""connection": 7"#))
        #expect(history.page(matching: .all).entries.first?.cause?.contains(cause) == true)
    }

    @Test("An accepted notification logs nothing, and a scripted refusal is logged as scripted")
    func scripted() throws {
        #expect(try respond(to: sample.request()).status == 200)
        #expect(log.lines.isEmpty)
        scripts.answers.append([.rejecting(.unregistered)], for: nil)
        #expect(try respond(to: sample.request()).status == 410)
        #expect(log.lines.count == 1 && log.lines.first?.contains("a script for answers requires it") == true)
    }

    @Test("A refused provider token is logged with the cause: key, team, signature or age")
    func providerTokens() throws {
        let key = sample.signingKey
        let other = try SigningKey(keyID: key.keyID, teamID: key.teamID)
        let now = JSONValue.integer(SampleRequest.now)
        for (authorization, cause) in [
            (try key.authorization(issuedAt: now, keyID: "OTHERKEY00"), "is of key “OTHERKEY00”, which is not known"),
            (try key.authorization(issuedAt: now, teamID: "OTHERTEAM0"), "names team “OTHERTEAM0”"),
            (try other.authorization(issuedAt: now), "is not signed by key “\(key.keyID)”"),
            (try key.authorization(issuedAt: now, algorithm: "HS256"), "another “alg” than ES256"),
            (try key.authorization(issuedAt: .integer(SampleRequest.now * 1_000)), "not milliseconds"),
            (try key.authorization(issuedAt: .integer(SampleRequest.now - 7_200)), "a token is valid for an hour"),
        ] {
            _ = respond(to: try sample.request(["authorization": authorization]))
            #expect(log.lines.last?.contains(cause) == true, "\(cause): \(log.lines.last ?? "")")
        }
    }

    @Test("A log line never contains a whole device token, provider token or payload")
    func secrecy() throws {
        let token = SampleRequest.deviceToken
        let authorization = try sample.signingKey.authorization(issuedAt: .integer(SampleRequest.now))
        let jwt = String(authorization.dropFirst("bearer ".count))
        var requests: [APNsRequest] = []
        for value in [token, jwt] {
            for name in [
                "apns-id", "apns-push-type", "apns-priority", "apns-expiration", "authorization",
            ] {
                requests.append(try sample.request([name: value]))
            }
            for path in ["/\(value)", "/3/devices/\(value)", "/3/device/\(value)/x", "/3/device/\(value)?\(value)"] {
                var request = try sample.request()
                request.path = path
                requests.append(request)
            }
            requests.append(try sample.request(["apns-topic": value + " x"]))
            var request = try sample.request()
            request.method = value
            requests.append(request)
        }
        var empty = try sample.request()
        empty.body = Array("s3cret payload".utf8)
        requests.append(empty)
        for request in requests { #expect(respond(to: request).status >= 400) }
        #expect(log.lines.count == requests.count)
        for secret in [token, jwt, String(jwt.split(separator: ".")[2]), "s3cret"] {
            #expect(log.lines.filter { $0.contains(secret) } == [])
        }
    }
}
