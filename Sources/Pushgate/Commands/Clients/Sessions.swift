import ArgumentParser
import Foundation
import HTTPTypes
import JSON

/// The verb `sessions`.
struct Sessions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Administer coding sessions.", subcommands: [Keys.self])

    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create, list and revoke the keys of machines and devices.",
            discussion: """
                These verbs need a running gateway, and take effect without a restart. The master key comes from \
                PUSHGATE_FUNCTIONS_SESSIONS_MASTER_KEY, otherwise from the gateway's configuration (--config).
                """,
            subcommands: [Create.self, List.self, Revoke.self])
    }
}

extension Sessions.Keys {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it. It cannot be shown again.",
            discussion: "Prints only the key to standard output, and its id and scopes to standard error.")

        @OptionGroup var options: MasterKeyOptions

        @Option(help: ArgumentHelp("The key's name in the list.", valueName: "NAME"))
        var name: String

        @Option(
            help: ArgumentHelp("The key's scope: read or write. Give the option twice for both.", valueName: "SCOPE"))
        var scope: [Scope]

        @Option(help: ArgumentHelp("The limit of requests a minute. Default: no limit.", valueName: "N"))
        var rateLimit: Int?

        enum Scope: String, CaseIterable, ExpressibleByArgument {
            case read, write
        }

        func validate() throws {
            guard !scope.isEmpty else { throw ValidationError("give a scope: --scope read, --scope write, or both.") }
            if let rateLimit, rateLimit < 1 { throw ValidationError("--rate-limit must be 1 or more.") }
        }

        func run() async throws {
            var body: JSONObject = [
                "name": .string(name), "scopes": .array(scope.map { .string($0.rawValue) }),
            ]
            body["rate_limit"] = rateLimit.map { .integer(Int64($0)) }
            let answer = try await options.ask(.post, "/admin/api-keys", body: .object(body), expecting: 201)
            if options.gateway.json { return print(answer.text) }
            FileHandle.standardError.write(Data("\(SessionKeyText.line(answer))\n".utf8))
            print(answer["key"]?.string ?? "")
        }
    }
}

extension Sessions.Keys {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys, oldest first: ids, first characters, scopes, limits and times of last use.")

        @OptionGroup var options: MasterKeyOptions

        func run() async throws {
            let answer = try await options.ask(.get, "/admin/api-keys")
            if options.gateway.json { return print(answer.text) }
            let keys = answer["keys"]?.array ?? []
            print(keys.isEmpty ? "no keys" : keys.map(SessionKeyText.line).joined(separator: "\n"))
        }
    }
}

/// Text lines for keys.
enum SessionKeyText {
    /// `ID  claud_012345…  read, write  60 a minute  last used 2026-01-31T12:00:00Z  “laptop”`
    static func line(_ key: JSONValue) -> String {
        var parts = [key["id"]?.shown ?? "?"]
        if let prefix = key["key_prefix"]?.shown { parts.append(prefix + "…") }
        parts.append((key["scopes"]?.array ?? []).compactMap(\.shown).joined(separator: ", "))
        if let limit = key["rate_limit"]?.integer { parts.append("\(limit) a minute") }
        if key["key_prefix"] != nil { parts.append(key["last_used"]?.shown.map { "last used \($0)" } ?? "never used") }
        parts.append("“\(key["name"]?.shown ?? "")”")
        return parts.joined(separator: "  ")
    }
}

extension Sessions.Keys {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key, with immediate effect.")

        @OptionGroup var options: MasterKeyOptions

        @Argument(help: ArgumentHelp("The key's id, as “pushgate sessions keys list” shows it.", valueName: "ID"))
        var id: String

        func validate() throws {
            guard !id.isEmpty, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }) else {
                throw ValidationError("“\(id)” is not the id of a key; “pushgate sessions keys list” shows the ids.")
            }
        }

        func run() async throws {
            let path = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id
            let answer = try await options.ask(.delete, "/admin/api-keys/\(path)")
            print(options.gateway.json ? answer.text : "revoked")
        }
    }
}
