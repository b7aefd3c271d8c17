/** The only place that reads the environment: parsed once at start, passed on where needed. */
import { resolve } from 'node:path';
import { limits } from '../contract/limits.ts';
import { emailPattern } from '../contract/widget/widget-protocol.ts';
import { type BackupSettings, readBackupSettings } from './platform/backups/settings.ts';
import type { S3Settings } from './platform/blobs/s3-client.ts';
import { type CellSettings, parseCells } from './platform/cells/cell-settings.ts';
import { parseDatabaseUrl } from './platform/db/database-url.ts';
import { type AddressRange, parseRanges } from './platform/http/client-address.ts';
import type { MailSettings } from './platform/mail.ts';
import { type OidcSettings, readOidc } from './platform/oidc/oidc-settings.ts';
import { type OutboundAllow, parseOutboundAllow } from './platform/outbound/outbound-address.ts';
import { passwordProblem } from './platform/password-rules.ts';
import { StartError } from './platform/start/start-error.ts';
import { readTelemetry, type TelemetrySettings } from './platform/telemetry/telemetry-settings.ts';
import { type SettingName, settings } from './settings.ts';

export type ProcessRole = 'all' | 'api' | 'worker';
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface Config {
  host: string;
  port: number;
  /** Where a worker answers health checks; null: nowhere. */
  healthPort: number | null;
  /** What a caller of /metrics on PORT sends; empty: only this machine may call it. */
  metricsToken: string;
  publicUrl: string;
  /** False: publicUrl is derived from HOST and PORT. */
  hasPublicUrl: boolean;
  /** Origins besides publicUrl whose pages may open a WebSocket. */
  allowedOrigins: string[];
  /** Proxies whose X-Forwarded-For is trusted. */
  trustProxy: AddressRange[];
  /** Where administrators of the instance may sign in and call from; empty: everywhere. */
  instanceAdminAddresses: AddressRange[];
  dataDir: string;
  /** Uploads are rejected while DATA_DIR has less free space than this; 0: never. */
  minFreeDiskMb: number;
  /** The memory for searching messages, of all accounts together. */
  messageSearchMb: number;
  /** The disk space for search indexes, of all accounts together; 0: they are in memory only. */
  searchFilesMb: number;
  /** Open connections of chat widgets, for each process. */
  widgetSockets: { perAddress: number; perAccount: number };
  /** Against floods: per hour for a network address and for a channel of the widget; per hour in percent of the day. */
  aiReplies: { perAddress: number; perChannel: number; hourlyPercent: number };
  databaseUrl: string;
  /** Databases besides that of DATABASE_URL, for accounts. */
  cells: CellSettings[];
  /** Where other processes reach this one, with port 0 if PORT is; empty: nowhere. */
  nodeUrl: string;
  redisUrl: string;
  s3: S3Settings;
  backups: BackupSettings;
  transcribe: { url: string; apiKey: string; model: string };
  /** Null: the service sends no e-mail. */
  mail: MailSettings | null;
  /** Sign-in with a provider; null: with a password only. */
  oidc: OidcSettings | null;
  /** PATH: where ffmpeg is searched. */
  executables: string;
  adminEmail: string;
  adminPassword: string;
  /** Empty: generated at the first start and stored under dataDir (platform/secrets/secret-key.ts). */
  secretKey: string;
  /** Keys that can still open and verify, but never seal or sign. */
  previousSecretKeys: string[];
  outboundAllow: OutboundAllow;
  /** Null: no traces and metrics are sent. */
  telemetry: TelemetrySettings | null;
  role: ProcessRole;
  logLevel: LogLevel;
}

/** For PORT=0: with the port that was chosen, in the addresses that are derived from it too. */
export function withPort(config: Config, port: number): Config {
  if (config.port !== 0) return config;
  const at = (url: string) => url.replace(/:0$/, `:${port}`);
  const publicUrl = config.hasPublicUrl ? config.publicUrl : at(config.publicUrl);
  return { ...config, port, publicUrl, nodeUrl: at(config.nodeUrl) };
}

export class ConfigError extends StartError {}

type Environment = Record<string, string | undefined>;

const roles: ProcessRole[] = ['all', 'api', 'worker'];
const logLevels: LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];
const minimumSecretLength = 32;
/** Fits into an integer of PostgreSQL. */
const maxCount = 1_000_000_000;

