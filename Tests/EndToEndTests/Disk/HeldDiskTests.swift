#if os(Linux)
    import HTTPTypes
    import JSON
    import TestSupport
    import Testing

    @Suite("A disk that stops", .timeLimit(.minutes(2)))
    struct HeldDiskTests {
        /// More than a machine's threads that run tasks, mostly; and fewer than the connections of a caller, who asks for
        /// the health on another one.
        private static let triggers = 24

        @Test("does not keep GET /healthz from being answered; triggers that wait for it are answered when it goes on")
        func health() async throws {
            try await HeldDisk.using { disk in
                try await ServingProcess.running(environment: disk.environment) { serving in
                    let daemon = Daemon(serving.caller)
                    try await daemon.register("phone", token: .randomToken())
                    try disk.hold()
                    try await withThrowingTaskGroup(of: Answer.self) { group in
                        defer { disk.release() }
                        for _ in 0..<Self.triggers { group.addTask { try await daemon.trigger() } }
                        // Not where they were asked for, but on threads that may wait.
                        try #require(await eventually(within: .seconds(60)) { disk.waiting >= 2 })
                        for _ in 0..<100 { #expect(try await serving.caller.send(.get, "/healthz").status == 200) }
                        disk.release()
                        for try await answer in group { #expect(answer.body["sent"] == 1) }
                    }
                    #expect(try await serving.inbox().count == Self.triggers)
                }
            }
        }
    }
#endif
