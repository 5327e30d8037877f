#if os(Linux)
    import CachedReads
    import Foundation
    import GRDB
    import Testing

    @testable import DocumentStore

    @Suite("Reads that never wait for the disk", .enabled(if: FileCache.isKnown))
    struct CachedReadsTests {
        private let directory: TemporaryDirectory
        private let path: String

        init() throws {
            directory = try TemporaryDirectory()
            path = directory.file("data")
            try Data(repeating: 7, count: 8_192).write(to: URL(filePath: path))
        }

        private func dropped() -> [UInt8]? {
            FileCache.drop(path)
            return FileCache.read(path)
        }

        /// Returns whether something happens, in many tries: a disk may be quick enough to have read before it is asked.
        private static func happens(_ body: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<200 where try body() { return true }
            return false
        }

        @Test("take what is in memory, and fail for what is not")
        func memory() {
            #expect(FileCache.read(path) == [UInt8](repeating: 7, count: 4_096))
            #expect(Self.happens { dropped() == nil })
        }

        @Test("are asked for by one thread, and for a while")
        func otherReads() throws {
            let file = open(path, O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let fails = Self.happens {
                FileCache.drop(path)
                cached_reads_begin()
                defer { cached_reads_end() }
                return cached_pread(file, &bytes, bytes.count, 4_096) == -1 && errno == EAGAIN
            }
            #expect(fails)
            FileCache.drop(path)
            #expect(cached_pread(file, &bytes, bytes.count, 4_096) == bytes.count)
        }

        @Test("go on at the file's own position where no other is given")
        func position() {
            let file = open(path, O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            cached_reads_begin()
            defer { cached_reads_end() }
            #expect((1...2).allSatisfy { _ in cached_read(file, &bytes, bytes.count) == bytes.count })
            #expect(lseek(file, 0, SEEK_CUR) == 8_192)
        }

        @Test("leave a query to others that needs the disk, and answer it the next time")
        func query() async throws {
            let fixture = try SQLiteFixture()
            let engine = try fixture.open()
            let path = try DocumentPath("agents/1")
            _ = try await engine.store(for: .gateway).commit([.set(path, ["name": .string("one")])])
            let names = {
                let readers = try InPlaceReaders(engine.configuration)
                defer { readers.close() }
                return try readers.read { try String.fetchAll($0, sql: "SELECT document FROM documents") }
            }
            let isLeft = try Self.happens {
                for file in [fixture.path, fixture.path + "-wal"] { FileCache.drop(file) }
                return try names() == nil
            }
            #expect(isLeft)
            #expect(try await engine.store(for: .gateway).document(at: path) != nil)
            #expect(try names() == ["1"])
            await engine.close()
        }
    }
#endif
