import DocumentStore
import Messaging

/// The paths of this module's documents.
///
/// - `turnDevices/{player's id}`: see ``DeviceRegistry``; the games of players with a device are polled
/// - `turnPlayers/{player's id}`: see ``NotifiedMoves``; it outlives the device
enum TurnsDocuments {
    static let devicesID = "turnDevices"

    static func devices() throws(StoreError) -> CollectionPath { try CollectionPath(devicesID) }
    static func players() throws(StoreError) -> CollectionPath { try CollectionPath("turnPlayers") }

    static func device(of player: PlayerID) throws(StoreError) -> DocumentPath {
        try devices().document(player.description)
    }

    static func player(_ player: PlayerID) throws(StoreError) -> DocumentPath {
        try players().document(player.description)
    }
}

/// A reader of the registered players.
struct PlayerDirectory: Sendable {
    /// Some of the registered players.
    struct Page: Sendable {
        let players: [PlayerID]
        /// The id of the last document.
        let last: String
    }

    /// The maximum number of players that are listed for one device token.
    static let maximumPerToken = 1_000
    private static let pageSize = 500

    let store: any DocumentStore

    /// Reads one page of players.
    ///
    /// - Parameter last: The last id of the previous page; `nil` for the first page.
    /// - Returns: `nil` after the last page.
    func page(after last: String?) async throws(StoreError) -> Page? {
        let devices = try TurnsDocuments.devices()
        var query = Query.collection(devices).ordered(by: .documentName).limited(to: Self.pageSize)
        query.projection = []
        if let last {
            query.start = Cursor([.reference(try devices.document(last).name(in: store.database))], isAfter: true)
        }
        let documents = try await store.documents(matching: query)
        return documents.last.map { Page(players: documents.compactMap { PlayerID($0.path.id) }, last: $0.path.id) }
    }

    /// Returns the players with that device token, in ascending order.
    func players(withToken token: String) async throws(StoreError) -> [PlayerID] {
        var query = Query.collection(try TurnsDocuments.devices())
            .where(FieldPath(DeviceRegistry.Field.token), .equal, .string(RegistrationToken(token).canonical.value))
            .limited(to: Self.maximumPerToken)
        query.projection = []
        return try await store.documents(matching: query).compactMap { PlayerID($0.path.id) }
            .sorted { $0.number < $1.number }
    }
}
