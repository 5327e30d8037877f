// The helpers for every test come with the doubles, without an import of their own.
@_exported public import TestBasics
