import type { Paired, Summary } from './stats.ts';

/** What a figure is held against: `value` in any unit, at most or at least the limits in the same one. */
export interface Goal {
  readonly value: number;
  readonly must: number;
  readonly aim?: number;
  /** How the limits are written: `≤ 2 ×`. */
  readonly sign: '≤' | '≥';
  readonly unit: string;
}

/** One line of the report: what was measured, beside what, in which unit. */
export interface Row {
  readonly what: string;
  readonly figure: string;
  readonly baseline: string;
  readonly ratio: string;
  readonly goal?: Goal;
}

const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

export const ms = (value: number) => `${digits(value)} ms`;
export const times = (value: number) => `${value.toFixed(2)} ×`;
export const milliseconds = (s: Summary) => `${digits(s.median)} / ${digits(s.p95)} ms`;
export const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(2)} KiB`;
export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(3)} MB`;

/** A goal of at most so many times the baseline. */
export function atMost(value: number, must: number, aim: number, unit = '×'): Goal {
  return { value, must, aim, sign: '≤', unit };
}

/** A timing beside its baseline, medians and p95. */
export function timingRow(what: string, baselineName: string, result: Paired): Row {
  return {
    what,
    figure: milliseconds(result.subject),
    baseline: `${baselineName}: ${milliseconds(result.baseline)}`,
    ratio: times(result.ratio),
  };
}

function limit(goal: Goal | undefined, value: number | undefined): string {
  return goal === undefined || value === undefined ? '' : `${goal.sign} ${value} ${goal.unit}`;
}

/** Whether the aim is met, only what must be, or not even that. */
function verdict(goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const meets = (bound: number) => (goal.sign === '≤' ? goal.value <= bound : goal.value >= bound);
  if (!meets(goal.must)) return 'NOT MET';
  return goal.aim === undefined || meets(goal.aim) ? 'met' : 'must met';
}

const COLUMNS: readonly { readonly head: string; readonly of: (row: Row) => string; readonly right?: true }[] = [
  { head: 'what', of: ({ what }) => what },
  { head: 'median / p95', of: ({ figure }) => figure },
  { head: 'baseline (same run)', of: ({ baseline }) => baseline },
  { head: 'ratio', of: ({ ratio }) => ratio, right: true },
  { head: 'must', of: ({ goal }) => limit(goal, goal?.must), right: true },
  { head: 'aim', of: ({ goal }) => limit(goal, goal?.aim), right: true },
  { head: '', of: ({ goal }) => verdict(goal) },
];

/** The rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const cells = [COLUMNS.map(({ head }) => head), ...rows.map((row) => COLUMNS.map(({ of }) => of(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const [head = '', ...body] = cells.map((line) =>
    line
      .map((cell, column) =>
        COLUMNS[column]?.right ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return [head, '-'.repeat(Math.max(head.length, ...body.map(({ length }) => length))), ...body].join('\n');
}
