import DequeModule
import DocumentStore
import Foundation
import Synchronization

/// Threads with a connection each, which take work from one queue. libpq's calls block, so they have threads of their
/// own.
final class ConnectionThreadPool: Sendable {
    fileprivate enum Job {
        case work(@Sendable (ConnectionSlot) -> Void)
        case read(Read)
    }

    /// A statement that reads, whose answer needs no other statement.
    fileprivate struct Read {
        let call: Call
        let completion: @Sendable (Result<Rows, StoreError>) -> Void
    }

    /// A read that shares a statement with others.
    fileprivate struct Question {
        let call: SharedCall
        let completion: @Sendable (Result<SharedAnswer, StoreError>) -> Void
    }

    fileprivate struct Entry<Content> {
        let queued = ContinuousClock.now
        let content: Content
    }

    /// The work that a thread takes from the queue at once.
    fileprivate enum Turn {
        case jobs([Entry<Job>])
        case questions([Entry<Question>])

        var queued: ContinuousClock.Instant? {
            switch self {
            case .jobs(let entries): entries.first?.queued
            case .questions(let entries): entries.first?.queued
            }
        }
    }

    /// The state behind the condition of the threads.
    fileprivate final class Queue: @unchecked Sendable {  // because `condition` guards the other properties
        let condition = NSCondition()
        var entries: Deque<Entry<Job>> = []
        /// The number of reads among the entries.
        var reads = 0
        var questions: Deque<Entry<Question>> = []
        /// The number of round trips with questions that are under way.
        var roundTrips = 0
        /// The beginning of the last of them.
        var lastRoundTrip = ContinuousClock.now
        var isClosed = false
    }

    /// The greatest number of reads in one round trip.
    fileprivate static let mostReads = 16
    /// The greatest number of questions in one round trip.
    fileprivate static let mostQuestions = 64
    /// The time for which a round trip with questions holds back further ones, if these do not fill one.
    fileprivate static let longestHold = Duration.milliseconds(1)
    /// The time after which a server that cannot be reached counts as silent: others refuse connections at once.
    private static let longestSilence = Duration.seconds(1)

    let metrics = ServerMetrics()
    private let queue = Queue()

    init(_ configuration: PostgreSQLStoreConfiguration) {
        for number in 0..<configuration.connections {
            let thread = Thread { [queue, metrics] in
                let slot = ConnectionSlot(configuration)
                while let turn = Self.next(in: queue) {
                    metrics.began(after: turn.queued.map { ContinuousClock.now - $0 } ?? .zero)
                    switch turn {
                    case .jobs(let entries): Self.carryOut(entries.map(\.content), slot, queue)
                    case .questions(let entries): Self.answer(entries.map(\.content), slot, queue)
                    }
                    metrics.ended()
                }
            }
            thread.name = "store \(number)"
            thread.start()
        }
    }

