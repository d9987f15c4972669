/** A small project with something to show: a git repository of its own, made fresh. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @type {Readonly<Record<string, string>>} */
const FILES = {
  'package.json': `${JSON.stringify(
    {
      name: 'tidewater',
      version: '1.4.0',
      private: true,
      dependencies: { zod: '^4.1.0' },
      devDependencies: { vitest: '^4.0.0' },
    },
    null,
    2,
  )}\n`,
  'README.md': '# Tidewater\n\nBookings for a small ferry.\n',
  'src/money.ts': `/** Whole cents, so that sums never drift. */
export interface Money {
  readonly cents: number;
  readonly currency: 'EUR' | 'DKK';
}

export function add(a: Money, b: Money): Money {
  if (a.currency !== b.currency) throw new Error('different currencies');
  return { cents: a.cents + b.cents, currency: a.currency };
}

export const free = (currency: Money['currency']): Money => ({ cents: 0, currency });
`,
  'src/booking.ts': `import { z } from 'zod';
import { add, free, type Money } from './money';

export const Passenger = z.object({ name: z.string(), age: z.number().int() });

export class Booking {
  readonly #fares: Money[] = [];

  addFare(fare: Money): void {
    this.#fares.push(fare);
  }

  total(): Money {
    return this.#fares.reduce(add, free('EUR'));
  }

  refund(share: number): Money {
    const { cents, currency } = this.total();
    return { cents: Math.round(cents * share), currency };
  }
}
`,
  'src/cancel.ts': `import { Booking } from './booking';
import type { Money } from './money';

/** What a passenger gets back, by the hours left before departure. */
export function cancel(booking: Booking, hoursLeft: number): Money {
  return booking.refund(hoursLeft >= 24 ? 1 : 0.5);
}
`,
};

/**
 * @param {string} folder where to; made when it is missing
 * @param {boolean} hasGit whether it becomes a repository with two commits
 */
export function makeSampleProject(folder, hasGit) {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  if (!hasGit) return;
  const own = ['user.name=Demo', 'user.email=demo@example.invalid', 'commit.gpgsign=false', 'core.hooksPath=/dev/null'];
  const settings = own.flatMap((setting) => ['-c', setting]);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  /** @param {string[]} args */
  const git = (...args) => execFileSync('git', [...settings, ...args], { cwd: folder, env, stdio: 'ignore' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'package.json', 'README.md', 'src/money.ts', 'src/booking.ts');
  git('commit', '--quiet', '--no-verify', '-m', 'feat(booking): fares and refunds');
  git('add', '.');
  git('commit', '--quiet', '--no-verify', '-m', 'refactor: cancellation in a module of its own');
}
