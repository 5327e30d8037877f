import APNsSimulator
import Foundation
import JSON
import TestBasics
import TestDoubles
import TestSupport
import Testing

/// The faults on the way to Apple.
extension Fault {
    /// Returns a fault for which Apple gives one answer to every request.
    private static func apple(
        _ name: String, _ status: Int, _ reason: String, _ causes: [String], environment: String = "sandbox",
        words: [String]
    ) -> Fault {
        Fault(name, causes, words: [reason] + words) { ask in
            try await withSimulator { apns in
                apns.simulator.script(token: nil, answers: [ScriptedAnswer(status: status, reason: reason, count: nil)])
                try await withGateway(simulator: apns) { gateway in
                    try await notify(gateway, environment: environment)
                    try await ask(gateway, "phone")
                }
            }
        }
    }

    /// Registers a device and notifies it, and waits until the attempt is stored.
    static func notify(
        _ gateway: RunningGateway, environment: String = "sandbox", token: String = .randomToken()
    ) async throws {
        let daemon = Daemon(gateway.caller)
        try await daemon.register("phone", token: token, ["apns_environment": .string(environment)])
        try await daemon.trigger(preview: "Done.")
        try await gateway.untilAttempted()
    }

    /// The answers of Apple.
    static let appleAnswers = [
        apple("wrong topic", 400, "BadTopic", ["sender-refused"], words: ["bundle id"]),
        apple("app of another team", 400, "TopicDisallowed", ["sender-refused"], words: ["another team"]),
        apple(
            "sandbox token in production", 400, "BadDeviceToken", ["registration-gone", "token-invalid"],
            environment: "production", words: ["sandbox", "production"]),
        apple(
            "token of another app", 400, "DeviceTokenNotForTopic", ["registration-gone", "token-invalid"],
            words: ["of another app"]),
        apple("rotated key", 403, "InvalidProviderToken", ["sender-refused"], words: ["refuses the key", "1 message"]),
        apple("clock off", 403, "ExpiredProviderToken", ["sender-refused"], words: ["clock"]),
        apple("key of two programs", 429, "TooManyProviderTokenUpdates", ["sender-refused"], words: ["other programs"]),
        apple(
            "key of the other environment", 403, "BadEnvironmentKeyIdInToken", ["sender-refused"],
            words: ["not for this environment"]),
        apple("key of other apps", 403, "UnrelatedKeyIdInToken", ["sender-refused"], words: ["not for this app"]),
        apple(
            "app removed from the phone", 410, "Unregistered", ["registration-gone"],
            words: ["deleted from the device"]),
        apple("expired token", 410, "ExpiredToken", ["registration-gone"], words: ["expired"]),
        apple("rate limit", 429, "TooManyRequests", ["rate-limited"], words: ["Too many notifications"]),
        apple("message too large", 413, "PayloadTooLarge", ["message-rejected"], words: ["4,096 bytes"]),
        apple("service overloaded", 503, "ServiceUnavailable", ["attempt-failed"], words: ["not available"]),
        apple("service broken", 500, "InternalServerError", ["attempt-failed"], words: ["an error of its own"]),
    ]

    /// Returns a fault of the settings on the way to Apple.
    private static func unreachable(
        _ name: String, words: [String], settings: @escaping @Sendable (_ directory: String) throws -> [String: String]
    ) -> Fault {
        Fault(name, ["service-unreachable"], words: words) { ask in
            try await withTemporaryDirectory { directory in
                let overrides = try settings(directory)
                try await withSimulator { apns in
                    try await withGateway(overrides, simulator: apns) { gateway in
                        try await notify(gateway)
                        try await ask(gateway, "phone")
                    }
                }
            }
        }
    }

    /// The faults between the gateway and Apple.
    static let network = [
        unreachable("blocked egress", words: ["There is no connection to Apple"]) { _ in
            ["apns.endpoint": "https://127.0.0.1:\(try unusedPort())"]
        },
        unreachable("proxy without the port", words: ["the proxy http://127.0.0.1:", "cannot be reached"]) { _ in
            ["apns.proxy": "http://127.0.0.1:\(try unusedPort())"]
        },
        Fault(
            "proxy that refuses the port", ["service-unreachable"],
            words: ["the proxy http://127.0.0.1:", "does not allow a tunnel to", ":443 (403)"]
        ) { ask in
            let proxy = try await TestProxy(.refuses(port: 443))
            // Only the proxy could resolve this name.
            let settings = ["apns.proxy": proxy.url, "apns.endpoint": "https://apple.invalid:443"]
            try await withSimulator { apns in
                try await withGateway(settings, simulator: apns) { gateway in
                    try await notify(gateway)
                    try await ask(gateway, "phone")
                }
            }
            #expect(proxy.heads.first?.hasPrefix("CONNECT apple.invalid:443 ") == true)
            await proxy.stop()
        },
        unreachable("TLS intercepted", words: ["certificate is not trusted"]) { directory in
            ["apns.caFile": try TLSFiles(in: directory).caFile]
        },
    ]

    /// Messages that another one, or time, has overtaken; and one that nothing is wrong with.
    static let overtaken = [
        Fault("superseded message", ["accepted"], words: ["was accepted", "message before it", "replaced it"]) {
            ask in
            try await withSimulator { apns in
                apns.simulator.script(
                    token: nil, answers: [ScriptedAnswer(status: 503, reason: "ServiceUnavailable", retryAfter: 600)])
                try await withGateway(simulator: apns) { gateway in
                    let daemon = Daemon(gateway.caller)
                    try await daemon.register("phone", token: .randomToken(), ["apns_environment": "sandbox"])
                    try await daemon.trigger(preview: "First.")
                    try await gateway.untilAttempted()
                    try await daemon.trigger(preview: "Second.")
                    try await eventually("both are settled") {
                        let list = try await gateway.ask("/v1/deliveries").body["deliveries"]?.array ?? []
                        return list.count == 2 && list[0]["accepted"] == 1 && list[1]["superseded"] == 1
                    }
                    try await ask(gateway, "phone")
                }
            }
        },
        Fault("expired message", ["expired"], words: ["expired at", "ServiceUnavailable"]) { ask in
            try await withSimulator { apns in
                apns.simulator.script(
                    token: nil, answers: [ScriptedAnswer(status: 503, reason: "ServiceUnavailable", count: nil)])
                try await withGateway(simulator: apns) { gateway in
                    let bearer = try await gateway.accessToken()
                    let token = try await gateway.register(.randomToken(), bearer: bearer)
                    let end = Int64(Date().timeIntervalSince1970) + 2
                    let message: JSONValue = [
                        "token": .string(token), "notification": ["title": "Short"],
                        "apns": ["headers": ["apns-expiration": .string("\(end)")]],
                    ]
                    _ = try await gateway.sendMessage(message, bearer: bearer)
                    try await eventually("the message expires") {
                        let newest = try await gateway.ask("/v1/deliveries").body["deliveries"]?[0]
                        return newest?["targets"] == 1 && newest?["pending"] == 0
                    }
                    try await ask(gateway, token)
                }
            }
        },
        Fault("phone off", ["accepted"], words: ["Apple accepted it", "is off, or does not allow"]) { ask in
            try await withSimulator { apns in
                try await withGateway(simulator: apns) { gateway in
                    try await notify(gateway)
                    try await ask(gateway, "phone")
                }
            }
        },
    ]
}
