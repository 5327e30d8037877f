import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Gateway without memory", .timeLimit(.minutes(10)))
struct MemoryTests {
    private static let prlimit = "/usr/bin/prlimit"
    /// The memory that the gateway gets beyond that of its start, in bytes.
    private static let memory = 60 << 20
    private static let document = Array(
        #"{"fields":{"a":{"stringValue":"\#(String(repeating: "x", count: 900_000))"}}}"#.utf8)

    @Test(
        "A gateway that runs out of memory says so and ends, even if reports of crashes are on",
        .enabled(if: FileManager.default.isExecutableFile(atPath: prlimit), "needs Linux and prlimit"),
        .enabled(if: isAtFullSpeed, "the sanitizer's own memory counts, too"),
        arguments: ["enable=yes", "enable=no"])
    func ends(backtrace: String) async throws {
        try await ServingProcess.running(environment: ["SWIFT_BACKTRACE": backtrace]) { serving in
            let limit = try #require(Self.dataBytes(of: serving.child)) + Self.memory
            let limited = try await ChildProcess.running(
                Self.prlimit, ["--pid", "\(serving.child.id)", "--data=\(limit)"]
            ) { try await $0.finish() }
            try #require(limited.exitCode == 0, "\(limited.errors)")
            _ = try await concurrently(Array(0..<24), limit: 24) { number in
                for round in 0..<50 where serving.child.isRunning {
                    _ = try? await serving.caller.send(
                        .patch, "/v1/projects/demo/databases/(default)/documents/rooms/\(number)-\(round)",
                        headerFields: [.contentType: "application/json"], body: Self.document)
                }
            }
            let finished = try await serving.child.finish()
            #expect(finished.isSignalled && finished.exitCode != SIGKILL)
            let says = ["memory has run out", "failed to allocate"].contains { finished.errors.contains($0) }
            #expect(says, "\(finished.errors.suffix(2_000))")
        }
    }

    /// The memory that `RLIMIT_DATA` bounds.
    private static func dataBytes(of child: ChildProcess) -> Int? {
        let text = (try? String(contentsOfFile: "/proc/\(child.id)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmData:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
