import { readFileSync, readlinkSync } from 'node:fs';
import { codeOf } from '../base/index.ts';
import type { ProcessIdentity } from './receipts.ts';

/**
 * This process, told apart from a later one with the same pid. On Linux by boot, pid namespace (containers that share
 * a data folder have their own) and start time; elsewhere by the wall time of its start, which others cannot check.
 */
export function thisProcess(): ProcessIdentity {
  const start = linuxStart(process.pid) ?? `started ${new Date(Date.now() - process.uptime() * 1000).toISOString()}`;
  return { pid: process.pid, processStart: start };
}

/** Whether a process that wrote its identity down may still run. In doubt it may. */
export function mayBeAlive(other: ProcessIdentity): boolean {
  const own = place();
  const its = /^linux (\S+) (\S+) \d+$/.exec(other.processStart);
  if (own !== undefined && its !== null) {
    if (its[1] !== own.boot) return false;
    // A pid of another namespace means nothing here.
    if (its[2] !== own.namespace) return true;
    return linuxStart(other.pid) === other.processStart;
  }
  return exists(other.pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

interface Place {
  readonly boot: string;
  readonly namespace: string;
}

function place(): Place | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, namespace: readlinkSync('/proc/self/ns/pid').replace(/\s/g, '') };
  } catch {
    return undefined;
  }
}

/** Field 22 of /proc/<pid>/stat, counted after the name in brackets, which may contain anything (proc(5)). */
function linuxStart(pid: number): string | undefined {
  const here = place();
  if (here === undefined) return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not noticed yet.
    if (fields[0] === 'Z') return undefined;
    return `linux ${here.boot} ${here.namespace} ${fields[19]}`;
  } catch {
    return undefined;
  }
}
