import { decodePath, encodePath } from './targets.ts';

/** The transports of protocol §2; `ssh+git` and `git+ssh` are git's older names for ssh. */
const SCHEME = /^(?:ssh|git|https?|ssh\+git|git\+ssh):\/\//i;
const DEFAULT_PORTS: ReadonlySet<string> = new Set(['', '22', '80', '443', '9418']);
/** Letters, digits and what names and IPv4 addresses have, or an IPv6 address in brackets. */
const HOST = /^(?:[\p{L}\p{N}._~-]+|\[[0-9a-f:.]+\])$/iu;

/**
 * The `https://host[:port]/path` form of a remote's URL (protocol §2), or null when it is none: file URLs, local paths
 * and helpers of unknown transports. Escapes of a URL are undone first, so that all spellings of a path meet.
 */
export function normaliseRemote(url: string): string | null {
  const text = url.trim();
  const scheme = SCHEME.exec(text)?.[0];
  return scheme === undefined ? fromScp(text) : fromUrl(text.slice(scheme.length));
}

function fromUrl(text: string): string | null {
  const bare = text.replace(/[?#].*$/s, '');
  const slash = bare.indexOf('/');
  const authority = slash < 0 ? bare : bare.slice(0, slash);
  const path = slash < 0 ? '' : bare.slice(slash);
  const [, host, port = ''] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return host === undefined ? null : assemble(host, port, undoEscapes(path));
}

/** `[user@]host:path`; a slash or a single drive letter before the colon makes it a local path. */
function fromScp(text: string): string | null {
  const match = /^([^/\\:@]*@)?(\[[^\]/]+\]|[^/\\:@[\]]+):(?!:)(.*)$/s.exec(text);
  if (match === null) return null;
  const [, user, host = '', path = ''] = match;
  if ((user === undefined && /^[a-z]$/i.test(host)) || path.startsWith('//')) return null;
  if (!host.startsWith('[')) return assemble(host, '', path);
  // Brackets hold an IPv6 address, or a host with a port.
  const [, name, port] = /^\[([^:]+):(\d+)\]$/.exec(host) ?? [];
  return name === undefined ? assemble(host, '', path) : assemble(name, port ?? '', path);
}

/** Escapes that are none stay as they are. */
function undoEscapes(path: string): string {
  return decodePath(path.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
}

function assemble(host: string, port: string, path: string): string | null {
  if (!HOST.test(host)) return null;
  const clean = path
    .split('/')
    .filter((segment) => segment !== '')
    .join('/')
    .replace(/\.git$/, '')
    .replace(/\/$/, '');
  const number = port.replace(/^0+(?=\d)/, '');
  const shownPort = DEFAULT_PORTS.has(number) ? '' : `:${number}`;
  return `https://${host.toLowerCase()}${shownPort}${clean === '' ? '' : `/${encodePath(clean)}`}`;
}

export interface ChosenRemote {
  readonly name: string;
  readonly repository: string;
}

/** `origin`, else `upstream`, else the first by name (protocol §2), of those that are remotes at all. */
export function chooseRemote(remotes: ReadonlyMap<string, string>): ChosenRemote | null {
  const byName = [...remotes.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const name of ['origin', 'upstream', ...byName]) {
    const repository = normaliseRemote(remotes.get(name) ?? '');
    if (repository !== null) return { name, repository };
  }
  return null;
}