    /// Runs a closure on a connection. It starts again on a new one if the connection turns out to be lost, so it must
    /// change nothing that it may not change twice.
    func run<Answer: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Answer
    ) async throws(StoreError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            submit { slot in
                continuation.resume(returning: slot.attempt(body))
            } refused: {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Returns the rows of a statement that changes nothing. Statements that wait at the same time share a round trip.
    func rows(of call: Call) async throws(StoreError) -> Rows {
        let result = await withCheckedContinuation { continuation in
            submit(.read(Read(call: call) { continuation.resume(returning: $0) })) {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Returns the answer of a statement that changes nothing and takes moments. Askers of the same form who wait at
    /// the same time share the statement, and those of other forms the round trip. While one round trip is under way,
    /// the next askers wait together, for ``longestHold`` or until they fill one: a statement for ten costs little more
    /// than one for a single asker.
    func answer(to call: SharedCall) async throws(StoreError) -> SharedAnswer {
        let result = await withCheckedContinuation { continuation in
            submit(Question(call: call) { continuation.resume(returning: $0) }) {
                continuation.resume(returning: .failure(.closed))
            }
        }
        return try result.get()
    }

    /// Queues the closure.
    ///
    /// - Parameter refused: called in its place if the pool is closed.
    func submit(_ body: @escaping @Sendable (ConnectionSlot) -> Void, refused: () -> Void) {
        submit(.work(body), refused: refused)
    }

    private func submit(_ job: Job, refused: () -> Void) {
        queue.condition.lock()
        let isClosed = queue.isClosed
        if !isClosed {
            queue.entries.append(Entry(content: job))
            // The thread that was woken for the first read takes them all.
            if !job.isRead || queue.reads == 0 { queue.condition.signal() }
            if job.isRead { queue.reads += 1 }
        }
        queue.condition.unlock()
        if isClosed { refused() }
    }

    private func submit(_ question: Question, refused: () -> Void) {
        queue.condition.lock()
        let isClosed = queue.isClosed
        if !isClosed {
            queue.questions.append(Entry(content: question))
            // The thread that was woken for the first takes those that follow it.
            if queue.questions.count == 1 || queue.mayAsk && queue.roundTrips > 0 { queue.condition.signal() }
        }
        queue.condition.unlock()
        if isClosed { refused() }
    }

    /// Refuses work from now on, and ends the threads after that in the queue.
    func close() {
        queue.condition.lock()
        queue.isClosed = true
        queue.condition.broadcast()
        queue.condition.unlock()
    }

    /// Waits for something to do, and takes it. Returns `nil` at the end.
    private static func next(in queue: Queue) -> Turn? {
        queue.condition.lock()
        defer { queue.condition.unlock() }
        while true {
            if let turn = queue.take() {
                // No thread may have been woken for the rest.
                if !queue.entries.isEmpty || queue.mayAsk { queue.condition.signal() }
                return turn
            }
            if queue.isClosed { return nil }
            guard !queue.questions.isEmpty else {
                queue.condition.wait()
                continue
            }
            // They are held back, and no longer than this, even if the round trip takes longer.
            _ = queue.condition.wait(until: Date(timeIntervalSinceNow: longestHold / .seconds(1)))
        }
    }

    private static func carryOut(_ jobs: [Job], _ slot: ConnectionSlot, _ queue: Queue) {
        var reads: [Read] = []
        for job in jobs {
            switch job {
            case .work(let body): body(slot)
            case .read(let read): reads.append(read)
            }
        }
        guard !reads.isEmpty else { return }
        let start = ContinuousClock.now
        switch slot.attempt({ [reads] in try $0.run(reads.map(\.call)) }) {
        case .success(let rows): for (read, rows) in zip(reads, rows) { read.completion(.success(rows)) }
        case .failure(let error) where reads.count == 1 || !slot.isConnected:
            for read in reads { read.completion(.failure(error)) }
            failWaiting(in: queue, slot, since: start, with: error)
        case .failure:
            // One of them is the cause.
            for read in reads { read.completion(slot.attempt { try $0.run([read.call])[0] }) }
        }
    }

    private static func answer(_ questions: [Question], _ slot: ConnectionSlot, _ queue: Queue) {
        let batch = QuestionBatch(questions)
        let start = ContinuousClock.now
        switch slot.attempt({ try $0.run(batch.calls) }) {
        case .success(let rows): batch.complete(with: rows)
        case .failure(let error) where questions.count == 1 || !slot.isConnected:
            for question in questions { question.completion(.failure(error)) }
            failWaiting(in: queue, slot, since: start, with: error)
        case .failure:
            // One of them is the cause.
            for question in questions {
                question.completion(
                    slot.attempt { connection in
                        let rows = try connection.run([SharedCall.joined([question.call])])[0]
                        return SharedCall.answers(in: rows, to: 1)[0]
                    })
            }
        }
        queue.condition.lock()
        queue.roundTrips -= 1
        queue.condition.unlock()
    }

    /// Fails the reads that wait, after an attempt has found that the server is silent: they would wait for the same
    /// one.
    private static func failWaiting(
        in queue: Queue, _ slot: ConnectionSlot, since start: ContinuousClock.Instant, with error: StoreError
    ) {
        guard !slot.isConnected, .now - start > longestSilence else { return }
        queue.condition.lock()
        let (reads, questions) = queue.takeReads()
        queue.condition.unlock()
        for read in reads { read.completion(.failure(error)) }
        for question in questions { question.completion(.failure(error)) }
    }
}

extension ConnectionThreadPool.Queue {
    /// `true` if a round trip with questions may begin.
    var mayAsk: Bool {
        guard !questions.isEmpty else { return false }
        if roundTrips == 0 || isClosed || questions.count >= ConnectionThreadPool.mostQuestions { return true }
        return ContinuousClock.now - lastRoundTrip > ConnectionThreadPool.longestHold
    }

    /// Takes the oldest of what may be done: a job, a read with those that follow it, or questions. Returns `nil` if
    /// there is nothing.
    func take() -> ConnectionThreadPool.Turn? {
        let oldest = entries.first?.queued
        if mayAsk, let question = questions.first, oldest.map({ question.queued <= $0 }) ?? true {
            return .questions(takeQuestions())
        }
        guard let first = entries.popFirst() else { return nil }
        var taken = [first]
        guard first.content.isRead else { return .jobs(taken) }
        while taken.count < ConnectionThreadPool.mostReads, let next = entries.first, next.content.isRead {
            taken.append(entries.removeFirst())
        }
        reads -= taken.count
        return .jobs(taken)
    }

    private func takeQuestions() -> [ConnectionThreadPool.Entry<ConnectionThreadPool.Question>] {
        let taken = Array(questions.prefix(ConnectionThreadPool.mostQuestions))
        questions.removeFirst(taken.count)
        roundTrips += 1
        lastRoundTrip = .now
        return taken
    }

    /// Takes all reads out of the queue.
    func takeReads() -> ([ConnectionThreadPool.Read], [ConnectionThreadPool.Question]) {
        let taken = entries.compactMap { entry in if case .read(let read) = entry.content { read } else { nil } }
        entries.removeAll(where: \.content.isRead)
        reads = 0
        defer { questions.removeAll() }
        return (taken, questions.map(\.content))
    }
}

extension ConnectionThreadPool.Job {
    fileprivate var isRead: Bool { if case .read = self { true } else { false } }
}

/// The questions of one round trip, those of one form together.
private struct QuestionBatch {
    private var groups: [[ConnectionThreadPool.Question]] = []

    init(_ questions: [ConnectionThreadPool.Question]) {
        for question in questions {
            if let form = groups.firstIndex(where: { $0[0].call.isOfForm(of: question.call) }) {
                groups[form].append(question)
            } else {
                groups.append([question])
            }
        }
    }

    /// The statements, one for each form.
    var calls: [Call] { groups.map { SharedCall.joined($0.map(\.call)) } }

    /// Answers the questions.
    ///
    /// - Parameter rows: those of each statement.
    func complete(with rows: [Rows]) {
        for (questions, rows) in zip(groups, rows) {
            for (question, answer) in zip(questions, SharedCall.answers(in: rows, to: questions.count)) {
                question.completion(.success(answer))
            }
        }
    }
}
