import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Data directory that other users can open", .timeLimit(.minutes(10)))
struct HeldDirectoryTests {
    @Test("A lock that another user holds on the data directory delays neither init nor serve")
    func held() async throws {
        try await withTemporaryDirectory { directory in
            #expect(chmod(directory, 0o755) == 0)
            let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            let initialised = try await PushgateProgram.run(
                ["init", "--data-directory", directory])
            #expect(initialised.exitCode == 0, "\(initialised.errors)")
            try await ServingProcess.running(in: directory, ["fcm.tls.port": "0"]) { serving in
                let status = try await serving.caller.send(.get, "/healthz").status
                #expect(status == 200)
            }
        }
    }
}
