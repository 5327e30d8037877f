import ArgumentParser
import FCMInterface
import Gateway
import Instance
import JSON

/// The verb `init`.
struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Create the files for Firebase clients: a service account, a certificate authority, variables to source.",
        discussion: """
            Writes service-account.json, ca.pem and firebase.env into the data directory, firebase-proxy.env if \
            fcm.proxy.port or fcm.tls.port is set, and firestore.env if the gateway serves Firestore's \
            interface. With --scope firestore alone, firebase.env and firebase-proxy.env stay as they are. Use the same \
            options as for “pushgate serve”; the gateway need not run. The gateway keeps only the public part of the \
            account's key; the file with the private part is for your application and can be moved. A second \
            run adds another account (service-account-2.json and so on), which the variables then name; earlier \
            accounts stay valid until “pushgate accounts revoke” ends them.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: ArgumentHelp(
            "The gateway's URL for clients, for example https://push.example.com. Default: http.host and http.port.",
            valueName: "URL")
    )
    var url: String?

    @Option(
        help: ArgumentHelp(
            """
            An interface that the service account is for, messaging or firestore; repeat it for both. On this machine \
            no account is required for Firestore. Default: messaging.
            """, valueName: "SCOPE"))
    var scope: [AccessScope] = []

    @Flag(help: "Print JSON, for programs.")
    var json = false

    func run() async throws {
        let configuration = try await options.reader()()
        let addresses = try ClientAddresses(configuration, url: url)
        let files = try FirebaseFiles(
            configuration: configuration, addresses: addresses,
            scopes: scope.isEmpty ? [.messaging] : Set(scope))
        let account = try files.write()
        guard !json else { return print(Self.json(files, account: account).text) }
        print(Self.report(files, account: account))
        if addresses.isGuessed {
            print(
                "These lead to \(addresses.url), for clients on this machine. For other clients give the URL with --url."
            )
        }
    }

    private static func json(_ files: FirebaseFiles, account: String) -> JSONValue {
        var object: JSONObject = [
            "service_account": .string(account), "certificate_authority": .string(files.authorityPath),
        ]
        object["variables"] = files.variablesPath.map(JSONValue.string)
        object["firestore_variables"] = files.firestoreVariablesPath.map(JSONValue.string)
        object["proxy_variables"] = files.proxyVariablesPath.map(JSONValue.string)
        return .object(object)
    }

    private static func report(_ files: FirebaseFiles, account: String) -> String {
        var text = """
            \(account)   for your application; it holds a private key
            \(files.authorityPath)   for clients that use TLS or the proxy
            """
        if let path = files.variablesPath {
            text += "\nTo connect a program that supports FIREBASE_MESSAGING_EMULATOR_HOST, start it in a shell after"
            text += "\n  . \(path.quotedForShells)"
        }
        if let path = files.firestoreVariablesPath {
            text += "\nTo use its Firestore in place of Google's, start a program after\n  . \(path.quotedForShells)"
        }
        guard let path = files.proxyVariablesPath else { return text }
        let names = files.servesProxy ? "" : ", with Google's host names resolved to this gateway (docs/connectors)"
        return text + "\nTo connect a program that calls Google, start it after\n  . \(path.quotedForShells)\(names)"
    }
}

extension AccessScope: ExpressibleByArgument {}
