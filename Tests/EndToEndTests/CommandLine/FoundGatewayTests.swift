import Foundation
import TestBasics
import TestDoubles
import TestSupport
import Testing

@Suite("Gateways that verbs find", .timeLimit(.minutes(10)))
struct FoundGatewayTests {
    private static let secret = String.randomSecret()

    /// Runs `inbox` in another folder than the gateway's, as the user with a folder of records.
    private func inbox(_ state: String, in folder: String) async throws -> FinishedProcess {
        try await PushgateProgram.running(
            inFolder: folder, ["inbox"],
            environment: ["XDG_STATE_HOME": state, "CODEAGENTS_PUSH_SECRET": Self.secret]
        ) { child in
            try await child.finish()
        }
    }

    @Test("A verb in any folder finds the gateway that this user has started, and says which; afterwards there is none")
    func found() async throws {
        try await withTemporaryDirectory { folder in
            let state = folder + "/state"
            try await ServingProcess.running(environment: ["XDG_STATE_HOME": state]) { serving in
                let finished = try await inbox(state, in: folder)
                #expect(finished.exitCode == 0 && finished.output == "the inbox is empty\n", "\(finished.errors)")
                #expect(
                    finished.errors == "using the gateway at \(serving.caller.url), of \(serving.directory)\n")
                serving.child.send(signal: SIGTERM)
                _ = try await serving.child.finish()
                let gone = try await inbox(state, in: folder)
                #expect(gone.exitCode == 1 && gone.errors.contains("no gateway was found"), "\(gone.errors)")
            }
        }
    }

    @Test("A verb that finds several gateways names them and uses none")
    func several() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_STATE_HOME": folder + "/state"]
            try await ServingProcess.running(environment: environment) { one in
                try await ServingProcess.running(environment: environment) { other in
                    let finished = try await inbox(folder + "/state", in: folder)
                    #expect(finished.exitCode == 1 && finished.output == "")
                    for serving in [one, other] {
                        #expect(finished.errors.contains("\(serving.caller.url) of \(serving.directory)"))
                    }
                    #expect(finished.errors.contains("--data-directory"), "\(finished.errors)")
                }
            }
        }
    }

    @Test("A program that listens at the address of a gateway that was killed is not used, because it has no proof")
    func proof() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_STATE_HOME": folder + "/state"]
            try await ServingProcess.running(environment: environment) { killed in
                try await ServingProcess.running { other in
                    killed.child.send(signal: SIGKILL)
                    _ = try await killed.child.finish()
                    try "\(other.caller.url)\n".write(
                        toFile: killed.directory + "/address", atomically: false, encoding: .utf8)
                    let finished = try await inbox(folder + "/state", in: folder)
                    #expect(finished.exitCode == 1 && finished.output == "")
                    #expect(finished.errors.contains("no gateway was found"), "\(finished.errors)")
                    // The same in the folder of the killed gateway.
                    try FileManager.default.createSymbolicLink(
                        atPath: folder + "/pushgate-data", withDestinationPath: killed.directory)
                    let here = try await inbox(folder + "/state", in: folder)
                    #expect(here.exitCode == 1 && here.errors.contains("is not the gateway of ./pushgate-data"))
                }
            }
        }
    }

    @Test("The proof of another gateway with the same key, as over one database, does not do for one that was killed")
    func sharedKey() async throws {
        try await withTemporaryDirectory { folder in
            let environment = ["XDG_STATE_HOME": folder + "/state"]
            try await ServingProcess.running(environment: environment) { killed in
                try await ServingProcess.running { other in
                    killed.child.send(signal: SIGKILL)
                    _ = try await killed.child.finish()
                    try "\(other.caller.url)\n".write(
                        toFile: killed.directory + "/address", atomically: false, encoding: .utf8)
                    let key = try String(contentsOfFile: other.directory + "/gateway-key", encoding: .utf8)
                    try key.write(toFile: killed.directory + "/gateway-key", atomically: false, encoding: .utf8)
                    let finished = try await inbox(folder + "/state", in: folder)
                    #expect(finished.exitCode == 1 && finished.output == "")
                    #expect(finished.errors.contains("no gateway was found"), "\(finished.errors)")
                }
            }
        }
    }
}
