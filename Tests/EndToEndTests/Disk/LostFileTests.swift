import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite(
    "Gateway whose files are removed or cut off", .timeLimit(.minutes(10)),
    .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
struct LostFileTests {
    /// Runs a gateway with a device, changes its files, and expects that it refuses writes and exits with an error.
    ///
    /// - Parameter isAsked: `false` to send it nothing after the change.
    private func expectEnd(
        in directory: String, isAsked: Bool, after change: (_ database: String) throws -> Void
    ) async throws -> String {
        try await ServingProcess.running(in: directory) { serving in
            let daemon = Daemon(serving.caller)
            try await daemon.register("phone", token: .randomToken())
            for number in 0..<30 { #expect(try await daemon.trigger(preview: "\(number)").status == 200) }
            try change(directory + "/pushgate.sqlite")
            if isAsked {
                // The gateway may have ended by itself, and then refuses the connection.
                let write = try? await daemon.register("tablet", token: .randomToken())
                #expect(write == nil || write?.status == 503)
                let ready = try? await serving.caller.send(.get, "/readyz")
                #expect(ready == nil || ready?.status == 503)
            }
            let finished = try await serving.child.finish()
            #expect(finished.exitCode != 0 && !finished.isSignalled)
            #expect(finished.errors.contains("while it was open; stop the server and restore a backup"))
            #expect(!finished.errors.contains("everything accepted is on disk"))
            return finished.errors
        }
    }

    @Test(
        "After its database was removed, a gateway refuses writes and exits, and the next one does not start without it",
        arguments: [true, false])
    func removed(isAsked: Bool) async throws {
        try await withDataDirectory { directory in
            let errors = try await expectEnd(in: directory, isAsked: isAsked) { path in
                for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
            }
            #expect(errors.contains("the database \(directory)/pushgate.sqlite was removed"))
            let options = ["--data-directory", directory]
            for _ in 0..<2 {
                let next = try await PushgateProgram.run(["serve", "--set", "http.port=0"] + options)
                #expect(next.exitCode != 0 && next.errors.contains("pushgate.sqlite is missing, although a gateway"))
                #expect(!FileManager.default.fileExists(atPath: directory + "/pushgate.sqlite"))
            }
            let doctor = try await PushgateProgram.run(["doctor", "--offline"] + options)
            #expect(
                doctor.exitCode == 1 && doctor.output.contains("FAILED    database: \(directory)/pushgate.sqlite is"))
            // The way back to a start that the message names.
            try FileManager.default.removeItem(atPath: directory + "/gateway-key")
            try await ServingProcess.running(in: directory) { serving in
                let ready = try await serving.caller.send(.get, "/readyz")
                #expect(ready.status == 200)
            }
        }
    }

    @Test(
        "After its log was cut off, a gateway refuses writes and exits, and the next start says that commits are lost")
    func cutOff() async throws {
        try await withDataDirectory { directory in
            let errors = try await expectEnd(in: directory, isAsked: true) { path in
                let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
                #expect(truncate(path + "-wal", off_t(size / 2)) == 0)
            }
            #expect(errors.contains("the log \(directory)/pushgate.sqlite-wal was cut off "))
            let doctor = try await PushgateProgram.run(["doctor", "--offline", "--data-directory", directory])
            #expect(doctor.exitCode == 1 && doctor.output.contains("ends before its last commits"))
            try await ServingProcess.running(in: directory) { serving in
                #expect(serving.child.errorText.contains("the log of the database ends before its last commits"))
                let ready = try await serving.caller.send(.get, "/readyz")
                #expect(ready.status == 200)
            }
            try await ServingProcess.running(in: directory) { serving in
                #expect(!serving.child.errorText.contains("ends before its last commits"))
            }
        }
    }
}
