import ArgumentParser
import Foundation
import UnixSignals

/// The verb `demo`.
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Demonstrate the gateway, from a subscription to a notification, without any account.",
        discussion: """
            Starts a gateway and a simulator of Apple’s push service on free ports, subscribes three simulated \
            devices, reports a finished reply, shows the notifications, and stops everything. Exits with 0 only if all \
            of them arrived.
            """)

    func run() async throws {
        signal(SIGPIPE, SIG_IGN)
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await play() }
            group.addTask {
                for await _ in signals { throw ExitCode.failure }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func play() async throws {
        print("Starting a gateway and an APNs simulator …")
        let stage = try await DemoStage()
        defer { stage.strike() }
        print(
            """
              gateway    \(stage.gatewayURL)  (process \(stage.processIDs.gateway))
              simulator  \(stage.simulatorURL)  (process \(stage.processIDs.simulator))

            """)
        do {
            try await DemoPlay(stage: stage).run()
        } catch {
            stage.printLogs()
            throw error
        }
        print(
            """
            Everything arrived. Next:
              pushgate serve           run a gateway; it lists the settings missing for delivery to devices, and
                                       the variable that makes programs use it in place of Cloud Firestore
              pushgate --help          list all verbs
              README.md                connect a daemon and an app
            """)
    }
}
