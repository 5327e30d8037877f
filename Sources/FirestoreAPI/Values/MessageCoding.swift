import SwiftProtobuf

/// The encoding of messages as bytes.
enum MessageCoding {
    /// The greatest size of a request, as in production.
    static let requestLimit = 10 * 1_024 * 1_024
    /// The decoding of requests. The answer depends on no unknown field, and to keep those of a message that is
    /// repeated would copy them for each repetition.
    private static let decoding: BinaryDecodingOptions = {
        var options = BinaryDecodingOptions()
        options.discardUnknownFields = true
        return options
    }()

    /// Decodes a request, if there is memory for what it becomes.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is too large, or not a message of this type. No code that clients answer
    ///   with a repetition stands for a request that can never succeed. `RESOURCE_EXHAUSTED` if too many large
    ///   requests are in memory.
    static func request<Content: Message & Sendable>(
        _ bytes: [UInt8], in memory: RequestMemory
    ) throws(FirestoreStatus) -> DecodedRequest<Content> {
        guard bytes.count <= requestLimit else {
            throw .invalid("Request payload size exceeds the limit: \(requestLimit) bytes.")
        }
        guard let elements = try MessageScan.elements(of: bytes, named: Content.protoMessageName) else {
            throw malformed(Content.protoMessageName)
        }
        let reservation = try memory.reserve(elements)
        do {
            return DecodedRequest(
                content: try Content(serializedBytes: bytes, options: decoding), reservation: reservation)
        } catch {
            throw malformed(Content.protoMessageName)
        }
    }

    /// Decodes a message that a client has received as a token and sends back; `nil` if it is none.
    static func token<Content: Message>(_ bytes: [UInt8]) -> Content? {
        guard (try? MessageScan.elements(of: bytes, named: Content.protoMessageName)) != nil else { return nil }
        return try? Content(serializedBytes: bytes, options: decoding)
    }

    private static func malformed(_ name: String) -> FirestoreStatus {
        .invalid("The request is not a valid message of the type \(name).")
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

/// A request as a message, with the memory that it takes.
struct DecodedRequest<Content: Message & Sendable>: Sendable {
    let content: Content
    /// The memory of a large request, until the request has been handled; `nil` for a small one.
    let reservation: RequestReservation?
}
