import ArgumentParser
import HTTPTypes
import JSON

/// The verb `channels`.
struct Channels: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List and delete the broadcast channels of Live Activities.",
        discussion: """
            Apple allows 10,000 channels for an app in an environment. The gateway makes one for each card, and deletes \
            it after the card's end. These verbs need a running gateway.
            """,
        subcommands: [List.self, Delete.self])

    /// The path of the endpoint.
    fileprivate static let path = "/v1/channels"
}

/// The app of channels.
struct ChannelApp: ParsableArguments {
    @Option(help: ArgumentHelp("The app's bundle id. Default: that of apns.bundleId.", valueName: "ID"))
    var bundleID: String?

    @Option(
        help: ArgumentHelp("The environment, sandbox or production. Default: the app's.", valueName: "ENVIRONMENT"))
    var environment: String?

    func validate() throws {
        if let bundleID {
            guard !bundleID.isEmpty,
                bundleID.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") })
            else {
                throw ValidationError("“\(bundleID)” is not a bundle id, such as com.example.app.")
            }
        }
        if let environment, !["sandbox", "production"].contains(environment) {
            throw ValidationError("“\(environment)” is not an environment; there are sandbox and production.")
        }
    }

    /// The members of a request's body.
    fileprivate var members: JSONObject {
        var members = JSONObject()
        members["bundle_id"] = bundleID.map(JSONValue.string)
        members["environment"] = environment.map(JSONValue.string)
        return members
    }

    /// The query of a request.
    fileprivate var query: String {
        let parts = [bundleID.map { "bundle_id=\($0)" }, environment.map { "environment=\($0)" }].compactMap(\.self)
        return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
    }
}

extension Channels {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the channels with their cards, and the number of each app.",
            discussion: """
                With --unknown, the gateway asks Apple, and lists the channels of one app that no card has: those of \
                other programs, those that were left over when the database was restored, and for a moment one that is \
                being created.
                """)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var app: ChannelApp

        @Flag(help: "List the channels at Apple that no card has.")
        var unknown = false

        func validate() throws {
            guard unknown || app.bundleID == nil && app.environment == nil else {
                throw ValidationError("--bundle-id and --environment are for --unknown; without it, all are listed.")
            }
        }

        func run() async throws {
            if unknown { return try await listUnknown() }
            var (place, apps): (String?, [JSONValue]) = (nil, [])
            var maximum: Int64 = 0
            repeat {
                let answer = try await gateway.admin(.get, Channels.path + (place.map { "?after=\($0)" } ?? ""))
                apps = answer["apps"]?.array ?? []
                maximum = answer["maximum"]?.integer ?? 0
                for channel in answer["channels"]?.array ?? [] {
                    print(gateway.json ? channel.text : Self.line(channel))
                }
                place = answer["next"]?.string
            } while place != nil
            guard !gateway.json else { return }
            print(apps.isEmpty ? "no channels" : apps.map { Self.line($0, maximum) }.joined(separator: "\n"))
        }

        private func listUnknown() async throws {
            let answer = try await gateway.admin(.get, "\(Channels.path)/unknown\(app.query)")
            let ids = (answer["channels"]?.array ?? []).compactMap(\.shown)
            guard !gateway.json else { return print(answer.text) }
            print(ids.isEmpty ? "no unknown channels" : ids.joined(separator: "\n"))
        }

        /// `com.example.app production  12 of 9000 channels, 3 of others`
        private static func line(_ app: JSONValue, _ maximum: Int64) -> String {
            let name = [app["bundle_id"]?.shown, app["environment"]?.shown].compactMap(\.self).joined(separator: " ")
            let others = app["others"]?.integer ?? 0
            return "\(name)  \(app["channels"]?.integer ?? 0) of \(maximum) channels"
                + (others > 0 ? ", \(others) of others" : "")
        }

        /// `dGVzdA==  open  since 2026-01-31T12:00:00Z  com.example.app production  codeagents “my-repo”  card 01ab-17`
        private static func line(_ channel: JSONValue) -> String {
            let title = channel["title"]?.shown.map { "“\($0)”" }
            let parts: [String?] = [
                channel["channel"]?.shown ?? "(being created)", channel["state"]?.shown,
                channel["created_at"]?.shown.map { "since \($0)" },
                [channel["bundle_id"]?.shown, channel["environment"]?.shown].compactMap(\.self).joined(separator: " "),
                [channel["source"]?.shown, title].compactMap(\.self).joined(separator: " "),
                channel["card"]?.shown.map { "card \($0)" },
            ]
            return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete channels, also those that no card has.",
            discussion: """
                The card of a channel that is in use is ended, and its channel deleted when its phones have learned of \
                that. A card cannot get another channel. Do not delete the channels of other programs that need them.
                """)

        @OptionGroup var gateway: GatewayOptions
        @OptionGroup var app: ChannelApp

        @Argument(help: ArgumentHelp("The ids, as “pushgate channels list” shows them.", valueName: "CHANNEL"))
        var channels: [String]

        func run() async throws {
            for channel in channels {
                var body = app.members
                body["channel"] = .string(channel)
                let answer = try await gateway.admin(.post, "\(Channels.path)/delete", body: .object(body))
                print(gateway.json ? answer.text : "\(answer["result"]?.shown ?? "?") \(channel)")
            }
        }
    }
}
