/** The log worker: serves LogService, with the hub or its client, to the thread that started it. */
import { parentPort, workerData } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { type Logger, systemClock } from '../base/index.ts';
import { createLogService } from './create-service.ts';
import type { LogService } from './service.ts';
import {
  type HostFunctions,
  type Method,
  outcomeOf,
  type WorkerData,
  type WorkerFunctions,
} from './worker-protocol.ts';
import { WorkerStreams } from './worker-streams.ts';

function serve(port: NonNullable<typeof parentPort>, data: WorkerData): void {
  let opened: Promise<LogService> | null = null;
  const get = () => {
    opened ??= open(data).catch((error: unknown) => {
      // The next call tries again.
      opened = null;
      throw error;
    });
    return opened;
  };
  const streams = new WorkerStreams(get);
  const call = async (method: Method, args: readonly unknown[]): Promise<unknown> => {
    if (method === 'dispose' && opened === null) return undefined;
    const target = method in streams ? streams : await get();
    return (target as unknown as Record<Method, (...values: readonly unknown[]) => Promise<unknown>>)[method](...args);
  };
  const functions: WorkerFunctions = { call: (method, args) => outcomeOf(() => call(method, args)) };
  const rpc = createBirpc<HostFunctions, WorkerFunctions>(functions, {
    post: (message) => port.postMessage(message),
    on: (listener) => port.on('message', listener),
    timeout: -1,
  });
  // A host that is gone reads nothing any more.
  const gone = () => undefined;
  const log = (level: keyof Logger) => (message: string) => void rpc.log.asEvent(level, message).catch(gone);
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };

  async function open(options: WorkerData): Promise<LogService> {
    const service = await createLogService({ ...options, onUnusable: 'memory', clock: systemClock(), logger });
    service.onDeltas((batch) => void rpc.deltas.asEvent(batch).catch(gone));
    service.onHubStatus((status) => void rpc.status.asEvent(status).catch(gone));
    return service;
  }
}

if (parentPort !== null) serve(parentPort, workerData as WorkerData);
