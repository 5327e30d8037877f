import DocumentStore
import JSON

/// The text that a phone shows of a message that its app cannot open.
struct NeutralText: Hashable, Sendable {
    private enum Field {
        static let title = "title"
        static let body = "body"
    }

    /// The maximum size of the title, and of the body, in JSON, in bytes. The rest of a notification is for the sealed
    /// content.
    static let maximumBytes = 60

    let title: String
    /// The text below the title; `nil` for none.
    let body: String?

    init(title: String, body: String?) {
        self.title = title
        self.body = body
    }

    /// Reads the text that an app has chosen for its user's language; `nil` if it has chosen none.
    init?(_ value: JSONValue?) throws(RelayError) {
        guard let value, value != .null else { return nil }
        guard let title = value[Field.title]?.string, !title.isEmpty, Self.fits(title) else {
            throw Self.problem(with: Field.title)
        }
        let body = value[Field.body]?.string
        if let other = value[Field.body], other != .null {
            guard let body, Self.fits(body) else { throw Self.problem(with: Field.body) }
        }
        self.init(title: title, body: body)
    }

    /// Returns `true` if a title or a body is short enough.
    static func fits(_ text: String) -> Bool { JSONValue.string(text).serialized.count <= maximumBytes }

    private static func problem(with field: String) -> RelayError {
        .invalid("text.\(field) must be a text of \(maximumBytes) bytes at most, in JSON with its quotation marks")
    }

    // MARK: The stored form

    /// Returns `nil` if the value is not a text.
    init?(stored value: Value?) {
        guard let fields = value?.map, let title = fields[Field.title]?.string else { return nil }
        self.init(title: title, body: fields[Field.body]?.string)
    }

    var stored: Value {
        var fields: Fields = [Field.title: .string(title)]
        fields[Field.body] = body.map(Value.string)
        return .map(fields)
    }
}