export function readConfig(env: Environment = process.env): Config {
  const problems: string[] = [];
  const text = (name: SettingName) => env[name]?.trim() || (settings[name].default ?? '');
  const check = <T>(name: string, read: () => T): T => {
    try {
      return read();
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`);
      return undefined as T;
    }
  };

  const host = text('HOST');
  const port = check('PORT', () => readPort(text('PORT')));
  const adminEmail = check('ADMIN_EMAIL', () => readEmail(text('ADMIN_EMAIL')));
  const config: Config = {
    host,
    port,
    healthPort: check('HEALTH_PORT', () => readHealthPort(text('HEALTH_PORT'))),
    metricsToken: check('METRICS_TOKEN', () => readMetricsToken(text('METRICS_TOKEN'))),
    publicUrl: check('PUBLIC_URL', () =>
      // Without a valid PORT the address derived from it cannot be checked.
      readUrl(text('PUBLIC_URL') || `http://${authority(host)}:${port ?? 0}`, ['http:', 'https:']).replace(
        /\/+$/,
        '',
      ),
    ),
    hasPublicUrl: text('PUBLIC_URL') !== '',
    allowedOrigins: check('ALLOWED_ORIGINS', () => readOrigins(text('ALLOWED_ORIGINS'))),
    trustProxy: check('TRUST_PROXY', () => parseRanges(text('TRUST_PROXY'))),
    instanceAdminAddresses: check('INSTANCE_ADMIN_ADDRESSES', () =>
      parseRanges(text('INSTANCE_ADMIN_ADDRESSES')),
    ),
    dataDir: resolve(text('DATA_DIR')),
    minFreeDiskMb: check('MIN_FREE_DISK_MB', () => readMegabytes(text('MIN_FREE_DISK_MB'))),
    messageSearchMb: check('MESSAGE_SEARCH_MB', () => readMegabytes(text('MESSAGE_SEARCH_MB'))),
    searchFilesMb: check('SEARCH_FILES_MB', () => readMegabytes(text('SEARCH_FILES_MB'))),
    widgetSockets: {
      perAddress: check('WIDGET_SOCKETS_PER_ADDRESS', () => readCount(text('WIDGET_SOCKETS_PER_ADDRESS'))),
      perAccount: check('WIDGET_SOCKETS_PER_ACCOUNT', () => readCount(text('WIDGET_SOCKETS_PER_ACCOUNT'))),
    },
    aiReplies: {
      perAddress: check('AI_REPLIES_PER_ADDRESS', () => readCount(text('AI_REPLIES_PER_ADDRESS'))),
      perChannel: check('AI_REPLIES_PER_CHANNEL', () => readCount(text('AI_REPLIES_PER_CHANNEL'))),
      hourlyPercent: check('AI_REPLIES_HOURLY_PERCENT', () => readPercent(text('AI_REPLIES_HOURLY_PERCENT'))),
    },
    databaseUrl: check('DATABASE_URL', () => readDatabaseUrl(text('DATABASE_URL'))),
    cells: check('CELLS', () => parseCells(text('CELLS'), text('DATABASE_URL'), readDatabaseUrl)),
    nodeUrl: check('NODE_ADDRESS', () => readNodeAddress(text('NODE_ADDRESS'), port ?? 0)),
    redisUrl: check('REDIS_URL', () => readOptionalUrl(text('REDIS_URL'), ['redis:', 'rediss:'])),
    s3: {
      endpoint: check('S3_ENDPOINT', () => readOptionalUrl(text('S3_ENDPOINT'), ['http:', 'https:'])),
      bucket: text('S3_BUCKET'),
      region: text('S3_REGION'),
      accessKeyId: text('S3_ACCESS_KEY_ID'),
      secretAccessKey: text('S3_SECRET_ACCESS_KEY'),
      forcePathStyle: check('S3_FORCE_PATH_STYLE', () => readBoolean(text('S3_FORCE_PATH_STYLE'))),
    },
    backups: readBackupSettings(
      { text, check, readDatabaseUrl },
      {
        dataDir: resolve(text('DATA_DIR')),
        hasS3Keys: text('S3_ACCESS_KEY_ID') !== '' && text('S3_SECRET_ACCESS_KEY') !== '',
      },
    ),
    transcribe: {
      url: check('TRANSCRIBE_URL', () => readOptionalUrl(text('TRANSCRIBE_URL'), ['http:', 'https:'])),
      apiKey: text('TRANSCRIBE_API_KEY'),
      model: text('TRANSCRIBE_MODEL'),
    },
    mail: check('SMTP_URL', () => readMail(text('SMTP_URL'), text('MAIL_FROM'))),
    oidc: readOidc({ text, check, readBoolean }),
    executables: text('PATH'),
    adminEmail,
    adminPassword: check('ADMIN_PASSWORD', () => readPassword(text('ADMIN_PASSWORD'), adminEmail ?? '')),
    secretKey: check('SECRET_KEY', () => readSecret(text('SECRET_KEY'))),
    previousSecretKeys: check('SECRET_KEY_PREVIOUS', () => readSecrets(text('SECRET_KEY_PREVIOUS'))),
    outboundAllow: check('OUTBOUND_ALLOW', () => parseOutboundAllow(text('OUTBOUND_ALLOW'))),
    telemetry: readTelemetry({ text, check, readBoolean }),
    role: check('PROCESS_ROLE', () => oneOf(text('PROCESS_ROLE'), roles)),
    logLevel: check('LOG_LEVEL', () => oneOf(text('LOG_LEVEL'), logLevels)),
  };
  if (config.s3.bucket && !(config.s3.accessKeyId && config.s3.secretAccessKey)) {
    problems.push('S3_BUCKET: needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  }
  if (problems.length > 0) {
    throw new ConfigError(`The environment has settings that cannot be used:\n  ${problems.join('\n  ')}`);
  }
  return config;
}

function authority(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** A host alone has this process's port. */
function readNodeAddress(value: string, port: number): string {
  if (value === '') return '';
  const url = URL.parse(value.includes('://') ? value : `http://${authority(value)}:${port}`);
  const isOrigin = url && url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
  if (!isOrigin || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`must be a host, or a URL such as http://10.0.0.5:3000, not "${value}"`);
  }
  return url.origin;
}

function readPort(value: string): number {
  const port = Number(value);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`must be a whole number from 0 to 65535, not "${value}"`);
  }
  return port;
}

