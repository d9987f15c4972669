import type { Paired, Summary } from './stats.ts';

/** One line of the report: what was measured, beside what, in which unit. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly baseline: string;
  readonly ratio: string;
}

const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export const milliseconds = (s: Summary) => `${digits(s.median)} / ${digits(s.p95)} ms`;
export const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(2)} KiB`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(3)} MB`;

/** A timing beside its baseline, medians and p95. */
export function timingRow(what: string, baselineName: string, result: Paired): Row {
  return {
    what,
    figure: milliseconds(result.subject),
    baseline: `${baselineName}: ${milliseconds(result.baseline)}`,
    ratio: `${result.ratio.toFixed(2)} ×`,
  };
}

/** The rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const all: Row[] = [
    { what: 'what', figure: 'median / p95', baseline: 'baseline (same run)', ratio: 'ratio' },
    ...rows,
  ];
  const width = (pick: (row: Row) => string) => Math.max(...all.map((row) => pick(row).length));
  const widths = [
    width((r) => r.what),
    width((r) => r.figure),
    width((r) => r.baseline),
    width((r) => r.ratio),
  ] as const;
  const line = (r: Row) =>
    `${r.what.padEnd(widths[0])}  ${r.figure.padEnd(widths[1])}  ${r.baseline.padEnd(widths[2])}  ${r.ratio.padStart(widths[3])}`.trimEnd();
  const [head, ...body] = all.map(line);
  return [head, '-'.repeat(head?.length ?? 0), ...body].join('\n');
}
