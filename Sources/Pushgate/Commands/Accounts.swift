import ArgumentParser
import Foundation
import Gateway
import JSON

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List and revoke the service accounts that clients of Firebase use.",
        discussion: "“pushgate init” makes them. These verbs read the data directory and need no running gateway.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the service accounts: the key's id, the address, the project, and when it was made.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON, for programs.")
        var json = false

        func run() async throws {
            let directory = try await options.existingDirectory()
            let accounts = try directory.serviceAccounts()
            let usable = accounts.compactMap { try? $0.get() }
            if json {
                print(JSONValue.array(usable.map(\.json)).text)
            } else if usable.isEmpty {
                print("no service accounts; “pushgate init” makes one")
            } else {
                for account in usable { print(account.line) }
            }
            for case .failure(let error) in accounts { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a service account.",
            discussion: """
                A running gateway gives it no more access tokens from then on. Those that it has are good until they \
                expire, within the hour.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(
            help: "The key's id, as “pushgate accounts list” prints it, or its beginning, eight characters or more.")
        var keyID: String

        private static let shortestPrefix = 8

        func run() async throws {
            let directory = try await options.existingDirectory()
            let matches = try directory.serviceAccountKeyIDs().filter { id in
                id.hasPrefix(keyID)
            }
            guard keyID.count >= Self.shortestPrefix else {
                throw CommandError(
                    "“\(keyID)” is too short: give the key's id, or at least its first eight characters.")
            }
            guard let match = matches.first, matches.count == 1 else {
                throw CommandError(
                    (matches.isEmpty
                        ? "no service account in \(directory.path) has a key “\(keyID)”"
                        : "\(matches.count) service accounts have a key that begins with “\(keyID)”")
                        + "; “pushgate accounts list” shows them.")
            }
            guard try directory.revokeServiceAccount(keyID: match) else {
                throw CommandError("the service account \(match) has just been revoked by somebody else.")
            }
            print(
                """
                revoked \(match): it gets no more access tokens, and those that it has expire within the hour
                (a gateway in emulator mode asks for no credentials). Its file in \(directory.path), if it is still
                there, is of no use any more; “pushgate init” makes another account.
                """)
        }
    }
}

extension ConfigurationOptions {
    /// The data directory that the configuration names.
    ///
    /// - Throws: if there is none: a verb that reads should not make one.
    func existingDirectory() async throws -> DataDirectory {
        let path = try await reader()().absoluteDataDirectory
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("there is no data directory \(path). Name the gateway's with --data-directory.")
        }
        return DataDirectory(existing: path)
    }
}

extension ClientAccount {
    fileprivate var line: String { "\(keyID)  \(email)  \(project)  \(createdAt.formatted(.iso8601))" }

    fileprivate var json: JSONValue {
        [
            "key_id": .string(keyID), "email": .string(email), "project": .string(project),
            "created_at": .string(createdAt.formatted(.iso8601)),
        ]
    }
}
