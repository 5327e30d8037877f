import SwiftProtobuf
import Synchronization

/// A stream of messages, answered as one JSON array.
///
/// HTTP's status comes before the first message, and a call can fail before its first message. Therefore the call
/// runs once while its text is held back. If the text becomes long, the call is given up and runs again, now into the
/// answer: short answers are read once and have a length, and memory does not grow with the length of long ones.
struct RESTStream<Response: Message>: Sendable {
    /// Writes one message, and returns when the next may follow.
    typealias Writer = @Sendable (Response) async throws -> Void
    /// The number of bytes that are held back.
    private static var heldBytes: Int { 1 << 20 }
    /// The least size of a piece of a long answer, except of the last.
    private static var pieceBytes: Int { 32 << 10 }

    private let call: RESTCall
    private let thread: LargeRequests
    private let run: @Sendable (@escaping Writer) async throws(FirestoreStatus) -> Void

    /// Makes the answer to a call.
    ///
    /// - Parameters:
    ///   - call: the call, for the size of its request and for its client.
    ///   - thread: the thread for large requests.
    ///   - run: runs the call.
    init(
        _ call: RESTCall, on thread: LargeRequests,
        _ run: @escaping @Sendable (@escaping Writer) async throws(FirestoreStatus) -> Void
    ) {
        self.call = call
        self.thread = thread
        self.run = run
    }

    /// Runs the call.
    ///
    /// - Throws: The call's error, if it fails before its text becomes long.
    func answer() async throws(FirestoreStatus) -> RESTAnswer {
        let text = SharedArrayText()
        do throws(FirestoreStatus) {
            try await run { message in
                let count = text.append(try message.firestoreJSON)
                if count > Self.heldBytes { throw TooLong() }
            }
        } catch {
            guard text.count > Self.heldBytes else { throw error }
            return RESTAnswer(body: .stream { write in try await stream(write) })
        }
        return RESTAnswer(body: .bytes(text.end()))
    }

    /// Runs the call into a body. Its error, if any, is the last element, as in Google's answers.
    ///
    /// The thread for large requests is free for others while the client takes no further piece.
    private func stream(_ write: @escaping RESTAnswer.PieceWriter) async throws {
        let text = SharedArrayText()
        do throws(FirestoreStatus) {
            try await thread.run(call.body.count, for: call.caller) { () async throws(FirestoreStatus) -> Void in
                try await run { message in
                    let count = text.append(try message.firestoreJSON)
                    if count >= Self.pieceBytes { try await write(text.take()) }
                }
            }
        } catch {
            text.append(error.json)
        }
        try await write(text.end())
    }
}

/// The error that ends a call whose text is too long to be held back. No client sees it.
private struct TooLong: Error {}

/// The text of a JSON array, to which a call appends from its closures.
private final class SharedArrayText: Sendable {
    private struct Text {
        var bytes = [UInt8(ascii: "[")]
        var isEmpty = true
    }

    private let text = Mutex(Text())

    /// The number of bytes that have not been taken.
    var count: Int { text.withLock { $0.bytes.count } }

    /// Appends an element and returns the number of bytes that have not been taken.
    @discardableResult
    func append(_ element: [UInt8]) -> Int {
        text.withLock { text in
            if !text.isEmpty { text.bytes += [UInt8(ascii: ","), UInt8(ascii: "\n")] }
            text.isEmpty = false
            text.bytes += element
            return text.bytes.count
        }
    }

    /// Returns the bytes since the last call.
    func take() -> [UInt8] {
        text.withLock { text in
            let bytes = text.bytes
            text.bytes = []
            return bytes
        }
    }

    /// Closes the array and returns the bytes that have not been taken.
    func end() -> [UInt8] { take() + [UInt8(ascii: "]")] }
}
