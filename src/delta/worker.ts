/** Runs in a thread of its own; see the room's index. */
export {};
