package import DocumentStore

/// The document store for requests. While the disk is nearly full, it refuses writes that add data.
///
/// Outcomes of accepted messages and sweeps use the underlying store directly.
package struct AdmittingStore: StoreDecorator {
    package let base: any DocumentStore
    let space: DiskSpace
    /// The code of a refusal, and of a commit for which the disk is full, whatever seemed to be free before.
    let refusalCode: StoreError.Code

    /// Creates a store that refuses new data while there is no space for it.
    package init(
        base: any DocumentStore, space: DiskSpace, refusalCode: StoreError.Code = .resourceExhausted
    ) {
        self.base = base
        self.space = space
        self.refusalCode = refusalCode
    }

    /// Commits the writes. Fails with ``refusalCode`` if the writes add data and the disk is nearly full.
    package func commit(
        _ writes: [Write], with options: CommitOptions,
        completion: @escaping @Sendable (Result<CommitResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            try admit(writes)
            // Mostly no error has to be changed.
            if refusalCode == .resourceExhausted {
                return base.commit(writes, with: options, completion: completion)
            }
            base.commit(writes, with: options) { completion($0.mapError(refusal)) }
        } catch {
            completion(.failure(error))
        }
    }

    private func admit(_ writes: [Write]) throws(StoreError) {
        guard writes.contains(where: \.addsData) else { return }
        do throws(StoreError) {
            try space.admit()
        } catch {
            throw refusal(error)
        }
    }

    /// Returns the error of a full disk with ``refusalCode``, and any other as it is.
    private func refusal(_ error: StoreError) -> StoreError {
        guard error.code == .resourceExhausted else { return error }
        return StoreError(refusalCode, error.message, cause: error.cause)
    }
}

extension Write {
    /// `true` if the write adds data. A delete does not, and neither do a verify and an empty merge, which only check a
    /// precondition.
    fileprivate var addsData: Bool {
        switch operation {
        case .delete, .verify: false
        case .merge(let fields, let mask): !(mask?.isEmpty ?? fields.isEmpty) || !transforms.isEmpty
        case .set: true
        }
    }
}
