import type { SignatureVerdict, WebhookInbox } from '../../../../contract/webhook-inbox.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface InboxRow {
  accountId: string;
  key: string;
  createdAt: number;
  expiresAt: number;
}

const columns = sql`account_id as "accountId", key, created_at as "createdAt", expires_at as "expiresAt"`;

/** An account keeps its key: webhooks that send there keep working when it is opened again. */
export async function openInboxRow(
  tx: Tx,
  accountId: string,
  { key, now, expiresAt }: { key: string; now: number; expiresAt: number },
): Promise<InboxRow> {
  const [row] = await tx.query<InboxRow>(sql`
    insert into webhook_inboxes (account_id, key, created_at, expires_at)
    values (${accountId}, ${key}, ${now}, ${expiresAt})
    on conflict (account_id) do update set expires_at = excluded.expires_at
    returning ${columns}`);
  return row!;
}

export async function findInbox(db: Reader, accountId: string): Promise<InboxRow | null> {
  const [row] = await db.query<InboxRow>(
    sql`select ${columns} from webhook_inboxes where account_id = ${accountId}`,
  );
  return row ?? null;
}

/** The key identifies the account. */
export async function findInboxByKey(db: Reader, key: string): Promise<InboxRow | null> {
  const [row] = await db.query<InboxRow>(sql`select ${columns} from webhook_inboxes where key = ${key}`);
  return row ?? null;
}

/** The webhooks of the account that send to this address, newest first. */
export async function selectSenders(
  db: Reader,
  accountId: string,
  url: string,
): Promise<{ id: string; secret: string; previousSecrets: { secret: string; until: number }[] }[]> {
  return db.query(sql`
    select id, secret, previous_secrets as "previousSecrets" from webhooks
    where account_id = ${accountId} and kind = 'webhook' and url = ${url} order by created_at desc, id desc`);
}

export interface NewRequest {
  id: string;
  receivedAt: number;
  headers: { [name: string]: string };
  body: string;
  size: number;
  signature: SignatureVerdict;
}

/** The oldest are dropped. */
export async function insertRequest(
  tx: Tx,
  accountId: string,
  request: NewRequest,
  kept: number,
): Promise<void> {
  await tx.query(sql`
    insert into webhook_inbox_requests (account_id, id, received_at, headers, body, size, signature)
    values (${accountId}, ${request.id}, ${request.receivedAt}, ${JSON.stringify(request.headers)}, ${request.body},
      ${request.size}, ${request.signature})`);
  await tx.query(sql`
    delete from webhook_inbox_requests where account_id = ${accountId} and id in (
      select id from webhook_inbox_requests where account_id = ${accountId}
      order by received_at desc, id desc offset ${kept})`);
}

export async function selectRequests(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<WebhookInbox['requests']> {
  return db.query(sql`
    select id, received_at as "receivedAt", headers, body, size, signature from webhook_inbox_requests
    where account_id = ${accountId} order by received_at desc, id desc limit ${limit}`);
}

export async function pruneRequests(db: Db, now: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query(sql`
      delete from webhook_inbox_requests r using webhook_inboxes i
      where i.account_id = r.account_id and i.expires_at < ${now}`),
  );
}
