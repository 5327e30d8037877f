import TestBasics

/// A route of a gateway, with the form of a well-formed request to it.
///
/// Names in angle brackets stand for values: `<device>` is one of the ``World``'s values of that name.
package struct Route: Sendable {
    /// The system and the route, for reports.
    package let name: String
    let method: String
    let target: String
    let fields: [(name: String, value: String)]
    /// The valid bodies; empty for requests without a body.
    let bodies: [String]
    /// The statuses of a well-formed request.
    package let expected: Set<Int>
    /// Values for the ``World``: the name, and the place in the answer.
    package let captures: [(value: String, place: AnswerPlace)]

    package init(
        _ system: String, _ method: String, _ target: String, _ fields: [(name: String, value: String)] = [],
        _ bodies: [String] = [], expected: Set<Int> = [200], captures: [(value: String, place: AnswerPlace)] = []
    ) {
        name = "\(system): \(method) \(target.prefix { $0 != "?" })"
        self.method = method
        self.target = target
        self.fields = fields
        self.bodies = bodies
        self.expected = expected
        self.captures = captures
    }

    /// Returns a well-formed request.
    func request(_ generator: inout SeededGenerator, in world: World) -> RequestText {
        let body = bodies.isEmpty ? "" : world.filled(generator.pick(bodies), &generator)
        var headers = [(name: "Host", value: "127.0.0.1")]
        headers += fields.map { (name: $0.name, value: world.filled($0.value, &generator)) }
        var request = RequestText(
            method: method, target: world.filled(target, &generator), headers: headers, body: Array(body.utf8))
        if body.isEmpty, method != "POST" { request.contentLength = nil }
        return request
    }
}

/// A place of a value in an answer.
package enum AnswerPlace: ExpressibleByStringLiteral, Sendable {
    /// The path of a string in the JSON, as `photos.0.id`.
    case json(String)
    /// A header field, up to its parameters. The newest value is the only one.
    case field(String)
    /// The value of a form's input. The newest value is the only one.
    case input(String)

    package init(stringLiteral path: String) { self = .json(path) }
}
