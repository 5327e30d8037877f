/// Lends `bytes` as one contiguous buffer, copying only those collections that are not stored that way.
@inlinable
func withContiguousBytes<Failure: Error, R>(
    of bytes: some Collection<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> R
) throws(Failure) -> R {
    let outcome = bytes.withContiguousStorageIfAvailable { buffer in
        Result { () throws(Failure) -> R in try body(buffer) }
    }
    if let outcome { return try outcome.get() }
    return try ContiguousArray(bytes).withUnsafeBufferPointer(body)
}
