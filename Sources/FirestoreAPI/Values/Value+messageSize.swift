import DocumentStore

extension Fields {
    /// About the memory that the message of the fields takes, in bytes.
    var messageSize: Int { reduce(0) { $0 + Value.leastMessageSize + $1.key.utf8.count + $1.value.messageSize } }
}

extension Value {
    /// The memory of a message without its texts and elements. As JSON, it takes less.
    fileprivate static var leastMessageSize: Int { 64 }

    fileprivate var messageSize: Int {
        switch self {
        case .string(let text), .reference(let text): Self.leastMessageSize + text.utf8.count
        case .bytes(let bytes): Self.leastMessageSize + bytes.count
        case .array(let elements): elements.reduce(Self.leastMessageSize) { $0 + $1.messageSize }
        case .map(let fields): Self.leastMessageSize + fields.messageSize
        case .null, .boolean, .integer, .double, .timestamp, .geoPoint: Self.leastMessageSize
        }
    }
}
