import Functions
import HTTPTypes
import Synchronization
import TestDoubles
import Testing

/// An upload that sends a first piece at once and the rest when the test opens the gate.
final class SlowUpload: Sendable {
    let gate = Gate()
    private let match: ModuleRouter.Match
    private let length: Int?
    private let first: [UInt8]
    private let reads = Mutex(0)

    /// - Parameters:
    ///   - length: the announced length.
    ///   - first: the piece that arrives at once.
    init(_ bench: HumanTasksBench, _ task: String, length: Int? = nil, first: [UInt8] = []) throws {
        match = try #require(
            ModuleRouter([bench.system]).match(.post, RequestPath("/api/hits/\(task)/photos")))
        self.length = length
        self.first = first
    }

    /// The number of uploads whose first piece has arrived.
    var begun: Int { reads.withLock(\.self) }

    func send(_ address: String) async -> FunctionResponse {
        var headerFields: HTTPFields = [.contentType: "image/jpeg"]
        headerFields[.contentLength] = length.map(String.init)
        return await match.handle(
            FunctionRequest(
                method: .post, headerFields: headerFields, parameters: match.parameters, clientAddress: address,
                readPieces: { _, take async throws(RequestBodyError) in
                    let isWanted = self.first.isEmpty || take(self.first)
                    self.reads.withLock { $0 += 1 }
                    guard isWanted else { return }
                    await self.gate.pass()
                    _ = take(Pictures.jpeg)
                },
                readBody: { _ throws(RequestBodyError) in Pictures.jpeg }))
    }
}
