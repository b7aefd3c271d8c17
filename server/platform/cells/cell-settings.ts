/** CELLS: further databases, `name=postgres://…`, separated by commas. DATABASE_URL is the home cell. */

export interface CellSettings {
  name: string;
  url: string;
}

export const homeCell = 'home';
const nameForm = /^[a-z][a-z0-9-]{0,30}$/;

/** Messages never contain an address: it may hold a password. */
export function parseCells(
  value: string,
  homeUrl: string,
  readDatabaseUrl: (url: string) => string,
): CellSettings[] {
  const cells = entriesOf(value).map((entry, index) => {
    const equals = entry.indexOf('=');
    const name = equals < 0 ? '' : entry.slice(0, equals).trim();
    const url = entry.slice(equals + 1).trim();
    if (name === '' || name.includes('/')) {
      throw new Error(`entry ${index + 1} must look like eu2=postgres://user:password@host/database`);
    }
    if (!nameForm.test(name)) {
      throw new Error(
        `the name "${name}" must begin with a lower-case letter and have up to 31 letters, digits and hyphens`,
      );
    }
    if (name === homeCell) throw new Error('the name "home" is that of DATABASE_URL');
    try {
      if (url === '') throw new Error('needs an address');
      return { name, url: readDatabaseUrl(url) };
    } catch (error) {
      throw new Error(`the address of ${name} ${(error as Error).message}`);
    }
  });
  const names = new Set<string>();
  const databases = new Map<string, string>(homeUrl ? [[databaseOf(homeUrl), 'DATABASE_URL']] : []);
  for (const { name, url } of cells) {
    if (names.has(name)) throw new Error(`the name "${name}" is used twice`);
    names.add(name);
    const other = databases.get(databaseOf(url));
    if (other) throw new Error(`${name} is the same database as ${other}`);
    databases.set(databaseOf(url), name);
  }
  return cells;
}

/** An address may contain commas too, between several hosts: an entry begins where a name and a scheme do. */
function entriesOf(value: string): string[] {
  return value
    .split(/,(?=\s*[^,=/]*=\s*postgres(?:ql)?:\/\/)|,(?=[^/]*$)/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Hosts, port and name, without user and password. */
function databaseOf(url: string): string {
  const [, authority = '', path = '', query = ''] =
    /^[a-z]+:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)\??(.*)$/i.exec(url) ?? [];
  const options = new URLSearchParams(query);
  const hosts = options.get('host') ?? authority;
  const port = options.get('port') ?? '';
  const listed = hosts.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${port || 5432}`));
  return `${listed.sort().join(',').toLowerCase()}/${path}`;
}
