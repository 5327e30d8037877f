import NIOCore

/// The conversation on one connection with a server, as a state machine: events return the next steps.
protocol Conversation: Sendable {
    /// The results so far.
    var record: ConversationRecord { get }

    mutating func start() -> [ConversationStep]
    mutating func receive(_ bytes: inout ByteBuffer) -> [ConversationStep]
    /// Handles the end of the connection by the server.
    mutating func close() -> [ConversationStep]
    /// Handles the end of the last ``ConversationStep/wait(_:)``.
    mutating func timeOut() -> [ConversationStep]
}

/// The next step of a conversation.
enum ConversationStep: Sendable, Equatable {
    case send([UInt8])
    /// Closes the client's side, and reads on.
    case halfClose
    /// Waits for the server, for this time at most.
    case wait(TimeAmount)
    case finish
}

/// The times that a conversation waits.
struct Patience: Sendable {
    /// The limit for an answer, or for the end of a connection.
    var due: TimeAmount
    /// The wait for answers that are optional.
    var quiet = TimeAmount.milliseconds(40)
}

/// The results of a conversation.
struct ConversationRecord: Sendable {
    struct Answered: Sendable {
        let route: String
        let status: Int
    }

    private(set) var answers: [Answered] = []
    var faults: [Fault] = []
    /// The request to continue with on another connection, if this one ended in order.
    var next: Int?

    /// Counts an answer, and judges its status.
    ///
    /// - Parameters:
    ///   - isBroken: `true` if the request's framing or version was invalid.
    ///   - saysWhen: `true` if the answer has `Retry-After`.
    ///   - request: The number of the request in its case.
    mutating func note(
        _ status: Int, of route: String, isBroken: Bool = false, saysWhen: Bool, request: Int? = nil
    ) {
        answers.append(Answered(route: route, status: status))
        guard status >= 500, !ExpectedErrors.contains(status, isBroken: isBroken, saysWhen: saysWhen) else { return }
        faults.append(Fault(.serverError, "\(status)", route: route, request: request))
    }
}

/// The server errors that are no fault.
enum ExpectedErrors {
    static func contains(_ status: Int, isBroken: Bool, saysWhen: Bool) -> Bool {
        switch status {
        // A limit is reached for a moment, such as that of concurrent requests to a site, and the answer has
        // Retry-After.
        case 503: saysWhen
        // The transfer coding or the version is unknown (RFC 9112 §6.1, RFC 9110 §15.6.6).
        case 501, 505: isBroken
        default: false
        }
    }
}
