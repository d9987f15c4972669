/** One kind of secret and how it looks. Every pattern is linear: bounded repetitions, no nested ones. */
export interface CredentialPattern {
  /** What it is, as it stands in a sentence. */
  readonly name: string;
  readonly pattern: RegExp;
}

/**
 * Forms that providers document for their keys, and passwords where their place gives them away.
 * Prefixed tokens are taken anywhere in a text; a word character before them means another word.
 */
export const CREDENTIAL_PATTERNS: readonly CredentialPattern[] = [
  { name: 'a private key', pattern: /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/ },
  { name: 'a PuTTY private key', pattern: /PuTTY-User-Key-File-\d/ },
  // AWS: access key ids have 20 characters behind a known prefix; the secret is 40 of base64 behind its name.
  { name: 'an AWS access key', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])/ },
  {
    name: 'an AWS secret key',
    pattern: /aws.{0,20}?(?:secret|private).{0,20}?[=:]\s{0,5}["']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/i,
  },
  // Google: API keys, OAuth client secrets and access tokens.
  { name: 'a Google API key', pattern: /(?<![\w-])AIza[\w-]{35}(?![\w-])/ },
  { name: 'a Google client secret', pattern: /(?<![\w-])GOCSPX-[\w-]{20,60}/ },
  { name: 'a Google access token', pattern: /(?<![\w.])ya29\.[\w-]{20,400}/ },
  // Azure: storage and service bus keys in connection strings, shared access signatures, client secrets.
  { name: 'an Azure key', pattern: /(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{40,100}={0,2}/ },
  { name: 'an Azure access signature', pattern: /[?&;]sig=[A-Za-z0-9%+/]{40,200}/ },
  { name: 'an Azure client secret', pattern: /(?<![\w~.-])[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}(?![\w~.-])/ },
  { name: 'a GitHub token', pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{40,255})/ },
  { name: 'a GitLab token', pattern: /(?<![A-Za-z0-9])gl(?:pat|oas|dt|rt|cbt|ptt|ft|soat|agent|imt)-[\w.-]{20,200}/ },
  { name: 'an npm token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])/ },
  { name: 'an npm token', pattern: /_auth(?:Token)?\s{0,3}=\s{0,3}["']?[\w+/=-]{16,400}/ },
  { name: 'a Slack token', pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,250}/ },
  { name: 'a Slack app token', pattern: /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10,250}/ },
  { name: 'a Slack webhook', pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9/_-]{20,200}/ },
  { name: 'a JSON web token', pattern: /(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{10,2000}/ },
  // Other services whose keys carry a prefix of their own.
  { name: 'a model provider key', pattern: /(?<![\w-])sk-(?:ant|proj|svcacct|or|cp|api)-[\w-]{20,250}/ },
  { name: 'a model provider key', pattern: /(?<![\w-])sk-[A-Za-z0-9]{32,250}/ },
  { name: 'a Stripe key', pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}/ },
  { name: 'a PyPI token', pattern: /(?<![A-Za-z0-9])pypi-[\w-]{50,400}/ },
  { name: 'a SendGrid key', pattern: /(?<![\w.])SG\.[\w-]{16,32}\.[\w-]{30,64}/ },
  { name: 'a Hugging Face token', pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,60}(?![A-Za-z0-9])/ },
];

/** `scheme://user:password@host`, with the password as group 1. */
const URL_PASSWORD = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>]{0,100}:([^\s/@"'`<>]{1,200})@[\w.[-]/gi;

const SECRET_NAME =
  '(?:pass(?:word|wd|phrase)?|pwd|secret|token|credential|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|client[_-]?secret|密码|口令|密钥|令牌)';
/** `name = "value"` in any language, JSON included; the value is group 1. */
const QUOTED_ASSIGNMENT = new RegExp(
  `${SECRET_NAME}[\\w-]{0,20}["'\`]?\\s{0,8}(?::=|[:=：]|=>)\\s{0,8}["'\`]([^"'\`\\s]{8,400})["'\`]`,
  'gi',
);
/** `NAME=value` alone on a line, as in environment files, shells and YAML; the value is group 1. */
const BARE_ASSIGNMENT = new RegExp(
  `^[ \\t]{0,40}(?:export[ \\t]{1,4}|set[ \\t]{1,4}|-[ \\t]{1,4})?[\\w.-]{0,40}${SECRET_NAME}[\\w-]{0,20}[ \\t]{0,8}[=:][ \\t]{0,8}([\\w+/=.~!@$%^&*-]{8,400})[ \\t]*$`,
  'gim',
);

/** Words that stand where a secret goes in examples. */
const PLACEHOLDER =
  /^(?:\W*|x+|\*+|\.+|example|sample|dummy|placeholder|changeme|change[_-]me|redacted|undefined|null)$/i;
const REFERENCE =
  /\$\{|\{\{|^\$|^%\w+%$|^%[sdv]$|^\{.*\}$|^<.*>$|^(?:process\.env|os\.environ|env|secrets|config|settings)\b/i;

/** Whether text in the place of a password is one: not a reference to it, not a placeholder, mixed enough. */
function isSecretValue(value: string): boolean {
  if (PLACEHOLDER.test(value) || REFERENCE.test(value)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  return kinds >= 2 && /\d/.test(value) && /[a-z]/i.test(value);
}

/** What kind of credential a text holds, as it stands in a sentence, or null. */
export function credentialIn(text: string): string | null {
  for (const { name, pattern } of CREDENTIAL_PATTERNS) if (pattern.test(text)) return name;
  for (const [, password = ''] of text.matchAll(URL_PASSWORD)) {
    if (!PLACEHOLDER.test(password) && !REFERENCE.test(password)) return 'a password in a URL';
  }
  for (const pattern of [QUOTED_ASSIGNMENT, BARE_ASSIGNMENT]) {
    for (const [, value = ''] of text.matchAll(pattern)) if (isSecretValue(value)) return 'a password or secret';
  }
  return null;
}
