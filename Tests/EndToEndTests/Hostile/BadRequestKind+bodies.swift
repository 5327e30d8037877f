import Fuzzing
import TestSupport

/// Mistakes in the body itself: its size, its encoding, its JSON.
extension BadRequestKind {
    static let bodies: [BadRequestKind] = [
        BadRequestKind("too large, and announced", ["413 payload_too_large"]) { generator in
            var request = RequestText(&generator)
            request.set(body: generator.filler(generator.pick([16_385, 20_000, 200_000])))
            return request.exchange
        },
        BadRequestKind("announced as huge, and never sent", ["413 payload_too_large"]) { generator in
            var request = RequestText(&generator, body: "{")
            request.contentLength = generator.pick(["16385", "1000000000000", "9223372036854775807"])
            return request.exchange
        },
        BadRequestKind("too large, in chunks", ["413 payload_too_large"]) { generator in
            var request = RequestText(&generator)
            request.set(body: generator.filler(generator.pick([16_385, 40_000, 200_000])))
            return RawExchange([.send(request.chunked(size: generator.pick([100, 4_096, 65_536])))])
        },
        BadRequestKind("JSON, but no object", ["400 bad_request"]) { generator in
            RequestText(
                &generator,
                body: generator.pick(["null", "true", "0", "-1.5e3", #""text""#, "[]", "[[{}]]", #"["cwd"]"#])
            ).exchange
        },
        BadRequestKind("JSON cut short", ["400 bad_request"]) { generator in
            let whole = #"{"cwd":"/srv/app","installation_id":"phone","fcm_token":"abc","n":[1,{"a":null}]}"#
            return RequestText(&generator, body: String(whole.prefix(generator.number(1...(whole.count - 1))))).exchange
        },
        BadRequestKind("almost JSON", ["400 bad_request"]) { generator in
            RequestText(
                &generator,
                body: generator.pick([
                    "{'cwd':'/srv'}", "{cwd:1}", #"{"cwd":"/srv",}"#, #"{"cwd":"/srv"}}"#, #"{"cwd":"/srv"} x"#,
                    #"{"cwd":NaN}"#, #"{"cwd":01}"#, #"{"cwd":+1}"#, #"{"cwd":.5}"#, #"{"cwd":"\x"}"#,
                    #"{"cwd":"\u12"}"#,
                    "{\"cwd\":\"a\nb\"}", "\u{FEFF}{}", "{/**/}", "   ", "\0", "{} {}", "nul", "{\"a\" 1}",
                ])
            ).exchange
        },
        BadRequestKind("bytes", ["400 bad_request"]) { generator in
            var request = RequestText(&generator)
            request.set(body: [0xFF] + generator.bytes(generator.number(0...2_000)))
            return request.exchange
        },
        BadRequestKind("not UTF-8 inside a string", ["400 bad_request"]) { generator in
            var request = RequestText(&generator)
            let wrong: [[UInt8]] = [
                [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xFE, 0xFF],
            ]
            request.set(body: Array(#"{"cwd":"/srv/"#.utf8) + generator.pick(wrong) + Array(#""}"#.utf8))
            return request.exchange
        },
        BadRequestKind("nested deeply", ["400 bad_request"]) { generator in
            let depth = generator.number(130...16_000)
            let open = generator.pick(["[", #"{"a":"#])
            let text = String(String(repeating: open, count: depth).prefix(16_000))
            return RequestText(&generator, body: #"{"cwd":"# + text.prefix(16_300)).exchange
        },
        BadRequestKind("random JSON", ["400 bad_request"]) { generator in
            var json = RandomJSON(generator)
            let body = json.object(depth: 4)
            generator = json.generator
            return RequestText(&generator, body: body).exchange
        },
    ]
}
