import FirestoreAPI
import GRPC

/// Firestore's service for gRPC: its methods by their paths.
struct FirestoreGRPC: Sendable {
    /// The names of the service. To its older version, whose clients exist still, the answers are the same.
    private static let services = ["google.firestore.v1.Firestore", "google.firestore.v1beta1.Firestore"]

    private static let names = [
        "BatchGetDocuments", "BatchWrite", "BeginTransaction", "Commit", "CreateDocument", "DeleteDocument",
        "ExecutePipeline", "GetDocument", "ListCollectionIds", "ListDocuments", "Listen", "PartitionQuery", "Rollback",
        "RunAggregationQuery", "RunQuery", "UpdateDocument", "Write",
    ]

    private let methods: [String: GRPCMethod]

    init(_ service: FirestoreService, access: FirestoreAccess) {
        var methods: [String: GRPCMethod] = [:]
        for name in Self.names {
            guard let method = service.method(name).map({ GRPCMethod($0, access) }) else { continue }
            for service in Self.services { methods["/\(service)/\(name)"] = method }
        }
        self.methods = methods
    }

    /// Returns the method of a call; `nil` if there is none.
    var router: GRPCRouter { { [methods] call in methods[call.path] } }
}

extension GRPCMethod {
    /// Translates a method's statuses and finds the callers of its calls.
    fileprivate init(_ method: FirestoreMethod, _ access: FirestoreAccess) {
        switch method {
        case .unary(let answer):
            self = .unary { message, call async throws(GRPCStatus) -> [UInt8] in
                do throws(FirestoreStatus) {
                    return try await answer(message, access.caller(of: FirestoreRequest(call)))
                } catch {
                    throw GRPCStatus(error)
                }
            }
        case .streaming(let run):
            self = .streaming { messages, call, writer in
                do {
                    try await run(
                        FirestoreMessages { try await messages.next() }, access.caller(of: FirestoreRequest(call))
                    ) { try await writer.write($0) }
                } catch let status as GRPCStatus {
                    throw status
                } catch {
                    throw GRPCStatus(FirestoreStatus(catching: error))
                }
            }
        }
    }
}

extension GRPCStatus {
    fileprivate init(_ status: FirestoreStatus) { self.init(code: status.code.rawValue, message: status.message) }
}
