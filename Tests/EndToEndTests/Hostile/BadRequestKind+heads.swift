import Fuzzing
import TestSupport

/// Mistakes in the head: the contract's checks from the method to the content type.
extension BadRequestKind {
    private static let otherMethods = [
        "GET", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "PURGE", "LOCK", "REPORT", "SEARCH", "MERGE",
        "NOTIFY", "LINK", "SUBSCRIBE",
    ]

    static let heads: [BadRequestKind] = [
        BadRequestKind("another method", ["405 method_not_allowed"]) { generator in
            var request = RequestText(&generator, body: generator.pick(["", "{}", "{"]))
            request.method = generator.pick(otherMethods)
            return request.exchange
        },
        BadRequestKind("HEAD", ["405"]) { generator in
            var request = RequestText(&generator)
            request.method = "HEAD"
            request.contentLength = nil
            return request.exchange
        },
        BadRequestKind("a word that is no method", ["400"]) { generator in
            var request = RequestText(&generator)
            request.method = generator.text(generator.number(3...12))
            return request.exchange
        },
        BadRequestKind("nothing at this path", ["404 NOT_FOUND"]) { generator in
            var request = RequestText(&generator)
            request.target = "/" + generator.pick(["", "a/b/c/"]) + generator.text(9)
            return request.exchange
        },
        BadRequestKind("nothing at this path below a function", ["404 not_found"]) { generator in
            var request = RequestText(&generator)
            request.target = "/registerSubscription/" + generator.text(9)
            return request.exchange
        },
        BadRequestKind("an administrator's path without the token", ["401 UNAUTHENTICATED"]) { generator in
            var request = RequestText(&generator)
            request.method = "GET"
            request.target = generator.pick(["/emulator/v1/inbox", "/v1/deliveries"])
            request.set("Authorization", generator.pick([nil, "Bearer", "Bearer " + generator.text(43), "Basic YTpi"]))
            return request.exchange
        },
        BadRequestKind("no authorization", ["401 unauthorized"]) { generator in
            var request = RequestText(&generator, body: "{}")
            request.set("Authorization", nil)
            return request.exchange
        },
        BadRequestKind("another scheme, or nothing after it", ["401 unauthorized"]) { generator in
            var request = RequestText(&generator, body: "{}")
            let secret = generator.text(44)
            request.set(
                "Authorization",
                generator.pick(["Basic \(secret)", secret, "Bearer", "Bearer   ", "bearer\t", "Bearer\(secret)", ""]))
            return request.exchange
        },
        BadRequestKind("a secret of the wrong length", ["401 unauthorized"]) { generator in
            var request = RequestText(&generator, body: "{}")
            let length = generator.pick([1, 8, 31, 257, 300, 5_000])
            request.set("Authorization", "Bearer " + generator.text(length))
            return request.exchange
        },
        BadRequestKind("a secret with other characters", ["401 unauthorized", "400"]) { generator in
            var request = RequestText(&generator, body: "{}")
            let character = generator.pick([" ", ".", "~", "\"", "é", "\u{7F}", "\u{1F600}", "%00", "\u{1}"])
            request.set("Authorization", "Bearer " + generator.text(22) + character + generator.text(22))
            return request.exchange
        },
        BadRequestKind("another content type", ["415 unsupported_media_type"]) { generator in
            var request = RequestText(&generator, body: #"{"cwd":"/srv"}"#)
            request.set(
                "Content-Type",
                generator.pick([
                    nil, "", "text/plain", "application/jsonx", "application/x-www-form-urlencoded", ";", "*/*",
                ]))
            return request.exchange
        },
        BadRequestKind("no body", ["415 unsupported_media_type", "400 bad_request"]) { generator in
            var request = RequestText(&generator)
            request.contentLength = generator.pick(["0", nil])
            return request.exchange
        },
        BadRequestKind("several faults: the first check answers") { generator in
            var request = RequestText(&generator, body: "[1")
            request.set("Content-Type", "text/plain")
            switch generator.number(0...3) {
            case 0: return (request.exchange, "415 unsupported_media_type")
            case 1:
                request.set("Authorization", "Bearer short")
                return (request.exchange, "401 unauthorized")
            case 2:
                request.set("Authorization", nil)
                request.set(body: generator.filler(20_000))
                return (request.exchange, "413 payload_too_large")
            default:
                request.set("Authorization", nil)
                request.set(body: generator.filler(20_000))
                request.method = "PUT"
                return (request.exchange, "405 method_not_allowed")
            }
        },
    ]
}
