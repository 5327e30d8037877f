package import NIOCore
import Texts

/// A call of a method, without its messages.
package struct GRPCCall: Sendable {
    /// The method's path, for example `/google.firestore.v1.Firestore/Commit`.
    package let path: String
    package let headers: HTTP2Fields
    /// The time after which the client does not wait for the result; `nil` if it waits for any time.
    package let deadline: NIODeadline?
    package let peer: SocketAddress?
    /// Returns `false` once the client has closed its side of the connection. A client that was killed does so, and so
    /// does one that still reads, so the call goes on.
    package let isAwaited: @Sendable () -> Bool

    package init(
        path: String, headers: HTTP2Fields, deadline: NIODeadline? = nil, peer: SocketAddress? = nil,
        isAwaited: @escaping @Sendable () -> Bool = { true }
    ) {
        self.path = path
        self.headers = headers
        self.deadline = deadline
        self.peer = peer
        self.isAwaited = isAwaited
    }
}

/// A method, which takes and returns encoded messages.
package enum GRPCMethod: Sendable {
    package typealias Unary = @Sendable ([UInt8], GRPCCall) async throws(GRPCStatus) -> [UInt8]
    package typealias Streaming = @Sendable (GRPCMessages, GRPCCall, GRPCWriter) async throws -> Void

    /// One message and one answer.
    case unary(Unary)
    /// Any number of messages in both directions. The call ends when the function returns or throws.
    case streaming(Streaming)
    /// A call that ends with this status, before its messages arrive.
    case refusal(GRPCStatus)
}

/// Returns the method of a call; `nil` if there is no such method. It is called on the event loop, so it must be
/// brief.
package typealias GRPCRouter = @Sendable (GRPCCall) -> GRPCMethod?

/// The limits of each call.
package struct GRPCLimits: Sendable {
    /// The maximum size of a client's message, in bytes.
    package var maximumMessageBytes: Int
    /// The time for a message to arrive, and one second more for each 16 KiB of it that have arrived.
    package var messageTimeout: TimeAmount
    /// The memory that all calls share.
    package var memory: MessageMemory

    package init(
        maximumMessageBytes: Int, messageTimeout: TimeAmount, memory: MessageMemory = MessageMemory()
    ) {
        self.maximumMessageBytes = maximumMessageBytes
        self.messageTimeout = messageTimeout
        self.memory = memory
    }
}

// MARK: The head of a request

extension GRPCCall {
    private static let gzip = "gzip"

    /// `true` if the client may compress its messages.
    var isGzip: Bool { headers.first(name: "grpc-encoding") == Self.gzip }

    /// Returns `true` if a request with these fields is a call. `application/grpc-web` is another protocol.
    package static func isCall(_ headers: HTTP2Fields) -> Bool {
        guard let type = headers.first(name: "content-type") else { return false }
        let name = "application/grpc"
        let bytes = type.utf8
        guard bytes.count >= name.utf8.count,
            zip(bytes, name.utf8).allSatisfy({ $0.asciiLowercased == $1 })
        else { return false }
        let rest = bytes.dropFirst(name.utf8.count)
        return rest.isEmpty || [UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: " ")].contains(rest.first)
    }

    /// Reads the head of a call.
    ///
    /// - Throws: a status if the request cannot be a call, or if its messages have an unknown encoding.
    init(
        _ headers: HTTP2Fields, at now: NIODeadline, peer: SocketAddress?,
        isAwaited: @escaping @Sendable () -> Bool = { true }
    ) throws(GRPCStatus) {
        guard headers.first(name: ":method") == "POST", let path = headers.first(name: ":path") else {
            throw .invalidArgument("a call is a POST request")
        }
        if let encoding = headers.first(name: "grpc-encoding"), !["identity", Self.gzip].contains(encoding) {
            throw .unimplemented("the encoding \(encoding) is not supported; use gzip or identity (grpc-encoding)")
        }
        let deadline = try Self.deadline(headers.first(name: "grpc-timeout"), at: now)
        self.init(path: path, headers: headers, deadline: deadline, peer: peer, isAwaited: isAwaited)
    }

    private static func deadline(_ text: String?, at now: NIODeadline) throws(GRPCStatus) -> NIODeadline? {
        guard let text else { return nil }
        guard let timeout = TimeAmount(grpcTimeout: text) else {
            throw .invalidArgument("grpc-timeout must be 1 to 8 digits and one of H, M, S, m, u, n")
        }
        return now + timeout
    }
}

extension TimeAmount {
    /// The longest timeout: a year. Longer ones would overflow a deadline.
    private static let maximumSeconds: Int64 = 365 * 24 * 60 * 60

    /// Reads the value of `grpc-timeout`; `nil` if it is malformed.
    init?(grpcTimeout text: String) {
        let digits = text.utf8.dropLast()
        guard (1...8).contains(digits.count), digits.allSatisfy(\.isASCIIDigit),
            let number = Int64(text.dropLast())
        else { return nil }
        let longest = TimeAmount.seconds(Self.maximumSeconds)
        switch text.utf8.last {
        case UInt8(ascii: "H"): self = .seconds(min(number * 3_600, Self.maximumSeconds))
        case UInt8(ascii: "M"): self = .seconds(min(number * 60, Self.maximumSeconds))
        case UInt8(ascii: "S"): self = min(.seconds(number), longest)
        case UInt8(ascii: "m"): self = .milliseconds(number)
        case UInt8(ascii: "u"): self = .microseconds(number)
        case UInt8(ascii: "n"): self = .nanoseconds(number)
        default: return nil
        }
    }
}
