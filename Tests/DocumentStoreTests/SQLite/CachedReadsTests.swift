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

        /// Returns `true` if the body returns `true` in one of many attempts. A fast disk can finish a read before
        /// the next request.
        private static func happens(_ body: () throws -> Bool) rethrows -> Bool {
            for _ in 0..<200 where try body() { return true }
            return false
        }

        @Test("A cached read returns bytes in memory and fails for others")
        func memory() {
            #expect(FileCache.read(path) == [UInt8](repeating: 7, count: 4_096))
            #expect(Self.happens { dropped() == nil })
        }

        @Test("Cached reads apply only to the thread that requests them, until it ends them")
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

        @Test("A cached read without an offset continues at the file's position")
        func position() {
            let file = open(path, O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            cached_reads_begin()
            defer { cached_reads_end() }
            #expect((1...2).allSatisfy { _ in cached_read(file, &bytes, bytes.count) == bytes.count })
            #expect(lseek(file, 0, SEEK_CUR) == 8_192)
        }

        @Test("A query that needs the disk is left to other readers and answered in place the next time")
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
