import SwiftProtobuf

extension RESTAnswer {
    /// Makes the answer with a message.
    ///
    /// - Throws: `INTERNAL` if the message has no JSON.
    init(message: some Message) throws(FirestoreStatus) {
        self.init(body: .bytes(try message.firestoreJSON))
    }

    /// Makes the answer of a call that failed, in the shape of Google's APIs.
    init(error: FirestoreStatus) {
        self.init(status: error.code.httpStatus, body: .bytes(error.json))
    }
}

extension Message {
    /// The message as JSON, with sorted names in maps, so that equal documents have equal texts.
    var firestoreJSON: [UInt8] {
        get throws(FirestoreStatus) {
            var options = JSONEncodingOptions()
            options.useDeterministicOrdering = true
            do {
                return try jsonUTF8Bytes(options: options)
            } catch {
                throw FirestoreStatus(.internal, "The result cannot be written as JSON.")
            }
        }
    }
}

extension FirestoreStatus {
    /// The error as JSON: `{"error":{"code":404,"message":"…","status":"NOT_FOUND"}}`.
    var json: [UInt8] {
        // A text always has JSON; the alternative satisfies the compiler.
        let text = (try? Google_Protobuf_StringValue(message).jsonString()) ?? "\"\""
        return Array(#"{"error":{"code":\#(code.httpStatus),"message":\#(text),"status":"\#(name)"}}"#.utf8)
    }
}

extension FirestoreStatus.Code {
    /// The HTTP status ([google.rpc.Code](https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto)).
    package var httpStatus: Int {
        switch self {
        case .ok: 200
        case .invalidArgument, .failedPrecondition, .outOfRange: 400
        case .unauthenticated: 401
        case .permissionDenied: 403
        case .notFound: 404
        case .alreadyExists, .aborted: 409
        case .resourceExhausted: 429
        case .cancelled: 499
        case .unknown, .internal, .dataLoss: 500
        case .unimplemented: 501
        case .unavailable: 503
        case .deadlineExceeded: 504
        }
    }
}
