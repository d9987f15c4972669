import type { MiniMaxOptions } from './minimax-entry.ts';
import type { ModelClient, ModelRequest, ModelUsage } from './types.ts';

/** A MiniMax client whose library is loaded at the first request, from a bundle of its own, and not with this module. */
export function createLazyMiniMaxClient(options: MiniMaxOptions): ModelClient {
  return { stream: (request, signal) => stream(options, request, signal) };
}

async function* stream(
  options: MiniMaxOptions,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<string, ModelUsage, void> {
  const { createMiniMaxClient } = await import('./minimax-entry.ts');
  return yield* createMiniMaxClient(options).stream(request, signal);
}
