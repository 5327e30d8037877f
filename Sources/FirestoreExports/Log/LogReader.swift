/// Reads the records of a log one after the other, a block at a time.
struct LogReader: ~Copyable, Sendable {
    private let file: InputFile
    /// The current block, shorter than others at the end of the file.
    private var block: [UInt8] = []
    private var blockStart = 0
    /// The place of the next fragment in the block.
    private var position = 0
    /// The place in the file of the record that was read last.
    private(set) var recordStart = 0

    var path: String { file.path }

    private struct Fragment {
        let type: LogFormat.FragmentType
        let start: Int
        let payload: Range<Int>
    }

    /// Opens a file.
    init(_ path: String) throws(ExportError) { file = try InputFile(path) }

    /// Returns the next record; `nil` at the end of the file.
    mutating func next() throws(ExportError) -> [UInt8]? {
        guard var fragment = try nextFragment() else { return nil }
        recordStart = fragment.start
        guard fragment.type.isFirst else { throw damaged(at: recordStart, "a record lacks its beginning") }
        var record = Array(block[fragment.payload])
        while !fragment.type.isLast {
            guard let next = try nextFragment(), !next.type.isFirst else {
                throw damaged(at: recordStart, "a record lacks its end")
            }
            guard record.count + next.payload.count <= LogFormat.recordLimit else {
                throw damaged(at: recordStart, "a record has more than \(LogFormat.recordLimit) bytes")
            }
            fragment = next
            record += block[fragment.payload]
        }
        return record
    }

    /// Returns the next fragment, with a valid checksum; `nil` at the end of the file.
    private mutating func nextFragment() throws(ExportError) -> Fragment? {
        guard try fillBlock() else { return nil }
        let start = blockStart + position
        let begin = position + LogFormat.headerSize
        guard begin <= block.count else { throw damaged(at: start, "the file ends in a record") }
        let end = begin + Int(littleEndian(2, at: position + 4))
        guard end <= block.count else {
            let isCut = block.count < LogFormat.blockSize
            throw damaged(at: start, isCut ? "the file ends in a record" : "a record exceeds its block")
        }
        let type = block[position + 6]
        let sum = block[begin..<end].withUnsafeBytes { CRC32C.masked(type, $0) }
        guard sum == littleEndian(4, at: position) else { throw damaged(at: start, "a record's checksum is wrong") }
        guard let type = LogFormat.FragmentType(rawValue: type) else {
            throw damaged(at: start, "a record has the unknown type \(type)")
        }
        position = end
        return Fragment(type: type, start: start, payload: begin..<end)
    }

    /// Reads the next block if this one has no place for another fragment. Returns `false` at the end of the file.
    private mutating func fillBlock() throws(ExportError) -> Bool {
        if block.count - position >= LogFormat.headerSize { return true }
        // The last block of a file ends after its last fragment.
        if block.count < LogFormat.blockSize, position < block.count { return true }
        blockStart += block.count
        position = 0
        try file.read(upTo: LogFormat.blockSize, into: &block)
        return !block.isEmpty
    }

    /// Returns the number of that many bytes in the block.
    private func littleEndian(_ count: Int, at index: Int) -> UInt32 {
        block[index..<index + count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    private func damaged(at offset: Int, _ problem: String) -> ExportError {
        .damaged(path, at: offset, problem)
    }
}
