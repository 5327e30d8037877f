import HTTP2Client
import HTTPClient
import HTTPTypes
import JSON
import TestDoubles
import Testing

@testable import WebPushService

@Suite("Application servers at the push service", .timeLimit(.minutes(10)))
struct SenderTests {
    @Test("Messages over both versions of HTTP are accepted and kept", arguments: [true, false])
    func versions(isHTTP2: Bool) async throws {
        try await RunningPushServiceFixture.run { fixture in
            let (subscription, _) = try fixture.service.subscribe(
                .standard, applicationServerKey: fixture.sample.publicKey)
            for _ in 0..<3 {
                let response = try await fixture.push(to: subscription, version: isHTTP2 ? .http2 : .http1)
                #expect(response.statusCode == 201)
                #expect(response.version == (isHTTP2 ? .http2 : .http1))
                #expect(response.body.isEmpty)
            }
            let messages = fixture.service.received()
            #expect(messages.map(\.number) == [1, 2, 3])
            #expect(Set(messages.map(\.connection)) == [1])
            let body = try fixture.sample.body()
            #expect(messages.first?.body == body)
            #expect(fixture.service.counters.accepted == 3)
            #expect(fixture.service.counters.duplicates == 2)
            #expect(fixture.service.counters.distinctVAPIDTokens == 3)
        }
    }

    @Test("The limit of the body holds over both versions of HTTP", arguments: [true, false])
    func tooLarge(isHTTP2: Bool) async throws {
        try await RunningPushServiceFixture.run { fixture in
            let (subscription, _) = try fixture.service.subscribe(.apple)
            let version = isHTTP2 ? HTTPClientRequest.Version.http2 : .http1
            let body = try fixture.sample.body(recordLength: 100_000, recordSize: 200_000)
            let response = try await fixture.push(to: subscription, body: body, version: version)
            #expect(response.statusCode == 413)
            #expect(try JSONValue(parsing: response.body) == ["reason": "PayloadTooLarge"])
            #expect(try await fixture.push(to: subscription, version: version).statusCode == 201)
        }
    }

    @Test("One profile for all endpoints gives its answers to all")
    func profile() async throws {
        try await RunningPushServiceFixture.run {
            $0.rules.profile = .apple
        } body: { fixture in
            let (subscription, _) = try fixture.service.subscribe(.mozilla)
            let response = try await fixture.push(to: subscription, ["authorization": nil])
            #expect(response.statusCode == 403)
            #expect(try JSONValue(parsing: response.body) == ["reason": "BadJwtToken"])
        }
    }

    @Test("A subscription that has ended is answered 410")
    func ended() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let (subscription, _) = try fixture.service.subscribe(.google)
            #expect(fixture.service.endSubscription(token: subscription.token))
            #expect(!fixture.service.endSubscription(token: subscription.token))
            #expect(try await fixture.push(to: subscription).statusCode == 410)
            #expect(fixture.service.subscriptions.isEmpty)
        }
    }

    @Test("Scripted answers come with Retry-After as seconds and as a date, and after their delay")
    func scripted() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let (subscription, _) = try fixture.service.subscribe(.standard)
            fixture.service.script(
                token: subscription.token,
                answers: [
                    ScriptedPushAnswer(status: 429, retryAfter: .seconds(30)),
                    ScriptedPushAnswer(status: 503, delay: .milliseconds(50), retryAfter: .date(after: 90)),
                ])
            let first = try await fixture.push(to: subscription)
            #expect(first.statusCode == 429)
            #expect(first.retryAfter == .seconds(30))
            let second = try await fixture.push(to: subscription)
            #expect(second.statusCode == 503)
            #expect(second.retryAfter == .seconds(90))
            #expect(second.duration >= .milliseconds(50))
            #expect(try await fixture.push(to: subscription).statusCode == 201)
        }
    }

    @Test(
        "A request that hangs or whose connection closes has no answer, over both versions", arguments: [true, false])
    func unanswered(isHTTP2: Bool) async throws {
        let version = isHTTP2 ? HTTPClientRequest.Version.http2 : .http1
        try await RunningPushServiceFixture.run { fixture in
            let (subscription, _) = try fixture.service.subscribe(.standard)
            // The deadline below is for a request alone, on the connection that this one opens.
            #expect(try await fixture.push(to: subscription, version: version).statusCode == 201)
            fixture.service.script(token: nil, answers: [.hanging(isAccepted: true)])
            let hanging = await #expect(throws: HTTPClientError.self) {
                try await fixture.push(to: subscription, version: version, deadline: .milliseconds(500))
            }
            #expect(hanging?.kind == .timedOut)
            #expect(fixture.service.counters.accepted == 2)

            // libcurl repeats a request by itself if a connection that it had used before closes.
            fixture.service.script(token: nil, answers: [.closing(count: nil)])
            let closed = await #expect(throws: HTTPClientError.self) {
                try await fixture.push(to: subscription, version: version)
            }
            #expect(closed?.kind != .timedOut)
            fixture.service.clearScript()
            #expect(try await fixture.push(to: subscription, version: version).statusCode == 201)
            #expect(fixture.service.counters.accepted == 3)
        }
    }

    @Test("A sender reaches the services' own names by the proxy, with their certificates")
    func proxy() async throws {
        try await RunningPushServiceFixture.run {
            $0.usesServiceNames = true
        } body: { fixture in
            var configuration = HTTP2Client.Configuration()
            configuration.caFile = fixture.addresses.certificateAuthorityPath
            configuration.proxy = ProxyRule(try HTTPProxy(fixture.addresses.proxy))
            let client = HTTP2Client(configuration: configuration, logger: .silent)
            for service in PushServiceProfile.allCases where service != .standard {
                let (subscription, _) = try fixture.service.subscribe(service)
                let request = try fixture.sample.request(to: subscription)
                let origin = try #require(HTTP2Origin(subscription.origin))
                #expect(origin.host == service.endpointHost)
                let response = try await client.execute(
                    HTTP2Request(
                        PreparedHeaders(origin: origin, []), path: request.path,
                        fields: request.headers.map { HTTP2Request.Field($0.name, $0.value) }, body: request.body,
                        deadline: .patience))
                #expect(response.statusCode == 201)
                #expect(fixture.service.received().last?.service == service)
            }
            await client.shutdown()
        }
    }

    @Test("A subscription is made, scripted and awaited over the control address")
    func control() async throws {
        try await RunningPushServiceFixture.run { fixture in
            let made = try await fixture.control(
                .post, "/subscriptions",
                ["service": "mozilla", "application_server_key": .string(try fixture.sample.publicKey)])
            let token = try #require(made["token"]?.string)
            let subscription = try #require(fixture.service.subscriptions.first)
            #expect(subscription.endpoint == made["endpoint"]?.string)
            #expect(subscription.endpoint == fixture.addresses.push + "/wpush/v2/" + token)
            _ = try await fixture.control(.put, "/answers", ["token": .string(token), "status": 503])
            async let waited = fixture.control(
                .get, "/notifications?delivery=acknowledged&wait_for=1&timeout=300&token=\(token)")
            #expect(try await fixture.push(to: subscription).statusCode == 503)
            #expect(try await fixture.push(to: subscription).statusCode == 201)
            let answer = try await waited
            #expect(answer["count"] == 1)
            #expect(answer["notifications"]?[0]?["number"] == 2)
            #expect(try await fixture.control(.get, "/status")["requests_by_status"] == ["201": 1, "503": 1])
        }
    }
}
