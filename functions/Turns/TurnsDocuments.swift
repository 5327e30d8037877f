internal import DocumentStore

/// Where this module keeps its documents: the one place that knows.
///
/// - `turnDevices/{player's id}`: ``DeviceRegistry``'s; a player who has one is looked at
/// - `turnPlayers/{player's id}`: ``NotifiedMoves``'; it outlives the device
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
