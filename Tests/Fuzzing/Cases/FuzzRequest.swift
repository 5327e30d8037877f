import TestBasics

/// A request to a route, well-formed or mutated, with correct framing.
package struct FuzzRequest: Sendable {
    /// The name of the request's route.
    package let route: String
    /// The names of the mutations.
    let mutations: [String]
    let text: RequestText
    /// The size of the body's chunks, in bytes; `nil` for a body with a Content-Length.
    let chunkSize: Int?
    /// The only code of gRPC that may answer it; `nil` if any code may that is no server's error.
    var expectedCode: String?

    /// Makes a well-formed request, without mutations.
    init(to route: Route, _ generator: inout SeededGenerator, in world: World) {
        self.route = route.name
        mutations = []
        text = route.request(&generator, in: world)
        chunkSize = nil
    }

    /// Makes a request to any of the routes, in most cases with one or several mutations.
    init(_ generator: inout SeededGenerator, routes: [Route], in world: World) {
        let route = generator.pick(routes)
        var text = route.request(&generator, in: world)
        // Sets the client's address behind a proxy: most of the addresses are below the limits per address.
        if generator.number(0...9) > 0 {
            text.headers.append(("X-Forwarded-For", world.filled("<address>", &generator)))
        }
        let count = generator.pick([0, 1, 1, 1, 1, 2, 2, 3, 5])
        let mutations = (0..<count).map { _ in generator.pick(Mutation.all) }
        for mutation in mutations { mutation.apply(&text, &generator) }
        self.route = route.name
        self.mutations = mutations.map(\.name)
        self.text = text
        chunkSize = !text.body.isEmpty && generator.number(0...9) == 0 ? generator.pick([1, 7, 100, 4_096]) : nil
    }

    var isHead: Bool { text.method == "HEAD" }

    /// `true` if the client's fields or version end the connection after the answer (RFC 9112 §9.3).
    var isLast: Bool { says("close") || text.version != "HTTP/1.1" && !says("keep-alive") }

    private func says(_ option: String) -> Bool {
        text.headers.contains { $0.name == "Connection" && $0.value.lowercased().contains(option) }
    }

    /// The request as HTTP/1 bytes.
    var bytes: [UInt8] {
        chunkSize.map { text.chunked(size: max($0, text.body.count / 500)) } ?? text.bytes
    }
}
