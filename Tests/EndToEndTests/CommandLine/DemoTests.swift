import Foundation
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate demo", .timeLimit(.minutes(10)))
struct DemoTests {
    @Test("The demo reports that everything arrived, and leaves no process and no directory behind")
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

    @Test("An interrupted demo cleans up, and does not report success")
    func interrupted() async throws {
        try await withTemporaryDirectory { directory in
            try await PushgateProgram.running(["demo"], environment: ["TMPDIR": directory]) { child in
                #expect(
                    await eventually { !((try? processIDs(in: child.outputText)) ?? []).isEmpty || !child.isRunning })
                child.send(signal: SIGINT)
                let finished = try await child.finish()
                // The demo may finish before the signal; then it reports success.
                #expect((finished.exitCode == 0) == finished.output.contains("Everything arrived."))
                #expect(try processIDs(in: finished.output).allSatisfy { kill($0, 0) == -1 })
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            }
        }
    }

    /// Returns the process ids that the demo prints as `(process 1234)`.
    private func processIDs(in output: String) throws -> [pid_t] {
        output.matches(of: /\(process (\d+)\)/).compactMap { pid_t($0.1) }
    }
}
