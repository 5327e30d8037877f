import JSON
import TestDoubles
import TestSupport

/// A request that must come to nothing, and what it may be answered.
struct BadRequest: Sendable {
    let kind: String
    let exchange: RawExchange
    /// As ``outcome(of:)`` puts it.
    let allowed: Set<String>

    /// The status with the code of a function, the name of another endpoint's error, or nothing when the HTTP layer
    /// answered; or how the connection ended.
    static func outcome(of result: RawOutcome) -> String {
        guard let answer = result.answers.first else { return "\(result.ending)" }
        let word = answer.code ?? answer.json?["error"]?["status"]?.string
        return word.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
    }
}

/// One way of going wrong.
struct BadRequestKind: Sendable {
    let name: String
    private let make: @Sendable (inout SeededGenerator) -> (exchange: RawExchange, allowed: Set<String>)

    /// - Parameter allowed: what any request of this kind may be answered.
    init(_ name: String, _ allowed: Set<String>, make: @escaping @Sendable (inout SeededGenerator) -> RawExchange) {
        self.name = name
        self.make = { (make(&$0), allowed) }
    }

    /// - Parameter make: gives the request and the one answer it may have.
    init(_ name: String, make: @escaping @Sendable (inout SeededGenerator) -> (RawExchange, String)) {
        self.name = name
        self.make = { generator in
            let (exchange, answer) = make(&generator)
            return (exchange, [answer])
        }
    }

    func request(_ generator: inout SeededGenerator) -> BadRequest {
        let (exchange, allowed) = make(&generator)
        return BadRequest(kind: name, exchange: exchange, allowed: allowed)
    }

    static let all = heads + bodies + fields + framings

    /// So many requests, of all kinds in turn, the same for the same seed.
    static func requests(_ count: Int, seed: UInt64) -> [BadRequest] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { all[$0 % all.count].request(&generator) }
    }
}
