/// A request on the server's side: its body, and what is found out only when a function asks for it.
public protocol ReceivedRequest: Sendable {
    /// As ``FunctionRequest/query``.
    var query: [String: String] { get }
    /// The networks around the client's address, from the narrowest on.
    var widerNetworks: [String] { get }
    /// As ``FunctionRequest/isFromLoopback``.
    var isFromLoopback: Bool { get }
    /// As ``FunctionRequest/origin``.
    var origin: String? { get }
    /// As ``FunctionRequest/originRefusal``.
    var originRefusal: String? { get }

    /// As ``FunctionRequest/readBody(_:)``.
    func readBody(_ maximumBytes: Int) async throws(RequestBodyError) -> [UInt8]
    /// As ``FunctionRequest/readPieces(_:_:)``.
    func readPieces(
        _ maximumBytes: Int, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(RequestBodyError)
}
