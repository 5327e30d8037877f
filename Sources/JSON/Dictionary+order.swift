extension Dictionary where Key == String {
    /// Visits the members in the order of their names' UTF-8 bytes, in no memory of its own if they are few.
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
    /// The first eight bytes in UTF-8, as a number that is in the texts' order.
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
