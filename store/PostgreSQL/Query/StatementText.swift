/// A statement while it is written, with its parameters.
struct StatementText {
    var sql: String
    private(set) var parameters: [Parameter] = []

    init(_ sql: String = "") { self.sql = sql }

    /// Adds a parameter, and returns its place in the statement.
    mutating func place(_ number: Int64) -> String { place(.integer(number), "bigint") }

    /// Adds a parameter, and returns its place in the statement.
    mutating func place(_ text: String) -> String { place(.text(text), "text") }

    /// Adds a parameter, and returns its place in the statement.
    mutating func place(_ texts: [[UInt8]]) -> String { place(.texts(texts), "text[]") }

    /// Adds a text, and returns its place in the statement.
    mutating func place(bytes: [UInt8]) -> String { place(.text(bytes), "text") }

    /// Adds a parameter, and returns its place in the statement.
    mutating func place(blob: [UInt8]) -> String { place(.blob(blob), "bytea") }

    /// Adds a parameter, and returns its place in the statement.
    mutating func place(blobs: [[UInt8]]) -> String { place(.blobs(blobs), "bytea[]") }

    private mutating func place(_ parameter: Parameter, _ type: String) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)::\(type)"
    }

    var call: Call { Call(sql, parameters) }
}
