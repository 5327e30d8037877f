import NIOCore

/// One connection's talk with a server as a state machine: what comes in, and what to do then.
protocol Conversation: Sendable {
    /// The results so far.
    var record: ConversationRecord { get }

    mutating func start() -> [ConversationStep]
    mutating func receive(_ bytes: inout ByteBuffer) -> [ConversationStep]
    /// The server has closed the connection.
    mutating func close() -> [ConversationStep]
    /// The time of the last ``ConversationStep/wait(_:)`` is over.
    mutating func timeOut() -> [ConversationStep]
}

/// The next step of a conversation.
enum ConversationStep: Sendable, Equatable {
    case send([UInt8])
    /// Sends no more, and still reads.
    case halfClose
    /// Waits for the server, this long at most from now on.
    case wait(TimeAmount)
    case finish
}

/// The times that a conversation waits.
struct Patience: Sendable {
    /// For an answer, or for the end of a connection.
    var due: TimeAmount
    /// For answers that need not come.
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
    /// The request to go on with on another connection, as this one ended in order.
    var next: Int?

    /// Counts an answer, and judges its status.
    ///
    /// - Parameters:
    ///   - isBroken: whether the request's framing, or its version, was out of order.
    ///   - saysWhen: whether the answer has `Retry-After`.
    ///   - request: the number of the request in its case.
    mutating func note(
        _ status: Int, of route: String, isBroken: Bool = false, saysWhen: Bool, request: Int? = nil
    ) {
        answers.append(Answered(route: route, status: status))
        guard status >= 500, !ExpectedErrors.contains(status, isBroken: isBroken, saysWhen: saysWhen) else { return }
        faults.append(Fault(.serverError, "\(status)", route: route, request: request))
    }
}

/// The errors of a server that are no fault of it.
enum ExpectedErrors {
    static func contains(_ status: Int, isBroken: Bool, saysWhen: Bool) -> Bool {
        switch status {
        // Something is full for a moment, as when more ask a site at once than may: the answer says when to come again.
        case 503: saysWhen
        // A transfer coding or a version that is not known (RFC 9112 §6.1, RFC 9110 §15.6.6).
        case 501, 505: isBroken
        default: false
        }
    }
}
