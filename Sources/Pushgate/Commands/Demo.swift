import ArgumentParser
import Foundation
import UnixSignals

struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the main job, from a subscription to a phone’s screen, without an account anywhere.",
        discussion: """
            Starts a gateway and a stand-in for Apple’s push service on free ports, subscribes three pretended phones, \
            reports a finished run, shows what arrived, and stops everything. Exits with 0 only if all of it arrived.
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
              pushgate serve           run a gateway; it tells what is missing for real delivery
              pushgate --help          what else there is
              README.md                point a daemon and an app at it
            """)
    }
}
