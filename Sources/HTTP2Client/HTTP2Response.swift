/// One answer, whole. An answer with any status is an answer and no error.
public struct HTTP2Response: Sendable {
    public struct Field: Sendable, Equatable {
        /// In lower case.
        public let name: String
        public let value: String
    }

    public internal(set) var statusCode = 0
    /// The header fields, and the trailer fields after them.
    public internal(set) var fields: [Field] = []
    /// The body, at most as long as the configuration allows.
    public internal(set) var body: [UInt8] = []

    /// Returns the first value of a field, whose name is in lower case.
    public func value(of name: String) -> String? { fields.first { $0.name == name }?.value }
}
