import ArgumentParser
import Foundation
import Gateway
import HTTPTypes
import IPAddresses
import Instance
import JSON
import PushgateClient
import Secrets

/// The options of a verb that talks to a running gateway.
struct GatewayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The gateway's URL with any path prefix. Default: CODEAGENTS_PUSH_GATEWAY_BASE_URL, else the gateway that is \
            found on this machine.
            """,
            valueName: "URL"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The data directory of a gateway on this machine. Default: PUSHGATE_DATA_DIRECTORY.",
            valueName: "DIRECTORY"))
    var dataDirectory: String?

    @Flag(help: "Print JSON, for programs.")
    var json = false

    /// The data directory of `serve` without a setting.
    static let directoryOfServe = "./pushgate-data"
    /// The data directory of the Debian package and of the systemd unit.
    static let directoryOfPackage = "/var/lib/pushgate"

    /// The directory that is used if none is named: that of `serve`, else that of the package, if this user may read
    /// it.
    static var defaultDirectory: String {
        access(directoryOfServe, F_OK) != 0 && access(directoryOfPackage, R_OK | X_OK) == 0
            ? directoryOfPackage : directoryOfServe
    }

    /// `nil` if neither the option nor the environment names one.
    private var namedDirectory: String? {
        dataDirectory ?? ProcessInfo.variable("PUSHGATE_DATA_DIRECTORY")
    }

    /// Returns the gateway's data directory: the one that is named, or that of the gateway on this machine.
    ///
    /// - Parameter isLocal: `true` to find a gateway on this machine even if a URL is named.
    func directory(isLocal: Bool = false) async throws -> DataDirectory {
        if let namedDirectory { return DataDirectory(existing: namedDirectory) }
        let usual = Self.defaultDirectory
        let isUsual = isLocal ? access(usual, F_OK) == 0 : namesURL
        guard !isUsual else { return DataDirectory(existing: usual) }
        return try await FoundGateway.find().directory
    }

    private var namesURL: Bool { server != nil || ProcessInfo.variable(EnvironmentFile.baseURLKey) != nil }

    /// Returns the gateway's URL, without a trailing slash. Secrets may be sent there.
    ///
    /// - Throws: An error if the only source of the URL is a directory that another user can write to, or if no
    ///   gateway is named and none is found.
    func baseURL() async throws -> String {
        if let server { return try Self.checked(server, from: "--server") }
        if let namedDirectory {
            return try address(of: namedDirectory, believedAddress)
        }
        let key = EnvironmentFile.baseURLKey
        if let url = ProcessInfo.variable(key) { return try Self.checked(url, from: key) }
        return try await FoundGateway.find().url
    }

    /// Returns the gateway's URL for a request with the secret. Without an option for the gateway it is the URL in the
    /// daemon's file, from which the secret comes.
    func baseURL(for secret: SecretOptions) async throws -> String {
        guard server == nil, dataDirectory == nil, let envFile = secret.envFile, let url = try secret.fileBaseURL()
        else {
            return try await baseURL()
        }
        return try Self.checked(url, from: "\(EnvironmentFile.baseURLKey) in \(envFile)")
    }

    /// Returns the gateway's URL for a request without a secret. A named directory is trusted even if other users can
    /// write to it, as with a container's volume.
    func baseURLWithoutSecrets() async throws -> String {
        guard server == nil, let namedDirectory else { return try await baseURL() }
        return try address(of: namedDirectory) { directory in directory.owner.run { directory.address.noted() } }
    }

    private func believedAddress(of directory: DataDirectory) throws -> String? {
        try directory.owner.run { try directory.address.believed() }
    }

    /// Returns the address of the gateway that uses a named directory. There is no fallback, because the directory's
    /// admin token is sent to this address.
    private func address(
        of directory: String, _ read: (DataDirectory) throws -> String?
    ) throws -> String {
        if let address = try read(DataDirectory(existing: directory)) { return address }
        throw CommandError("no gateway runs on \(directory). Start one there, or give its URL with --server.")
    }

    private static func checked(_ text: String, from source: String) throws -> String {
        guard let url = GatewayURL(text) else {
            if let guess = guess(text) {
                throw CommandError("\(source) has no http:// or https:// before the host. Did you mean \(guess)?")
            }
            throw CommandError(
                "\(source) is not the URL of a gateway: it takes http:// or https://, a host, and optionally a port "
                    + "and a path, for example https://push.example.com.")
        }
        return url.text
    }

    /// Returns the URL that was probably meant; `nil` unless only the scheme is missing.
    private static func guess(_ text: String) -> String? {
        guard !text.contains("://"), let host = URL(string: "http://\(text)")?.host else { return nil }
        let isHere = IPAddress.isLoopback(urlHost: host)
        return GatewayURL("\(isHere ? "http" : "https")://\(text)")?.text
    }

    /// Sends a request with the admin token and returns the body of the answer.
    ///
    /// - Throws: ``CommandError`` for any status but 200.
    func admin(
        _ method: HTTPRequest.Method, _ path: String, body: JSONValue? = nil
    ) async throws -> JSONValue {
        try await admin(method, path, bytes: body?.serialized).body
    }

    /// Sends a request whose body is JSON in UTF-8, with the admin token, and returns the answer.
    func admin(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]?, maximumResponseBytes: Int = 1 << 20,
        deadline: Duration = .seconds(90)
    ) async throws -> GatewayClient.Answer {
        let (client, token) = (GatewayClient(baseURL: try await baseURL()), try await adminToken())
        let answer = try await client.send(
            method, path, bearer: token.value.value, bytes: bytes, deadline: deadline,
            maximumResponseBytes: maximumResponseBytes)
        guard answer.status != 401 else {
            throw CommandError(
                "the gateway at \(client.baseURL) does not take the admin token of \(token.source), which belongs to "
                    + "another gateway. Give this gateway's data directory with --data-directory, and set "
                    + "PUSHGATE_ADMIN_TOKEN to its token, or unset it.")
        }
        try GatewayClient.check(answer)
        return answer
    }

    /// Returns the admin token and its source: the environment or the file that it names, otherwise the data directory.
    private func adminToken() async throws -> (value: RedactedString, source: String) {
        let variable = "PUSHGATE_ADMIN_TOKEN"
        if let token = try SecretVariable(variable, in: ProcessInfo.processInfo.environment) {
            return (token.value, token.source)
        }
        let directory = try await directory()
        let token = try directory.owner.run {
            let token = directory.adminToken.existing()
            // A user who gives both options decides where the token is sent.
            if token != nil, server == nil || namedDirectory == nil { try directory.owner.check() }
            return token
        }
        if let token { return (token, "\(directory.path)/admin-token") }
        throw CommandError(
            "no admin token: \(directory.path)/admin-token cannot be read. "
                + "Give the gateway's data directory with --data-directory, or set PUSHGATE_ADMIN_TOKEN."
                + (Self.needsRoot ? " \(Self.rootAdvice)" : ""))
    }

    /// `true` if there is a gateway's directory that this user may not read.
    static var needsRoot: Bool {
        access(directoryOfPackage, F_OK) == 0 && access(directoryOfPackage, R_OK | X_OK) != 0
    }

    static var rootAdvice: String { "The gateway of \(directoryOfPackage) is open to root: use sudo." }
}

extension ProcessInfo {
    /// Returns the value of an environment variable; `nil` if it is missing or empty.
    static func variable(_ name: String) -> String? {
        processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}
