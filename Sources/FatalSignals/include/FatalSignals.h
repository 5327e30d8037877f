// The end of a process by a signal of its own, such as one after an allocation that fails.
#pragma once

/// Makes each fatal signal say on standard error that memory has run out, if it has, and end the process even if
/// Swift's report of the crash does not: after `seconds`, or at once if memory has run out.
///
/// Call this before threads begin.
void fatal_signals_end_the_process(unsigned seconds);
