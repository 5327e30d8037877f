import Gateway
public import HTTPTypes
public import JSON
import TestDoubles

/// `pushgate serve` in a process of its own.
public struct ServingProcess: Sendable {
    public let child: ChildProcess
    public let caller: Caller
    private let data: DataDirectory

    /// Runs it on a free port for the body, with the rate limits lifted; kills it afterwards if it still runs.
    ///
    /// - Parameters:
    ///   - directory: of its data; one that is removed with it when nil.
    ///   - settings: by key, as in a configuration.
    ///   - environment: variables that it has besides this process's.
    ///   - descriptors: what a shell's `ulimit` is told before, as in `-n 256`; nothing when `nil`.
    public static func running<Output>(
        in directory: String? = nil, _ settings: [String: String] = [:], environment: [String: String] = [:],
        descriptors: String? = nil, _ body: (ServingProcess) async throws -> Output
    ) async throws -> Output {
        guard let directory else {
            return try await withDataDirectory { directory in
                try await running(
                    in: directory, settings, environment: environment, descriptors: descriptors, body)
            }
        }
        let all = TestSettings.base.merging(["data.directory": directory]) { $1 }.merging(settings) { $1 }
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

    /// Its data directory.
    public var directory: String { data.path }

    /// The address that its banner has behind a word.
    public func address(_ name: String) -> String? { child.address(name) }

    /// Asks an endpoint that wants the admin token.
    public func ask(_ path: String, _ method: HTTPRequest.Method = .get) async throws -> Answer {
        let token = data.existingAdminToken()?.value ?? ""
        return try await caller.send(method, path, headerFields: [.authorization: "Bearer \(token)"])
    }

    /// The ids of the collections at the root that functions have made something in.
    public func collections() async throws -> [String] {
        let answer = try await ask("/v1/projects/pushgate/databases/(default)/documents:listCollectionIds", .post)
        return (answer.body["collectionIds"]?.array ?? []).compactMap(\.string).filter { $0 != "schedules" }
    }

    /// What emulated devices have received.
    public func inbox() async throws -> [JSONValue] {
        try await ask("/emulator/v1/inbox").body["notifications"]?.array ?? []
    }
}
