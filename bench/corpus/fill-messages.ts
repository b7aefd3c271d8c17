/** Inserts conversations with messages, without the service and without its triggers: this is not measured. */
import type { Pool } from 'pg';
import { newId } from '../../server/platform/ids.ts';
import { messageText } from './message-corpus.ts';
import type { Random } from './random.ts';

const perSession = 30;
const rowsAtATime = 5_000;
const apartMs = 20_000;

export interface FilledMessage {
  id: string;
  text: string;
}

/** In the order of their creation, until now. */
export async function fillMessages(
  pool: Pool,
  accountId: string,
  count: number,
  random: Random,
): Promise<FilledMessage[]> {
  const sessions = Math.ceil(count / perSession);
  const began = Date.now() - count * apartMs;
  await pool.query('alter table sessions disable trigger user');
  await pool.query('alter table messages disable trigger user');
  await pool.query(
    `insert into sessions (account_id, session_id, session_name, channel_id, external_user_id, contact_key, agent_id,
       kanban_id, last_message_at, created_at, updated_at, message_count, event_sequence, search_text)
     select $1, 'bench-' || n, 'Customer ' || n, c.id, '+4917' || (10000000 + n), '4917' || (10000000 + n),
       c.default_agent_id, (select id from kanbans where account_id = $1 order by id limit 1), $3, $3, $3, $4, 0,
       'customer ' || n
     from generate_series(0, $2 - 1) n, (select id, default_agent_id from channels where account_id = $1 limit 1) c`,
    [accountId, sessions, began, perSession],
  );
  const all: FilledMessage[] = [];
  let storing: Promise<unknown> = Promise.resolve();
  while (all.length < count) {
    const from = all.length;
    for (let n = from; n < Math.min(count, from + rowsAtATime); n++)
      all.push({ id: newId(began + n * apartMs), text: messageText(random) });
    await storing;
    const part = all.slice(from);
    storing = pool.query(
      `insert into messages (account_id, session_id, position, id, role, content, created_at, updated_at)
       select $1, 'bench-' || ((n - 1) % $2), 1 + (n - 1) / $2, m.id,
         case when n % 3 = 0 then 'assistant' else 'user' end, m.content, $3 + n * $4::bigint, $3 + n * $4::bigint
       from unnest($5::uuid[], $6::text[]) with ordinality as m (id, content, place), lateral (select $7::bigint + place as n) p`,
      [accountId, sessions, began, apartMs, part.map(({ id }) => id), part.map(({ text }) => text), from],
    );
    // The next await reports a failure.
    storing.catch(() => undefined);
  }
  await storing;
  await pool.query('alter table messages enable trigger user');
  await pool.query('alter table sessions enable trigger user');
  await pool.query('analyze messages, sessions');
  return all;
}
