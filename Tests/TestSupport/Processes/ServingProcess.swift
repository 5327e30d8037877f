import Gateway
package import HTTPTypes
import Instance
package import JSON
import Secrets
import TestDoubles

/// `pushgate serve` in its own process.
package struct ServingProcess: Sendable {
    package let child: ChildProcess
    /// A client of the process's plain listener.
    package let caller: Caller
    private let data: DataDirectory

    /// Runs the program on a free port for the body, without rate limits, and kills it afterwards if it still runs.
    ///
    /// - Parameters:
    ///   - directory: the data directory; `nil` for a temporary one.
    ///   - settings: settings by key, as in a configuration.
    ///   - environment: variables in addition to this process's.
    ///   - descriptors: arguments for a shell's `ulimit` before the start, as in `-n 256`; `nil` for no limit.
    package static func running<Output>(
        in directory: String? = nil, _ settings: [String: String] = [:], environment: [String: String] = [:],
        descriptors: String? = nil, _ body: (ServingProcess) async throws -> Output
    ) async throws -> Output {
        guard let directory else {
            return try await withDataDirectory { directory in
                try await running(
                    in: directory, settings, environment: environment, descriptors: descriptors, body)
            }
        }
        let store = try await TestStore.settings(for: directory)
        let all = TestSettings.base.merging(["data.directory": directory]) { $1 }.merging(store) { $1 }
            .merging(settings) { $1 }
        let arguments = all.sorted { $0.key < $1.key }.flatMap { ["--set", "\($0.key)=\($0.value)"] }
        return try await PushgateProgram.running(
            ["serve"] + arguments, environment: environment, descriptors: descriptors
        ) { child in
            try await Caller.calling(try await child.servedAddress(), logger: .silent) { caller in
                try await body(
                    ServingProcess(child: child, caller: caller, data: DataDirectory(existing: directory)))
            }
        }
    }

    /// The gateway's data directory.
    package var directory: String { data.path }

    /// Returns the address after a word in the banner.
    package func address(_ name: String) -> String? { child.address(name) }

    /// Sends a request with the admin token.
    package func ask(_ path: String, _ method: HTTPRequest.Method = .get, _ body: JSONValue? = nil) async throws
        -> Answer
    {
        let token = data.adminToken.existing()?.value ?? ""
        return try await caller.send(
            method, path, headerFields: [.authorization: "Bearer \(token)"], body: body?.serialized ?? [])
    }

    /// Returns the ids of the root collections in which functions have created documents.
    package func collections() async throws -> [String] {
        let answer = try await ask("/v1/projects/pushgate/databases/(default)/documents:listCollectionIds", .post)
        let ids = (answer.body["collectionIds"]?.array ?? []).compactMap(\.string)
        return ids.filter { !["outcomeHours", "schedules"].contains($0) }
    }

    /// Returns the notifications that emulated devices have received.
    package func inbox() async throws -> [JSONValue] {
        try await ask("/emulator/v1/inbox").body["notifications"]?.array ?? []
    }
}
