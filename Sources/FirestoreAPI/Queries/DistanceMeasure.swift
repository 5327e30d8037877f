import FirestoreProtos

/// A measure of the distance between two vectors of the same dimension.
enum DistanceMeasure: Sendable {
    case euclidean
    /// 1 minus the cosine of the angle. NaN for a vector of zeros, which has no direction.
    case cosine
    /// The dot product, which is greater for nearer vectors.
    case dotProduct

    /// Makes the measure of a request; `nil` for an unknown one.
    init?(_ proto: Google_Firestore_V1_StructuredQuery.FindNearest.DistanceMeasure) {
        switch proto {
        case .euclidean: self = .euclidean
        case .cosine: self = .cosine
        case .dotProduct: self = .dotProduct
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }

    func distance(from left: [Double], to right: [Double]) -> Double {
        switch self {
        case .euclidean:
            zip(left, right).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
        case .cosine:
            // One root of both, so that a distance has the very bits that Google's emulator gives it.
            1 - Self.dotProduct(left, right)
                / (Self.dotProduct(left, left) * Self.dotProduct(right, right)).squareRoot()
        case .dotProduct: Self.dotProduct(left, right)
        }
    }

    private static func dotProduct(_ left: [Double], _ right: [Double]) -> Double {
        zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
    }

    /// Returns `true` if the distance is not further than the threshold.
    func isDistance(_ distance: Double, within threshold: Double?) -> Bool {
        guard let threshold else { return true }
        return self == .dotProduct ? distance >= threshold : distance <= threshold
    }

    /// Returns a number that orders distances, the nearest first. A distance that is not a number is the last.
    func rank(of distance: Double) -> Double {
        if distance.isNaN { return .infinity }
        return self == .dotProduct ? -distance : distance
    }
}
