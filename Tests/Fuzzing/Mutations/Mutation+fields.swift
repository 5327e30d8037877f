import TestBasics

/// The mutations of header fields.
extension Mutation {
    static let fields: [Mutation] = [
        Mutation("field dropped") { request, generator in
            if !request.headers.isEmpty {
                request.headers.remove(at: generator.number(0...(request.headers.count - 1)))
            }
        },
        Mutation("field repeated") { request, generator in
            if !request.headers.isEmpty { request.headers.append(generator.pick(request.headers)) }
        },
        Mutation("field changed") { request, generator in
            guard !request.headers.isEmpty else { return }
            request.headers[generator.number(0...(request.headers.count - 1))].value = generator.pick(OddText.values)
        },
        Mutation("field added") { request, generator in
            request.headers.append((generator.pick(OddText.names), generator.pick(OddText.values)))
        },
        Mutation("field oversized") { request, generator in
            let value = String(
                repeating: generator.pick(["x", "é", ","]), count: generator.pick([1_000, 9_000, 40_000]))
            request.headers.append((generator.pick(OddText.names + ["X-Filler"]), value))
        },
        Mutation("many fields") { request, generator in
            let name = generator.pick(OddText.names.filter { $0 != "Host" })
            request.headers += (0..<generator.pick([20, 300])).map { ("\(name)\($0 % 2 == 0 ? "" : "-\($0)")", "1") }
        },
        Mutation("field's name odd") { request, generator in
            request.headers.append(
                (generator.pick(["", "a b", "é", "X\u{1}", "X-", "_", "x!#$%&'*+-.^_`|~", ":path", "\"X\""]), "1"))
        },
        Mutation("credential wrong") { request, generator in
            for index in request.headers.indices where isCredential(request.headers[index].name) {
                let value = request.headers[index].value
                request.headers[index].value = generator.pick([
                    String(value.dropLast()), value + "x", "Bearer " + generator.text(43), value.lowercased(), "",
                    "Bearer " + String(repeating: "k", count: 5_000), "Bearer eyJhbGciOiJub25lIn0.e30.",
                ])
            }
        },
        Mutation("version") { request, generator in
            request.version = generator.pick(["HTTP/1.0", "HTTP/1.1", "HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "http/1.1"])
        },
        Mutation("closing") { request, generator in
            request.headers.append(("Connection", generator.pick(["close", "keep-alive", "Close, x", "upgrade"])))
        },
        Mutation("upgrade") { request, generator in
            request.headers.append(("Connection", "Upgrade, HTTP2-Settings"))
            request.headers.append(("Upgrade", generator.pick(["h2c", "websocket", "TLS/1.2"])))
            request.headers.append(("HTTP2-Settings", "AAMAAABkAARAAAAAAAIAAAAA"))
        },
        Mutation("expectation") { request, generator in
            request.headers.append(("Expect", generator.pick(["100-continue", "100-Continue", "200-ok"])))
        },
    ]

    private static func isCredential(_ name: String) -> Bool {
        ["Authorization", "X-API-Key", "X-Device-ID"].contains(name)
    }
}
