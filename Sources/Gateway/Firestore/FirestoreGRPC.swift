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

    private let methods: [String: FirestoreMethod]
    private let access: FirestoreAccess

    init(_ service: FirestoreService, access: FirestoreAccess) {
        var methods: [String: FirestoreMethod] = [:]
        for name in Self.names {
            guard let method = service.method(name) else { continue }
            for service in Self.services { methods["/\(service)/\(name)"] = method }
        }
        self.methods = methods
        self.access = access
    }

    /// Returns the method of a call; `nil` if there is none. A stranger's messages take no memory.
    var router: GRPCRouter {
        { [methods, access] call in
            guard let method = methods[call.path] else { return nil }
            do throws(FirestoreStatus) {
                return GRPCMethod(method, try access.knownCaller(of: FirestoreRequest(call)))
            } catch {
                return .refusal(GRPCStatus(error))
            }
        }
    }
}

extension GRPCMethod {
    /// Translates a method's statuses.
    fileprivate init(_ method: FirestoreMethod, _ caller: FirestoreCaller) {
        switch method {
        case .unary(let answer):
            self = .unary { message, _ async throws(GRPCStatus) -> [UInt8] in
                do throws(FirestoreStatus) {
                    return try await answer(message, caller)
                } catch {
                    throw GRPCStatus(error)
                }
            }
        case .streaming(let run):
            self = .streaming { messages, _, writer in
                do {
                    try await run(FirestoreMessages { try await messages.next() }, caller) {
                        try await writer.write($0)
                    }
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
