import APNsSimulator
import JSON
import TestDoubles
import TestSupport
import Testing

@Suite("pushgate channels", .timeLimit(.minutes(10)))
struct ChannelsVerbTests {
    @Test("Channels are listed with their cards; one in use is ended, and one that no card has is deleted")
    func life() async throws {
        try await withSimulator { apns in
            let phone = SimulatedPhone(bundleID: RunningSimulator.bundleID, pushToStartToken: .randomToken())
            apns.simulator.connect(phone)
            try await CommandLineStage.running(["liveActivities.linger": "1s"], simulator: apns) { stage in
                #expect(try await stage.run("channels", "list").output == "no channels\n")
                let part: JSONValue = ["push_to_start_token": .string(phone.pushToStartToken)]
                let daemon = Daemon(stage.gateway.caller, secret: stage.secret)
                try await daemon.register(
                    "phone", token: .randomToken(), ["agent_display_name": "my-repo", "live_activity": part])
                _ = try await stage.gateway.caller.call(
                    "updateReply", ["cwd": "/srv/app", "step": "One"], secret: stage.secret)
                try await eventually("the card starts") { phone.cards.count == 1 }
                let id = try #require(apns.simulator.channels().first?.id)

                let listed = try await stage.run("channels", "list").output
                #expect(listed.contains("\(id)  open  since 20") && listed.contains("codeagents “my-repo”"))
                #expect(listed.contains("\(RunningSimulator.bundleID) ") && listed.hasSuffix("  1 of 9000 channels\n"))
                let channel = try await stage.json("channels", "list")
                #expect(channel["channel"] == .string(id) && channel["source"] == "codeagents")
                #expect(channel["card"] == phone.cards.first?.attributes["card"])
                #expect(try await stage.run("channels", "list", "--unknown").output == "no unknown channels\n")

                #expect(try await stage.run("channels", "delete", id).output == "ended \(id)\n")
                try await eventually("the card ends") { phone.cards.first?.isEnded == true }
                try await eventually("the channel is deleted") { apns.simulator.channels().isEmpty }
                let gone = try await stage.run("channels", "delete", id)
                #expect(gone.exitCode == 1 && gone.errors.contains("ChannelNotRegistered"), "\(gone.errors)")
            }
        }
    }

    @Test("A channel that a restored database does not know is listed and deleted")
    func leftOver() async throws {
        try await withSimulator { apns in
            // A gateway whose documents are lost leaves a channel.
            try await withGateway([:], simulator: apns) { gateway in
                let daemon = Daemon(gateway.caller)
                let part: JSONValue = ["push_to_start_token": .string(.randomToken())]
                try await daemon.register("phone", token: .randomToken(), ["live_activity": part])
                _ = try await gateway.caller.call(
                    "updateReply", ["cwd": "/srv/app", "step": "One"], secret: daemon.secret)
                try await eventually("a channel is created") { apns.simulator.channels().count == 1 }
            }
            let id = try #require(apns.simulator.channels().first?.id)
            try await CommandLineStage.running([:], simulator: apns) { stage in
                let list = try await stage.run("channels", "list", "--unknown").output
                #expect(list == "\(id)\n")
                let answer = try await stage.json("channels", "list", "--unknown")
                #expect(answer["channels"] == [.string(id)])
                let deletion = try await stage.run("channels", "delete", id).output
                #expect(deletion == "deleted \(id)\n")
                #expect(apns.simulator.channels().isEmpty)
            }
        }
    }

    @Test("Without Apple's service, and with a wrong argument, the verb says what is needed")
    func mistakes() async throws {
        try await CommandLineStage.running { stage in
            let none = try await stage.run("channels", "list", "--unknown")
            #expect(none.exitCode == 1 && none.errors.contains("apns.keyPath"), "\(none.errors)")
            let wrong = try await stage.run("channels", "delete", "no id")
            #expect(wrong.exitCode == 1 && wrong.errors.contains("pushgate channels list"), "\(wrong.errors)")
            let environment = try await stage.run("channels", "list", "--unknown", "--environment", "test")
            #expect(environment.exitCode == 64 && environment.errors.contains("sandbox and production"))
            #expect(try await stage.run("channels", "list", "--bundle-id", "com.example.app").exitCode == 64)
        }
    }
}
