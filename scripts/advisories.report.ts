/** Reads what `npm audit --json` prints. Nothing of an error is shown but its code: messages name the registry. */

interface Advisory {
  title: string;
  url: string;
  severity: string;
}

interface Vulnerable {
  name: string;
  severity: string;
  range: string;
  /** The advisories of the package itself; the others are names of packages that it uses. */
  via: (Advisory | string)[];
}

export type Audit = { vulnerable: Vulnerable[] } | { noAnswer: string };

const severities = ['critical', 'high', 'moderate', 'low', 'info'];
const serious = new Set(['critical', 'high']);

export function readAudit(printed: string): Audit {
  let found: unknown;
  try {
    found = JSON.parse(printed);
  } catch {
    return { noAnswer: 'npm printed no result' };
  }
  const { vulnerabilities, statusCode, error } = (found ?? {}) as {
    vulnerabilities?: Record<string, Vulnerable>;
    statusCode?: number;
    error?: { code?: unknown };
  };
  if (typeof vulnerabilities === 'object' && vulnerabilities !== null)
    return { vulnerable: Object.values(vulnerabilities) };
  const code = statusCode ?? error?.code;
  return { noAnswer: /^[A-Z0-9_]{1,40}$/.test(String(code)) ? String(code) : 'no code' };
}

export function describeAudit(audit: Audit): { lines: string[]; isSerious: boolean } {
  if ('noAnswer' in audit) {
    const line = `NOT CHECKED: the registry gave no answer about advisories (${audit.noAnswer}). Run this again where it does.`;
    return { lines: [line], isSerious: false };
  }
  const lines = audit.vulnerable
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1))
    .flatMap(({ name, severity, range, via }) => [
      `${severity}: ${name} ${range}`.trimEnd(),
      ...via.map((one) => (typeof one === 'string' ? `  by ${one}` : `  ${one.title}`)),
    ]);
  const isSerious = audit.vulnerable.some(({ severity }) => serious.has(severity));
  return { lines: lines.length > 0 ? lines : ['No known vulnerabilities.'], isSerious };
}

const rankOf = ({ severity }: Vulnerable) => (severities.indexOf(severity) + 10) % 10;
