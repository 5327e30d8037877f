/// What a client does on one connection, byte by byte, well-formed or not.
public struct RawExchange: Sendable {
    public enum Step: Sendable {
        case send([UInt8])
        /// Says nothing for a while.
        case pause(Duration)
        /// Sends no more, and still reads.
        case halfClose
    }

    public var steps: [Step]
    /// How many answers to read before hanging up; those of `HEAD` requests have no body.
    public var answers = 1
    public var isHead = false

    public init(_ steps: [Step], answers: Int = 1, isHead: Bool = false) {
        self.steps = steps
        self.answers = answers
        self.isHead = isHead
    }

    public init(_ text: String) { self.init([.send(Array(text.utf8))]) }
}

/// What came of an exchange.
public struct RawOutcome: Sendable {
    public enum Ending: Sendable, Equatable {
        /// All answers that were waited for have come.
        case answered
        /// The server closed the connection first.
        case closed
        /// Time was over.
        case timedOut
        /// No connection.
        case refused
    }

    public let answers: [RawAnswer]
    /// The statuses below 200 that came before them.
    public var informational: [Int] = []
    public let ending: Ending
    /// From connecting to the end.
    public let duration: Duration
}
