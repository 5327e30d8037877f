import JSON
import TestDoubles
import TestSupport

/// A request that must have no effect, and the answers that it may have.
struct BadRequest: Sendable {
    let kind: String
    let exchange: RawExchange
    /// The allowed outcomes, in the form of ``outcome(of:)``.
    let allowed: Set<String>

    /// Returns the status with the code of a function or the status name of another endpoint's error; the status
    /// alone if the HTTP layer answered; or the way in which the connection ended.
    static func outcome(of result: RawOutcome) -> String {
        guard let answer = result.answers.first else { return "\(result.ending)" }
        let word = answer.code ?? answer.json?["error"]?["status"]?.string
        return word.map { "\(answer.status) \($0)" } ?? "\(answer.status)"
    }
}

/// One kind of mistake in a request.
struct BadRequestKind: Sendable {
    let name: String
    private let make: @Sendable (inout SeededGenerator) -> (exchange: RawExchange, allowed: Set<String>)

    /// - Parameter allowed: The answers that any request of this kind may have.
    init(_ name: String, _ allowed: Set<String>, make: @escaping @Sendable (inout SeededGenerator) -> RawExchange) {
        self.name = name
        self.make = { (make(&$0), allowed) }
    }

    /// - Parameter make: Returns the request and the one answer that it may have.
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

    /// Returns the given number of requests of all kinds in turn, the same for the same seed.
    static func requests(_ count: Int, seed: UInt64) -> [BadRequest] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { all[$0 % all.count].request(&generator) }
    }
}
