import ArgumentParser
import Foundation
import HTTPTypes
import JSON

extension Sessions.Keys {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key: it opens nothing from then on.")

        @OptionGroup var options: MasterKeyOptions

        @Argument(help: "The key's id, as “pushgate sessions keys list” shows it.")
        var id: String

        func validate() throws {
            guard !id.isEmpty, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "/") }) else {
                throw ValidationError("“\(id)” is no key’s id; “pushgate sessions keys list” shows them.")
            }
        }

        func run() async throws {
            let path = id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? id
            let answer = try await options.ask(.delete, "/admin/api-keys/\(path)")
            print(options.gateway.json ? answer.text : "revoked")
        }
    }
}
