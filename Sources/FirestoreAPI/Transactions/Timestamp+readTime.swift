import DocumentStore
import SwiftProtobuf

extension Timestamp {
    /// Reads the time of a state, which is one of a commit or between two.
    ///
    /// - Throws: `INVALID_ARGUMENT` if the time is finer than microseconds, or not in the years 0001 to 9999.
    init(exactly proto: Google_Protobuf_Timestamp) throws(FirestoreStatus) {
        do throws(StoreError) {
            try self.init(seconds: proto.seconds, exactNanoseconds: proto.nanos)
        } catch {
            throw FirestoreStatus(error)
        }
    }
}
