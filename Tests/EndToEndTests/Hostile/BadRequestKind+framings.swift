import Fuzzing
import TestDoubles
import TestSupport

/// Mistakes in the HTTP around the body: bodies that do not arrive, broken framing, invalid heads.
extension BadRequestKind {
    private static let good = #"{"cwd":"/srv/app","installation_id":"phone","fcm_token":"emulated:phone"}"#

    private static func halfSent(_ generator: inout SeededGenerator) -> [UInt8] {
        let request = RequestText(&generator, body: good)
        return Array(request.bytes.dropLast(generator.number(1...request.body.count)))
    }

    private static func chunked(_ generator: inout SeededGenerator, _ body: String) -> RawExchange {
        RawExchange([.send(RequestText(&generator).headForChunks + Array(body.utf8)), .halfClose])
    }

    static let framings: [BadRequestKind] = [
        BadRequestKind("half a body, and no more to come", ["400 bad_request"]) { generator in
            RawExchange([.send(halfSent(&generator)), .halfClose])
        },
        BadRequestKind("half a body, and then silence", ["400 bad_request"]) { generator in
            RawExchange([.send(halfSent(&generator))])
        },
        BadRequestKind("a body that comes too slowly", ["400 bad_request"]) { generator in
            let request = RequestText(&generator, body: good)
            let drops = request.body.prefix(40).flatMap { [RawExchange.Step.send([$0]), .pause(.milliseconds(100))] }
            return RawExchange([.send(request.head)] + drops)
        },
        BadRequestKind("a head that stops", ["closed", "400"]) { generator in
            let head = RequestText(&generator, body: good).head
            let sent = head.prefix(generator.number(1...(head.count - 1)))
            return RawExchange([.send(Array(sent))] + generator.pick([[], [.halfClose]]))
        },
        BadRequestKind("chunks with a broken size", ["400", "400 bad_request"]) { generator in
            chunked(
                &generator,
                generator.pick([
                    "zz\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n", "fffffffffffffffff\r\n{}\r\n", "\r\n{}\r\n",
                    "0x2\r\n{}\r\n",
                ]))
        },
        BadRequestKind("chunks that are longer than they say", ["400", "400 bad_request"]) { generator in
            chunked(
                &generator, generator.pick(["1\r\n{}\r\n0\r\n\r\n", "2\r\n{}{}\r\n0\r\n\r\n", "2\r\n{}X0\r\n\r\n"]))
        },
        BadRequestKind("chunks without an end", ["400", "400 bad_request"]) { generator in
            chunked(
                &generator,
                generator.pick([
                    "", "2", "2\r\n", "2\r\n{", "2\r\n{}", "2\r\n{}\r\n", "2\r\n{}\r\n0", "2\r\n{}\r\n0\r\n",
                ]))
        },
        BadRequestKind("a header of 100 KB and more", ["400", "431"]) { generator in
            var request = RequestText(&generator, body: good)
            request.headers.append(("X-Filler", String(repeating: "x", count: generator.pick([100_000, 300_000]))))
            return request.exchange
        },
        BadRequestKind("1,100 headers", ["400", "431"]) { generator in
            var request = RequestText(&generator, body: good)
            request.headers += (0..<1_100).map { ("X-Filler-\($0)", "1") }
            return request.exchange
        },
        BadRequestKind("lengths that contradict each other", ["400"]) { generator in
            var request = RequestText(&generator, body: good)
            switch generator.number(0...3) {
            case 0: request.headers.append(("Content-Length", "3"))
            case 1: request.headers.append(("Transfer-Encoding", "chunked"))
            case 2: request.contentLength = generator.pick(["-1", "1x", "0x10", "1 2", "99999999999999999999999"])
            default: request.contentLength = "+\(request.body.count)"
            }
            return request.exchange
        },
        BadRequestKind("no HTTP", ["400"]) { generator in
            let line = generator.pick([
                "hello\r\n\r\n", "POST\r\n\r\n", "POST /registerSubscription\r\n\r\n",
                "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n",
                "POST /registerSubscription HTTP/9.9\r\n\r\n", "POST /registerSubscription XTTP/1.1\r\n\r\n",
                "POST /register Subscription HTTP/1.1\r\n\r\n", ": : :\r\n\r\n",
            ])
            return RawExchange(line)
        },
        BadRequestKind("a broken header line", ["400"]) { generator in
            var request = RequestText(&generator, body: good)
            request.headers.append(
                generator.pick([("X Y", "1"), ("", "1"), ("X\u{0}", "1"), ("X", "a\u{0}b"), ("X\r", "1"), ("(X)", "1")])
            )
            return request.exchange
        },
    ]
}
