/**
 * DATABASE_URL may name several servers, as libpq writes them: `postgres://user:password@db1:5432,db2:5432/name`. The
 * driver knows one server per URL, so the URL is split into one for each. Messages never contain the URL: it has a
 * password.
 */
export interface ServerAddress {
  /** For messages: host and port, or the folder of a socket. */
  name: string;
  url: string;
}

const defaultPort = '5432';
/** Both mean that the service needs the server that takes writes. */
const acceptedAttributes = ['read-write', 'primary'];

export function parseDatabaseUrl(value: string): ServerAddress[] {
  const parts = /^(postgres|postgresql):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?$/.exec(value);
  if (!parts) throw new Error('must be a URL that begins with postgres:// or postgresql://');
  const [, scheme, authority = '', path = '', query = ''] = parts;
  const at = authority.lastIndexOf('@');
  const login = authority.slice(0, at + 1);
  for (const part of [...login.slice(0, -1).split(':'), path]) requireEncoded(part);
  const parameters = new URLSearchParams(query);
  checkAttributes(parameters.get('target_session_attrs'));
  parameters.delete('target_session_attrs');

  const hosts = hostsOf(authority.slice(at + 1), parameters);
  const addresses = hosts.map(({ host, port, isParameter }) => {
    const own = new URLSearchParams(parameters);
    const isSocket = /^(\/|%2f)/i.test(host);
    if (isParameter) own.set('host', host);
    // A socket's port is a part of its file name, and cannot follow it in a URL.
    if (isParameter || (isSocket && port !== defaultPort)) own.set('port', port);
    const place = isParameter ? 'localhost' : isSocket ? host : `${host}:${port}`;
    return {
      name: isSocket ? decodeURIComponent(host) : `${host}:${port}`,
      url: `${scheme}://${login}${place}${path}${own.size > 0 ? `?${own}` : ''}`,
    };
  });
  for (const { name, url } of addresses) {
    if (!URL.canParse(url)) throw new Error(`has an invalid host: ${name}`);
  }
  return addresses;
}

interface Host {
  host: string;
  port: string;
  /** Given as `?host=`, as for a socket. */
  isParameter: boolean;
}

function hostsOf(text: string, parameters: URLSearchParams): Host[] {
  const named = parameters.get('host');
  if (named !== null && named !== '') {
    const hosts = named.split(',');
    const ports = (parameters.get('port') || defaultPort).split(',');
    if (ports.length > 1 && ports.length !== hosts.length) {
      throw new Error(`has ${hosts.length} hosts but ${ports.length} ports`);
    }
    return hosts.map((host, index) => checked(host, ports[index] ?? ports[0]!, true));
  }
  if (text === '') return [checked('localhost', parameters.get('port') || defaultPort, false)];
  return text.split(',').map((one) => {
    const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(one) ?? [];
    return checked(host, port || parameters.get('port') || defaultPort, false);
  });
}

function checked(host: string, port: string, isParameter: boolean): Host {
  if (host.trim() === '') throw new Error('has an empty host between two commas');
  requireEncoded(host);
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new Error(`has a port that is not a number from 1 to 65535 for the host ${host}`);
  }
  return { host, port, isParameter };
}

function checkAttributes(value: string | null): void {
  if (value !== null && !acceptedAttributes.includes(value)) {
    throw new Error(
      `target_session_attrs must be ${acceptedAttributes.join(' or ')}: the service needs the server that takes writes`,
    );
  }
}

function requireEncoded(part: string): void {
  try {
    decodeURIComponent(part);
  } catch {
    throw new Error('has a wrong percent-encoding: write % as %25');
  }
}
