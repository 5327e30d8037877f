import NIOCore
import NIOEmbedded
import Testing

@testable import Server

@Suite("Cancellation of a served connection", .timeLimit(.minutes(10)))
struct ChannelCancellationTests {
    @Test("A connection is closed if its task is cancelled, before or during the wait", arguments: [true, false])
    func cancellation(isEarly: Bool) async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let isServed = channel.eventLoop.makePromise(of: Void.self)
        let serving = Task {
            if isEarly { try? await isServed.futureResult.get() }
            await channel.closedOnCancellation {
                isServed.succeed()
                try? await channel.closeFuture.get()
            }
        }
        if !isEarly { try await isServed.futureResult.get() }
        serving.cancel()
        isServed.succeed()
        await serving.value
        #expect(!channel.isActive)
    }

    @Test("The work for a connection is cancelled when its client closes it, and not before")
    func closing() async throws {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
        let isServed = channel.eventLoop.makePromise(of: Bool.self)
        async let work: Void = channel.cancellingOnClose {
            isServed.succeed(Task.isCancelled)
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        }
        #expect(try await isServed.futureResult.get() == false)
        try await channel.close()
        await work
    }
}
