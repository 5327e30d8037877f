import JSON
import TestBasics

/// The mutations of the body that keep its announced length correct.
extension Mutation {
    static let bodies: [Mutation] = [
        Mutation("JSON changed") { request, generator in changeJSON(&request, times: 1, &generator) },
        Mutation("JSON changed more") { request, generator in
            changeJSON(&request, times: generator.number(2...6), &generator)
        },
        Mutation("body's bytes changed") { request, generator in
            var body = request.body
            ByteMutation.apply(generator.number(1...4), to: &body, &generator)
            request.set(body: body)
        },
        Mutation("string odd") { request, generator in
            // Decodes as text, since the written body may be invalid JSON.
            let parts = String(decoding: request.body, as: UTF8.self).split(
                separator: "\"", omittingEmptySubsequences: false)
            guard parts.count > 2 else { return }
            var changed = parts.map(String.init)
            changed[generator.number(0...((changed.count - 2) / 2)) * 2 + 1] = generator.pick(OddText.strings)
            request.set(body: Array(changed.joined(separator: "\"").utf8))
        },
        Mutation("random JSON") { request, generator in
            var json = RandomJSON(generator)
            let text = json.object(depth: 4)
            generator = json.generator
            request.set(body: Array(text.utf8))
        },
        Mutation("nested deeply") { request, generator in
            let text = String(
                repeating: generator.pick(["[", "{\"a\":", "[{\"a\":"]), count: generator.pick([50, 127, 129, 5_000]))
            request.set(body: Array(text.utf8))
        },
        Mutation("body large") { request, generator in
            request.set(body: generator.filler(generator.pick([16_385, 65_537, 100_000])))
        },
        Mutation("body empty") { request, generator in
            request.set(body: [])
            if generator.number(0...1) == 0 { request.contentLength = nil }
        },
        Mutation("body of bytes") { request, generator in request.set(body: generator.bytes(generator.number(1...300)))
        },
        Mutation("body of a form") { request, generator in
            let parts = (0..<generator.number(0...4)).map { _ in
                let name = generator.pick(["photo", "name", "text", "choice", "assertion", "", "a\"b"])
                let value = generator.pick(OddText.strings)
                return
                    "--Ffc0d1e2\r\nContent-Disposition: form-data; name=\"\(name)\"; filename=\"a\"\r\n\r\n\(value)\r\n"
            }
            request.set("Content-Type", "multipart/form-data; boundary=Ffc0d1e2")
            request.set(body: Array((parts.joined() + generator.pick(["", "--Ffc0d1e2--", "--Ffc0d1e2", "--"])).utf8))
        },
    ]

    private static func changeJSON(_ request: inout RequestText, times: Int, _ generator: inout SeededGenerator) {
        guard var json = try? JSONValue(parsing: request.body) else { return }
        for _ in 0..<times { JSONMutation.apply(to: &json, &generator) }
        request.set(body: json.serialized)
    }
}
