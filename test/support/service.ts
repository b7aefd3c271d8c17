/**
 * A whole service on a separate database: real HTTP handling, real PostgreSQL, nothing mocked. `joinTestService` gives a
 * test file an account of its own in the service that the files of a process share. One that needs the whole database or
 * process to itself has its own service, by `startTestService`.
 */
// First: see there.
import './cheap-hashes.ts';
import { rmSync } from 'node:fs';
import { createApp } from '../../server/app.ts';
import { startCells } from '../../server/cells.ts';
import { readConfig } from '../../server/config.ts';
import type { ServiceContext } from '../../server/context.ts';
import { createAccount, hashPassword } from '../../server/features/accounts/accounts.ts';
import { createFirstAccount } from '../../server/first-start.ts';
import { connectDb } from '../../server/open-database.ts';
import type { App } from '../../server/platform/http/http.ts';
import { createLogger } from '../../server/platform/logger.ts';
import { closeContext, createContext } from '../../server/service.ts';
import { startWorker, type Worker } from '../../server/worker.ts';
import { type Connection, createTestDatabase, urlOf } from './database.ts';
import { newFolder } from './scratch.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the body member by member; a type would only repeat it
export type Json = any;

export interface Answer<T = Json> {
  status: number;
  headers: Record<string, string>;
  body: T;
  text: string;
}

export interface CallOptions {
  token?: string | null;
  headers?: Record<string, string>;
  /** Of the peer; 127.0.0.1 by default. */
  address?: string;
  /** Sent as JSON unless it is a string or a Buffer, which are sent unchanged. */
  body?: unknown;
}

export interface TestService {
  app: App;
  context: ServiceContext;
  contextOf(cell: string): ServiceContext;
  connection: Connection;
  /** Of the account, and of the instance. */
  admin: { email: string; password: string; jwt: string; userId: string; accountId: string };
  /** An API token of the administrator's account with every scope and no practical limits. */
  token: string;
  call<T = Json>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  login(email: string, password: string): Promise<string>;
  createToken(jwt: string, body?: object): Promise<{ id: string; token: string }>;
  createUser(role: 'admin' | 'operator', jwt?: string): Promise<{ id: string; email: string; jwt: string }>;
  /** Another account with an administrator and a token. */
  createAccount(name?: string): Promise<{ accountId: string; jwt: string; token: string }>;
  /** A second process of the same service: separate caches on the same database, its own settings in `env`. */
  startSecond(env?: Record<string, string>): Promise<SecondService>;
  close(): Promise<void>;
}

export interface SecondService extends Pick<TestService, 'app' | 'context' | 'contextOf' | 'call'> {
  close(): Promise<void>;
}

export interface TestServiceOptions {
  /** Where the log goes; standard output by default. */
  logTo?: { write(line: string): void };
  env?: Record<string, string>;
  worker?: boolean;
  /** Keeps the limits of the specification; by default they are lifted. */
  realLimits?: boolean;
  /** Connections to the database. Few by default: each plans every statement anew. */
  poolSize?: number;
  /** CELLS: names of further databases, which are created. */
  cells?: readonly string[];
}

export const password = 'correct horse battery';
export const secretKey = 'a key for tests that is long enough';
export const allScopes = [
  'crm:read',
  'crm:write',
  'messages:read',
  'messages:write',
  'notes:write',
  'contacts:block',
  'knowledge:read',
  'knowledge:write',
  'manage',
];
let counter = 0;

/**
 * Until a request is answered with BUSY: on a machine that runs many tests, a statement may wait for a processor longer
 * than it may take in production. The tests of the limits use the database without a service.
 */
const patientMs = 20_000;

/** A second file of the process that does not come within this time starts the service again. */
const waitForNextMs = 250;

interface Shared {
  service: Promise<RunningService>;
  members: number;
  closing?: NodeJS.Timeout;
}

/** Those of this process, by their options. */
const sharedServices = new Map<string, Shared>();

/** When those before them have ended: the next one with these options may need the same port. */
const ends = new Map<string, Promise<void>>();

/** A service with an administrator of its own. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const service = await startService(options);
  await createFirstAccount(service.context);
  await service.startWorker();
  return enter(service, service.context.config.adminEmail, options);
}

/**
 * A new account in the service that runs with these options. `close` leaves it, and the service ends with the last one
 * that leaves. Its database also has what the files before have left in other accounts.
 */
export async function joinTestService(
  options: Pick<TestServiceOptions, 'env' | 'worker'> = {},
): Promise<TestService> {
  const key = JSON.stringify(options);
  const shared = sharedServices.get(key) ?? {
    service: Promise.resolve(ends.get(key)).then(() => startShared(options)),
    members: 0,
  };
  sharedServices.set(key, shared);
  clearTimeout(shared.closing);
  shared.members += 1;
  const service = await shared.service;
  const { db, clock, accountStarters } = service.context;
  const adminEmail = `admin-${++counter}@example.com`;
  const adminPasswordHash = await hashPassword(password);
  await db.transaction((tx) =>
    createAccount(
      tx,
      clock.now(),
      { name: 'My workspace', adminEmail, adminPasswordHash, isInstanceAdmin: true },
      accountStarters,
    ),
  );
  return {
    ...(await enter(service, adminEmail, options)),
    async close() {
      shared.members -= 1;
      if (shared.members > 0) return;
      shared.closing = setTimeout(() => {
        sharedServices.delete(key);
        ends.set(key, service.close());
      }, waitForNextMs);
    },
  };
}

