/// The steps of a client on one connection, byte by byte, well-formed or not.
package struct RawExchange: Sendable {
    /// A step of the client.
    package enum Step: Sendable {
        case send([UInt8])
        /// Sends nothing for this time.
        case pause(Duration)
        /// Sends no more, and still reads.
        case halfClose
    }

    package var steps: [Step]
    /// The number of answers to read before the client hangs up. Answers to `HEAD` have no body.
    package var answers = 1
    /// `true` if the requests are `HEAD` requests.
    package var isHead = false

    package init(_ steps: [Step], answers: Int = 1, isHead: Bool = false) {
        self.steps = steps
        self.answers = answers
        self.isHead = isHead
    }

    /// Creates an exchange that sends one text and reads one answer.
    package init(_ text: String) { self.init([.send(Array(text.utf8))]) }
}

/// The result of an exchange.
package struct RawOutcome: Sendable {
    /// The reason for which an exchange ended.
    package enum Ending: Sendable, Equatable {
        /// All expected answers arrived.
        case answered
        /// The server closed the connection first.
        case closed
        /// The time was over.
        case timedOut
        /// No connection was made, with the system's `errno`.
        case notConnected(Int32)
    }

    /// The answers, in order.
    package let answers: [RawAnswer]
    /// The statuses below 200 that preceded the answers.
    package var informational: [Int] = []
    package let ending: Ending
    /// The time from connecting to the end.
    package let duration: Duration
}
