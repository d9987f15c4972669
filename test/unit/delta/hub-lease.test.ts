import { describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/index.ts';
import { HubLease } from '../../../src/delta/hub-lease.ts';
import type { Lease, LeaseRow } from '../../../src/store/index.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** The lease table of one database, shared by all who compete. */
class Table implements Pick<Lease, 'read' | 'tryAcquire' | 'renew' | 'release'> {
  row: LeaseRow | undefined;
  broken = false;
  writes = 0;

  read() {
    return this.row;
  }

  tryAcquire(_name: string, wish: LeaseRow, now: number, dead: (holder: LeaseRow) => boolean = () => false): LeaseRow {
    this.#write();
    const holder = this.row;
    if (holder !== undefined && holder.owner !== wish.owner && holder.expires > now && !dead(holder)) return holder;
    this.row = wish;
    return wish;
  }

  renew(_name: string, owner: string, expires: number): boolean {
    this.#write();
    if (this.row?.owner !== owner) return false;
    this.row = { ...this.row, expires };
    return true;
  }

  release(_name: string, owner: string): boolean {
    this.#write();
    if (this.row?.owner !== owner) return false;
    this.row = undefined;
    return true;
  }

  #write(): void {
    this.writes++;
    if (this.broken) throw new Error('locked');
  }
}

function competing() {
  const table = new Table();
  const clock = new FakeClock();
  const dead = new Set<number>();
  const lease = (pid: number, own = clock) =>
    new HubLease({
      lease: table,
      clock: own,
      logger: silentLogger(),
      self: { pid, processStart: `start of ${pid}` },
      mayBeAlive: ({ pid: other }) => !dead.has(other),
    });
  return { table, clock, dead, lease };
}

describe('the lease of the hub', () => {
  it('goes to one of ten', () => {
    const { lease, table } = competing();
    const ten = Array.from({ length: 10 }, (_, pid) => lease(pid));
    expect(ten.filter((each) => each.tryTake())).toHaveLength(1);
    expect(table.row).toMatchObject({ pid: 0, processStart: 'start of 0', url: '' });
  });

  it('says where the hub is once it listens', () => {
    const { lease } = competing();
    const holder = lease(1);
    holder.tryTake();
    expect(holder.announce('ws://127.0.0.1:1/v1')).toBe(true);
    expect(lease(2).holder()?.url).toBe('ws://127.0.0.1:1/v1');
  });

  it('stays with who renews it, however long', () => {
    const { lease, clock } = competing();
    const holder = lease(1);
    const other = lease(2);
    holder.tryTake();
    for (let n = 0; n < 20; n++) {
      clock.advance(500);
      expect(holder.renew()).toBe(true);
      expect(other.tryTake()).toBe(false);
    }
  });

  it('is free when it was not renewed for 1.5 s, not before', () => {
    const { lease, clock } = competing();
    const other = lease(2);
    lease(1).tryTake();
    clock.advance(1_499);
    expect(other.tryTake()).toBe(false);
    clock.advance(1);
    expect(other.tryTake()).toBe(true);
  });

  it('is free at once when its holder is known to have ended', () => {
    const { lease, dead } = competing();
    lease(1).tryTake();
    dead.add(1);
    expect(lease(2).tryTake()).toBe(true);
  });

  it('is free at once when it was given back', () => {
    const { lease } = competing();
    const holder = lease(1);
    holder.tryTake();
    holder.release();
    expect(lease(2).tryTake()).toBe(true);
  });

  it('is lost for good once another has it', () => {
    const { lease, clock } = competing();
    const slow = lease(1);
    slow.tryTake();
    clock.advance(2_000);
    const other = lease(2);
    other.tryTake();
    expect(slow.renew()).toBe(false);
    expect(slow.announce('ws://127.0.0.1:1/v1')).toBe(false);
    slow.release();
    expect(other.renew()).toBe(true);
  });

  it('does not stay with a dead holder because the wall clock was set back', () => {
    const { lease, clock } = competing();
    const other = lease(2);
    lease(1).tryTake();
    clock.set(clock.now() - 3_600_000);
    expect(other.tryTake()).toBe(false);
    clock.advance(1_500);
    expect(other.tryTake()).toBe(false);
    clock.advance(1);
    expect(other.tryTake()).toBe(true);
  });

  it('stays with a living holder when the wall clock was set back', () => {
    const { lease, clock } = competing();
    const holder = lease(1);
    const other = lease(2);
    holder.tryTake();
    clock.set(clock.now() - 3_600_000);
    for (let n = 0; n < 10; n++) {
      clock.advance(500);
      holder.renew();
      expect(other.tryTake()).toBe(false);
    }
  });

  it('is held as long as it lasts while the database cannot be asked, and no longer', () => {
    const { lease, clock, table } = competing();
    const holder = lease(1);
    holder.tryTake();
    table.broken = true;
    clock.advance(1_400);
    expect(holder.renew()).toBe(true);
    clock.advance(100);
    expect(holder.renew()).toBe(false);
    expect(() => holder.release()).not.toThrow();
  });

  it('is only read, never written, by who sees that it is held', () => {
    const { lease, table } = competing();
    lease(1).tryTake();
    const before = table.writes;
    const other = lease(2);
    for (let n = 0; n < 5; n++) other.tryTake();
    expect(table.writes).toBe(before);
  });
});
