import ArgumentParser
import HTTPTypes
import JSON

extension Sessions.Keys {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the keys, the oldest first: their ids, how they begin, and when they were last used.")

        @OptionGroup var options: MasterKeyOptions

        func run() async throws {
            let answer = try await options.ask(.get, "/admin/api-keys")
            if options.gateway.json { return print(answer.text) }
            let keys = answer["keys"]?.array ?? []
            print(keys.isEmpty ? "no keys" : keys.map(SessionKeyText.line).joined(separator: "\n"))
        }
    }
}

/// Keys for people.
enum SessionKeyText {
    /// `ID  claud_012345…  read, write  60 a minute  last used 2026-01-31T12:00:00Z  “laptop”`
    static func line(_ key: JSONValue) -> String {
        var parts = [key["id"]?.string ?? "?"]
        if let prefix = key["key_prefix"]?.string { parts.append(prefix + "…") }
        parts.append((key["scopes"]?.array ?? []).compactMap(\.string).joined(separator: ", "))
        if let limit = key["rate_limit"]?.integer { parts.append("\(limit) a minute") }
        if key["key_prefix"] != nil { parts.append(key["last_used"]?.string.map { "last used \($0)" } ?? "never used") }
        parts.append("“\(key["name"]?.string ?? "")”")
        return parts.joined(separator: "  ")
    }
}
