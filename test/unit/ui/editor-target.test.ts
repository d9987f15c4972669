import { describe, expect, it } from 'vitest';
import { selectedLines } from '../../../src/ui/editor-target.ts';

const range = (a: [number, number], b: [number, number]) => ({
  start: { line: a[0], character: a[1] },
  end: { line: b[0], character: b[1] },
});

describe('selectedLines', () => {
  it('is 1-based and inclusive', () => {
    expect(selectedLines(range([9, 4], [19, 2]))).toEqual({ start: 10, end: 20 });
    expect(selectedLines(range([0, 0], [0, 1]))).toEqual({ start: 1, end: 1 });
  });

  it('leaves out a last line of which nothing is selected', () => {
    expect(selectedLines(range([9, 0], [20, 0]))).toEqual({ start: 10, end: 20 });
    expect(selectedLines(range([9, 0], [10, 0]))).toEqual({ start: 10, end: 10 });
  });

  it('is null for an empty selection', () => {
    expect(selectedLines(range([9, 4], [9, 4]))).toBeNull();
  });
});
