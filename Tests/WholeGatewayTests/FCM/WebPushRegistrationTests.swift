import DocumentStore
import Emulator
import Foundation
import Gateway
import HTTPTypes
import JSON
import Messaging
import TestDoubles
import TestSupport
import Testing

@Suite("Registrations of browsers for FCM's interface", .timeLimit(.minutes(10)))
struct WebPushRegistrationTests {
    private static let settings = ["webpush.subject": "mailto:ops@pushgate.dev"]
    private static let path = "/webpush/v1/registrations"

    private static func subscription(_ endpoint: String = "https://push.invalid/1") -> JSONValue {
        SampleSubscription.json(endpoint)
    }

    private func register(
        _ subscription: JSONValue = Self.subscription(), at gateway: RunningGateway, bearer: String? = "owner"
    ) async throws -> Answer {
        try await gateway.fcm(.post, Self.path, ["web_push": subscription], bearer: bearer)
    }

    @Test("The public key is a text of 87 characters for everyone, and the same after a restart")
    func key() async throws {
        try await withDataDirectory { directory in
            var keys: Set<String> = []
            for path in ["/webpush/key", "/prefix/webpush/key"] {
                // Processes of their own: in this one, the directory would stay locked.
                try await ServingProcess.running(in: directory, Self.settings) { serving in
                    let answer = try await serving.caller.send(.get, path)
                    #expect(answer.status == 200 && answer.headerFields[.cacheControl] == "no-cache")
                    #expect(answer.headerFields[.contentType] == "text/plain; charset=utf-8")
                    keys.insert(answer.text)
                }
            }
            #expect(keys.count == 1 && keys.first?.wholeMatch(of: /[A-Za-z0-9_-]{87}/) != nil)
        }
    }

    @Test("Without Web Push there is no key, and the answer names the setting")
    func noKey() async throws {
        try await withGateway { gateway in
            let answer = try await gateway.caller.send(.get, "/webpush/key")
            #expect(answer.status == 404 && answer.body["error"]?["status"] == "NOT_FOUND")
            #expect(answer.body["error"]?["message"]?.string?.contains("webpush.subject") == true)
        }
    }

    @Test("A browser's registration token is the same each time, and takes messages and topics")
    func messages() async throws {
        try await withGateway { gateway in
            let answer = try await register(at: gateway)
            let token = try #require(answer.body["registration_token"]?.string, "\(answer.text)")
            #expect(answer.status == 200 && token.utf8.count == 163)
            #expect(try await register(at: gateway).body == answer.body)
            let other = try await register(Self.subscription("https://push.invalid/2"), at: gateway)
            #expect(other.status == 200 && other.body["registration_token"] != .string(token))

            #expect(try await gateway.sendMessage(["token": .string(token), "data": ["a": "b"]]).status == 200)
            let topic: JSONValue = ["to": "/topics/news", "registration_tokens": [.string(token)]]
            #expect(try await gateway.fcm(.post, "/iid/v1:batchAdd", topic).body["results"] == [[:]])
            #expect(try await gateway.sendMessage(["topic": "news", "data": ["a": "c"]]).status == 200)
            try await eventually("both messages arrive") { gateway.gateway.inbox.items().count == 2 }
            for item in gateway.gateway.inbox.items() {
                #expect(item.target.address.transport.rawValue == "webpush")
                #expect(item.target.address.token.value == "https://push.invalid/1")
                #expect(item.target.address.attributes.secrets["auth"] == SampleSubscription.auth)
            }
            let info = try await gateway.fcm(.get, "/iid/info/\(token)")
            #expect(info.body["platform"] == "WEBPUSH")
        }
    }

    @Test("A gateway that delivers registers browsers with an access token alone")
    func credentials() async throws {
        try await withGateway(Self.settings) { gateway in
            let bearer = try await gateway.accessToken()
            for wrong in [nil, "owner", bearer + "x"] {
                let answer = try await register(at: gateway, bearer: wrong)
                #expect(answer.status == 401 && answer.headerFields[.wwwAuthenticate] == "Bearer")
                #expect(try await gateway.fcm(.delete, Self.path + "/x", bearer: wrong).status == 401)
            }
            #expect(try await gateway.gateway.store.collectionIDs(below: nil).contains("registrations") == false)
            let answer = try await register(at: gateway, bearer: bearer)
            let token = try #require(answer.body["registration_token"]?.string)
            let message: JSONValue = ["token": .string(token), "data": ["a": "b"]]
            #expect(try await gateway.sendMessage(message, isDryRun: true, bearer: bearer).status == 200)
        }
    }

