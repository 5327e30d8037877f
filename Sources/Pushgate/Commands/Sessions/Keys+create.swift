import ArgumentParser
import Foundation
import HTTPTypes
import JSON

extension Sessions.Keys {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, and print it: it is shown this once.",
            discussion: "The key alone goes to standard output, and its id and scopes to standard error.")

        @OptionGroup var options: MasterKeyOptions

        @Option(help: "A name to recognise the key by in the list.")
        var name: String

        @Option(help: "What it opens: read, write, or both with the option given twice.")
        var scope: [Scope]

        @Option(help: "The requests it may make a minute; without the option, any number.")
        var rateLimit: Int?

        enum Scope: String, CaseIterable, ExpressibleByArgument {
            case read, write
        }

        func validate() throws {
            guard !scope.isEmpty else { throw ValidationError("name a scope: --scope read, --scope write, or both.") }
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
