extension Dictionary {
    /// Visits the members in the order of the bytes of their keys' texts. Allocates nothing on the heap if there are
    /// few members.
    ///
    /// - Parameter text: returns the text of a key.
    @inlinable
    package func forEach(inByteOrderOf text: (Key) -> String, _ visit: (Key, Value) -> Void) {
        withUnsafeTemporaryAllocation(of: (beginning: UInt64, index: Index).self, capacity: count) { places in
            var (places, count, index) = (places, 0, startIndex)
            while index != endIndex {
                places.initializeElement(at: count, to: (text(self[index].key).firstBytes, index))
                (count, index) = (count + 1, self.index(after: index))
            }
            places.sort { one, other in
                guard one.beginning == other.beginning else { return one.beginning < other.beginning }
                return text(self[one.index].key).utf8.lexicographicallyPrecedes(text(self[other.index].key).utf8)
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
