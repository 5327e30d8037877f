import TestBasics

/// A message of gRPC with its prefix, valid or not
/// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#requests)).
struct GRPCMessage: Sendable {
    /// 1 for a compressed message, 0 for another. No other value has a meaning.
    var flag: UInt8 = 0
    /// The announced length; `nil` for the true one.
    var announcedLength: UInt32?
    var content: [UInt8]

    var bytes: [UInt8] {
        [flag] + HTTP2Frame.bytes(of: announcedLength ?? UInt32(truncatingIfNeeded: content.count)) + content
    }
}

/// A change to a call, after which it is still a valid request over HTTP/2.
struct GRPCMutation: Sendable {
    /// The name for reports.
    let name: String
    let apply: @Sendable (_ call: inout RequestText, _ message: GRPCMessage, _ generator: inout SeededGenerator) -> Void

    init(
        _ name: String,
        _ apply: @escaping @Sendable (inout RequestText, GRPCMessage, inout SeededGenerator) -> Void
    ) {
        self.name = name
        self.apply = apply
    }

    static let all = messages + heads

    // MARK: Messages

    private static let messages = [
        GRPCMutation("length too large") { call, message, generator in
            var message = message
            let length = UInt32(message.content.count)
            let lengths: [UInt32] = [length + 1, length + 1_000, 10 << 20, 11 << 20, 1 << 31, .max]
            message.announcedLength = generator.pick(lengths)
            call.set(body: message.bytes)
        },
        GRPCMutation("length too small") { call, message, generator in
            var message = message
            message.announcedLength = UInt32(generator.number(0...(message.content.count - 1)))
            call.set(body: message.bytes)
        },
        GRPCMutation("flag") { call, message, generator in
            var message = message
            message.flag = generator.pick([1, 1, 2, 7, 0x80, 0xFF])
            call.set(body: message.bytes)
        },
        GRPCMutation("compressed") { call, message, generator in
            var message = message
            message.flag = 1
            message.content = compressed(message.content, &generator)
            call.set("grpc-encoding", "gzip")
            call.set(body: message.bytes)
        },
        GRPCMutation("truncated") { call, message, generator in
            call.set(body: Array(message.bytes.prefix(generator.number(0...(message.bytes.count - 1)))))
        },
        GRPCMutation("several messages") { call, message, generator in
            let messages = repeatElement(message.bytes, count: generator.pick([2, 2, 3, 400]))
            let rest: [[UInt8]] = [[], [0], [0, 0]]
            call.set(body: Array(messages.joined()) + generator.pick(rest))
        },
        GRPCMutation("content's bytes changed") { call, message, generator in
            var message = message
            ByteMutation.apply(generator.number(1...4), to: &message.content, &generator)
            call.set(body: message.bytes)
        },
        GRPCMutation("random content") { call, _, generator in
            call.set(body: GRPCMessage(content: generator.bytes(generator.pick([0, 1, 40, 5_000]))).bytes)
        },
        GRPCMutation("bytes changed") { call, _, generator in
            var body = call.body
            ByteMutation.apply(generator.number(1...4), to: &body, &generator)
            call.set(body: body)
        },
    ]

    /// Returns the content as gzip (RFC 1952) with one stored block (RFC 1951 §3.2.4), in most cases broken: the
    /// checksum is one of no content.
    private static func compressed(_ content: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        let length = [UInt8(content.count & 0xFF), UInt8(content.count >> 8 & 0xFF)]
        var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1]
        for part in [length, length.map { ~$0 }, content, [0, 0, 0, 0], length, [0, 0]] { bytes += part }
        switch generator.number(0...3) {
        case 0: return content
        case 1: return Array(bytes.prefix(generator.number(0...bytes.count)))
        case 2: ByteMutation.apply(generator.number(1...3), to: &bytes, &generator)
        default: break
        }
        return bytes
    }

    // MARK: Heads

    private static let heads = [
        GRPCMutation("content type") { call, _, generator in
            call.set(
                "Content-Type",
                generator.pick([
                    "application/grpc+proto", "application/grpc+json", "application/grpc-web", "application/grpc;a=b",
                    "application/grpcx", "APPLICATION/GRPC", "application/grpc ", "application/json", "text/plain", "",
                    nil,
                ]))
        },
        GRPCMutation("encoding") { call, _, generator in
            call.set(
                "grpc-encoding",
                generator.pick(["gzip", "identity", "deflate", "snappy", "", "GZIP", "gzip, gzip", "\u{E9}"]))
        },
        GRPCMutation("timeout") { call, _, generator in
            call.set(
                "grpc-timeout",
                generator.pick([
                    "0n", "1n", "1u", "5m", "1S", "99999999H", "999999999S", "-1S", "1", "S", "", "1s", "1.5S",
                    "\u{E9}S",
                ]))
        },
        GRPCMutation("path") { call, _, generator in
            call.target = generator.pick([
                "/", "//", "/x", "/google.firestore.v1.Firestore", "/google.firestore.v1.Firestore/", call.target + "/",
                call.target + "?a=b", "/google.firestore.v2.Firestore/Commit", "/grpc.health.v1.Health/Check",
                "/google.firestore.v1.Firestore/%43ommit", "/" + generator.text(40),
            ])
        },
        GRPCMutation("method") { call, _, generator in
            call.method = generator.pick(["GET", "PUT", "HEAD", "OPTIONS", "post"])
        },
        GRPCMutation("metadata") { call, _, generator in
            call.headers.append(
                (
                    generator.pick([
                        "x-odd-bin", "grpc-tags-bin", "x-goog-request-params", "google-cloud-resource-prefix", "te",
                        "grpc-accept-encoding", "authorization", "content-type",
                    ]), generator.pick(["", "=", "####", "AAA", "\u{E9}", String(repeating: "a", count: 5_000)])
                ))
        },
    ]
}
