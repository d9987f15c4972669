import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits: what whoever may use this hub has to know. */
export function newToken(): string {
  return randomBytes(32).toString('hex');
}

/** Whether two secrets are equal, in a time that does not depend on where they differ or how long they are. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}

/** What a nonce for `GET /v1/id?n=` looks like. */
const NONCE = /^[A-Za-z0-9_-]{16,128}$/;

/** Whether a hub answers a proof for this nonce. */
export function isNonce(value: string | null): value is string {
  return value !== null && NONCE.test(value);
}

/** A nonce for one proof. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** The proof that a hub knows a token without telling it: hex HMAC-SHA256 of the nonce, keyed with the token. */
export function proofOf(token: string, nonce: string): string {
  return createHmac('sha256', token).update(nonce).digest('hex');
}

/**
 * Whether a request was meant for this server. A page that had its own name resolved to this machine (DNS rebinding)
 * still sends that name, so only the bound address and the names of loopback pass.
 */
export function hostAllowed(header: string | undefined, port: number, host: string): boolean {
  if (header === undefined) return false;
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:]+)(?::(\d+))?$/.exec(header);
  const name = match?.[1]?.toLowerCase();
  if (name === undefined || Number(match?.[2] ?? 80) !== port) return false;
  const bare = name.replace(/^\[(.*)\]$/, '$1');
  return bare === host || bare === 'localhost' || bare === '127.0.0.1' || bare === '::1';
}

/** Programs send no `Origin`; pages do, and only those that were allowed may connect. */
export function originAllowed(header: string | undefined, allowed: readonly string[]): boolean {
  return header === undefined || allowed.includes(header);
}
