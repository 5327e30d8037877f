import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `tokens`.
struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make, list and revoke the tokens of programs that publish to a topic, or read deliveries.",
        discussion: """
            These verbs need a running gateway with functions.publishing.enabled, and take effect without a restart. \
            With a token, a script needs one line:

              curl -d "done" -H "Authorization: Bearer $TOKEN" https://push.example.com/publish/TOPIC
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// The path of the tokens' endpoint.
    fileprivate static let path = "/v1/keys/publish"

    /// `ID  push_01234…  publish:builds  last used 2026-01-31T12:00:00Z  “laptop”`
    fileprivate static func line(_ token: JSONValue) -> String {
        let scopes = (token["scopes"]?.array ?? []).compactMap(\.shown).joined(separator: ", ")
        let used = token["last_used_at"]?.shown.map { "last used \($0)" } ?? "never used"
        return [
            token["id"]?.shown ?? "?", (token["prefix"]?.shown ?? "") + "…", scopes, used,
            "“\(token["name"]?.shown ?? "")”",
        ].joined(separator: "  ")
    }
}

extension Tokens {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a token and print it. It cannot be shown again.",
            discussion: "Prints only the token to standard output, and its id and scope to standard error.")

        @OptionGroup var gateway: GatewayOptions

        @Option(help: ArgumentHelp("The topic that the token publishes to.", valueName: "TOPIC"))
        var topic: String?

        @Flag(help: "Make a token that reads the deliveries of all messages instead.")
        var read = false

        @Option(help: ArgumentHelp("The token's name in the list. Default: the topic, or “reader”.", valueName: "NAME"))
        var name: String?

        func validate() throws {
            guard (topic == nil) == read else {
                throw ValidationError("give --topic TOPIC for a token that publishes, or --read for one that reads.")
            }
        }

        func run() async throws {
            let scope = topic.map { "publish:\($0)" } ?? "read"
            // A topic may be longer than a name.
            let name = name ?? String((topic ?? "reader").prefix(100))
            let answer = try await gateway.admin(
                .post, Tokens.path, body: ["name": .string(name), "scope": .string(scope)])
            if gateway.json { return print(answer.text) }
            FileHandle.standardError.write(Data("\(Tokens.line(answer))\n".utf8))
            print(answer["key"]?.string ?? "")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the tokens, oldest first: ids, first characters, scopes, times of last use and names.")

        @OptionGroup var gateway: GatewayOptions

        func run() async throws {
            let tokens = try await gateway.admin(.get, Tokens.path)["keys"]?.array ?? []
            if gateway.json {
                for token in tokens { print(token.text) }
            } else {
                print(tokens.isEmpty ? "no tokens" : tokens.map(Tokens.line).joined(separator: "\n"))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a token, with immediate effect.")

        @OptionGroup var gateway: GatewayOptions

        @Argument(help: ArgumentHelp("The token's id, as “pushgate tokens list” shows it.", valueName: "ID"))
        var id: String

        func validate() throws {
            guard !id.isEmpty, id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
                throw ValidationError("“\(id)” is not the id of a token; “pushgate tokens list” shows the ids.")
            }
        }

        func run() async throws {
            let answer = try await gateway.admin(.delete, "\(Tokens.path)/\(id)")
            print(gateway.json ? answer.text : "revoked")
        }
    }
}
