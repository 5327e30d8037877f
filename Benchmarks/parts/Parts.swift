import Dispatch
import DocumentStore
import Foundation
import Functions
import HTTPTypes
import JSON
import Messaging
import TestDoubles

/// The parts of a gateway that handle a request below HTTP (function, store and outbox), with a push service that
/// accepts every notification at once.
///
///     Parts registration-known|registration-new|trigger COUNT
///
/// Its `main` is synchronous and waits for a task, so that valgrind can run it: an asynchronous `main` ends in
/// `dispatchMain`, in which valgrind crashes.
@main
struct Parts {
    private let clock = ManualClock()
    private let disk: TemporaryStore
    private let transport = ScriptedTransport()
    private let dispatcher: Dispatcher
    private let broadcaster: Broadcaster
    private let module: CodeAgents

    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let request = PartsRequest(rawValue: arguments[1]), let count = Int(arguments[2])
        else { fail("usage: Parts registration-known|registration-new|trigger COUNT") }
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await Parts().send(request, count) } catch { fail("\(error)") }
            isDone.signal()
        }
        isDone.wait()
    }

    private static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("Parts: \(reason)\n".utf8))
        exit(1)
    }

    private init() throws {
        let clock = clock
        disk = try TemporaryStore(clock: clock)
        dispatcher = Dispatcher(
            store: disk.documents, transports: TransportTable(everythingTo: transport), clock: clock,
            now: { clock.timestamp }, jitter: { 1 }, logger: .silent)
        var settings = CodeAgentsSettings()
        settings.requestsPerMinutePerSecret = 0
        settings.requestsPerMinutePerAddress = 0
        settings.newServersPerHourPerAddress = 0
        broadcaster = Broadcaster(
            store: disk.documents,
            outbox: Outbox(store: disk.documents, dispatcher: dispatcher, now: { clock.timestamp }), clock: clock,
            logger: .silent)
        module = CodeAgents(
            settings: settings, store: disk.documents, broadcaster: broadcaster, clock: clock,
            now: { clock.timestamp }, logger: .silent)
    }

    /// Sends a registration, and then `count` requests, one after the other.
    private func send(_ request: PartsRequest, _ count: Int) async throws {
        try await broadcaster.running {
            try await dispatcher.running {
                try await call(.knownRegistration, 0)
                for number in 0..<count { try await call(request, number) }
            }
        }
        let wanted = request == .trigger ? count : 0
        guard transport.sent.count == wanted else { throw UnexpectedAnswer(text: "sent \(transport.sent.count)") }
    }

    private func call(_ request: PartsRequest, _ number: Int) async throws {
        guard let function = module.functions.first(where: { $0.name == request.function }) else {
            throw UnexpectedAnswer(text: "no function \(request.function)")
        }
        let answer = await function.handle(request.request(number))
        guard answer.status.code == 200, request != .trigger || answer.body["sent"] == 1 else {
            throw UnexpectedAnswer(text: "\(answer)")
        }
    }
}

private struct UnexpectedAnswer: Error {
    let text: String
}
