import DocumentStore
import Hummingbird
import Instance
import JSON
import Server

/// The endpoint `POST /v1/backups`, which makes a backup in the data directory's folder `backups`. It requires the
/// admin token.
///
/// The two newest ones stay; “pushgate backup” moves its own away.
struct BackupEndpoint: Sendable {
    /// `nil` if the documents are in PostgreSQL.
    let backups: Backups?

    func add(to router: RouterGroup<GatewayRequestContext>) {
        router.post("/v1/backups") { _, _ in
            guard let backups else {
                throw StoreError(
                    .failedPrecondition,
                    "the documents are in PostgreSQL: back them up with the database's own tools, such as pg_dump")
            }
            return Response(json: try await backups.make(.requested, keeping: 2).json)
        }
    }
}

extension StoreBackup {
    /// The name of the file in the folder `backups`, and the numbers of its contents.
    fileprivate var json: JSONValue {
        [
            "file": .string(path.split(separator: "/").last.map(String.init) ?? ""),
            "made_at": .string(madeAt.description), "documents": .integer(Int64(documentCount)),
            "files": .integer(Int64(fileCount)),
        ]
    }
}
