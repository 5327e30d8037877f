/// Calls the closure with the bytes as one contiguous buffer. Copies only collections that are not stored
/// contiguously.
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
