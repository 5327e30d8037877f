#if os(Linux)
    import HTTPTypes
    import JSON
    import TestSupport
    import Testing

    @Suite("Disk that stops", .timeLimit(.minutes(10)))
    struct HeldDiskTests {
        /// More triggers than a machine usually has threads for tasks, and fewer than a caller's connections: the
        /// caller asks for the health on another connection.
        private static let triggers = 24

        @Test(
            "A stopped disk does not delay /healthz, and waiting triggers are answered when the disk goes on",
            .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
        func health() async throws {
            try await HeldDisk.using { disk in
                try await ServingProcess.running(environment: disk.environment) { serving in
                    let daemon = Daemon(serving.caller)
                    try await daemon.register("phone", token: .randomToken())
                    try disk.hold()
                    // A trigger may replace one that waits with it.
                    let superseded = try await withThrowingTaskGroup(of: Answer.self) { group in
                        defer { disk.release() }
                        for _ in 0..<Self.triggers { group.addTask { try await daemon.trigger() } }
                        // The reads wait on threads that may block, not on those of the requests.
                        try #require(await eventually { disk.waiting >= 2 })
                        for _ in 0..<100 { #expect(try await serving.caller.send(.get, "/healthz").status == 200) }
                        disk.release()
                        return try await group.reduce(into: 0) { superseded, answer in
                            if answer.body["superseded"] == 1 { superseded += 1 }
                            #expect(answer.body["sent"] == 1 || answer.body["superseded"] == 1)
                        }
                    }
                    #expect(try await serving.inbox().count + superseded == Self.triggers)
                }
            }
        }

        @Test(
            "A stopped disk makes /readyz answer 503 within seconds, and 200 when the disk goes on",
            .disabled(if: TestStore.isPostgreSQL, TestStore.needsFile))
        func readiness() async throws {
            try await HeldDisk.using { disk in
                try await ServingProcess.running(environment: disk.environment) { serving in
                    #expect(try await serving.caller.send(.get, "/readyz").status == 200)
                    try disk.hold()
                    defer { disk.release() }
                    try #require(
                        try await eventually {
                            try await serving.caller.send(.get, "/readyz").status == 503
                        })
                    let admin = try await serving.ask("/readyz")
                    #expect(admin.text.contains("has not finished a write"))
                    disk.release()
                    #expect(
                        try await eventually {
                            try await serving.caller.send(.get, "/readyz").status == 200
                        })
                }
            }
        }
    }
#endif
