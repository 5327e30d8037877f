import NIOCore

/// A conversation of requests with correct framing over HTTP/1, each of which must get one answer.
struct RequestConversation: Conversation {
    private let requests: [FuzzRequest]
    /// The index of the first request on this connection.
    private let first: Int
    /// The number of requests sent before the first answer.
    private let depth: Int
    private let patience: Patience
    private var reader = HTTP1AnswerReader()
    private var sent: Int
    private var answered: Int
    private var isLastAnswer = false
    private var isFinished = false
    private(set) var record = ConversationRecord()
    /// The last answer.
    private(set) var answer: HTTP1Answer?

    init(_ requests: [FuzzRequest], from first: Int = 0, depth: Int = 1, patience: Patience) {
        self.requests = requests
        self.first = first
        self.depth = depth
        self.patience = patience
        sent = first
        answered = first
    }

    private var isAnswered: Bool { answered == requests.count }

    mutating func start() -> [ConversationStep] { sendMore() + [.wait(patience.due)] }

    mutating func receive(_ bytes: inout ByteBuffer) -> [ConversationStep] {
        reader.append(&bytes)
        do {
            while let answer = try reader.next(isHead: answered < sent && requests[answered].isHead) {
                try take(answer)
            }
            if answered == sent, reader.hasBytes { throw MalformedAnswer("goes on after its end") }
        } catch let error as MalformedAnswer {
            return finish(
                Fault(answered == sent ? .surplus : .malformed, error.description, route: route, request: answered))
        } catch {
            return finish(Fault(.malformed, "\(error)", route: route, request: answered))
        }
        if isAnswered, !isLastAnswer { return finishing() }
        return (isLastAnswer ? [] : sendMore()) + [.wait(patience.due)]
    }

    private mutating func take(_ answer: HTTP1Answer) throws {
        guard answered < sent else { throw MalformedAnswer("\(answer.status) to no request") }
        let request = requests[answered]
        record.note(
            answer.status, of: request.route, isBroken: request.mutations.contains("version"),
            saysWhen: answer["retry-after"] != nil, request: answered)
        self.answer = answer
        answered += 1
        isLastAnswer = answer.isLast || request.isLast
    }

    mutating func close() -> [ConversationStep] {
        if answered < sent, let last = try? reader.next(isHead: requests[answered].isHead, isClosed: true) {
            try? take(last)
        }
        guard !isAnswered else { return [.finish] }
        record.next = answered
        // The first answer of a connection is required; after it, an answer with Connection: close ends it in order.
        if answered == first {
            record.faults.append(Fault(.noAnswer, "closed", route: route, request: answered))
        } else if !isLastAnswer {
            record.faults.append(Fault(.cut, "behind this request, which was answered", request: answered - 1))
        }
        return [.finish]
    }

    mutating func timeOut() -> [ConversationStep] {
        if isAnswered || isLastAnswer { return finish(Fault(.notClosed, "", route: route, request: answered - 1)) }
        record.next = answered + 1
        return finish(Fault(.noAnswer, "silence", route: route, request: answered))
    }

    private mutating func finishing() -> [ConversationStep] {
        guard !isFinished else { return [] }
        isFinished = true
        return [.halfClose, .wait(patience.due)]
    }

    private mutating func finish(_ fault: Fault) -> [ConversationStep] {
        record.faults.append(fault)
        return [.finish]
    }

    private mutating func sendMore() -> [ConversationStep] {
        let end = min(requests.count, answered + depth)
        guard sent < end else { return [] }
        defer { sent = end }
        return requests[sent..<end].map { .send($0.bytes) }
    }

    private var route: String { requests[min(answered, requests.count - 1)].route }
}
