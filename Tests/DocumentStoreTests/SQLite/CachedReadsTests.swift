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

        @Test("take what is in memory, and fail for what is not")
        func memory() {
            #expect(FileCache.read(path) == [UInt8](repeating: 7, count: 4_096))
            FileCache.drop(path)
            #expect(FileCache.read(path) == nil)
        }

        @Test("are asked for by one thread, and for a while")
        func otherReads() throws {
            FileCache.drop(path)
            let file = open(path, O_RDONLY)
            defer { close(file) }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            cached_reads_begin()
            #expect(cached_pread(file, &bytes, bytes.count, 4_096) == -1 && errno == EAGAIN)
            cached_reads_end()
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
            let readers = try InPlaceReaders(engine.configuration)
            let names = { try readers.read { try String.fetchAll($0, sql: "SELECT document FROM documents") } }
            for file in [fixture.path, fixture.path + "-wal"] { FileCache.drop(file) }
            #expect(try names() == nil)
            #expect(try await engine.store(for: .gateway).document(at: path) != nil)
            #expect(try names() == ["1"])
            readers.close()
            await engine.close()
        }
    }
#endif
