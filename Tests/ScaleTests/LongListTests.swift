import Foundation
import TestSupport
import Testing

@Suite("A configuration with a long list", .timeLimit(.minutes(10)))
struct LongListTests {
    private static let count = 200_000
    /// `RUSAGE_CHILDREN`, whose type differs between systems.
    private static let children: Int32 = -1

    /// Returns the processor time of a check of a configuration with a list of names.
    private func seconds(names count: Int) async throws -> Double {
        try await withDataDirectory { directory in
            let file = directory + ".yaml"
            let names = (0..<count).map { "    - host-\($0).example.com\n" }.joined()
            try Data("http:\n  names:\n\(names)".utf8).write(to: URL(filePath: file))
            defer { try? FileManager.default.removeItem(atPath: file) }
            let before = Self.childrensTime()
            let finished = try await PushgateProgram.run(
                ["doctor", "--config", file, "--data-directory", directory])
            #expect(finished.output.contains("the settings are valid"), "\(finished.output)")
            return Self.childrensTime() - before
        }
    }

    /// Returns the processor time of all child processes that have ended, in seconds.
    private static func childrensTime() -> Double {
        var usage = rusage()
        getrusage(Self.children, &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.map { Double($0.tv_sec) + Double($0.tv_usec) / 1_000_000 }.reduce(0, +)
    }

    @Test("The time to read 200,000 names is in proportion to that for a fourth of them")
    func linear() async throws {
        // The start of the program is in both times. Linear work takes four times as long at most; work with the square
        // of the number takes sixteen times as long, and took 20 s.
        let few = try await seconds(names: Self.count / 4)
        let many = try await seconds(names: Self.count)
        #expect(many < 8 * few, "\(few) s and \(many) s")
    }
}
