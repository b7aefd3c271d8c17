/** Calls to the service that set a run up: sign in, raise the limits, define the fields. */
import type { Field } from '../contract/kanbans.ts';
import { sampleFields } from './sample-records.ts';

export interface Workspace {
  accountId: string;
  kanbanId: string;
  fieldIds: string[];
  token: string;
  /** Of the instance administrator. */
  jwt: string;
}

interface Login {
  email: string;
  password: string;
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer's shape; a wrong one fails at once
type Json = any;

/** The limits are raised, not switched off: every request is still counted and answered with its headers. */
const limits = { crmPerMinute: 10_000_000, crmPerHour: 100_000_000, messagesPerMinute: 10_000_000 };

export async function prepareWorkspace(url: string, login: Login): Promise<Workspace> {
  const call = async (method: string, path: string, token: string | null, body?: object): Promise<Json> => {
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
  const { token: jwt } = await call('POST', '/auth/login', null, login);
  const me = await call('GET', '/auth/me', jwt);
  const accountId = me.account.id as string;
  await call('PATCH', `/admin/accounts/${accountId}`, jwt, { limits });
  const fields: Field[] = [];
  for (const { name, type, options } of sampleFields) {
    fields.push(await call('POST', '/crm/fields', jwt, { name, type, ...(options ? { options } : {}) }));
  }
  const { token } = await call('POST', '/api-tokens', jwt, {
    name: 'bench',
    scopes: ['crm:read', 'crm:write', 'messages:read', 'messages:write', 'manage'],
  });
  return {
    accountId,
    kanbanId: fields[0]!.kanbanId,
    fieldIds: fields.map((field) => field.fieldId),
    token,
    jwt,
  };
}
