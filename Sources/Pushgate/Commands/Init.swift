import ArgumentParser
import Gateway

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Make what clients of Firebase need: a service account, a certificate authority, variables to source.",
        discussion: """
            Writes service-account.json, ca.pem and firebase.env into the data directory; and firebase-proxy.env, when \
            fcm.proxy.port or fcm.tls.port is set. Give it the options the gateway is served with, before or after that \
            runs. The gateway keeps the public half of the account's key only; the file with the private one is for your \
            application, and can be moved. Run again, it adds another account beside the earlier ones \
            (service-account-2.json and so on), which stay good until “pushgate accounts revoke” ends them; the variables \
            name the new one.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(
        help: "Where clients reach the gateway, as in https://push.example.com; by http.host and http.port otherwise."
    )
    var url: String?

    func run() async throws {
        let configuration = try await options.reader()()
        let addresses = try ClientAddresses(configuration, url: url)
        let files = try FirebaseFiles(configuration: configuration, addresses: addresses)
        let account = try files.write()
        print(Self.report(files, account: account))
        if addresses.isGuessed {
            print("These lead to \(addresses.url), for clients on this machine. For others say where with --url.")
        }
    }

    private static func report(_ files: FirebaseFiles, account: String) -> String {
        let text = """
            \(account)   for your application; it holds a private key
            \(files.authorityPath)   for clients that come by TLS or the proxy
            To point a program here that knows FIREBASE_MESSAGING_EMULATOR_HOST, start it in a shell after
              . \(files.variablesPath.quotedForShells)
            """
        guard let path = files.proxyVariablesPath else { return text }
        let names = files.servesProxy ? "" : ", and with Google's names leading here, as docs/connectors says"
        return text + "\nor another one, that looks for Google, after\n  . \(path.quotedForShells)\(names)"
    }
}
