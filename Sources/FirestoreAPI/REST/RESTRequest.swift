/// A request of Firestore's REST API, without its header fields.
package struct RESTRequest: Sendable {
    /// The HTTP method, in capitals.
    package let method: String
    /// The path as it was sent, percent-encoded. It begins with `/v1/`, `/v1beta1/` or `/emulator/v1/`.
    package let path: String
    /// The text after the question mark as it was sent, or nothing.
    package let query: String
    /// The whole body.
    package let body: [UInt8]

    package init(method: String, path: String, query: String = "", body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }
}

/// The answer to a ``RESTRequest``. Its content is JSON.
package struct RESTAnswer: Sendable {
    /// Sends a piece of a body, and returns when the next piece may follow.
    package typealias PieceWriter = @Sendable ([UInt8]) async throws -> Void

    /// The content of an answer.
    package enum Body: Sendable {
        /// A whole body.
        case bytes([UInt8])
        /// A body that a function produces and writes in pieces. If the function throws, the body is incomplete.
        case stream(@Sendable (_ write: @escaping PieceWriter) async throws -> Void)
    }

    /// The HTTP status.
    package let status: Int
    /// The JSON text.
    package let body: Body

    init(status: Int = 200, body: Body) {
        self.status = status
        self.body = body
    }

    /// Returns this answer with an object that lives at least until a long body has been written, such as a
    /// reservation.
    package func keeping(_ object: some Sendable) -> RESTAnswer {
        guard case .stream(let produce) = body else { return self }
        let stream: @Sendable (_ write: @escaping PieceWriter) async throws -> Void = { write in
            defer { withExtendedLifetime(object) {} }
            try await produce(write)
        }
        return RESTAnswer(status: status, body: .stream(stream))
    }
}
