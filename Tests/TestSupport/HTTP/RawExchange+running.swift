import Foundation

extension RawExchange {
    /// Connects to the port on loopback, runs the steps and reads at the same time, on its own thread.
    ///
    /// - Parameters:
    ///   - source: the address in loopback's network to connect from.
    ///   - bound: the time after which to give up. By default it is shorter than the 75 s after which the gateway
    ///     closes a connection without a request, so that this is no answer to the steps.
    ///   - onAnswer: a closure that gets each answer as it arrives.
    package func run(
        port: UInt16, from source: String = "127.0.0.1", within bound: Duration = .seconds(60),
        onAnswer: @escaping @Sendable (RawAnswer) -> Void = { _ in }
    ) async -> RawOutcome {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: runBlocking(port: port, from: source, within: bound, onAnswer: onAnswer))
            }
        }
    }

    private func runBlocking(
        port: UInt16, from source: String, within bound: Duration, onAnswer: @escaping (RawAnswer) -> Void
    ) -> RawOutcome {
        let start = ContinuousClock.now
        let connection: RawConnection
        do throws(RawConnection.Failure) {
            connection = try RawConnection(port: port, from: source)
        } catch {
            return RawOutcome(answers: [], ending: .notConnected(error.code), duration: .zero)
        }
        var reader = AnswerReader(wanted: answers, isHead: isHead, onAnswer: onAnswer)
        var writer = StepWriter(steps: steps)
        var ending: RawOutcome.Ending?
        while ending == nil {
            let now = ContinuousClock.now
            guard now < start + bound else {
                ending = .timedOut
                break
            }
            writer.advance(connection, at: now)
            let pause = min(start + bound, writer.wakeUp ?? start + bound) - now
            let ready = connection.wait(toWrite: writer.hasBytes, atMost: pause)
            if ready.isWritable { writer.write(to: connection) }
            if ready.isReadable { ending = reader.read(from: connection) }
        }
        return RawOutcome(
            answers: reader.answers, informational: reader.informational, ending: ending ?? .timedOut,
            duration: ContinuousClock.now - start)
    }
}

/// A writer that runs the steps of an exchange.
private struct StepWriter {
    private var steps: ArraySlice<RawExchange.Step>
    private var bytes: ArraySlice<UInt8> = []
    /// The end of the current pause; `nil` if there is none.
    private(set) var wakeUp: ContinuousClock.Instant?

    init(steps: [RawExchange.Step]) { self.steps = steps[...] }

    var hasBytes: Bool { !bytes.isEmpty }

    /// Runs steps until one has to wait.
    mutating func advance(_ connection: borrowing RawConnection, at now: ContinuousClock.Instant) {
        if let wakeUp, wakeUp <= now { self.wakeUp = nil }
        while bytes.isEmpty, wakeUp == nil, let step = steps.popFirst() {
            switch step {
            case .send(let all): bytes = all[...]
            case .pause(let duration): wakeUp = now + duration
            case .halfClose: connection.shutDownWriting()
            }
        }
    }

    mutating func write(to connection: borrowing RawConnection) {
        if let count = connection.write(bytes) {
            bytes = bytes.dropFirst(count)
        } else {
            // The server accepts no more bytes. Its answers are still read.
            (bytes, steps) = ([], [])
        }
    }
}

/// A reader that collects answers.
private struct AnswerReader {
    let wanted: Int
    let isHead: Bool
    let onAnswer: (RawAnswer) -> Void
    private(set) var answers: [RawAnswer] = []
    private(set) var informational: [Int] = []
    private var buffer: [UInt8] = []

    init(wanted: Int, isHead: Bool, onAnswer: @escaping (RawAnswer) -> Void) {
        self.wanted = wanted
        self.isHead = isHead
        self.onAnswer = onAnswer
    }

    /// - Returns: the ending of the exchange; `nil` while it goes on.
    mutating func read(from connection: borrowing RawConnection) -> RawOutcome.Ending? {
        guard let bytes = connection.read() else { return .closed }
        buffer += bytes
        while let answer = RawAnswer(takenFrom: &buffer, isHead: isHead) {
            guard answer.status >= 200 else {
                informational.append(answer.status)
                continue
            }
            answers.append(answer)
            onAnswer(answer)
        }
        return answers.count >= wanted ? .answered : nil
    }
}
