/// \file
/// A body without an end.

/// Opens a brace.
inline void open() { if (true) {
