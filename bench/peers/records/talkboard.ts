import { prepareAccount } from '../../api.ts';
import { fillRecords } from '../../corpus/fill.ts';
import type { Random } from '../../corpus/random.ts';
import type { Stage } from '../../stage.ts';
import { fieldNames, type Json, json, type PlainRecord, type RecordStore } from './peer.ts';

export interface TalkboardStore extends RecordStore {
  /** The same as `withTown`, as a condition that may be any other. */
  where(town: string): ReturnType<RecordStore['withTown']>;
}

/** `random` must be as it was for the records of the others. */
export async function startTalkboard(stage: Stage, count: number, random: Random): Promise<TalkboardStore> {
  const account = await prepareAccount(stage.service.url, stage.workspace.jwt, 'record-peers');
  const ids = await fillRecords(stage.pool, account, count, random);
  const { fieldIds, kanbanId } = account;
  const townId = fieldIds[0]!;
  const plain = ({ title, status, customFields }: Json): PlainRecord => {
    const values = fieldNames.map((name, index) => [name, customFields[fieldIds[index]!]]);
    return { title, status, ...Object.fromEntries(values) };
  };
  return {
    side: stage.service,
    headers: { ...json, authorization: `Bearer ${account.token}` },
    ids,
    get: (id) => ({ method: 'GET', path: `/crm/records/${id}` }),
    newest: (limit) => ({ method: 'GET', path: `/crm/records?limit=${limit}` }),
    withTown: (town) => ({
      method: 'GET',
      path: `/crm/search?${new URLSearchParams({ customFieldId: townId, customFieldValue: town })}`,
    }),
    where: (town) => {
      const filter = JSON.stringify({ field: townId, op: 'is', value: town });
      return { method: 'GET', path: `/crm/search?${new URLSearchParams({ kanbanId, filter })}` };
    },
    create: ({ title, status, ...values }) => ({
      method: 'POST',
      path: '/crm/records',
      body: JSON.stringify({
        title,
        status,
        customFields: Object.fromEntries(fieldNames.map((name, index) => [fieldIds[index]!, values[name]])),
      }),
    }),
    record: plain,
    records: (body) => body.items.map(plain),
    createdId: (body) => body.recordId,
  };
}
