/// Writes the records of a log one after the other.
struct LogWriter: ~Copyable, Sendable {
    private var file: OutputFile
    /// The number of bytes so far.
    private(set) var size = 0

    /// Creates a file, which must not exist.
    init(_ path: String) throws(ExportError) { file = try OutputFile(path) }

    mutating func append(_ record: [UInt8]) throws(ExportError) {
        var rest = record[...]
        var isFirst = true
        repeat {
            if room < LogFormat.headerSize { try write([UInt8](repeating: 0, count: room)[...]) }
            let payload = rest.prefix(room - LogFormat.headerSize)
            rest = rest[payload.endIndex...]
            let type = LogFormat.FragmentType(isFirst: isFirst, isLast: rest.isEmpty)
            try write(Self.header(type, payload)[...])
            try write(payload)
            // A first fragment may be empty: a block can end with its header.
            isFirst = false
        } while !rest.isEmpty
    }

    /// Waits until all records are on the disk.
    mutating func finish() throws(ExportError) { try file.finish() }

    /// The number of bytes that the block can still take.
    private var room: Int { LogFormat.blockSize - size % LogFormat.blockSize }

    private mutating func write(_ bytes: ArraySlice<UInt8>) throws(ExportError) {
        try file.append(bytes)
        size += bytes.count
    }

    private static func header(_ type: LogFormat.FragmentType, _ payload: ArraySlice<UInt8>) -> [UInt8] {
        let sum = payload.withUnsafeBytes { CRC32C.masked(type.rawValue, $0) }
        let parts = [sum, sum >> 8, sum >> 16, sum >> 24, UInt32(payload.count), UInt32(payload.count) >> 8]
        return parts.map { UInt8(truncatingIfNeeded: $0) } + [type.rawValue]
    }
}
