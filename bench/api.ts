/** Calls to the service that set a run up: sign in, raise the limits, define boards and fields. */
import type { Field, Kanban } from '../contract/crm/kanbans.ts';
import { customers } from './corpus/corpora.ts';
import { CORPUS_STATUSES } from './corpus/corpus.ts';
import { sampleFields } from './corpus/sample-records.ts';

export interface Workspace {
  accountId: string;
  kanbanId: string;
  fieldIds: string[];
  token: string;
  /** For the instance administrator. */
  jwt: string;
}

export interface CorpusWorkspace {
  accountId: string;
  token: string;
  /** Maps the corpus's ids to those of the account. */
  kanbanIds: Map<string, string>;
  fieldIds: Map<string, string>;
}

interface Login {
  email: string;
  password: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer's shape; a wrong one fails at once
type Json = any;
type Call = (method: string, path: string, token: string | null, body?: object) => Promise<Json>;

/** The limits are raised, not switched off: every request is still counted and gets its headers. */
const limits = {
  crmPerMinute: 10_000_000,
  crmPerHour: 100_000_000,
  messagesPerMinute: 10_000_000,
  aiRepliesPerDay: 100_000_000,
};
const scopes = ['crm:read', 'crm:write', 'messages:read', 'messages:write', 'manage'];

function callerOf(url: string): Call {
  return async (method, path, token, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
}

export async function prepareWorkspace(url: string, login: Login): Promise<Workspace> {
  const call = callerOf(url);
  const { token: jwt } = await call('POST', '/auth/login', null, login);
  const me = await call('GET', '/auth/me', jwt);
  const accountId = me.account.id as string;
  await call('PATCH', `/admin/accounts/${accountId}`, jwt, { limits });
  return { accountId, jwt, ...(await prepareBoard(call, jwt)) };
}

async function prepareBoard(call: Call, jwt: string) {
  const fields: Field[] = [];
  for (const { name, type, options } of sampleFields) {
    fields.push(await call('POST', '/crm/fields', jwt, { name, type, ...(options ? { options } : {}) }));
  }
  const { token } = await call('POST', '/api-tokens', jwt, { name: 'bench', scopes });
  return {
    kanbanId: fields[0]!.kanbanId,
    fieldIds: fields.map((field) => field.fieldId),
    token: token as string,
  };
}

/** Another account with the fields of the simple records. */
export async function prepareAccount(
  url: string,
  instanceJwt: string,
  name: string,
): Promise<Omit<Workspace, 'jwt'>> {
  const call = callerOf(url);
  const admin = { email: `${name}@example.com`, password: 'a password for one run' };
  const { account } = await call('POST', '/admin/accounts', instanceJwt, {
    name,
    adminEmail: admin.email,
    adminPassword: admin.password,
  });
  await call('PATCH', `/admin/accounts/${account.id}`, instanceJwt, { limits });
  const { token: jwt } = await call('POST', '/auth/login', null, admin);
  return { accountId: account.id, ...(await prepareBoard(call, jwt)) };
}

/** Another account with the boards and fields of the corpus. */
export async function prepareCorpusWorkspace(
  url: string,
  instanceJwt: string,
  seed: number,
  boards?: number,
  corpus = customers,
): Promise<CorpusWorkspace> {
  const call = callerOf(url);
  const admin = {
    email: `${corpus.name}-${boards ?? 'all'}@example.com`,
    password: 'a password for one run',
  };
  const { account } = await call('POST', '/admin/accounts', instanceJwt, {
    name: 'Corpus',
    adminEmail: admin.email,
    adminPassword: admin.password,
  });
  await call('PATCH', `/admin/accounts/${account.id}`, instanceJwt, { limits });
  const { token: jwt } = await call('POST', '/auth/login', null, admin);
  const kanbanIds = new Map<string, string>();
  const fieldIds = new Map<string, string>();
  const byKanban = Map.groupBy(corpus.fields(seed, boards), (field) => field.kanbanId);
  const statuses = CORPUS_STATUSES.map((value) => ({ value, label: value, color: '#336699' }));
  for (const [corpusId, fields] of byKanban) {
    const kanban: Kanban = await call('POST', '/kanbans', jwt, {
      name: `Board ${kanbanIds.size + 1}`,
      statuses,
      fields: fields.map(({ name, type, options }) => ({ name, type, ...(options ? { options } : {}) })),
    });
    kanbanIds.set(corpusId, kanban.id);
    for (const field of fields)
      fieldIds.set(field.id, kanban.fields.find((made) => made.name === field.name)!.id);
  }
  const { token } = await call('POST', '/api-tokens', jwt, { name: 'bench', scopes });
  return { accountId: account.id, token, kanbanIds, fieldIds };
}
