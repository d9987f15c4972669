/** Summary of repeated readings of one thing, in the unit they were taken in. */
export interface Summary {
  readonly n: number;
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The q-quantile (0..1) of sorted readings, nearest rank. */
function quantile(sorted: readonly number[], q: number): number {
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1));
  return sorted[index] ?? Number.NaN;
}

/** @throws RangeError without readings: a summary of nothing is not a figure. */
export function summarise(readings: readonly number[]): Summary {
  if (readings.length === 0) throw new RangeError('no readings');
  const sorted = [...readings].sort((a, b) => a - b);
  return {
    n: sorted.length,
    median: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: quantile(sorted, 1),
  };
}

/** Milliseconds that one run of `work` takes; what measures itself gives its own. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  const own = await work();
  return typeof own === 'number' ? own : performance.now() - start;
}

export interface Rounds {
  readonly rounds: number;
  /** Uncounted rounds before. */
  readonly warmup: number;
  /** Run ahead of each round and not counted. */
  readonly before?: (round: number) => unknown;
}

/**
 * Runs several things in turn, so that all of them meet the same noise. Their order changes from round to round, through
 * all orders that there are: each leaves caches and processors to the next in another state, and none is to come after
 * the same one more often than the others.
 */
export async function rounds<K extends string>(
  subjects: Readonly<Record<K, () => unknown>>,
  { rounds, warmup, before }: Rounds,
): Promise<Readonly<Record<K, Summary>>> {
  const names = Object.keys(subjects) as K[];
  const orders = ordersOf(names);
  const readings = new Map<K, number[]>(names.map((name) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    await before?.(round + warmup);
    for (const name of orders[(round + warmup) % orders.length] ?? names) {
      const reading = await timed(subjects[name]);
      if (round >= 0) readings.get(name)?.push(reading);
    }
  }
  return Object.fromEntries(Array.from(readings, ([name, taken]) => [name, summarise(taken)])) as Record<K, Summary>;
}

function ordersOf<T>(things: readonly T[]): readonly (readonly T[])[] {
  if (things.length <= 1) return [things];
  return things.flatMap((first) => ordersOf(things.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

export interface Paired {
  readonly subject: Summary;
  readonly baseline: Summary;
  /** Median of the subject over the median of the baseline. */
  readonly ratio: number;
}

export function pair(subject: Summary, baseline: Summary): Paired {
  return { subject, baseline, ratio: subject.median / baseline.median };
}

/**
 * Runs subject and baseline in turn, so that both meet the same noise, after `warmup` uncounted rounds.
 * `before` is run ahead of each subject run and is not counted.
 */
export async function paired(options: {
  readonly rounds: number;
  readonly warmup: number;
  readonly subject: () => unknown;
  readonly baseline: () => unknown;
  readonly before?: () => unknown;
}): Promise<Paired> {
  const subject: number[] = [];
  const baseline: number[] = [];
  for (let round = -options.warmup; round < options.rounds; round++) {
    const base = await timed(options.baseline);
    await options.before?.();
    const own = await timed(options.subject);
    if (round < 0) continue;
    baseline.push(base);
    subject.push(own);
  }
  return pair(summarise(subject), summarise(baseline));
}