function readHealthPort(value: string): number | null {
  return value === '' ? null : readPort(value);
}

function readMetricsToken(value: string): string {
  if (value !== '' && !/^[\x21-\x7e]{16,256}$/.test(value)) {
    throw new Error('must have 16 to 256 characters of ASCII without spaces');
  }
  return value;
}

function readMail(url: string, from: string): Config['mail'] {
  if (url === '') return null;
  const { protocol, hostname, port, username, password } = new URL(readUrl(url, ['smtp:', 'smtps:']));
  if (hostname === '') throw new Error('needs a host, such as smtp://mail.example.com');
  const isSecure = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 465 : 587),
    isSecure,
    user: decodePart(username),
    password: decodePart(password),
    from: readSender(from),
  };
}

/** The message never contains the value: it may be a password. */
function decodePart(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new Error('has a user or a password with a wrong percent-encoding: write % as %25');
  }
}

/** An address alone, or a name before it: Shop <shop@example.com>. */
function readSender(from: string): MailSettings['from'] {
  const [, name = '', inBrackets] = /^([^<>]*)<([^<>]*)>$/.exec(from) ?? [];
  const address = inBrackets ?? from;
  if (!new RegExp(emailPattern).test(address) || /\p{Cc}/u.test(from)) {
    throw new Error('needs MAIL_FROM, such as shop@example.com or "Shop <shop@example.com>"');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

function readCount(value: string): number {
  const count = Number(value);
  if (!Number.isInteger(count) || count < 1 || count > maxCount) {
    throw new Error(`must be a whole number from 1 to ${maxCount}, not "${value}"`);
  }
  return count;
}

function readPercent(value: string): number {
  const percent = Number(value);
  if (!Number.isInteger(percent) || percent < 1 || percent > 100) {
    throw new Error(`must be a whole number from 1 to 100, not "${value}"`);
  }
  return percent;
}

function readMegabytes(value: string): number {
  const megabytes = Number(value);
  if (!Number.isSafeInteger(megabytes) || megabytes < 0) {
    throw new Error(`must be a whole number of megabytes, 0 or more, not "${value}"`);
  }
  return megabytes;
}

function readUrl(value: string, protocols: string[]): string {
  if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
    throw new Error(`must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
  }
  return value;
}

function readOptionalUrl(value: string, protocols: string[]): string {
  return value === '' ? '' : readUrl(value, protocols);
}

function readOrigins(value: string): string[] {
  const origins = value
    .split(',')
    .map((part) => part.trim().replace(/\/$/, ''))
    .filter((part) => part !== '');
  const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin);
  if (wrong !== undefined) throw new Error(`must be origins such as https://app.example.com, not "${wrong}"`);
  return origins;
}

/** A server on a unix socket has no host: PostgreSQL writes it as `postgres://user@/name?host=/directory`. */
function readDatabaseUrl(value: string): string {
  if (value !== '') parseDatabaseUrl(value);
  return value;
}

function readBoolean(value: string): boolean {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw new Error(`must be true or false, not "${value}"`);
}

function readEmail(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value)) throw new Error(`must be an e-mail address, not "${value}"`);
  return value.toLowerCase();
}

function readPassword(value: string, email: string): string {
  if (value === '') return value;
  if (value.length < limits.passwordLength.min) {
    throw new Error(`must have at least ${limits.passwordLength.min} characters`);
  }
  const problem = passwordProblem(value, email);
  if (problem) throw new Error(problem);
  return value;
}

function readSecret(value: string): string {
  if (value !== '' && value.length < minimumSecretLength) {
    throw new Error(`must have at least ${minimumSecretLength} characters`);
  }
  return value;
}

function readSecrets(value: string): string[] {
  const keys = value.split(',').map((part) => part.trim());
  return keys.filter((key) => key !== '').map(readSecret);
}

function oneOf<T extends string>(value: string, allowed: T[]): T {
  if (!allowed.includes(value as T)) throw new Error(`must be one of ${allowed.join(', ')}, not "${value}"`);
  return value as T;
}
