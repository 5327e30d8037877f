import HTTPTypes

/// The reception of bodies that may contain photos, in memory that they share.
struct PhotoUploads: Sendable {
    /// The maximum size of a body, in bytes.
    let maximumBytes: Int
    private let memory: UploadMemory
    private let limits: PhotoLimits

    init(atMost maximumBytes: Int, memory: UploadMemory, limits: PhotoLimits) {
        self.maximumBytes = maximumBytes
        self.memory = memory
        self.limits = limits
    }

    /// Reads a request's body and runs the work on it.
    ///
    /// - Throws: ``HumanTasksError/unavailable`` if there is not enough memory at the moment.
    func receiving<Result>(
        _ request: FunctionRequest, _ work: (UploadedBody) async throws -> Result
    ) async throws -> Result {
        let announced = announcedBytes(of: request)
        guard announced <= maximumBytes else { throw HumanTasksError.tooLarge }
        let result = try await memory.receiving(from: request.clientNetworks, atMost: max(0, announced)) { take in
            try await readPieces(of: request, take)
        } work: {
            try await work(UploadedBody($0, contentType: request.headerFields[.contentType], limits: limits))
        }
        guard let result else { throw HumanTasksError.unavailable }
        return result
    }

    /// Returns the size of the body that a request announces, or the maximum if it announces none.
    private func announcedBytes(of request: FunctionRequest) -> Int {
        // The length of a compressed body says nothing about its size.
        guard request.headerFields[.contentEncoding] == nil else { return maximumBytes }
        return request.headerFields[.contentLength].flatMap { Int($0) } ?? maximumBytes
    }

    private func readPieces(
        of request: FunctionRequest, _ take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(HumanTasksError) {
        do {
            try await request.readPieces(maximumBytes, take)
        } catch {
            throw HumanTasksError(error)
        }
    }
}
