import FirestoreAPI
import HTTPTypes
import Hummingbird
import JSON
import NIOCore
import Server
import Signals
import Synchronization

extension Response {
    private static let jsonType = "application/json; charset=utf-8"

    /// Creates the response with an answer of the REST interface. A long body is sent as it is produced, as fast as
    /// the client reads.
    init(_ answer: RESTAnswer) {
        let status = HTTPResponse.Status(code: answer.status)
        switch answer.body {
        case .bytes(let bytes):
            self.init(
                status: status, headers: [.contentType: Self.jsonType, .contentLength: String(bytes.count)],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        case .stream(let produce):
            self.init(
                status: status, headers: [.contentType: Self.jsonType],
                body: ResponseBody { writer in
                    let pieces = BodyPieces()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            defer { pieces.finish() }
                            try await produce { try await pieces.put($0) }
                        }
                        while let piece = await pieces.next() { try await writer.write(piece) }
                        try await group.next()
                    }
                    try await writer.finish(nil)
                })
        }
    }

    /// Creates the response to a call that failed, in the shape of Google's APIs.
    init(_ status: FirestoreStatus) {
        self.init(
            status: HTTPResponse.Status(code: status.code.httpStatus),
            // RFC 9110 §15.5.2: a 401 names the scheme to use.
            headers: status.code == .unauthenticated ? [.wwwAuthenticate: "Bearer"] : [:],
            json: [
                "error": [
                    "code": .integer(Int64(status.code.httpStatus)), "message": .string(status.message),
                    "status": .string(status.name),
                ]
            ])
    }
}

/// The place for one piece between the function that produces a body and the connection that sends it.
private final class BodyPieces: Sendable {
    private struct State {
        var piece: ByteBuffer?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let change = Signal()

    /// Waits until the piece before has been taken, and leaves the next one.
    ///
    /// - Throws: `CancellationError` if the connection has ended.
    func put(_ piece: [UInt8]) async throws {
        await change.wait { self.state.withLock { $0.piece == nil } }
        try Task.checkCancellation()
        state.withLock { $0.piece = ByteBuffer(bytes: piece) }
        change.notify()
    }

    /// Ends the body after the piece that waits, if any.
    func finish() {
        state.withLock { $0.isFinished = true }
        change.notify()
    }

    /// Waits for the next piece; `nil` at the end of the body.
    func next() async -> ByteBuffer? {
        await change.wait { self.state.withLock { $0.piece != nil || $0.isFinished } }
        let piece = state.withLock { state in
            defer { state.piece = nil }
            return state.piece
        }
        change.notify()
        return piece
    }
}
