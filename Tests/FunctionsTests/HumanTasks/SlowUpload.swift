import Functions
import HTTPTypes
import Synchronization
import TestDoubles
import Testing

/// Photos whose bytes come when the test says so.
final class SlowUpload: Sendable {
    let gate = Gate()
    private let answerer: EndpointTable.Answerer
    private let length: Int?
    private let reads = Mutex(0)

    /// - Parameter length: what is announced.
    init(_ bench: HumanTasksBench, _ hit: String, length: Int? = nil) throws {
        answerer = try #require(EndpointTable([bench.system]).answerer(of: .post, "/api/hits/\(hit)/photos"))
        self.length = length
    }

    /// How many are being read, or were.
    var begun: Int { reads.withLock(\.self) }

    func send(_ address: String) async -> FunctionResponse {
        var headerFields: HTTPFields = [.contentType: "image/jpeg"]
        headerFields[.contentLength] = length.map(String.init)
        return await answerer.handle(
            FunctionRequest(
                method: .post, headerFields: headerFields, parameters: answerer.parameters, clientAddress: address
            ) { _ throws(RequestBodyError) in
                self.reads.withLock { $0 += 1 }
                await self.gate.pass()
                return Pictures.jpeg
            })
    }
}
