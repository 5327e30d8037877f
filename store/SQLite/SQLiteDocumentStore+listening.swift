extension SQLiteDocumentStore {
    /// Returns a listener to the changes of this database from now on.
    public func listener() -> ChangeListener { engine.listeners.listener(to: database, since: engine.readTime) }
}
