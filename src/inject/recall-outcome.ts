/** What an HTTP status other than 200 means for memory (contract page §2 and §8). */
const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  422: 'rejected',
  503: 'unavailable',
};

/**
 * The outcome for an answer that is not a success.
 * @param body its text: a 404 is an unknown scope only where the server says so, else an address where no such server is.
 */
export function failureOfStatus(status: number, body: string): string {
  if (status === 404 && /"code"\s*:\s*"scope_not_found"/.test(body)) return 'failed:scope_not_found';
  return `failed:${BY_STATUS[status] ?? `http_${status}`}`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  off: 'No PowerContext server is set, so nothing was remembered. Set "projectAnchor.powercontext.url" to use one.',
  not_needed: 'Memory was not asked, because the project itself answers this request.',
  ready: 'PowerContext remembered something.',
  prefetched: 'What PowerContext remembered was fetched ahead.',
  empty: 'PowerContext remembers nothing about this.',
  backoff: 'PowerContext failed a moment ago and is left alone for 30 seconds.',
  too_large: 'What PowerContext remembered did not fit its share of the context and was left out whole.',
  'failed:no_scope':
    'No PowerContext scope is set, so nothing was asked. Set "projectAnchor.powercontext.scopeId" to a scope of that server.',
  'failed:bad_url':
    'The PowerContext address is not usable: it must use https (http for this machine only), without user name, query or fragment. Correct "projectAnchor.powercontext.url".',
  'failed:bad_authorization': 'The PowerContext authorization has characters that no header may have. Set it again.',
  'failed:refused': 'The request to PowerContext was stopped, because no setting names that server.',
  'failed:credential':
    'Memory was not asked, because the question looks like it contains a credential. Remove it and ask again.',
  'failed:cancelled': 'The question to PowerContext was cancelled.',
  'failed:unauthorized':
    'PowerContext refused the authorization (HTTP 401). Set a valid token; the request went out without memory.',
  'failed:forbidden':
    'PowerContext does not let this token read the scope (HTTP 403). Ask its operator; the request went out without memory.',
  'failed:scope_not_found':
    'PowerContext does not know the scope (HTTP 404). Check "projectAnchor.powercontext.scopeId"; the request went out without memory.',
  'failed:not_found':
    'There is no PowerContext server of a known version at that address (HTTP 404). Check "projectAnchor.powercontext.url"; the request went out without memory.',
  'failed:rejected':
    'PowerContext did not accept the question (HTTP 422). Check its version and "projectAnchor.powercontext.scopeId"; the request went out without memory.',
  'failed:unavailable':
    'PowerContext is not ready (HTTP 503). It is asked again in 30 seconds; the request went out without memory.',
  'failed:timeout':
    'PowerContext did not answer in time. It is asked again in 30 seconds; the request went out without memory.',
  'failed:network':
    'PowerContext could not be reached. Check that it runs at "projectAnchor.powercontext.url"; the request went out without memory.',
  'failed:redirect':
    'PowerContext answered with a redirect, which is not followed. Set its final address in "projectAnchor.powercontext.url".',
  'failed:oversize':
    'PowerContext answered with more than 1 MiB, which was not read. Check what runs at "projectAnchor.powercontext.url".',
  'failed:invalid_answer':
    'The answer is not what PowerContext sends, so it was not used. Check what runs at "projectAnchor.powercontext.url" and its version.',
};

/** A recall outcome's status in words for people: what happened and, where something can be done, what. */
export function recallSentence(status: string): string {
  const known = SENTENCES[status];
  if (known !== undefined && Object.hasOwn(SENTENCES, status)) return known;
  const http = /^failed:http_(\d{3})$/.exec(status)?.[1];
  return http === undefined
    ? `Memory could not be used (${status}).`
    : `PowerContext answered with HTTP ${http}. It is asked again in 30 seconds; the request went out without memory.`;
}
