// Re-exports processes and temporary directories, so that importing this module is enough.
@_exported public import TestBasics
