import NIOCore
import NIOPosix
import TestBasics

/// Sends a gateway invalid requests on many connections at once, and reports its faults.
package struct Fuzzer: Sendable {
    private let configuration: FuzzConfiguration
    private let target: FuzzTarget
    private let routes: [Route]
    private let start: World
    private let watch: GatewayWatch
    private let patience: Patience
    private let dialer: Dialer

    /// - Parameters:
    ///   - routes: The routes, each of which is first requested in well-formed form and must answer as expected.
    ///   - world: The keys of the gateway.
    package init(
        _ configuration: FuzzConfiguration, target: FuzzTarget, routes: [Route] = Route.all, world: World = World(),
        watch: GatewayWatch = GatewayWatch()
    ) throws {
        self.configuration = configuration
        self.target = target
        self.routes = routes
        self.watch = watch
        start = world
        patience = Patience(due: TimeAmount(configuration.patience))
        dialer = try Dialer(target, timeout: TimeAmount(configuration.patience))
    }

    /// Runs the survey and the cases until the configuration's limits, and returns the report.
    package func run() async throws -> FuzzReport {
        let survey = Survey(dialer: dialer, routes: routes, patience: patience)
        let (_, faults) = try await survey.verify(start, seed: configuration.seed)
        let world = SharedWorld(try await survey.renewed(start, seed: configuration.seed))
        let begin = ContinuousClock.now
        let ledger = Ledger(configuration, start: begin)
        for fault in faults { ledger.note(fault) }
        let first = watch.vitals()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await every(configuration.worldInterval) { await renew(world, survey) } }
            group.addTask { await every(.seconds(1)) { await probe(ledger) } }
            await withTaskGroup(of: Void.self) { lanes in
                for lane in 0..<configuration.lanes { lanes.addTask { await run(lane, ledger, world) } }
            }
            group.cancelAll()
        }
        // The last cases of the lanes may have ended the gateway without another connection that shows it.
        await probe(ledger)
        let duration = ContinuousClock.now - begin
        let last = await settle(first, ledger)
        for line in watch.errorLines() { ledger.note(Fault(.logged, line)) }
        for line in watch.forgedLines() { ledger.note(Fault(.forged, line)) }
        return ledger.report(duration: duration, start: first, end: last)
    }

    // MARK: Cases

    private func run(_ lane: Int, _ ledger: Ledger, _ world: SharedWorld) async {
        let player = Player(dialer: dialer, ledger: ledger, patience: patience)
        while let number = ledger.takeNumber() {
            let fuzzCase = FuzzCase(
                number, seed: configuration.seed, target: target, routes: routes, world: world.current)
            ledger.begin(fuzzCase, lane: lane)
            do {
                try await player.play(fuzzCase)
            } catch {
                await noteFailure(error, of: fuzzCase, ledger)
            }
        }
    }

    /// Handles a failed connection. A gateway that accepts none a second later is gone.
    private func noteFailure(_ error: any Error, of fuzzCase: FuzzCase, _ ledger: Ledger) async {
        guard error is NIOConnectionError else {
            return ledger.note(Fault(.noAnswer, "\(error)", route: fuzzCase.way.rawValue), of: fuzzCase)
        }
        await noteCrashIfGone(ledger)
    }

    private func noteCrashIfGone(_ ledger: Ledger) async {
        try? await Task.sleep(for: .seconds(1))
        if await health() == nil { ledger.noteCrash("no connection") }
    }

    // MARK: Background work

    private func every(_ interval: Duration, _ work: @Sendable () async -> Void) async {
        while (try? await Task.sleep(for: interval)) != nil { await work() }
    }

    /// Renews the world; an unreachable gateway is reported elsewhere.
    private func renew(_ world: SharedWorld, _ survey: Survey) async {
        if let new = try? await survey.renewed(start, seed: configuration.seed) { world.current = new }
    }

    /// Sends a health request on a connection of its own.
    private func probe(_ ledger: Ledger) async {
        if let vitals = watch.vitals() { ledger.note(vitals) }
        let begin = ContinuousClock.now
        guard let status = await health() else { return await noteCrashIfGone(ledger) }
        if status != 200 { ledger.note(Fault(.unhealthy, "\(status)", route: "GET /healthz")) }
        if ContinuousClock.now - begin > configuration.patience { ledger.note(Fault(.unhealthy, "slow")) }
    }

    /// - Returns: The status; 0 without an answer, `nil` without a connection.
    private func health() async -> Int? {
        var generator = SeededGenerator(seed: 0)
        let route = Route("probe", "GET", "/healthz")
        let request = FuzzRequest(to: route, &generator, in: start)
        let conversation = RequestConversation([request], patience: patience)
        do {
            return (try await dialer.hold(conversation, over: .plain) as? RequestConversation)?.answer?.status ?? 0
        } catch {
            return nil
        }
    }

    // MARK: The end

    /// Waits until the gateway has released the resources of its clients.
    private func settle(_ first: Vitals?, _ ledger: Ledger) async -> Vitals? {
        guard let first, var last = watch.vitals() else { return nil }
        let allowed = first.descriptors + configuration.moreDescriptors
        _ = await eventually(within: configuration.patience) {
            last = watch.vitals() ?? last
            return last.descriptors <= allowed
        }
        if last.descriptors > allowed {
            ledger.note(Fault(.descriptors, "from \(first.descriptors) to \(last.descriptors)"))
        }
        if last.residentBytes - first.residentBytes > configuration.memoryGrowth {
            ledger.note(Fault(.memory, "from \(first.residentBytes >> 20) to \(last.residentBytes >> 20) MiB"))
        }
        return last
    }
}
