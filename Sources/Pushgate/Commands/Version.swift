import ArgumentParser
import Gateway

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the version.")

    func run() { print(GatewayVersion.current) }
}
