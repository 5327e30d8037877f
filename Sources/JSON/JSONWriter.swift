import Texts

/// A writer of JSON objects that appends member by member, without a ``JSONValue`` of the whole.
public struct JSONWriter: Sendable {
    /// The JSON written until now, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var isAtFirstMember = true

    /// Makes a writer.
    ///
    /// - Parameter capacity: the expected number of bytes.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Makes a writer with the memory of an array, which gets it back by ``release(to:)``.
    ///
    /// - Parameter capacity: the expected number of bytes.
    package init(memory: inout [UInt8], capacity: Int) {
        swap(&bytes, &memory)
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(capacity)
    }

    /// Ends the writing, and exchanges what was written with an array.
    package mutating func release(to memory: inout [UInt8]) { swap(&bytes, &memory) }

    /// Writes an object with the members that the closure writes.
    public mutating func object(_ writeMembers: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isAtFirstMember = true
        writeMembers(&self)
        bytes.append(UInt8(ascii: "}"))
        isAtFirstMember = false
    }

    /// Writes a member whose value is an object with the members that the closure writes.
    public mutating func object(_ name: String, _ writeMembers: (inout JSONWriter) -> Void) {
        writeName(name)
        object(writeMembers)
    }

    /// Writes a member whose value is an object of texts, in the order of their names.
    public mutating func object(_ name: String, of texts: [String: String]) {
        object(name) { writer in
            texts.forEach(inByteOrderOf: { $0 }) { writer.member($0, .string($1)) }
        }
    }

    /// Writes a member; writes nothing if the value is `nil`.
    public mutating func member(_ name: String, _ value: JSONValue?) {
        guard let value else { return }
        writeName(name)
        value.write(to: &bytes)
    }

    private mutating func writeName(_ name: String) {
        if !isAtFirstMember { bytes.append(UInt8(ascii: ",")) }
        isAtFirstMember = false
        JSONValue.writeString(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
