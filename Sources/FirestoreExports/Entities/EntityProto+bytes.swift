import Foundation
import SwiftProtobuf

extension EntityProto {
    /// The greatest number of maps around a value. Firestore allows 20.
    static let depthLimit = 32

    /// Decodes the entity that is a map.
    init(map bytes: Data) throws(EntityError) {
        do {
            self = try EntityProto(serializedBytes: bytes)
        } catch {
            throw EntityError("is a map that cannot be decoded")
        }
    }

    /// Returns the entity's bytes.
    func bytes<Bytes: SwiftProtobufContiguousBytes>() throws(EntityError) -> Bytes {
        do {
            return try serializedBytes()
        } catch {
            throw EntityError("is too large for an export")
        }
    }
}

extension EntityError {
    static var tooDeep: EntityError { EntityError("has more than \(EntityProto.depthLimit) maps in each other") }
}
