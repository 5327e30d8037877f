import TestBasics

/// A request to a route, well-formed or changed, whose framing is in order.
public struct FuzzRequest: Sendable {
    public let route: String
    /// The names of the changes made to it.
    let mutations: [String]
    let text: RequestText
    /// The chunks of its body, in bytes; `nil` for a body of an announced length.
    let chunkSize: Int?

    /// A well-formed request.
    init(to route: Route, _ generator: inout SeededGenerator, in world: World) {
        self.route = route.name
        mutations = []
        text = route.request(&generator, in: world)
        chunkSize = nil
    }

    /// A request to any of the routes: most are changed, in one place or several.
    init(_ generator: inout SeededGenerator, routes: [Route], in world: World) {
        let route = generator.pick(routes)
        var text = route.request(&generator, in: world)
        // The client's address, behind a proxy: limits by address let most of them through.
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

    /// Returns `true` if the client itself says, or its version does, that the connection ends with the answer (RFC 9112
    /// §9.3).
    var isLast: Bool { says("close") || text.version != "HTTP/1.1" && !says("keep-alive") }

    private func says(_ option: String) -> Bool {
        text.headers.contains { $0.name == "Connection" && $0.value.lowercased().contains(option) }
    }

    /// As HTTP/1.
    var bytes: [UInt8] {
        chunkSize.map { text.chunked(size: max($0, text.body.count / 500)) } ?? text.bytes
    }
}
