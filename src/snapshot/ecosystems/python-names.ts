/** Distributions whose modules have other names, as far as they are common. */
const BY_MODULE: Readonly<Record<string, readonly string[]>> = {
  attr: ['attrs'],
  bs4: ['beautifulsoup4'],
  Crypto: ['pycryptodome', 'pycrypto'],
  cv2: ['opencv-python', 'opencv-python-headless', 'opencv-contrib-python'],
  dateutil: ['python-dateutil'],
  discord: ['discord.py'],
  docx: ['python-docx'],
  dotenv: ['python-dotenv'],
  fitz: ['pymupdf'],
  flask_sqlalchemy: ['flask-sqlalchemy'],
  git: ['gitpython'],
  github: ['pygithub'],
  google: ['google-api-python-client', 'protobuf'],
  'google.generativeai': ['google-generativeai'],
  'google.genai': ['google-genai'],
  'google.protobuf': ['protobuf'],
  grpc: ['grpcio'],
  jose: ['python-jose'],
  jwt: ['pyjwt'],
  kafka: ['kafka-python'],
  ldap: ['python-ldap'],
  Levenshtein: ['levenshtein', 'python-levenshtein'],
  magic: ['python-magic'],
  MySQLdb: ['mysqlclient'],
  multipart: ['python-multipart'],
  nacl: ['pynacl'],
  OpenSSL: ['pyopenssl'],
  PIL: ['pillow'],
  pkg_resources: ['setuptools'],
  pptx: ['python-pptx'],
  psycopg2: ['psycopg2', 'psycopg2-binary'],
  rest_framework: ['djangorestframework'],
  ruamel: ['ruamel.yaml'],
  serial: ['pyserial'],
  skimage: ['scikit-image'],
  sklearn: ['scikit-learn'],
  slugify: ['python-slugify'],
  socketio: ['python-socketio'],
  telegram: ['python-telegram-bot'],
  usb: ['pyusb'],
  websocket: ['websocket-client'],
  win32api: ['pywin32'],
  yaml: ['pyyaml'],
  zmq: ['pyzmq'],
};

/** One name for all spellings of a distribution (PEP 503). */
export function foldedDistribution(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Distributions that a module may come from, likeliest first. */
export function distributionsOf(module: string): readonly string[] {
  const parts = module.split('.').slice(0, 4);
  const prefixes = parts.map((_, at) => parts.slice(0, parts.length - at).join('.'));
  const known = prefixes.flatMap((prefix) => (Object.hasOwn(BY_MODULE, prefix) ? (BY_MODULE[prefix] ?? []) : []));
  // Parts of a large distribution are often ones of their own: google-cloud-storage.
  return [...prefixes.slice(0, -1), ...known, parts[0] ?? ''];
}
