import ArgumentParser
import Foundation
import Functions
import HTTPTypes
import IPAddresses
import JSON
import QRCodes

/// The verb `pair`.
struct Pair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make a link with which a browser subscribes to an agent.",
        discussion: """
            Opened on a phone, the link leads to the gateway's page /try, whose button subscribes the phone's browser. \
            It is good once, for one browser, and for ten minutes. The browser gets no secret: its credential is good \
            for its own subscription alone. On a terminal the link is also shown as a QR code.
            """)

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var secret: SecretOptions

    @Option(help: ArgumentHelp("The agent's directory on its server.", valueName: "DIRECTORY"))
    var cwd: String

    @Option(
        help: ArgumentHelp(
            "The agent's name, shown as the notification's title, if it has none yet.", valueName: "NAME"))
    var name: String?

    func validate() throws { try AgentDirectory.check(cwd) }

    func run() async throws {
        let baseURL = try await gateway.baseURL(for: secret)
        var answer = try await answer(from: GatewayClient(baseURL: baseURL))
        let link = try Link(answer, baseURL)
        if gateway.json {
            answer["link"] = .string(link.url)
            return print(JSONValue.object(answer).text)
        }
        print(link.url)
        print("  code  \(link.code.grouped)")
        print("  good  once, until \(answer["expires_at"]?.shown ?? "?")")
        if let warning = link.warning { printWarning(warning) }
        if isatty(STDOUT_FILENO) == 1, let code = QRCode(link.url) { Self.show(code) }
    }

    private func answer(from client: GatewayClient) async throws -> JSONObject {
        var body: JSONObject = ["cwd": .string(cwd)]
        body["agent_display_name"] = name.map(JSONValue.string)
        let answer = try await client.send(
            .post, "/createPairing", bearer: try secret.secret(), body: .object(body))
        guard answer.status != 404 else {
            throw CommandError(
                "the gateway at \(client.baseURL) pairs no browsers: functions.codeagents.pairing is false, or its "
                    + "version is older.")
        }
        return try GatewayClient.success(answer).object ?? [:]
    }

    /// Prints a code in black on white, whatever the colours of the terminal.
    private static func show(_ code: QRCode) {
        let (colours, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
        // The lines are the program's own, so they are not escaped as texts from outside are.
        for line in code.lines { Swift.print(colours + line + end) }
    }
}

extension Pair {
    /// The link to the page, with its code.
    struct Link {
        let url: String
        let code: PairingCode

        /// - Parameter baseURL: The gateway's address, if it does not know the one for phones.
        init(_ answer: JSONObject, _ baseURL: String) throws {
            guard let code = answer["code"]?.string.flatMap({ PairingCode($0) }) else {
                throw CommandError("the gateway at \(baseURL) answered without a code.")
            }
            self.code = code
            url = answer["link"]?.string ?? baseURL + code.path
        }

        /// The reason why a phone cannot subscribe by the link; `nil` if it probably can.
        var warning: String? {
            guard let components = URLComponents(string: url), components.scheme == "http" else { return nil }
            let host = components.host ?? ""
            if IPAddress.isLoopback(urlHost: host) {
                return "the link leads to this machine; for a phone, set http.publicUrl to the gateway's https:// "
                    + "address."
            }
            return "browsers subscribe at https:// addresses only; set http.publicUrl to the gateway's, or give it "
                + "with --server."
        }
    }
}
