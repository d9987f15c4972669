/**
 * A process with a log service of its own, driven over its IPC channel: `{n, method, args}` is answered with
 * `{n, value}` or `{n, error}`; news and states come unasked. Arguments: data folder, hub mode, session, and
 * what to do without a usable database.
 */

import { codeOf, messageOf, silentLogger, systemClock } from '../../../src/base/index.ts';
import { createLogService, type LogServiceOptions } from '../../../src/delta/index.ts';

const [folder = '', hub = 'none', session = '', onUnusable = 'throw'] = process.argv.slice(2);

function tell(message: object): void {
  process.send?.(message);
}

async function main(): Promise<void> {
  const service = await createLogService({
    folder,
    who: { agent: 'test', session },
    hub: hub as LogServiceOptions['hub'],
    onUnusable: onUnusable as LogServiceOptions['onUnusable'],
    clock: systemClock(),
    logger: silentLogger(),
  });
  service.onDeltas((batch) => tell({ batch }));
  service.onHubStatus((status) => tell({ status }));
  process.on('message', ({ n, method, args }: { n: number; method: string; args: unknown[] }) => {
    const call = (service as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>)[method];
    Promise.resolve(call?.apply(service, args))
      .then(
        (value) => tell({ n, value }),
        (error: unknown) => tell({ n, error: { code: codeOf(error), message: messageOf(error) } }),
      )
      .finally(() => {
        if (method === 'dispose') process.disconnect();
      });
  });
  tell({ ready: true });
}

void main();
