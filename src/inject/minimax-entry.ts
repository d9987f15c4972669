/** Entry of `dist/minimax.js`: the model client with its library in a file of its own, loaded at the first request. */
export { createMiniMaxClient, type MiniMaxOptions } from './minimax.ts';
