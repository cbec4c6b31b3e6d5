//! What is refused, what dissolves, sleep, snapshots, threads, and numbers that are none.
