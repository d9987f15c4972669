import { isLoopback, ProjectAnchorError } from '../base/index.ts';

/**
 * The address of a server from a setting: HTTPS (HTTP only for this machine), without user name, password, query or fragment.
 * @param setting name of the setting, for the sentence.
 * @throws ProjectAnchorError `bad_url`; the address itself is never part of the message, it may hold a password.
 */
export function endpoint(text: string, setting: string): URL {
  const refuse = (what: string): never => {
    throw new ProjectAnchorError('bad_url', `The address in "${setting}" ${what}.`, 'Correct it in the settings.');
  };
  const url = URL.parse(text.trim());
  if (url === null) return refuse('is not a web address');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must start with https://');
  if (url.username !== '' || url.password !== '') return refuse('must not contain a user name or password');
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) return refuse('must not contain a query or fragment');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return refuse('must use https://, because http:// is allowed for this machine only');
  }
  return url;
}

/** `base` with `path` appended, whether or not the base ends in a slash. */
export function under(base: URL, path: string): URL {
  return new URL(`${base.href.replace(/\/+$/, '')}/${path}`);
}
