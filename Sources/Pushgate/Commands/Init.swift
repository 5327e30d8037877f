import ArgumentParser
import Gateway

struct Init: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract:
            "Make what clients of Firebase need: a service account, a certificate authority, variables to source.",
        discussion: """
            Writes service-account.json, ca.pem and firebase.env into the data directory. Give it the options the gateway \
            is served with, before or after that runs. The gateway keeps the public half of the account's key only; the \
            file with the private one is for your application, and can be moved. Run again, it makes another account, \
            and the earlier ones stay good until their file in service-accounts/ is deleted.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Where clients reach the gateway; http://127.0.0.1:8080 by the configuration.")
    var url: String?

    func run() async throws {
        let configuration = try await options.reader()()
        let files = try FirebaseFiles(configuration: configuration, url: try url ?? configuration.url())
        try files.write()
        print(
            """
            \(files.serviceAccountPath)   for your application; it holds a private key
            \(files.authorityPath)   for clients that come by TLS or the proxy
            \(files.variablesPath)   source it in a shell: . \(files.variablesPath)
            """)
    }
}

extension GatewayConfiguration {
    fileprivate func url() throws -> String {
        guard http.port != 0, fcm.proxyPort != 0 else {
            throw ValidationError(
                "say where the gateway will be: with a port of 0 only it knows. Set http.port and fcm.proxy.port")
        }
        return "http://\(http.host.contains(":") ? "[\(http.host)]" : http.host):\(http.port)"
    }
}
