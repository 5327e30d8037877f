extension SQLiteDocumentStore {
    /// Returns a stream of the query's results. The stream is pulled: the query runs again when its reader requests
    /// the next state and a commit has changed documents in the query's scope. So there is no buffer that could
    /// overflow, and no work for a reader that is busy or gone.
    public func watch(_ query: Query) -> AsyncThrowingStream<QuerySnapshot, any Error> {
        QueryWatch.stream(of: query, in: self, engine.watchers) { engine.isClosed }
    }
}
