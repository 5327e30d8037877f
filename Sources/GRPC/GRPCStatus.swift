/// The outcome of a call ([status codes](https://grpc.io/docs/guides/status-codes/)).
package struct GRPCStatus: Error, Sendable, Equatable {
    /// The code, from 0 (`OK`) to 16 (`UNAUTHENTICATED`).
    package let code: Int
    package let message: String

    package init(code: Int, message: String = "") {
        self.code = code
        self.message = message
    }
}

/// The statuses that the protocol itself produces.
extension GRPCStatus {
    static let ok = GRPCStatus(code: 0)
    static let cancelled = GRPCStatus(code: 1, message: "the call was cancelled")
    static let deadlineExceeded = GRPCStatus(code: 4, message: "the deadline of the call has passed")
    static let outOfMemory = GRPCStatus(
        code: 8, message: "too many large messages are being handled; send this one again later")
    static let tooSlow = GRPCStatus(code: 4, message: "the message did not arrive in time")
    static let internalError = GRPCStatus(code: 13, message: "the call failed")
    static let shuttingDown = GRPCStatus(code: 14, message: "the server is shutting down")

    static func invalidArgument(_ message: String) -> GRPCStatus { GRPCStatus(code: 3, message: message) }

    static func unimplemented(_ message: String) -> GRPCStatus { GRPCStatus(code: 12, message: message) }
}

/// The fields of a response's head and of its end.
extension GRPCStatus {
    /// The head of a response with messages.
    static let head: HTTP2Fields = [":status": "200", "content-type": "application/grpc"]

    /// The end of a response whose head has been sent.
    var trailers: HTTP2Fields {
        var fields: HTTP2Fields = ["grpc-status": String(code)]
        if !message.isEmpty { fields.add(name: "grpc-message", value: encodedMessage) }
        return fields
    }

    /// A whole response without a message.
    var trailersOnly: HTTP2Fields {
        var fields = Self.head
        fields.add(contentsOf: trailers)
        // A client learns from this field which encoding to use instead.
        if code == Self.unimplemented("").code { fields.add(name: "grpc-accept-encoding", value: "identity,gzip") }
        return fields
    }

    /// The size that an encoded message is cut to: clients in Java accept heads of 8 KiB.
    private static let maximumMessageBytes = 4 * 1024

    /// The message in percent-encoding
    /// ([gRPC over HTTP/2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses)).
    var encodedMessage: String {
        let isPlain = message.utf8.allSatisfy(Self.isUnreserved)
        if isPlain, message.utf8.count <= Self.maximumMessageBytes { return message }
        var encoded = ""
        for scalar in message.unicodeScalars {
            let next = Self.encoded(scalar)
            guard encoded.utf8.count + next.utf8.count <= Self.maximumMessageBytes else { break }
            encoded += next
        }
        return encoded
    }

    private static func encoded(_ scalar: Unicode.Scalar) -> String {
        if scalar.isASCII, isUnreserved(UInt8(truncatingIfNeeded: scalar.value)) { return String(scalar) }
        return String(scalar).utf8.reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }
}
