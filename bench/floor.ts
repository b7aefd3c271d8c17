/**
 * The floor: bare Fastify and one prepared statement per request through the same driver, with a pool of the same
 * size, on the same database. No authentication, limits, validation, events or foreign keys: as fast as this stack
 * can be. It reads the product's own table and writes to a separate one (see stage.ts).
 */
import { fastify } from 'fastify';
import pg from 'pg';
import { newId } from '../server/platform/ids.ts';

pg.types.setTypeParser(pg.types.builtins.INT8, Number);

const pool = new pg.Pool({
  ...JSON.parse(process.env.FLOOR_CONNECTION ?? '{}'),
  max: Number(process.env.FLOOR_POOL),
});
const app = fastify();

interface NewRecord {
  accountId: string;
  kanbanId: string;
  title: string;
  status: string;
  customFields: object;
}

app.post<{ Body: NewRecord }>('/records', async (request, reply) => {
  const { accountId, kanbanId, title, status, customFields } = request.body;
  const now = Date.now();
  const record = {
    id: newId(now),
    accountId,
    kanbanId,
    title,
    status,
    customFields,
    assignedUserIds: [],
    channelId: null,
    createdBy: 'floor',
    updatedBy: 'floor',
    createdAt: now,
    updatedAt: now,
  };
  await pool.query({
    name: 'insert',
    text: `insert into floor_records (account_id, id, kanban_id, title, status, custom_fields, assigned_user_ids,
      channel_id, created_by, updated_by, created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [
      accountId,
      record.id,
      kanbanId,
      title,
      status,
      JSON.stringify(customFields),
      record.assignedUserIds,
      null,
      record.createdBy,
      record.updatedBy,
      now,
      now,
    ],
  });
  reply.code(201);
  return record;
});

interface NewMessage {
  accountId: string;
  sessionId: string;
  content: string;
}

/** The minimum of a send: check the block list, write session, message and job. */
app.post<{ Body: NewMessage }>('/messages', async (request, reply) => {
  const { accountId, sessionId, content } = request.body;
  const id = newId();
  const now = Date.now();
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      name: 'block',
      text: 'select 1 from blocked_contacts where account_id = $1 and contact_key = $2',
      values: [accountId, sessionId],
    });
    await client.query({
      name: 'session',
      text: `insert into floor_sessions (account_id, session_id, last_message_at) values ($1, $2, $3)
        on conflict (account_id, session_id) do update set last_message_at = excluded.last_message_at`,
      values: [accountId, sessionId, now],
    });
    await client.query({
      name: 'message',
      text: `insert into floor_messages (account_id, id, session_id, content, created_at) values ($1, $2, $3, $4, $5)`,
      values: [accountId, id, sessionId, content, now],
    });
    await client.query({
      name: 'job',
      text: 'insert into floor_jobs (account_id, id, message_id) values ($1, $2, $3)',
      values: [accountId, newId(), id],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
  reply.code(202);
  return { sessionId, id, content, timestamp: now };
});

const columns = `account_id, id, kanban_id, title, status, custom_fields, assigned_user_ids::text[], channel_id,
  created_by, updated_by, created_at, updated_at`;

app.get<{ Params: { accountId: string; id: string } }>('/records/:accountId/:id', async (request, reply) => {
  const { rows } = await pool.query({
    name: 'get',
    text: `select ${columns} from records where account_id = $1 and id = $2`,
    values: [request.params.accountId, request.params.id],
  });
  if (rows.length === 0) reply.code(404);
  return rows[0] ?? {};
});

app.get<{ Params: { accountId: string } }>('/records/:accountId', async (request) => {
  const { rows } = await pool.query({
    name: 'list',
    text: `select ${columns} from records where account_id = $1 order by created_at desc, id desc limit 20`,
    values: [request.params.accountId],
  });
  return { items: rows };
});

app.get<{ Params: { accountId: string; key: string } }>('/lookup/:accountId/:key', async (request) => {
  const { rows } = await pool.query({
    name: 'lookup',
    text: `select ${columns} from records where account_id = $1 and lookup_keys @> array[$2::bigint]
      order by created_at desc, id desc limit 20`,
    values: [request.params.accountId, request.params.key],
  });
  return { items: rows };
});

const url = await app.listen({ host: '127.0.0.1', port: 0 });
const stop = async () => {
  await app.close();
  await pool.end();
  process.exit(0);
};
process.on('SIGTERM', () => void stop());
process.on('disconnect', () => void stop());
process.send?.({ url });
