import APNsSimulator
import Foundation
import HTTPTypes
import JSON
import TestDoubles
import TestSupport
import Testing

/// The secrets of an FCM client, and its requests to a gateway that delivers to Apple.
struct FCMCast {
    /// The indices of APNs tokens: of a device that stays, of one that Apple's side reports as gone, and of one
    /// that it cannot serve.
    private static let (staying, dead, failing) = (0, 1, 2)

    let devices = (0..<3).map { _ in String.randomToken() }
    /// The registration tokens of the devices.
    let registrations: [String]
    let activity = String.randomToken()
    let account: ServiceAccount
    let assertion: String
    let accessToken: String
    private let gatewayKey: String
    private let caller: Caller

    private var token: String { registrations[Self.staying] }

    /// The texts that must be seen only in the answers that return them.
    var secrets: [String] { devices + registrations + [.foreignToken, activity, gatewayKey] + credentials }

    /// The secrets that are in no file of the gateway.
    var credentials: [String] {
        let key = account.privateKeyPEM.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init)
        return [assertion, accessToken, assertion.split(separator: ".").last.map(String.init) ?? ""] + key
    }

    /// Requests an access token and registration tokens.
    init(_ caller: Caller, in directory: String) async throws {
        self.caller = caller
        account = try await ServiceAccount(in: directory, url: caller.url)
        assertion = try account.assertion()
        let accessToken = try #require(
            try await caller.askForAccessToken(with: assertion).body["access_token"]?.string)
        self.accessToken = accessToken
        let body: JSONValue = [
            "application": .string(RunningSimulator.bundleID), "sandbox": true,
            "apns_tokens": .array(devices.map(JSONValue.string)),
        ]
        let answer = try await caller.fcm(.post, "/iid/v1:batchImport", body.text, bearer: accessToken)
        registrations = (answer.body["results"]?.array ?? []).compactMap { $0["registration_token"]?.string }
        try #require(registrations.count == devices.count)
        gatewayKey = try String(contentsOfFile: directory + "/gateway-key", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func ask(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> Answer {
        try await caller.fcm(method, path, body, bearer: accessToken)
    }

    // MARK: Valid requests

    /// Sends to every kind of target, and uses topics.
    func behave(_ simulator: APNsSimulator) async throws {
        simulator.script(token: devices[Self.dead], answers: [.rejecting(.unregistered, count: nil)])
        simulator.script(
            token: devices[Self.failing],
            answers: [ScriptedAnswer(status: 503, reason: "ServiceUnavailable", count: nil)])
        var statuses: [Int] = []
        for (method, path, body) in requestsInOrder { statuses.append(try await ask(method, path, body).status) }
        #expect(statuses == Array(repeating: 200, count: statuses.count))
        for (token, status) in [(registrations[Self.dead], 404), (.foreignToken, 403)] {
            let answer = try await ask(.post, Self.sendPath, #"{"message":{"token":"\#(token)"}}"#)
            #expect(answer.status == status && !answer.text.contains(token))
        }
    }

    private static let sendPath = "/v1/projects/pushgate/messages:send"
    private static let registrationsPath = "/v1/projects/pushgate/registrations"

    private var requestsInOrder: [(HTTPRequest.Method, String, String?)] {
        let subscriptions = "\(Self.registrationsPath)/\(token)/topicSubscriptions"
        let batch = #"{"to":"/topics/news","registration_tokens":["\#(token)","\#(String.foreignToken)"]}"#
        let update = #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#
        return [
            (.post, Self.sendPath, #"{"message":{"token":"\#(token)","notification":{"title":"a"}}}"#),
            (
                .post, Self.sendPath,
                #"{"message":{"token":"\#(token)","apns":{"live_activity_token":"\#(activity)","payload":\#(update)}}}"#
            ),
            (.post, Self.sendPath, #"{"message":{"fid":"\#(token.prefix(22))","data":{"a":"b"}}}"#),
            (.post, Self.sendPath, #"{"message":{"token":"\#(registrations[Self.failing])"}}"#),
            (.post, "/iid/v1:batchAdd", batch), (.get, "/iid/info/\(token)?details=true", nil),
            (.post, Self.sendPath, #"{"message":{"topic":"news"}}"#), (.post, "/iid/v1:batchRemove", batch),
            (.post, subscriptions + "?topicName=news", "{}"), (.get, subscriptions, nil),
            (.get, subscriptions + "/news", nil), (.patch, subscriptions + "/sport?allowMissing=true", "{}"),
            (.delete, subscriptions + "/sport", nil),
        ]
    }

    // MARK: Invalid requests

    /// Sends requests that fail, with secrets in every place from which they must not be echoed.
    func misbehave() async throws -> [Answer] {
        var answers = [
            try await caller.askForAccessToken(with: assertion + "x"),
            try await caller.askForAccessToken(with: try account.assertion(["exp": 1])),
            try await caller.fcm(.post, "/token", #"{"assertion":"\#(assertion)"}"#, bearer: assertion),
            try await caller.fcm(.post, "/token?assertion=\(assertion)", "assertion=\(assertion)", bearer: nil),
        ]
        for path in badPaths {
            for method in [HTTPRequest.Method.get, .put] { answers.append(try await ask(method, path)) }
        }
        for (path, body) in badBodies { answers.append(try await ask(.post, path, body)) }
        for bearer in [nil, accessToken + "x", "\(accessToken) \(assertion)", assertion] {
            for (method, path, body) in requestsInOrder {
                answers.append(try await caller.fcm(method, path, body, bearer: bearer))
            }
        }
        #expect(answers.allSatisfy { $0.status >= 400 && $0.status < 500 })
        return answers
    }

    private var badPaths: [String] {
        let subscriptions = "\(Self.registrationsPath)/\(token)/topicSubscriptions"
        return [
            "/iid/info/\(token)x", "/iid/info/\(token)%zz", "/iid/info/\(token)/more", "/iid/infos/\(token)",
            "/\(token)",
            "/iid/info/\(String.foreignToken)?access_token=\(accessToken)", "/token/\(assertion)",
            "\(Self.registrationsPath)/\(token)", "\(Self.registrationsPath)/\(token)x/topicSubscriptions",
            "/v1/projects/other/registrations/\(token)/topicSubscriptions", subscriptions + "/none",
            subscriptions + "/no!", subscriptions + "?pageSize=\(token)",
        ]
    }

    private var badBodies: [(path: String, body: String)] {
        let messages = [
            #""\#(token)""#, #"["\#(token)"]"#, #"{"token":["\#(token)"]}"#, #"{"token":"\#(token) "}"#,
            #"{"token":"\#(token)","topic":"news"}"#, #"{"token":"\#(token)","\#(token)":1}"#,
            #"{"token":"\#(token)","notification":"\#(token)"}"#,
            #"{"token":"\#(token)","android":{"ttl":"\#(token)"}}"#,
            #"{"topic":"news","apns":{"live_activity_token":"\#(activity)"}}"#, #"{"condition":"'\#(token)' in"}"#,
            #"{"token":"\#(token)","apns":{"live_activity_token":"\#(activity)","headers":{"apns-push-type":"alert"}}}"#,
            #"{"token":"\#(token)","apns":{"live_activity_token":["\#(activity)"]}}"#,
            #"{"token":"\#(token)","apns":{"headers":{"apns-collapse-id":"\#(token)"}}}"#,
        ]
        let others = [
            (Self.sendPath, #"{"message":{"token":"\#(token)""#), (Self.sendPath, #"{"\#(token)":1}"#),
            ("/iid/v1:batchAdd", #"{"to":"\#(token)","registration_tokens":["\#(token)"]}"#),
            ("/iid/v1:batchRemove", #"{"to":"/topics/news","registration_tokens":"\#(token)"}"#),
            ("/iid/v1:batchImport", #"{"apns_tokens":["\#(devices[Self.staying])"]}"#),
            ("/iid/v1:batchImport", #"{"application":"a","sandbox":"\#(token)","apns_tokens":["\#(token)"]}"#),
        ]
        return messages.map { (Self.sendPath, #"{"message":\#($0)}"#) } + others
    }

    /// Sends invalid heads that contain all secrets.
    func babble() async -> [String] {
        var texts: [String] = []
        for head in [
            "GET /iid/info/\(token) HTTP/1.1\r\nAuthorization Bearer \(accessToken)\r\n\r\n",
            "GET /iid/info/\(token) \(accessToken) HTTP/1.1\r\n\r\n", "\(assertion) \(token)\r\n\r\n",
        ] {
            let outcome = await RawExchange(head).run(port: caller.port)
            texts += outcome.answers.map { "\($0.headers) \($0.text)" }
        }
        return texts
    }

    // MARK: The administrator's view

    /// - Parameter ask: Sends a request with the admin token.
    func look(_ ask: (String) async throws -> Answer) async throws -> [Answer] {
        let root = "/v1/projects/pushgate/databases/(default)/documents"
        var answers: [Answer] = []
        for path in [
            "\(root)/messages", "\(root)/registrations", "\(root)/topics/news/subscriptions",
            "\(root)/registrations/\(token.prefix(22))/topicSubscriptions", "/emulator/v1/inbox", "/v1/deliveries",
            "/metrics",
        ] {
            answers.append(try await ask(path))
        }
        for message in answers[0].body["documents"]?.array ?? [] {
            let name = message["name"]?.string ?? ""
            answers.append(try await ask("/v1/\(name)/messages"))
            answers.append(try await ask("/v1/deliveries/\(name.split(separator: "/").last ?? "")"))
        }
        #expect(answers.count > 7 && answers.allSatisfy { $0.status == 200 })
        return answers
    }
}

extension Caller {
    fileprivate func fcm(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, bearer: String?
    ) async throws -> Answer {
        var headerFields: HTTPFields = [.contentType: "application/json"]
        headerFields[.authorization] = bearer.map { "Bearer \($0)" }
        return try await send(method, path, headerFields: headerFields, body: Array((body ?? "").utf8))
    }
}
