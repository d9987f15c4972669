import { defineConfig } from 'vitest/config';

/** Unit tests are plain and fast; integration tests use real git, SQLite and sockets; end-to-end tests drive one real editor. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          // No module holds state (the linter sees to it), so files may share theirs: three times faster than a world each.
          isolate: false,
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: 'test/support/shared-by-the-run.ts',
          pool: 'forks',
          // Most of their time they wait for processes of their own.
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: 'test/support/shared-by-the-run.ts',
          pool: 'forks',
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { concurrent: false },
          testTimeout: 180_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
