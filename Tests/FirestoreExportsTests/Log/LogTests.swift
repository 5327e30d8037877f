import Foundation
import TestBasics
import Testing

@testable import FirestoreExports

@Suite("LevelDB's log")
struct LogTests {
    @Test("Records of every length around the end of a block are read as they were written")
    func lengths() async throws {
        try await withTemporaryDirectory { folder in
            for missing in 0...40 {
                let first = LogFormat.blockSize - LogFormat.headerSize - missing
                let records = [first, 1, 0, 10, 2 * LogFormat.blockSize + missing, 5].map { length in
                    [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: max(length, 0))
                }
                let path = "\(folder)/\(missing)"
                try write(records, to: path)
                #expect(try read(path) == records)
            }
        }
    }

    @Test("A record that ends at a block's last byte but six is followed by six zeros")
    func padding() async throws {
        try await withTemporaryDirectory { folder in
            let length = LogFormat.blockSize - LogFormat.headerSize - 6
            try write([[UInt8](repeating: 1, count: length), [2]], to: "\(folder)/log")
            let bytes = try InputFile("\(folder)/log").contents()
            #expect(bytes[(LogFormat.blockSize - 6)..<LogFormat.blockSize] == [0, 0, 0, 0, 0, 0])
            #expect(bytes[LogFormat.blockSize + 6] == LogFormat.FragmentType.full.rawValue)
            #expect(bytes.count == LogFormat.blockSize + LogFormat.headerSize + 1)
        }
    }

    @Test("A block with room for a header only gets the empty first fragment of the next record")
    func emptyFragment() async throws {
        try await withTemporaryDirectory { folder in
            let length = LogFormat.blockSize - 2 * LogFormat.headerSize
            try write([[UInt8](repeating: 1, count: length), [2]], to: "\(folder)/log")
            let bytes = try InputFile("\(folder)/log").contents()
            #expect(bytes[LogFormat.blockSize - 1] == LogFormat.FragmentType.first.rawValue)
            #expect(bytes[(LogFormat.blockSize - 3)..<(LogFormat.blockSize - 1)] == [0, 0])
            #expect(bytes[LogFormat.blockSize + 6] == LogFormat.FragmentType.last.rawValue)
            #expect(try read("\(folder)/log").last == [2])
        }
    }

    @Test("A record of the emulator has the same bytes if it is written again")
    func emulatorBytes() async throws {
        try await withTemporaryDirectory { folder in
            for name in ["emulator.overall_export_metadata", "all_namespaces/all_kinds/output-0"] {
                let path = fixture("emulator/\(name)")
                let copy = "\(folder)/\(UUID().uuidString)"
                try write(try read(path), to: copy)
                #expect(try InputFile(copy).contents() == InputFile(path).contents())
            }
        }
    }

    @Test(
        "A record that is not as it was written is an error with its place",
        arguments: [
            (3, "checksum"), (4, "ends in a record"), (5, "exceeds its block|ends in a record"), (6, "checksum"),
            (10, "checksum"),
        ])
    func changedByte(index: Int, problem: String) async throws {
        try await withTemporaryDirectory { folder in
            try write([[1, 2, 3], [4, 5, 6, 7]], to: "\(folder)/log")
            var bytes = try InputFile("\(folder)/log").contents()
            bytes[10 + index] ^= 0xFF
            try Data(bytes).write(to: URL(filePath: "\(folder)/log"))
            let error = try #require(throws: ExportError.self) { try read("\(folder)/log") }
            #expect(error.kind == .damaged)
            #expect(error.offset == 10)
            #expect(problem.split(separator: "|").contains { error.message.contains($0) }, "\(error)")
        }
    }

    @Test("Fragments without their beginning or end are an error")
    func orphans() async throws {
        try await withTemporaryDirectory { folder in
            let path = "\(folder)/log"
            try write([[UInt8](repeating: 7, count: 70_000)], to: path)
            let bytes = try InputFile(path).contents()
            try write([[1]], to: "\(folder)/full")
            let full = try InputFile("\(folder)/full").contents()
            for (cut, problem) in [
                (Array(bytes[LogFormat.blockSize...]), "lacks its beginning"),
                (Array(bytes[..<LogFormat.blockSize]), "lacks its end"),
                (Array(bytes[..<LogFormat.blockSize] + bytes[..<LogFormat.blockSize]), "lacks its end"),
                (Array(bytes[..<LogFormat.blockSize]) + full, "lacks its end"),
            ] {
                try Data(cut).write(to: URL(filePath: path))
                let error = try #require(throws: ExportError.self) { try read(path) }
                #expect(error.kind == .damaged)
                #expect(error.description.hasPrefix("\(path), byte 0: a record \(problem)."))
            }
        }
    }

    @Test("A file that ends in a header is an error with the header's place", arguments: 1...6)
    func cutHeader(count: Int) async throws {
        try await withTemporaryDirectory { folder in
            try write([[1, 2, 3]], to: "\(folder)/log")
            let bytes = try InputFile("\(folder)/log").contents() + [UInt8](repeating: 0, count: count)
            try Data(bytes).write(to: URL(filePath: "\(folder)/log"))
            let error = try #require(throws: ExportError.self) { try read("\(folder)/log") }
            #expect(error.kind == .damaged)
            #expect(error.offset == 10)
        }
    }

    private func write(_ records: [[UInt8]], to path: String) throws {
        var log = try LogWriter(path)
        for record in records { try log.append(record) }
        try log.finish()
    }

    private func read(_ path: String) throws -> [[UInt8]] {
        var log = try LogReader(path)
        var records: [[UInt8]] = []
        while let record = try log.next() { records.append(record) }
        return records
    }
}