async function startShared(options: TestServiceOptions): Promise<RunningService> {
  const service = await startService(options);
  await service.startWorker();
  return service;
}

type RunningService = Awaited<ReturnType<typeof startService>>;

async function startService(options: TestServiceOptions) {
  const database = await createTestDatabase();
  const others = await Promise.all(
    (options.cells ?? []).map(async (name) => ({ name, ...(await createTestDatabase()) })),
  );
  const dataDir = newFolder('talkboard-data-');
  const configWith = (env: Record<string, string> = {}) =>
    readConfig({
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: process.env.TEST_LOG ?? 'fatal',
      CELLS: others.map(({ name, connection }) => `${name}=${urlOf(connection)}`).join(','),
      ...(others.length > 0 && { PROCESS_ROLE: options.worker ? 'all' : 'api' }),
      ...options.env,
      ...env,
    });
  const config = configWith();
  const logger = createLogger(config.logLevel, options.logTo);
  const open = async (settings = config) => {
    const connection = {
      ...database.connection,
      max: options.poolSize ?? 6,
      connectionTimeoutMillis: patientMs,
    };
    const db = connectDb({ connection, queryTimeoutMs: patientMs, stop: async () => {} }, logger);
    const context = await createContext(settings, logger, db);
    const cells = settings.cells.length > 0 ? await startCells(context, { createApp, startWorker }) : null;
    const app = await createApp(context);
    await app.ready();
    const front = cells?.attach(app) ?? app;
    return {
      app,
      context,
      contextOf: (cell: string) => cells?.contextOf(cell) ?? context,
      call: callOn(front),
      async close() {
        await Promise.all([app.close(), cells?.closeApps()]);
        await cells?.close();
        await closeContext(context);
        await db.close();
      },
    };
  };
  const first = await open();
  let worker: Worker | null = null;

  return {
    ...first,
    connection: database.connection,
    openSecond: (env?: Record<string, string>) => open(configWith(env)),
    async startWorker() {
      if (options.worker) worker = await startWorker(first.context);
    },
    async close() {
      await worker?.stop();
      await first.close();
      await database.drop();
      for (const other of others) await other.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** As the administrator with this address. */
async function enter(
  service: RunningService,
  email: string,
  { realLimits }: TestServiceOptions,
): Promise<TestService> {
  const { app, context, contextOf, connection, close } = service;
  const login = async (email: string, secret: string) => {
    const { body } = await service.call('POST', '/auth/login', {
      token: null,
      body: { email, password: secret },
    });
    return body.token as string;
  };
  const createToken = async (jwt: string, body: object = {}) => {
    const answer = await service.call('POST', '/api-tokens', {
      token: jwt,
      body: { name: 'test', scopes: allScopes, ...body },
    });
    return { id: answer.body.id as string, token: answer.body.token as string };
  };
  const jwt = await login(email, password);
  const me = (await service.call('GET', '/auth/me', { token: jwt })).body;
  const raiseLimits = async (accountId: string) => {
    if (realLimits) return;
    const limits = { crmPerMinute: 1_000_000, crmPerHour: 10_000_000, messagesPerMinute: 1_000_000 };
    await service.call('PATCH', `/admin/accounts/${accountId}`, { token: jwt, body: { limits } });
  };
  await raiseLimits(me.account.id);
  const { token } = await createToken(jwt);

  return {
    app,
    context,
    contextOf,
    connection,
    admin: { email, password, jwt, userId: me.user.id, accountId: me.account.id },
    token,
    call: (method, path, call = {}) => service.call(method, path, { token, ...call }),
    login,
    createToken,
    async createUser(role, by = jwt) {
      const address = `${role}-${++counter}@example.com`;
      const body = { email: address, name: `${role} ${counter}`, role, password };
      const created = await service.call('POST', '/users', { token: by, body });
      return { id: created.body.id, email: address, jwt: await login(address, password) };
    },
    async createAccount(name = `Account ${++counter}`) {
      const adminEmail = `owner-${++counter}@example.com`;
      const created = await service.call('POST', '/admin/accounts', {
        token: jwt,
        body: { name, adminEmail, adminPassword: password },
      });
      const accountId = created.body.account.id as string;
      await raiseLimits(accountId);
      const ownJwt = await login(adminEmail, password);
      return { accountId, jwt: ownJwt, token: (await createToken(ownJwt)).token };
    },
    async startSecond(env) {
      const second = await service.openSecond(env);
      return { ...second, call: (method, path, call = {}) => second.call(method, path, { token, ...call }) };
    },
    close,
  };
}

function callOn(app: Pick<App, 'inject'>): TestService['call'] {
  return async (method, path, { token, headers = {}, address, body } = {}) => {
    const raw = typeof body === 'string' || Buffer.isBuffer(body);
    const response = await app.inject({
      method: method as 'GET',
      url: path,
      ...(address && { remoteAddress: address }),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: raw ? body : JSON.stringify(body) }),
    });
    const text = response.body;
    const isJson = String(response.headers['content-type'] ?? '').includes('application/json');
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      text,
    };
  };
}
