import Foundation
import TestDoubles
import TestSupport
import Testing

/// The gateway's start waits for a lock that the test holds, after it has read its configuration.
@Suite("SIGHUP during the start", .timeLimit(.minutes(10)))
struct HangUpTests {
    private func starting(_ body: (ChildProcess, _ release: () -> Void) async throws -> Void) async throws {
        try await withTemporaryDirectory { folder in
            let (data, configuration) = (folder + "/data", folder + "/pushgate.yaml")
            try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
            try "log: {level: info}\n".write(toFile: configuration, atomically: true, encoding: .utf8)
            let lock = open(data + "/setup.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
            #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
            let arguments = [
                "serve", "--config", configuration, "--port", "0", "--set", "fcm.tls.port=0", "--data-directory", data,
            ]
            try await PushgateProgram.running(arguments) { child in
                #expect(await eventually { FileManager.default.fileExists(atPath: data + "/lock") })
                // A file that cannot be read makes a reload visible in the log.
                try "log: [\n".write(toFile: configuration, atomically: true, encoding: .utf8)
                try await body(child) {
                    unlink(data + "/setup.lock")
                    close(lock)
                }
            }
        }
    }

    private func expectReload(_ child: ChildProcess) async {
        _ = await eventually {
            child.outputText.contains("  transport ") && child.errorText.contains("failed to reload the configuration")
                || !child.isRunning
        }
        #expect(child.isRunning && child.outputText.contains("  transport "), "\(child.errorText)")
        #expect(child.errorText.contains("failed to reload the configuration"), "\(child.errorText)")
    }

    @Test("A SIGHUP during the start does not end the gateway, and reloads the configuration afterwards")
    func remembered() async throws {
        try await starting { child, release in
            child.send(signal: SIGHUP)
            release()
            await expectReload(child)
        }
    }

    @Test(
        "A SIGHUP at any moment of the start does not end the gateway, and is not lost",
        arguments: [0, 1, 3, 10, 30, 100])
    func anyMoment(milliseconds: Int) async throws {
        try await starting { child, release in
            release()
            try await Task.sleep(for: .milliseconds(milliseconds))
            child.send(signal: SIGHUP)
            await expectReload(child)
        }
    }
}
