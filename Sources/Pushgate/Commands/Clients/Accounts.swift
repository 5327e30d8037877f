import ArgumentParser
import FCMInterface
import Foundation
import Gateway
import Instance
import JSON
import Secrets

/// The verb `accounts`.
struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List and revoke the service accounts of Firebase clients.",
        discussion: "“pushgate init” creates them. These verbs use the data directory and need no running gateway.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the service accounts: key id, address, project, time of creation, and interfaces.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let accounts = try ServiceAccountFiles(in: await options.existingDirectory()).all()
            let usable = accounts.compactMap { try? $0.get() }
            if json {
                print(JSONValue.array(usable.map(\.json)).text)
            } else if usable.isEmpty {
                print("no service accounts; “pushgate init” creates one")
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
                A running gateway issues no more access tokens to it. Existing ones stay valid until they expire, \
                within the hour.
                """)

        @OptionGroup var options: ConfigurationOptions

        @Argument(
            help: ArgumentHelp(
                "The key id that “pushgate accounts list” prints, or its first eight or more characters.",
                valueName: "KEY-ID"))
        var keyID: String

        @Flag(help: "Print JSON, for programs.")
        var json = false

        private static let shortestPrefix = 8

        func run() async throws {
            let directory = try await options.existingDirectory()
            let accounts = ServiceAccountFiles(in: directory)
            let matches = try accounts.keyIDs().filter { id in id.hasPrefix(keyID) }
            guard keyID.count >= Self.shortestPrefix else {
                throw CommandError(
                    "“\(keyID)” is too short: give the key id, or at least its first eight characters.")
            }
            guard let match = matches.first, matches.count == 1 else {
                throw CommandError(
                    (matches.isEmpty
                        ? "no service account in \(directory.path) has the key “\(keyID)”"
                        : "\(matches.count) service accounts have a key that begins with “\(keyID)”")
                        + "; “pushgate accounts list” shows them.")
            }
            guard try accounts.revoke(keyID: match) else {
                throw CommandError("another process has just revoked the service account \(match).")
            }
            guard !json else { return print(JSONValue.object(["revoked": .string(match)]).text) }
            print(
                """
                revoked \(match): it gets no more access tokens, and its existing ones expire within the hour
                (a gateway in emulator mode requires no credentials). Its file in \(directory.path) is no longer
                valid and can be deleted; “pushgate init” creates another account.
                """)
        }
    }
}

extension ConfigurationOptions {
    /// Returns the configured data directory.
    ///
    /// - Throws: ``CommandError`` if it does not exist, because a verb that reads should not create one.
    func existingDirectory() async throws -> DataDirectory {
        let path = try await reader()().data.absoluteDirectory
        guard FileManager.default.fileExists(atPath: path) else {
            throw CommandError("there is no data directory \(path). Give the gateway's with --data-directory.")
        }
        return DataDirectory(existing: path)
    }
}

extension ClientAccount {
    fileprivate var line: String {
        let columns = [keyID, email, project, createdAt.formatted(.iso8601), scopes.names.joined(separator: ",")]
        return columns.joined(separator: "  ")
    }

    fileprivate var json: JSONValue {
        [
            "key_id": .string(keyID), "email": .string(email), "project": .string(project),
            "created_at": .string(createdAt.formatted(.iso8601)),
            "scopes": .array(scopes.names.map(JSONValue.string)),
        ]
    }
}

/// The verb `access-token`.
struct AccessTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access-token",
        abstract: "Print an access token for the interfaces of FCM and Firestore, for curl.",
        discussion: """
            It is valid for an hour, for the gateway's project (fcm.projectId). It is created with the key in the data \
            directory, so a user who can read the directory needs no service account:

              curl http://127.0.0.1:8080/v1/projects/pushgate/messages:send \\
                -H "Authorization: Bearer $(pushgate access-token)" \\
                -H "Content-Type: application/json" \\
                -d '{"message":{"topic":"news"}}'
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let configuration = try await options.reader()()
        let directory = try await options.existingDirectory()
        let token = try AccessTokens.operatorToken(forProject: configuration.fcm.projectID, in: directory).value
        print(json ? JSONValue.object(["access_token": .string(token)]).text : token)
    }
}
