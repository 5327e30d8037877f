/// A writer of JSON objects that appends member by member, without a ``JSONValue`` of the whole.
public struct JSONWriter: Sendable {
    /// The JSON written until now, in UTF-8.
    public private(set) var bytes: [UInt8] = []
    private var isAtFirstMember = true

    /// Makes a writer.
    ///
    /// - Parameter capacity: the expected number of bytes.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

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
            texts.forEachInByteOrder { writer.member($0, .string($1)) }
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

extension Dictionary where Key == String {
    /// Visits the members in the order of their names' UTF-8 bytes. Allocates nothing on the heap if there are few
    /// members.
    @inlinable
    package func forEachInByteOrder(_ visit: (String, Value) -> Void) {
        withUnsafeTemporaryAllocation(of: (beginning: UInt64, index: Index).self, capacity: count) { places in
            var (places, count, index) = (places, 0, startIndex)
            while index != endIndex {
                places.initializeElement(at: count, to: (self[index].key.firstBytes, index))
                (count, index) = (count + 1, self.index(after: index))
            }
            places.sort { one, other in
                guard one.beginning == other.beginning else { return one.beginning < other.beginning }
                return self[one.index].key.utf8.lexicographicallyPrecedes(self[other.index].key.utf8)
            }
            for place in places { visit(self[place.index].key, self[place.index].value) }
            places.deinitialize()
        }
    }
}

extension String {
    /// The first eight bytes in UTF-8, as a number whose order is the order of the texts.
    @usableFromInline
    var firstBytes: UInt64 {
        var bytes: UInt64 = 0
        withUnsafeMutableBytes(of: &bytes) { bytes in
            let isCopied: Void? = utf8.withContiguousStorageIfAvailable {
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0).prefix(8)))
            }
            if isCopied == nil { bytes.copyBytes(from: utf8.prefix(8)) }
        }
        return UInt64(bigEndian: bytes)
    }
}
