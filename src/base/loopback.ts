/**
 * Whether a host can only be this machine: `localhost`, `127.x.x.x` or `::1`, with or without the brackets of a URL.
 * Addresses of private networks are not: other machines have those too.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}
