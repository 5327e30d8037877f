import JSON
import NIOCore
import NIOPosix
import TestDoubles

/// A connection to Firefox's Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html).
struct MarionetteConnection: Sendable {
    private let channel: any Channel

    static func open(port: Int) async throws -> MarionetteConnection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(.patience))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(MarionetteHandler())
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .get()
        return MarionetteConnection(channel: channel)
    }

    /// Sends a command and returns its result.
    ///
    /// - Throws: ``BrowserError`` if the browser answers with an error, or ends.
    func call(_ name: String, _ parameters: JSONValue) async throws -> JSONValue {
        let answer = channel.eventLoop.makePromise(of: JSONValue.self)
        send(MarionetteCommand(name: name, parameters: parameters, answer: answer))
        return try await answer.futureResult.get()
    }

    private func send(_ command: MarionetteCommand) {
        channel.writeAndFlush(command).whenFailure { command.answer.fail($0) }
    }

    func close() async { try? await channel.close() }
}

private struct MarionetteCommand: Sendable {
    let name: String
    let parameters: JSONValue
    let answer: EventLoopPromise<JSONValue>
}

/// A handler for Marionette's messages: the length in bytes, a colon, and an array of JSON. That of a command is 0, its
/// number, its name and its parameters; that of an answer is 1, the command's number, an error or null, and the result.
private final class MarionetteHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = MarionetteCommand
    typealias OutboundOut = ByteBuffer

    private var unread = ByteBuffer()
    private var lastNumber: Int64 = 0
    private var answers: [Int64: EventLoopPromise<JSONValue>] = [:]

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let command = unwrapOutboundIn(data)
        lastNumber += 1
        answers[lastNumber] = command.answer
        let message: JSONValue = [0, .integer(lastNumber), .string(command.name), command.parameters]
        let bytes = message.serialized
        var buffer = context.channel.allocator.buffer(string: "\(bytes.count):")
        buffer.writeBytes(bytes)
        context.write(wrapOutboundOut(buffer), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unread.writeImmutableBuffer(unwrapInboundIn(data))
        while let message = next() { receive(message) }
        unread.discardReadBytes()
    }

    /// Returns the next message if it is complete.
    private func next() -> JSONValue? {
        let view = unread.readableBytesView
        guard let colon = view.firstIndex(of: UInt8(ascii: ":")),
            let length = Int(String(decoding: view[..<colon], as: UTF8.self)),
            unread.readableBytes >= colon + 1 - view.startIndex + length
        else { return nil }
        unread.moveReaderIndex(to: colon + 1)
        let bytes = unread.readBytes(length: length) ?? []
        return (try? JSONValue(parsing: bytes)) ?? .null
    }

    private func receive(_ message: JSONValue) {
        // The first message is a greeting, and no array.
        guard let number = message[1]?.integer, let answer = answers.removeValue(forKey: number) else { return }
        if let error = message[2], error != .null {
            answer.fail(BrowserError(text: error["message"]?.string ?? error.text))
        } else {
            answer.succeed(message[3] ?? .null)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        for answer in answers.values { answer.fail(BrowserError(text: "Firefox has ended")) }
        answers = [:]
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
