// Re-exports the helpers for every test, so that importing the doubles is enough.
@_exported public import TestBasics
