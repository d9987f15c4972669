// What every room stands on: time, lifetimes, events, errors, logging and the canonical form with its hash.
// It never knows of projects, git, editors or databases, and opens no file and no socket.
// Exports Clock, Disposable, Emitter, Logger, ProjectAnchorError, canonical, hash, hashing and isLoopback.

export { canonical, hash, hashing, type Json } from './canonical.ts';
export { type Clock, systemClock, timestamp } from './clock.ts';
export { type Disposable, DisposableStore, disposable } from './disposable.ts';
export { Emitter, type Event } from './emitter.ts';
export { codeOf, messageOf, ProjectAnchorError } from './errors.ts';
export { type Logger, silentLogger } from './logger.ts';
export { isLoopback } from './loopback.ts';
