import ArgumentParser
import Gateway

struct AccessTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "access-token",
        abstract: "Print an access token for FCM's interface, for curl.",
        discussion: """
            It is good for an hour, and for the gateway's project (fcm.projectId). It is made with the key in the data \
            directory, so whoever can read that needs no service account:

              curl http://127.0.0.1:8080/v1/projects/pushgate/messages:send \\
                -H "Authorization: Bearer $(pushgate access-token)" \\
                -H "Content-Type: application/json" \\
                -d '{"message":{"topic":"news"}}'
            """)

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let configuration = try await options.reader()()
        let directory = try await options.existingDirectory()
        print(try directory.accessToken(forProject: configuration.fcm.projectID).value)
    }
}
