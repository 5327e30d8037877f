/// The layout of LevelDB's log, which contains an export's records
/// ([log_format.md](https://github.com/google/leveldb/blob/main/doc/log_format.md)).
///
/// A file is a sequence of blocks. A block contains fragments, each with a header: the checksum (4 bytes), the length
/// (2) and the type (1), all in little-endian order. Zeros fill the end of a block that is too short for a header.
enum LogFormat {
    static let blockSize = 32_768
    static let headerSize = 7

    /// The greatest size of a record. A document of Firestore has at most 1 MiB, but its entity repeats the name of a
    /// field for each element of an array.
    static let recordLimit = 256 * 1_024 * 1_024

    /// The part of a record that a fragment is.
    enum FragmentType: UInt8 {
        case full = 1
        case first
        case middle
        case last

        init(isFirst: Bool, isLast: Bool) {
            self =
                switch (isFirst, isLast) {
                case (true, true): .full
                case (true, false): .first
                case (false, false): .middle
                case (false, true): .last
                }
        }

        var isFirst: Bool { self == .full || self == .first }
        var isLast: Bool { self == .full || self == .last }
    }
}
