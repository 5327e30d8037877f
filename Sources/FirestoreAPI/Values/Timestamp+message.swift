import DocumentStore
import SwiftProtobuf

extension Timestamp {
    /// Reads a moment, cut to microseconds.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is not in the years 0001 to 9999.
    init(_ message: Google_Protobuf_Timestamp) throws(FirestoreStatus) {
        do {
            self = try Timestamp(seconds: message.seconds, nanoseconds: message.nanos)
        } catch {
            throw FirestoreStatus(error)
        }
    }

    /// Reads the moment of a version or of an earlier state, which is never finer than microseconds.
    ///
    /// - Throws: `INVALID_ARGUMENT` if it is finer, or not in the years 0001 to 9999.
    init(exactly message: Google_Protobuf_Timestamp) throws(FirestoreStatus) {
        do {
            self = try Timestamp(seconds: message.seconds, exactNanoseconds: message.nanos)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}

extension Google_Protobuf_Timestamp {
    init(_ time: Timestamp) {
        self.init()
        let seconds = time.seconds
        self.seconds = seconds
        nanos = Int32(truncatingIfNeeded: (time.microseconds - seconds * 1_000_000) * 1_000)
    }
}
