/// Writes JSON objects member by member, where nobody needs a value of them.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var isAtFirstMember = true

    /// - Parameter capacity: about the bytes that there will be.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Writes an object of the members that the closure writes.
    public mutating func object(_ writeMembers: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isAtFirstMember = true
        writeMembers(&self)
        bytes.append(UInt8(ascii: "}"))
        isAtFirstMember = false
    }

    /// Writes a member that is an object of the members that the closure writes.
    public mutating func object(_ name: String, _ writeMembers: (inout JSONWriter) -> Void) {
        writeName(name)
        object(writeMembers)
    }

    /// Writes a member that is an object of texts, in the order of their names.
    public mutating func object(_ name: String, of texts: [String: String]) {
        object(name) { writer in
            texts.forEachInByteOrder { writer.member($0, .string($1)) }
        }
    }

    /// Writes a member; nothing where the value is `nil`.
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