    /// Pairs a browser, and returns its credential.
    private func pair(_ gateway: RunningGateway) async throws -> String {
        let daemon = Daemon(gateway.caller)
        let made = try await gateway.caller.call("createPairing", ["cwd": "/srv/app"], secret: daemon.secret)
        let body: JSONValue = ["code": try #require(made.body["code"])]
        let paired = try await gateway.caller.send(.post, "/try/pair", body: body.serialized)
        return try #require(paired.body["credential"]?.string, "\(paired.text)")
    }

    @Test("A paired browser gets a registration token with its credential, and the token ends with it")
    func pairedBrowser() async throws {
        try await withGateway(Self.settings) { gateway in
            let (credential, bearer) = (try await pair(gateway), try await gateway.accessToken())
            let answer = try await register(at: gateway, bearer: credential)
            let token = try #require(answer.body["registration_token"]?.string, "\(answer.text)")
            #expect(try await register(at: gateway, bearer: credential).body == answer.body)
            let message: JSONValue = ["token": .string(token), "data": ["a": "b"]]
            #expect(try await gateway.sendMessage(message, isDryRun: true, bearer: bearer).status == 200)
            #expect(try await gateway.sendMessage(message, isDryRun: true, bearer: credential).status == 401)

            let headers: HTTPFields = [.authorization: "Bearer \(credential)"]
            let ended = try await gateway.caller.send(.delete, "/try/subscription", headerFields: headers)
            #expect(ended.body["deleted"] == 0)
            let late = try await gateway.sendMessage(message, isDryRun: true, bearer: bearer)
            #expect(late.errorCode == "UNREGISTERED")
            for wrong in [credential, credential + "x"] {
                let refused = try await register(at: gateway, bearer: wrong)
                #expect(refused.status == 401 && refused.headerFields[.wwwAuthenticate] == "Bearer")
                #expect(refused.body["error"]?["message"]?.string?.contains("credential") == true)
            }
            #expect(!gateway.log.lines.contains { $0.contains(credential) })
        }
    }

    /// The hour of the clock, for which an address has its limit.
    private static var hour: Int { Int(Date().timeIntervalSince1970) / 3_600 }

    @Test("A paired browser removes its own registration alone, and has the limit of new ones")
    func pairedBrowsersLimits() async throws {
        let settings = Self.settings.merging(["webpush.newRegistrationsPerHourPerAddress": "2"]) { $1 }
        try await withGateway(settings) { gateway in
            let (credential, bearer) = (try await pair(gateway), try await gateway.accessToken())
            let began = Self.hour
            let others = try await register(
                Self.subscription("https://push.invalid/2"), at: gateway, bearer: bearer)
            let own = try await register(at: gateway, bearer: credential)
            let third = try await register(
                Self.subscription("https://push.invalid/3"), at: gateway, bearer: credential)
            // An hour that has begun in between has a new limit.
            #expect(third.status == 429 || (third.status == 200 && Self.hour != began))
            if third.status == 429 { #expect(third.body["error"]?["status"] == "RESOURCE_EXHAUSTED") }
            let last = third.status == 200 ? third : own
            for (answer, status) in [(others, 404), (last, 200)] {
                let token = try #require(answer.body["registration_token"]?.string)
                let removal = try await gateway.fcm(.delete, "\(Self.path)/\(token)", bearer: credential)
                #expect(removal.status == status)
            }
        }
    }

    @Test(
        "A subscription that the gateway would not send to is refused by the name of its part",
        arguments: [
            (subscription("http://push.invalid/1"), "web_push.endpoint must begin with https://"),
            (subscription("https://push.invalid:8443/1"), "web_push.endpoint must have an allowed port"),
            (subscription("https://169.254.169.254/"), "web_push.endpoint must lead to a public address"),
            (["endpoint": "https://push.invalid/1"], "web_push.keys must be an object"),
            (nil, "web_push must be an object"),
        ] as [(JSONValue, String)])
    func refused(subscription: JSONValue, message: String) async throws {
        try await withGateway(Self.settings) { gateway in
            let answer = try await register(subscription, at: gateway, bearer: try await gateway.accessToken())
            #expect(answer.status == 400 && answer.body["error"]?["status"] == "INVALID_ARGUMENT")
            #expect(answer.body["error"]?["message"]?.string?.hasPrefix(message) == true, "\(answer.text)")
            let daemon = Daemon(gateway.caller)
            let body: JSONValue = ["cwd": "/srv/app", "installation_id": "browser", "web_push": subscription]
            let function = try await gateway.caller.call("registerSubscription", body, secret: daemon.secret)
            guard subscription != .null else {
                #expect(function.code == "bad_request")
                return
            }
            #expect(function.status == 400 && function.code == "web_push_invalid")
            #expect(function.body["message"]?.string?.hasPrefix(message) == true)
        }
    }

    @Test("A text that begins like a subscription's and is none is a token for nothing", arguments: [false, true])
    func damagedText(isEmulator: Bool) async throws {
        try await withGateway(isEmulator ? [:] : Self.settings) { gateway in
            let bearer = if isEmulator { "owner" } else { try await gateway.accessToken() }
            let text = JSONValue.string("webpush:a.b")
            let sent = try await gateway.sendMessage(["token": text, "data": ["a": "b"]], bearer: bearer)
            #expect(sent.status == 400 && sent.errorCode == "INVALID_ARGUMENT")
            let topic: JSONValue = ["to": "/topics/news", "registration_tokens": [text]]
            let added = try await gateway.fcm(.post, "/iid/v1:batchAdd", topic, bearer: bearer)
            #expect(added.body["results"] == [["error": "INVALID_ARGUMENT"]])
            let direct = try await gateway.ask("/v1/deliveries", .post, ["to": text, "title": "a"])
            #expect(direct.status == 400)
            let message = try #require(direct.body["error"]?["message"]?.string)
            #expect(message.hasPrefix("to begins with webpush: and is no subscription: "))
        }
    }

    @Test("With another push service and without Web Push, a subscription is refused with the setting to set")
    func switchedOff() async throws {
        try await withSimulator { apns in
            try await withGateway(simulator: apns) { gateway in
                let answer = try await register(at: gateway, bearer: try await gateway.accessToken())
                #expect(answer.status == 400 && answer.body["error"]?["status"] == "FAILED_PRECONDITION")
                #expect(answer.body["error"]?["message"]?.string?.contains("set webpush.subject") == true)
                let body: JSONValue = [
                    "cwd": "/srv/app", "installation_id": "browser", "web_push": Self.subscription(),
                ]
                let function = try await gateway.caller.call("registerSubscription", body, secret: .randomSecret())
                #expect(function.status == 400 && function.code == "web_push_not_configured")
                #expect(function.body["message"]?.string?.contains("set webpush.subject") == true)
            }
        }
    }

    @Test("An address registers a limited number of new subscriptions an hour, and known ones without limit")
    func limit() async throws {
        let settings = ["webpush.newRegistrationsPerHourPerAddress": "2"]
        var (answers, began): ([Answer], Int) = ([], 0)
        repeat {
            began = Self.hour
            answers = try await withGateway(settings) { gateway in
                var answers: [Answer] = []
                for number in [1, 2, 3, 1, 3] {
                    answers.append(try await register(Self.subscription("https://push.invalid/\(number)"), at: gateway))
                }
                return answers
            }
        } while Self.hour != began
        #expect(answers.map(\.status) == [200, 200, 429, 200, 429])
        #expect(answers[2].body["error"]?["status"] == "RESOURCE_EXHAUSTED")
        #expect(answers[2].headerFields[.retryAfter].flatMap { Int($0) }.map { (1...3_600).contains($0) } == true)
        #expect(answers[3].body == answers[0].body)
    }

    @Test("A registration is removed with its topics by its token, and no other kind of registration is")
    func removal() async throws {
        try await withGateway { gateway in
            let token = try #require(try await register(at: gateway).body["registration_token"]?.string)
            let topic: JSONValue = ["to": "/topics/news", "registration_tokens": [.string(token)]]
            _ = try await gateway.fcm(.post, "/iid/v1:batchAdd", topic)
            let encoded = token.replacing(":", with: "%3A")
            #expect(try await gateway.fcm(.delete, "\(Self.path)/\(encoded)").body == [:])
            let again = try await gateway.fcm(.delete, "\(Self.path)/\(token)")
            #expect(again.status == 404 && again.errorCode == "UNREGISTERED")
            #expect(try await gateway.sendMessage(["token": .string(token)]).errorCode == "UNREGISTERED")
            let store = gateway.gateway.store
            #expect(try await store.documents(matching: .collectionGroup("subscriptions")).isEmpty)
            #expect(try await store.documents(matching: .collectionGroup("topicSubscriptions")).isEmpty)
            #expect(try await register(at: gateway).body["registration_token"] != .string(token))

            let phone = try await gateway.register(.randomToken())
            for other in [phone, "my-phone", "a:APA91bx"] {
                #expect(try await gateway.fcm(.delete, "\(Self.path)/\(other)").status == 404)
            }
            #expect(try await gateway.sendMessage(["token": .string(phone)]).status == 200)
        }
    }

    @Test("A subscription that replaces another one keeps its token and topics, and moves the systems' devices")
    func replacement() async throws {
        try await withGateway { gateway in
            let answer = try await register(at: gateway)
            let token = try #require(answer.body["registration_token"]?.string)
            let topic: JSONValue = ["to": "/topics/news", "registration_tokens": [.string(token)]]
            _ = try await gateway.fcm(.post, "/iid/v1:batchAdd", topic)
            let daemon = Daemon(gateway.caller)
            let device: JSONValue = [
                "cwd": "/srv/app", "installation_id": "browser", "web_push": Self.subscription(),
            ]
            let registered = try await gateway.caller.call("registerSubscription", device, secret: daemon.secret)
            let (server, agent) = (registered.body["server_key"]?.string, registered.body["agent_key"]?.string)

            let new = Self.subscription("https://push.invalid/2")
            let body: JSONValue = ["web_push": new, "replaces": Self.subscription()]
            #expect(try await gateway.fcm(.post, Self.path, body).body == answer.body)
            let path = "servers/\(server ?? "")/agents/\(agent ?? "")/devices/browser"
            let document = try await gateway.gateway.store.document(at: try DocumentPath(path))
            #expect(document?["fcmToken"]?.string == "https://push.invalid/2")
            let digest = try #require(document?["addressDigest"]?.string)
            let shown = try await gateway.ask("/v1/projects/pushgate/databases/(default)/documents/\(path)")
            #expect(shown.status == 200 && shown.text.contains("addressDigest") && !shown.text.contains(digest))

            #expect(try await daemon.trigger().body["sent"] == 1)
            #expect(try await gateway.sendMessage(["topic": "news", "data": ["a": "b"]]).status == 200)
            #expect(try await gateway.sendMessage(["token": .string(token), "data": ["a": "c"]]).status == 200)
            try await eventually("the messages arrive") { gateway.gateway.inbox.items().count == 3 }
            let endpoints = gateway.gateway.inbox.items().map(\.target.address.token.value)
            #expect(Set(endpoints) == ["https://push.invalid/2"])

            let invalid: JSONValue = ["web_push": new, "replaces": ["endpoint": "https://push.invalid/1"]]
            let refused = try await gateway.fcm(.post, Self.path, invalid)
            #expect(refused.status == 400)
            #expect(refused.body["error"]?["message"] == "replaces.keys must be an object")
        }
    }

    @Test("In emulator mode a page of another site registers no browser")
    func foreignPage() async throws {
        try await withGateway { gateway in
            let body = JSONValue.object(["web_push": Self.subscription()]).serialized
            let answer = try await gateway.caller.send(
                .post, Self.path, headerFields: [.origin: "https://evil.example"], body: body)
            #expect(answer.status == 403)
            #expect(try await gateway.gateway.store.collectionIDs(below: nil).contains("registrations") == false)
        }
    }
}
