import Foundation
import TestBasics
import Testing

@testable import Instance

@Suite("File lock", .timeLimit(.minutes(10)))
struct FileLockTests {
    @Test("A lock has one holder at a time, and leaves no file behind, even if the body throws")
    func exclusive() async throws {
        try await withTemporaryDirectory { path in
            let lock = FileLock("the.lock", in: Folder(path))
            let file = path + "/counter"
            try "0".write(toFile: file, atomically: false, encoding: .utf8)
            _ = try await concurrently(Array(0..<40), limit: 8) { number in
                try? lock.exclusively { () throws(GatewayError) in
                    let count = (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0) } ?? -1
                    usleep(500)
                    try? "\(count + 1)".write(toFile: file, atomically: false, encoding: .utf8)
                    if number.isMultiple(of: 3) { throw GatewayError("x") }
                }
            }
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "40")
            #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["counter"])
        }
    }

    @Test("A lock that another process holds fails after the time limit, and the error names the process")
    func bound() async throws {
        try await withTemporaryDirectory { path in
            let descriptor = open(path + "/the.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            #expect(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
            // 200 more locks make the system's lock table longer than a page; the newest come first.
            let others = (0..<200).map { open(path + "/\($0)", O_CREAT | O_RDWR | O_CLOEXEC, 0o600) }
            defer { for other in others { close(other) } }
            #expect(others.allSatisfy { flock($0, LOCK_EX) == 0 })
            let lock = FileLock("the.lock", in: Folder(path), atMost: .seconds(1))
            let start = ContinuousClock.now
            let error = #expect(throws: GatewayError.self) { try lock.exclusively { () throws(GatewayError) in } }
            #expect(ContinuousClock.now - start >= .seconds(1))
            #expect(error?.description.contains("has held \(path)/the.lock for 1 s") == true)
            #if os(Linux)
                #expect(error?.description.contains("process \(getpid()) ") == true, "\(error?.description ?? "")")
            #endif
            close(descriptor)
            try lock.exclusively { () throws(GatewayError) in }
        }
    }

    @Test("A lock in a directory that does not exist fails at once")
    func noFolder() {
        // A lock that waited would wait until the limit of the test.
        let lock = FileLock("the.lock", in: Folder("/nonexistent"), atMost: .patience)
        let start = ContinuousClock.now
        let error = #expect(throws: GatewayError.self) { try lock.exclusively { () throws(GatewayError) in } }
        #expect(error?.description == "cannot lock /nonexistent/the.lock: No such file or directory.")
        #expect(ContinuousClock.now - start < .patience)
    }
}
