import Foundation
import TestDoubles
import TestSupport
import Testing

@Suite("The demo", .timeLimit(.minutes(1)))
struct DemoTests {
    @Test("shows that everything arrives, and leaves neither a process nor a directory behind")
    func demo() async throws {
        try await withTemporaryDirectory { directory in
            let finished = try await PushgateProgram.run(["demo"], environment: ["TMPDIR": directory])
            #expect(finished.exitCode == 0, "\(finished.output) \(finished.errors)")
            #expect(finished.output.contains("Everything arrived."))
            let ids = try processIDs(in: finished.output)
            #expect(ids.count == 2)
            #expect(ids.allSatisfy { kill($0, 0) == -1 && errno == ESRCH })
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }

    @Test("that is interrupted cleans up just the same, and does not claim success")
    func interrupted() async throws {
        try await withTemporaryDirectory { directory in
            try await PushgateProgram.running(["demo"], environment: ["TMPDIR": directory]) { child in
                #expect(
                    await eventually { !((try? processIDs(in: child.outputText)) ?? []).isEmpty || !child.isRunning })
                child.send(signal: SIGINT)
                let finished = try await child.finish()
                // It may have been quick enough to finish first; then it says so, and has succeeded.
                #expect((finished.exitCode == 0) == finished.output.contains("Everything arrived."))
                #expect(try processIDs(in: finished.output).allSatisfy { kill($0, 0) == -1 })
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }
    }

    /// The demo tells them: `(process 1234)`.
    private func processIDs(in output: String) throws -> [pid_t] {
        output.matches(of: /\(process (\d+)\)/).compactMap { pid_t($0.1) }
    }
}
