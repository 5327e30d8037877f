import Fuzzing
import TestDoubles
import TestSupport

/// Requests of the coding agents' functions.
extension RequestText {
    static let functions = ["registerSubscription", "unregisterSubscription", "triggerReplyFinished", "updateReply"]

    init(_ generator: inout SeededGenerator, function: String? = nil, body: String = "") {
        let prefix = generator.pick(["/", "/prefix/", "/demo/us-central1/"])
        self.init(
            target: prefix + (function ?? generator.pick(Self.functions)),
            headers: [
                ("Host", "127.0.0.1"), ("Authorization", "Bearer " + generator.text(44)),
                ("Content-Type", "application/json"),
            ], body: Array(body.utf8))
    }

    /// An exchange that sends all bytes at once and reads one answer.
    var exchange: RawExchange { RawExchange([.send(bytes)], isHead: method == "HEAD") }
}
