public import JSON

/// Why a request cannot be taken: everything that is wrong with it, field by field.
///
/// It never repeats a token that stands in the request.
public struct InvalidRequest: Error, Hashable, Sendable {
    /// One thing that is wrong.
    public struct Violation: Hashable, Sendable {
        /// The path of the field by the schema's names: `message.apns.fcm_options`; empty for the request as such.
        public let field: String
        /// Written for whoever made the request.
        public let description: String

        public init(field: String, description: String) {
            self.field = field
            self.description = description
        }
    }

    /// In the order in which they were found, and no more than ``maximumViolations``.
    public let violations: [Violation]

    /// Further ones are left out, so that an answer stays small.
    public static let maximumViolations = 100

    public init(violations: [Violation]) { self.violations = Array(violations.prefix(Self.maximumViolations)) }

    /// All descriptions, a line each.
    public var message: String { violations.map(\.description).joined(separator: "\n") }

    /// The detail by which Google's APIs tell fields from one another
    /// ([`google.rpc.BadRequest`](https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto)).
    public var badRequest: JSONValue {
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
