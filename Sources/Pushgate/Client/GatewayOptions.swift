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
                http://127.0.0.1:8080. A data directory is believed when it is this user's, or root's, and nobody else \
                may write to it.
                """))
    var server: String?

    @Option(help: "The data directory of the gateway to talk to; PUSHGATE_DATA_DIRECTORY when it is not given.")
    var dataDirectory: String?

    @Flag(help: "Print JSON, for programs.")
    var json = false

    private static let defaultDirectory = "./pushgate-data"

    /// `nil` if neither the option nor the environment names one.
    private var namedDirectory: String? {
        dataDirectory ?? ProcessInfo.variable("PUSHGATE_DATA_DIRECTORY")
    }

    /// The URL without a slash at its end. Secrets may be sent there.
    ///
    /// - Throws: when only another user's word says where the gateway is.
    func baseURL() throws -> String {
        if let server { return try Self.checked(server, from: "--server") }
        if let namedDirectory {
            return try address(of: namedDirectory) { directory throws(GatewayError) in try directory.believedAddress() }
        }
        let key = EnvironmentFile.baseURLKey
        if let url = ProcessInfo.variable(key) { return try Self.checked(url, from: key) }
        return try DataDirectory(existing: Self.defaultDirectory).believedAddress() ?? "http://127.0.0.1:8080"
    }

    /// As ``baseURL()``; where no option names a gateway, it is the one that the daemon's file names, whose secret is sent.
    func baseURL(for secret: SecretOptions) throws -> String {
        guard server == nil, dataDirectory == nil, let envFile = secret.envFile, let url = try secret.fileBaseURL()
        else {
            return try baseURL()
        }
        return try Self.checked(url, from: "\(EnvironmentFile.baseURLKey) in \(envFile)")
    }

    /// As ``baseURL()``, for a request without a secret: a directory that was named is believed, whoever may write to it,
    /// as others may to a container's volume.
    func baseURLWithoutSecrets() throws -> String {
        guard server == nil, let namedDirectory else { return try baseURL() }
        return try address(of: namedDirectory) { $0.notedAddress() }
    }

    /// A directory that was named means its own gateway and no other: its admin token is sent there.
    private func address(
        of directory: String, _ read: (DataDirectory) throws(GatewayError) -> String?
    ) throws -> String {
        if let address = try read(DataDirectory(existing: directory)) { return address }
        throw CommandError("no gateway runs on \(directory). Start one there, or name one with --server.")
    }

    private static func checked(_ text: String, from source: String) throws -> String {
        guard let url = GatewayURL(text) else {
            if let guess = guess(text) {
                throw CommandError("\(source) has no http:// or https:// before the host. Did you mean \(guess)?")
            }
            throw CommandError(
                "\(source) is no URL of a gateway: it takes http:// or https://, a host, and perhaps a port and a path, as "
                    + "in https://push.example.com.")
        }
        return url.text
    }

    /// - Returns: `nil` unless only the scheme is missing.
    private static func guess(_ text: String) -> String? {
        guard !text.contains("://"), let host = URL(string: "http://\(text)")?.host else { return nil }
        let isHere = ["localhost", "::1", "[::1]"].contains(host) || host.hasPrefix("127.")
        return GatewayURL("\(isHere ? "http" : "https")://\(text)")?.text
    }

    /// Asks an endpoint that wants the admin token; anything but 200 is an error.
    func admin(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil
    ) async throws -> JSONValue {
        let (client, token) = (GatewayClient(baseURL: try baseURL()), try adminToken())
        let answer = try await client.send(method, path, bearer: token.value.value, body: body)
        guard answer.status != 401 else {
            throw CommandError(
                "the gateway at \(client.baseURL) does not take the admin token of \(token.source): it is another "
                    + "gateway's. Name this one's data directory with --data-directory, and set PUSHGATE_ADMIN_TOKEN to its "
                    + "token or not at all.")
        }
        return try GatewayClient.success(answer)
    }

    /// The admin token and its source: the environment, else the data directory.
    private func adminToken() throws -> (value: RedactedString, source: String) {
        let variable = "PUSHGATE_ADMIN_TOKEN"
        if let token = ProcessInfo.variable(variable) {
            return (RedactedString(token), variable)
        }
        let name = namedDirectory ?? Self.defaultDirectory
        let directory = DataDirectory(existing: name)
        if let token = directory.existingAdminToken() {
            // A caller that names both decides where the token may go.
            if server == nil || namedDirectory == nil { try directory.checkOwnership() }
            return (token, "\(name)/admin-token")
        }
        throw CommandError(
            "no admin token: \(name)/admin-token cannot be read. "
                + "Name the gateway's data directory with --data-directory, or set PUSHGATE_ADMIN_TOKEN.")
    }
}
