import SwiftProtobuf

/// The encoding of messages as bytes.
enum MessageCoding {
    /// The greatest size of a request, as in production.
    static let requestLimit = 10 * 1_024 * 1_024

    /// Decodes a request.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is too large, or not a message of this type. No code that clients answer
    ///   with a repetition stands for a request that can never succeed.
    static func message<Decoded: Message>(_ bytes: [UInt8]) throws(FirestoreStatus) -> Decoded {
        guard bytes.count <= requestLimit else {
            throw .invalid("Request payload size exceeds the limit: \(requestLimit) bytes.")
        }
        do {
            return try Decoded(serializedBytes: bytes)
        } catch {
            throw .invalid("The request is not a valid message of the type \(Decoded.protoMessageName).")
        }
    }

    /// Encodes a message so that equal ones have equal bytes.
    static func canonicalBytes(_ message: some Message) throws(FirestoreStatus) -> [UInt8] {
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        do {
            return try message.serializedBytes(options: options)
        } catch {
            throw FirestoreStatus(.internal, "The request cannot be encoded.")
        }
    }

    /// Encodes an answer.
    static func bytes(_ message: some Message) throws(FirestoreStatus) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw FirestoreStatus(.internal, "The answer cannot be encoded.")
        }
    }
}
