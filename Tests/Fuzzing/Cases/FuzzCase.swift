import TestBasics

/// The exchange on one connection, which is the same for the same seed, number and values.
struct FuzzCase: Sendable {
    enum Content: Sendable {
        /// Requests over HTTP/1 in order; `depth` of them are sent before the first answer.
        case requests([FuzzRequest], depth: Int)
        case bytes([UInt8], route: String)
        /// Requests and calls of gRPC over HTTP/2, as bytes.
        case streams([UInt8], [FuzzRequest], isInOrder: Bool)
    }

    let number: Int
    let way: Way
    let content: Content

    init(_ number: Int, seed: UInt64, target: FuzzTarget, routes: [Route], world: World) {
        var mixer = SeededGenerator(seed: seed)
        var generator = SeededGenerator(seed: mixer.next() ^ UInt64(number))
        self.number = number
        let kind = generator.number(0...99)
        switch kind {
        case ..<35:
            way = Self.way([.plain, .plain, .plain, .plain, .plain, .tls, .tunnel], target, &generator)
            content = .requests(
                Self.requests(1...30, &generator, routes, world), depth: generator.pick([1, 1, 1, 2, 5]))
        case ..<70:
            way = Self.way([.plain, .plain, .plain, .plain, .tls, .tunnel], target, &generator)
            let requests = Self.requests(1...4, &generator, routes, world)
            content = .bytes(
                BrokenFraming.bytes(of: requests, &generator), route: "framing: " + (requests.first?.route ?? ""))
        case ..<76:
            way = Self.way([.proxy, .tlsJunk], target, &generator)
            let requests = Self.requests(1...1, &generator, routes, world)
            content = .bytes(
                way == .proxy ? BrokenTunnel.bytes(&generator) : BrokenFraming.bytes(of: requests, &generator),
                route: way.rawValue)
        default:
            way = Self.way([.tlsHTTP2, .tlsHTTP2, .tunnelHTTP2], target, &generator)
            let isHTTP2 = way.tlsProtocol == "h2"
            let requests =
                isHTTP2 && generator.number(0...2) == 0
                ? Self.calls(1...20, &generator, world) : Self.requests(1...20, &generator, routes, world)
            content =
                isHTTP2
                ? Self.streams(requests, isInOrder: kind < 88, &generator) : .requests(requests, depth: 1)
        }
    }

    /// Returns one of the given ways, or the plain one if none of them is available.
    private static func way(_ all: [Way], _ target: FuzzTarget, _ generator: inout SeededGenerator) -> Way {
        let ways = target.ways(of: all)
        return ways.isEmpty ? .plain : generator.pick(ways)
    }

    private static func requests(
        _ counts: ClosedRange<Int>, _ generator: inout SeededGenerator, _ routes: [Route], _ world: World
    ) -> [FuzzRequest] {
        (0..<generator.number(counts)).map { _ in FuzzRequest(&generator, routes: routes, in: world) }
    }

    private static func calls(
        _ counts: ClosedRange<Int>, _ generator: inout SeededGenerator, _ world: World
    ) -> [FuzzRequest] {
        (0..<generator.number(counts)).map { _ in FuzzRequest(grpc: &generator, in: world) }
    }

    /// The limit of sent bytes: less than a server's flow-control window, as no case waits for it to open.
    private static let window = 60_000

    private static func streams(
        _ all: [FuzzRequest], isInOrder: Bool, _ generator: inout SeededGenerator
    ) -> Content {
        var size = 0
        let requests = all.filter { request in
            guard size + request.text.body.count <= window else { return false }
            size += request.text.body.count
            return true
        }
        var frames =
            HTTP2Frame.opening
            + requests.enumerated().flatMap { number, request in
                HTTP2Frame.request(request, on: StreamConversation.stream(of: number))
            }
        if !isInOrder { for _ in 0..<generator.number(1...4) { FrameMutation.apply(to: &frames, &generator) } }
        var bytes = HTTP2Frame.preface + frames.flatMap(\.bytes)
        if !isInOrder, generator.number(0...4) == 0 { ByteMutation.apply(2, to: &bytes, &generator) }
        return .streams(bytes, requests, isInOrder: isInOrder)
    }

    /// The number of requests in the case.
    var requestCount: Int {
        switch content {
        case .requests(let requests, _), .streams(_, let requests, _): max(1, requests.count)
        case .bytes: 1
        }
    }

    /// Returns the bytes of one request, or all bytes of the case.
    func bytes(of request: Int?) -> [UInt8] {
        switch content {
        case .requests(let requests, _):
            if let request, requests.indices.contains(request) { return requests[request].bytes }
            return requests.flatMap(\.bytes)
        case .bytes(let bytes, _), .streams(let bytes, _, _): return bytes
        }
    }
}
