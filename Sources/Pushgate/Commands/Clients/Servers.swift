import ArgumentParser
import Cryptography
import HTTPTypes
import JSON
import Texts

/// The verb `servers`.
struct Servers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the servers of coding agents, and decide which may use the gateway.",
        discussion: """
            With functions.codeagents.servers=open, the default, every server may use the gateway but those that are \
            denied; with “listed”, only those that are allowed.
            """,
        subcommands: [List.self, Allow.self, Deny.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the servers: key, access, last use and name.")

        @OptionGroup var gateway: GatewayOptions

        func run() async throws {
            var after: String?
            repeat {
                let next = after.map { "&after=\($0)" } ?? ""
                let answer = try await gateway.admin(.get, "/v1/servers?limit=1000\(next)")
                let servers = answer["servers"]?.array ?? []
                if after == nil, !gateway.json { Self.printHeading(answer, isEmpty: servers.isEmpty) }
                for server in servers { print(gateway.json ? server.text : Self.line(server)) }
                after = answer["next"]?.string
            } while after != nil
        }

        private static func printHeading(_ answer: JSONValue, isEmpty: Bool) {
            let rule =
                answer["admitted"]?.string == "listed"
                ? "only allowed servers may use the gateway" : "all servers but denied ones may use the gateway"
            print(isEmpty ? "\(rule); there are none yet" : rule)
        }

        private static func line(_ server: JSONValue) -> String {
            let seen = server["last_seen_at"]?.shown ?? "never seen"
            let name = server["name"]?.shown.map { "  “\($0)”" } ?? ""
            return "\(server["key"]?.shown ?? "?")  \(server["access"]?.shown ?? "-")  \(seen)\(name)"
        }
    }

    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a server use the gateway.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var server: ServerArgument

        @Option(help: ArgumentHelp("A name for the server, for the list.", valueName: "NAME"))
        var name: String?

        func run() async throws {
            let (key, answer) = try await server.set("allowed", name: name, gateway)
            print(gateway.json ? answer.text : "allowed \(key)")
        }
    }

    struct Deny: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keep a server from using the gateway, and remove its devices' subscriptions.",
            discussion: "“allow” lets it in again; its devices then have to register again.")

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var server: ServerArgument

        @Option(help: ArgumentHelp("A name for the server, for the list.", valueName: "NAME"))
        var name: String?

        func run() async throws {
            let (key, answer) = try await server.set("denied", name: name, gateway)
            guard !gateway.json else { return print(answer.text) }
            print("denied \(key); subscriptions removed: \(answer["removed"]?.integer ?? 0)")
        }
    }
}

/// The server that a verb is about.
struct ServerArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The server's key, as “servers list” and “enable” print it.",
            discussion: "Default: the key of the secret in --env-file or CODEAGENTS_PUSH_SECRET.", valueName: "KEY"))
    var key: String?

    @OptionGroup var secret: SecretOptions

    /// Records a decision about the server, and returns its key and the gateway's answer.
    func set(_ access: String, name: String?, _ gateway: GatewayOptions) async throws -> (key: String, JSONValue) {
        let key = try key ?? SHA256.hexadecimal(of: try secret.secret())
        guard key.utf8.count == 64, key.utf8.allSatisfy(\.isASCIILowercaseHexDigit) else {
            throw ValidationError(
                "a server's key has 64 hexadecimal digits in lower case; “pushgate enable” prints it.")
        }
        var body: JSONObject = ["access": .string(access)]
        body["name"] = name.map(JSONValue.string)
        return (key, try await gateway.admin(.put, "/v1/servers/\(key)", body: .object(body)))
    }
}
