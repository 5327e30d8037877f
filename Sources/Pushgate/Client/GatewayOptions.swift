import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import JSON
import PushgateClient

/// Which gateway a verb talks to, and how it prints.
struct GatewayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The gateway's URL, a path prefix included.",
            discussion: """
                Default: the one that runs on --data-directory, or on PUSHGATE_DATA_DIRECTORY; without either, \
                CODEAGENTS_PUSH_GATEWAY_BASE_URL, else the one that runs on ./pushgate-data, else \
                http://127.0.0.1:8080.
                """))
    var server: String?

    @Option(help: "The data directory of the gateway to talk to; PUSHGATE_DATA_DIRECTORY when it is not given.")
    var dataDirectory: String?

    @Flag(help: "Print JSON, for programs.")
    var json = false

    private static let defaultDirectory = "./pushgate-data"

    /// nil when neither the option nor the environment names one.
    private var namedDirectory: String? {
        dataDirectory
            ?? ProcessInfo.processInfo.environment["PUSHGATE_DATA_DIRECTORY"].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The URL without a slash at its end.
    func baseURL() throws -> String {
        let url = try server ?? namedDirectoryAddress() ?? usualAddress
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// A directory that was named means its own gateway and no other: its admin token is sent there.
    private func namedDirectoryAddress() throws -> String? {
        guard let namedDirectory else { return nil }
        if let address = DataDirectory(existing: namedDirectory).notedAddress() { return address }
        throw CommandError("no gateway runs on \(namedDirectory). Start one there, or name one with --server.")
    }

    private var usualAddress: String {
        ProcessInfo.processInfo.environment[EnvironmentFile.baseURLKey]
            ?? DataDirectory(existing: Self.defaultDirectory).notedAddress() ?? "http://127.0.0.1:8080"
    }

    /// Asks an endpoint that wants the admin token; anything but 200 is an error.
    func admin(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil
    ) async throws -> JSONValue {
        try await GatewayClient(baseURL: try baseURL())
            .succeed(method, path, bearer: try adminToken().value, body: body)
    }

    /// The admin token: from the environment, else from the data directory.
    private func adminToken() throws -> RedactedString {
        if let token = ProcessInfo.processInfo.environment["PUSHGATE_ADMIN_TOKEN"] { return RedactedString(token) }
        let directory = namedDirectory ?? Self.defaultDirectory
        if let token = DataDirectory(existing: directory).existingAdminToken() { return token }
        throw CommandError(
            "no admin token: \(directory)/admin-token cannot be read. "
                + "Name the gateway's data directory with --data-directory, or set PUSHGATE_ADMIN_TOKEN.")
    }
}
