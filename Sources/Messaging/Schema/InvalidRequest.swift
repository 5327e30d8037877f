package import JSON

/// The reasons why a request is refused: all its errors, by field.
///
/// It never contains a token of the request.
package struct InvalidRequest: Error, Hashable, Sendable {
    /// One error in a request.
    package struct Violation: Hashable, Sendable {
        /// The path of the field by the schema's names, such as `message.apns.fcm_options`; empty for the request as
        /// a whole.
        package let field: String
        /// The text for the client's developer.
        package let description: String

        package init(field: String, description: String) {
            self.field = field
            self.description = description
        }
    }

    /// The errors in the order in which they were found, at most ``maximumViolations``.
    package let violations: [Violation]

    /// The maximum number of errors. Further ones are left out, so that the answer stays small.
    package static let maximumViolations = 100

    /// Keeps the first ``maximumViolations``.
    package init(violations: [Violation]) { self.violations = Array(violations.prefix(Self.maximumViolations)) }

    /// All descriptions, one on each line.
    package var message: String { violations.map(\.description).joined(separator: "\n") }

    /// The detail that lists fields in errors of Google's APIs
    /// ([`google.rpc.BadRequest`](https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto)).
    package var badRequest: JSONValue {
        [
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": .array(violations.map(\.json)),
        ]
    }
}

extension InvalidRequest.Violation {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        if !field.isEmpty { object["field"] = .string(field) }
        object["description"] = .string(description)
        return .object(object)
    }
}

extension JSONValue {
    /// The value as error texts repeat it. A long text is cut, so that a token in the wrong place is cut too.
    var echo: String {
        if let string { JSONValue.string(string.bounded).text } else { text }
    }
}

extension String {
    /// The beginning of the text, as error texts repeat it.
    var bounded: String { count > 40 ? prefix(40) + "…" : self }
}
