import Cryptography
import HTTP2Client
import JSON
import Messaging
import Synchronization
import TestDoubles
import Testing

@testable import WebPush

@Suite("Transport of Web Push", .timeLimit(.minutes(10)))
struct WebPushTransportTests {
    private static let apple = "https://web.push.apple.com/QGuQ"

    @Test("A message reaches a known service over HTTP/2 with its fields, a valid token, and content for the browser")
    func known() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"])
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browser = try Browser(Self.apple)
        let message = Message(
            notification: Message.Notification(title: "t", body: "b"), data: ["k": "v"],
            apns: Message.APNsConfiguration(headers: ["apns-collapse-id": "agent-1"]))
        #expect(try await bench.send(message, to: browser) == .accepted)
        let request = try #require(server.received.first)
        #expect(server.received.count == 1 && request.version == 2)
        #expect(request.method == "POST" && request.path == "/QGuQ")
        #expect(request.value("host") == "web.push.apple.com")
        #expect(request.value("ttl") == "3600" && request.value("urgency") == "high")
        #expect(request.value("topic") == WebPushHeaders.topic("agent-1"))
        #expect(request.value("content-encoding") == "aes128gcm")
        #expect(request.value("content-type") == "application/octet-stream")
        #expect(request.value("content-length") == String(request.body.count))
        #expect(request.body.count == 512 + MessageEncryption.overhead)
        let expected: JSONValue = [
            "web_push": 8030,
            "notification": [
                "title": "t", "body": "b", "navigate": "https://app.example/", "tag": "agent-1", "data": ["k": "v"],
            ],
            "message_id": "m1",
        ]
        #expect(try browser.message(request.body) == expected)
        try check(request, audience: "https://web.push.apple.com", bench.key)
        await server.stop()
    }

    /// Checks the sender's token.
    private func check(
        _ request: PushServiceStandIn.Received, audience: String, _ key: ES256PrivateKey
    ) throws {
        let field = try #require(request.value("authorization"))
        let end = ", k=\(Base64URL.encode(try key.publicKey.point().bytes))"
        #expect(field.hasPrefix("vapid t=") && field.hasSuffix(end))
        let token = try #require(CompactJWS(field.dropFirst("vapid t=".count).dropLast(end.count)))
        #expect(key.publicKey.isValid(token.signature, for: token.signingInput.utf8))
        #expect(try JSONValue(parsing: token.payload)["aud"]?.string == audience)
    }

    @Test("Each notification has a key and a salt of its own, and all for one service have one token")
    func freshKeys() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"])
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browser = try Browser(Self.apple)
        for index in 0..<5 { #expect(try await bench.send(to: browser, index: index) == .accepted) }
        let bodies = server.received.map(\.body)
        #expect(Set(bodies.map { Array($0[..<16]) }).count == 5)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 5)
        #expect(Set(server.received.map { $0.value("authorization") }).count == 1)
        #expect(server.record.connections == 1)
        await server.stop()
    }

    @Test("A main host without HTTP/2 gets its messages over HTTP/1.1")
    func mainHostWithoutHTTP2() async throws {
        let server = try await PushServiceStandIn(names: ["fcm.googleapis.com"], protocols: ["http/1.1"])
        let bench = try TransportBench(trusting: server, for: ["fcm.googleapis.com"])
        let browser = try Browser("https://fcm.googleapis.com/fcm/send/x")
        for _ in 0..<2 { #expect(try await bench.send(to: browser) == .accepted) }
        #expect(server.received.map(\.version) == [1, 1])
        #expect(try server.received.map { try browser.message($0.body)["message_id"] } == ["m1", "m1"])
        // One connection has shown that there is no HTTP/2; the other one carried both.
        #expect(server.record.connections == 2)
        await server.stop()
    }

    @Test("A main host without HTTP/2 is asked for it again after an hour")
    func forgettingVersions() async throws {
        let server = try await PushServiceStandIn(names: ["fcm.googleapis.com"], protocols: ["http/1.1"])
        let bench = try TransportBench(trusting: server, for: ["fcm.googleapis.com"])
        let endpoint = try WebPushEndpoint("https://fcm.googleapis.com/fcm/send/x")
        let headers = WebPushHeaders(ttl: 0, urgency: "normal")
        let request = WebPushRequest(
            endpoint: endpoint, headers: WebPushRequestHeaders(headers, for: endpoint),
            authorization: "vapid t=a, k=b", body: [1], deadline: .seconds(60))
        // One connection each for HTTP/2, and one for all requests over HTTP/1.1.
        for (time, connections): (Int64, Int) in [(0, 2), (3_599, 2), (3_600, 3), (3_601, 3)] {
            let status = try await bench.client.answer(to: request, now: time).get().status
            #expect(status == 201 && server.record.connections == connections, "\(time)")
        }
        await server.stop()
    }

    @Test(
        "A failure is one of the whole host if there was no connection, and not if none was free",
        arguments: [
            (.couldNotConnect, true), (.tls, true), (.proxy, true), (.timedOut, false), (.connectionLost, false),
            (.cancelled, false),
        ] as [(HTTP2ClientError.Kind, Bool)])
    func failures(kind: HTTP2ClientError.Kind, isWithoutConnection: Bool) {
        let error = HTTP2ClientError(kind: kind, message: "", host: "a.example", isUnprocessed: true)
        #expect(WebPushRequestError(error).isWithoutConnection == isWithoutConnection)
    }

    @Test(
        "Any other host gets its messages over the version that it has, with its own audience",
        arguments: [(["h2", "http/1.1"], 2), (["http/1.1"], 1)])
    func otherHost(protocols: [String], version: Int) async throws {
        let server = try await PushServiceStandIn(names: ["push.pushgate.dev"], protocols: protocols)
        let bench = try TransportBench(trusting: server, for: ["push.pushgate.dev"])
        let browser = try Browser("https://push.pushgate.dev/up?id=1")
        #expect(try await bench.send(to: browser) == .accepted)
        let request = try #require(server.received.first)
        #expect(request.version == version && request.path == "/up?id=1" && request.method == "POST")
        #expect(request.value("ttl") == "3600" && request.value("content-encoding") == "aes128gcm")
        #expect(request.value("host") == "push.pushgate.dev" && request.value("expect") == nil)
        try check(request, audience: "https://push.pushgate.dev", bench.key)
        #expect(try browser.message(request.body)["notification"]?["title"] == "t")
        await server.stop()
    }

    @Test("After a 413 the message is sent once more, without padding and cut to 2,800 bytes")
    func tooLarge() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"]) { request in
            request.body.count > 3_000 ? PushServiceStandIn.Reply(status: 413) : .accepted
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browser = try Browser(Self.apple)
        let long = Message(
            notification: Message.Notification(title: "t", body: String(repeating: "b", count: 3_500)))
        #expect(try await bench.send(long, to: browser) == .accepted)
        #expect(server.received.map(\.body.count).last == 2_800 + MessageEncryption.overhead)
        #expect(server.received.count == 2)
        let body = try browser.message(server.received[1].body)["notification"]?["body"]?.string
        #expect(body?.hasSuffix("…") == true)
        await server.stop()
    }

    @Test("A message that is too large twice is given up")
    func tooLargeTwice() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"]) { _ in
            PushServiceStandIn.Reply(status: 413)
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let outcome = try await bench.send(to: Browser(Self.apple))
        #expect(TransportBench.reason(outcome) == "PayloadTooLarge")
        let sizes = server.received.map(\.body.count)
        #expect(sizes.count == 2 && sizes[0] == 512 + MessageEncryption.overhead && sizes[1] < sizes[0])
        await server.stop()
    }

    @Test("A message that cannot be cut enough is rejected before any request")
    func commonRejection() async throws {
        let server = try await PushServiceStandIn(names: [])
        let bench = try TransportBench(trusting: server)
        let address = try Browser(Self.apple).address()
        let message = bench.outgoing(Message(data: ["a": String(repeating: "x", count: 4_000)]), to: address)
        #expect(bench.transport.prepare(message).commonRejection?.reason == "PayloadTooLarge")
        #expect(WebPushTransport.rejection(of: message)?.reason == "PayloadTooLarge")
        let other = OutgoingMessage(message: message.message, lane: Lane(transport: .apns), expiration: 0)
        #expect(WebPushTransport.rejection(of: other) == nil)
        await server.stop()
    }

    @Test("A subscription that has ended is reported as unregistered, with the service's word")
    func gone() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"]) { _ in
            PushServiceStandIn.Reply(status: 410, body: #"{"reason":"Unregistered"}"#)
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let verdict = PlatformVerdict(by: .webPush, status: 410, reason: "Unregistered")
        let expected = Rejection(
            code: .registrationTokenNotRegistered, reason: "Unregistered", verdict: verdict,
            invalidation: .unregistered(since: nil))
        #expect(try await bench.send(to: Browser(Self.apple)) == .rejected(expected))
        await server.stop()
    }

    @Test("A Retry-After that is a date counts from the date of the answer")
    func retryAfter() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com", "push.pushgate.dev"]) { _ in
            let date = ("date", "Sun, 06 Nov 1994 08:49:00 GMT")
            return PushServiceStandIn.Reply(
                status: 503, fields: [date, ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")])
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com", "push.pushgate.dev"])
        for endpoint in [Self.apple, "https://push.pushgate.dev/x"] {
            guard case .failed(let failure) = try await bench.send(to: Browser(endpoint)) else {
                Issue.record("it did not fail")
                continue
            }
            #expect(failure.retryAfter == .seconds(37) && failure.laneFailure == nil)
        }
        await server.stop()
    }

    @Test("A service that refuses the sender is reported once an hour, a stranger's host never")
    func refusals() async throws {
        let names = ["fcm.googleapis.com", "push.pushgate.dev"]
        let server = try await PushServiceStandIn(names: names) { _ in PushServiceStandIn.Reply(status: 403) }
        let bench = try TransportBench(trusting: server, for: names)
        for endpoint in ["https://fcm.googleapis.com/fcm/send/x", "https://push.pushgate.dev/x"] {
            for _ in 0..<3 {
                let outcome = try await bench.send(to: Browser(endpoint))
                #expect(outcome == .failed(Failure(code: .thirdPartyAuthError, reason: "HTTP403")))
            }
        }
        let lines = bench.log.lines.filter { $0.contains("received a refusal of the sender from a push service") }
        #expect(lines.count == 1 && lines.first?.contains("fcm.googleapis.com") == true)
        await server.stop()
    }

    private static let givenUp = Outcome.failed(Failure(code: .serverUnavailable, reason: "cancelled"))

    @Test(
        "A notification that is given up ends at once, and a later one to the same subscription is sent",
        arguments: ["https://web.push.apple.com/x", "https://push.pushgate.dev/x"])
    func givingUp(endpoint: String) async throws {
        let names = ["web.push.apple.com", "push.pushgate.dev"]
        let isFirst = Mutex(true)
        let server = try await PushServiceStandIn(names: names) { _ in
            isFirst.withLock { isFirst -> PushServiceStandIn.Reply in
                defer { isFirst = false }
                return isFirst ? .silent : .accepted
            }
        }
        let bench = try TransportBench(trusting: server, for: names)
        let browser = try Browser(endpoint)
        async let first = bench.send(to: browser)
        try await eventually("the request has arrived") { server.received.count == 1 }
        #expect(bench.transport.cancel(bench.id))
        #expect(try await first == Self.givenUp)
        #expect(try await bench.send(to: browser, index: 1) == .accepted)
        await server.stop()
    }

    @Test("A notification that is given up is not sent once more after a 413")
    func givingUpBetweenRequests() async throws {
        let giveUp = Mutex<(@Sendable () -> Void)?>(nil)
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"]) { _ in
            giveUp.withLock { $0 }?()
            return PushServiceStandIn.Reply(status: 413)
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        giveUp.withLock { $0 = { _ = bench.transport.cancel(bench.id) } }
        #expect(try await bench.send(to: Browser(Self.apple)) == Self.givenUp)
        #expect(server.received.count == 1)
        await server.stop()
    }

    @Test("Messages to one subscription reach a main host in the order in which they are sent")
    func order() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"])
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browser = try Browser(Self.apple)
        let address = try browser.address()
        let (tasks, count) = (TaskPool(), 200)
        let answered = Mutex(0)
        async let running: Void = tasks.run()
        for index in 0..<count {
            let message = bench.outgoing(Message(data: ["index": "\(index)"]), to: address)
            let notification = bench.notification(to: address, index: index)
            bench.transport.prepare(message).send(notification, in: tasks) { _ in answered.withLock { $0 += 1 } }
        }
        try await eventually("all are answered") { answered.withLock { $0 } == count }
        tasks.finish()
        await running
        let received = server.received.sorted { $0.number < $1.number }
        let indices = try received.compactMap { try browser.message($0.body)["data"]?["index"]?.string }
        #expect(indices == (0..<count).map { "\($0)" })
        await server.stop()
    }

    @Test(
        "The notifications of one message for many subscriptions have the outcomes of their own answers",
        arguments: [(["h2", "http/1.1"], 2), (["http/1.1"], 1)])
    func manySubscriptions(protocols: [String], version: Int) async throws {
        let padded = 512 + MessageEncryption.overhead
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"], protocols: protocols) { request in
            let remainder = (Int(request.path.dropFirst()) ?? 0) % 3
            if remainder == 1 { return PushServiceStandIn.Reply(status: 410) }
            if remainder == 2, request.body.count == padded { return PushServiceStandIn.Reply(status: 413) }
            return .accepted
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let (tasks, count) = (TaskPool(), 99)
        let browsers = try (0..<count).map { try Browser("https://web.push.apple.com/\($0)") }
        let content = Message(notification: Message.Notification(title: "t", body: "b"))
        let message = bench.transport.prepare(bench.outgoing(content, to: try browsers[0].address()))
        let outcomes = Mutex<[Int: String]>([:])
        async let running: Void = tasks.run()
        for (index, browser) in browsers.enumerated() {
            message.send(bench.notification(to: try browser.address(), index: index), in: tasks) { outcome in
                outcomes.withLock { $0[index] = TransportBench.reason(outcome) ?? "accepted" }
            }
        }
        try await eventually("all have an outcome") { outcomes.withLock(\.count) == count }
        tasks.finish()
        await running
        for (index, outcome) in outcomes.withLock({ $0 }) {
            #expect(outcome == (index % 3 == 1 ? "HTTP410" : "accepted"), "\(index)")
        }
        #expect(server.received.count == count + count / 3)
        #expect(server.received.allSatisfy { $0.version == version })
        for request in server.received {
            let browser = browsers[try #require(Int(request.path.dropFirst()))]
            #expect(try browser.message(request.body)["message_id"] == "m1")
        }
        #expect(bench.transport.order.count == 0)
        await server.stop()
    }

    @Test("A notification that is given up after others of its message were sent ends at once")
    func givingUpOneOfMany() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"]) { request in
            request.path == "/0" ? .silent : .accepted
        }
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browsers = try (0..<3).map { try Browser("https://web.push.apple.com/\($0)") }
        let message = bench.transport.prepare(
            bench.outgoing(Message(data: ["a": "b"]), to: try browsers[0].address()))
        let tasks = TaskPool()
        let outcomes = Mutex<[Int: Outcome]>([:])
        async let running: Void = tasks.run()
        for (index, browser) in browsers.enumerated().reversed() {
            message.send(bench.notification(to: try browser.address(), index: index), in: tasks) { outcome in
                outcomes.withLock { $0[index] = outcome }
            }
        }
        try await eventually("all requests have arrived") { server.received.count == 3 }
        #expect(bench.transport.cancel(bench.id))
        try await eventually("all have an outcome") { outcomes.withLock(\.count) == 3 }
        let ended = outcomes.withLock { $0 }
        #expect(ended == [0: Self.givenUp, 1: .accepted, 2: .accepted])
        tasks.finish()
        await running
        await server.stop()
    }

    @Test("A subscription of another key is given up after an hour, and its registration stays")
    func refusedForAnHour() async throws {
        let server = try await PushServiceStandIn(names: ["fcm.googleapis.com"]) { _ in
            PushServiceStandIn.Reply(status: 403)
        }
        let bench = try TransportBench(trusting: server, for: ["fcm.googleapis.com"])
        let browser = try Browser("https://fcm.googleapis.com/fcm/send/x")
        let failure = Failure(code: .thirdPartyAuthError, reason: "HTTP403")
        #expect(try await bench.send(to: browser, age: 3_599) == .failed(failure))
        let verdict = PlatformVerdict(by: .webPush, status: 403, reason: "HTTP403")
        let rejection = Rejection(code: .mismatchedCredential, reason: "HTTP403", verdict: verdict)
        #expect(try await bench.send(to: browser, age: 3_600) == .rejected(rejection))
        await server.stop()
    }

    @Test(
        "Apple's refusal of the sender's token holds up its lane if its main host answers so, and no other server",
        arguments: [
            ("https://web.push.apple.com/x", LaneFailure.refused), ("https://web.push.apple.com:2197/x", nil),
            ("https://x.push.apple.com/x", nil), ("https://api.push.apple.com/x", nil),
        ] as [(String, LaneFailure?)])
    func refusedToken(endpoint: String, laneFailure: LaneFailure?) async throws {
        let names = ["web.push.apple.com", "x.push.apple.com", "api.push.apple.com"]
        let server = try await PushServiceStandIn(names: names) { _ in
            PushServiceStandIn.Reply(status: 403, body: #"{"reason":"BadJwtToken"}"#)
        }
        let bench = try TransportBench(trusting: server, for: names, policy: { EndpointPolicy(ports: [443, 2_197]) })
        guard case .failed(let failure) = try await bench.send(to: Browser(endpoint)) else {
            Issue.record("it did not fail")
            return
        }
        #expect(failure.code == .thirdPartyAuthError && failure.laneFailure == laneFailure)
        await server.stop()
    }

    @Test("A known service without a connection holds up its lane, and any other host does not")
    func withoutConnection() async throws {
        let server = try await PushServiceStandIn(names: [])
        let nowhere = HTTP2Origin(host: "127.0.0.1", port: try unusedPort())
        let bench = try TransportBench(
            trusting: server, ["web.push.apple.com": nowhere, "x.push.apple.com": nowhere, "a.example": nowhere])
        let known = try await bench.send(to: Browser(Self.apple))
        let failure = Failure(code: .serverUnavailable, reason: "couldNotConnect", laneFailure: .unreachable)
        #expect(known == .failed(failure))
        for endpoint in ["https://x.push.apple.com/1", "https://a.example/1"] {
            let other = try await bench.send(to: Browser(endpoint))
            #expect(other == .failed(Failure(code: .serverUnavailable, reason: "couldNotConnect")))
        }
        await server.stop()
    }

    @Test("One of a service's main hosts without a connection holds up its own lane alone")
    func oneMainHostWithoutConnection() async throws {
        let server = try await PushServiceStandIn(names: ["fcm.googleapis.com"])
        let nowhere = HTTP2Origin(host: "127.0.0.1", port: try unusedPort())
        let bench = try TransportBench(
            trusting: server, for: ["fcm.googleapis.com"], ["jmt17.google.com": nowhere],
            policy: { EndpointPolicy(ports: [443, 8_443]) })
        let failed = try Browser("https://jmt17.google.com/fcm/send/x")
        let failure = Failure(code: .serverUnavailable, reason: "couldNotConnect", laneFailure: .unreachable)
        #expect(try await bench.send(to: failed) == .failed(failure))
        let good = try Browser("https://fcm.googleapis.com/fcm/send/x")
        #expect(try await bench.send(to: good) == .accepted)
        #expect(try failed.address().lane != good.address().lane)
        // Another port need not be the service's.
        let elsewhere = try await bench.send(to: Browser("https://jmt17.google.com:8443/fcm/send/x"))
        #expect(elsewhere == .failed(Failure(code: .serverUnavailable, reason: "couldNotConnect")))
        await server.stop()
    }

    @Test("An address without the keys of a subscription is rejected, and its registration stays")
    func invalidSubscription() async throws {
        let server = try await PushServiceStandIn(names: [])
        let bench = try TransportBench(trusting: server)
        let address = PushAddress(transport: .webPush, token: RegistrationToken(Self.apple))
        let target = Target(address: address, registration: nil)
        let message = Message(data: ["a": "b"])
        let outcome = await bench.transport.prepare(bench.outgoing(message, to: address)).send(
            OutgoingNotification(id: bench.id, target: target))
        #expect(outcome == .rejected(Rejection(code: .invalidArgument, reason: "InvalidSubscription")))
        await server.stop()
    }

    @Test("A known service has a wide window, a lane that strangers share a narrow one")
    func windows() async throws {
        let server = try await PushServiceStandIn(names: [])
        let transport = try TransportBench(trusting: server).transport
        func window(_ name: String) -> Int { transport.window(of: SubscriptionToken.lane(named: name)) }
        #expect(["apple", "google", "google-jmt17", "mozilla"].map(window) == [500, 500, 500, 500])
        #expect([window("microsoft"), window("ntfy")] == [50, 50])
        #expect([window("other-00"), window("other-31"), window("")] == [4, 4, 4])
        await server.stop()
    }

    @Test("A changed sender is used from the next message on, and an unchanged identity keeps its token")
    func replacement() async throws {
        let server = try await PushServiceStandIn(names: ["web.push.apple.com"])
        let bench = try TransportBench(trusting: server, for: ["web.push.apple.com"])
        let browser = try Browser(Self.apple)
        _ = try await bench.send(to: browser)
        let same = try SenderIdentity(key: bench.key, subject: "mailto:ops@pushgate.dev") { TransportBench.now }
        bench.transport.replace(WebPushTransport.Sender(identity: same, form: .data, navigation: nil))
        _ = try await bench.send(Message(data: ["a": "b"]), to: browser)
        let other = try SenderIdentity(key: .generate(), subject: "mailto:ops@pushgate.dev") { TransportBench.now }
        bench.transport.replace(WebPushTransport.Sender(identity: other, form: .data, navigation: nil))
        _ = try await bench.send(to: browser)
        let fields = server.received.map { $0.value("authorization") }
        #expect(fields.count == 3 && fields[0] == fields[1] && fields[1] != fields[2])
        #expect(try browser.message(server.received[1].body) == ["data": ["a": "b"], "message_id": "m1"])
        await server.stop()
    }
}
