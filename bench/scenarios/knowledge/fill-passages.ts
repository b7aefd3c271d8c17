/** Inserts published articles, without the service: this is not measured. */
import type { Pool } from 'pg';
import { cutPassages } from '../../../server/features/knowledge/passages/cut-passages.ts';
import { newId } from '../../../server/platform/ids.ts';
import { messageText } from '../../corpus/message-corpus.ts';
import type { Random } from '../../corpus/random.ts';

const partsEach = 10;
const partLength = { min: 400, max: 1_300 };
const articlesAtATime = 100;

/** Returns about one in a hundred of the passages' texts. */
export async function fillPassages(
  pool: Pool,
  accountId: string,
  count: number,
  random: Random,
): Promise<string[]> {
  const texts: string[] = [];
  let filled = 0;
  for (let change = 1; filled < count; change++) {
    const articles = Array.from({ length: articlesAtATime }, () => articleOf(random));
    const passages = articles.flatMap(({ id, text }) =>
      cutPassages(text).map((cut, number) => ({ ...cut, id, number, text: text.slice(cut.start, cut.end) })),
    );
    filled += passages.length;
    texts.push(...passages.filter(() => random.chance(0.01)).map(({ text }) => text));
    await pool.query(
      `insert into knowledge_state (account_id, changes) values ($1, $2)
       on conflict (account_id) do update set changes = $2`,
      [accountId, change],
    );
    await pool.query(
      `insert into knowledge_documents (account_id, id, source_id, language, state, audience, version, published_version,
         title, characters, bytes, created_at, updated_at, updated_by, change_number)
       select $1, a.id, s.id, 'en', 'published', 'public', 1, 1, a.title, length(a.text), length(a.text), 1, 1, 'bench', $2
       from json_to_recordset($3) as a (id uuid, title text, text text),
         lateral (select id from knowledge_sources where account_id = $1 order by id limit 1) s`,
      [accountId, change, JSON.stringify(articles)],
    );
    await pool.query(
      `insert into knowledge_versions (account_id, document_id, version, title, text, characters, created_at, created_by)
       select $1, a.id, 1, a.title, a.text, length(a.text), 1, 'bench'
       from json_to_recordset($2) as a (id uuid, title text, text text)`,
      [accountId, JSON.stringify(articles)],
    );
    await pool.query(
      `insert into knowledge_passages (account_id, document_id, number, version, heading, start_at, end_at, text)
       select $1, p.id, p.number, 1, p.heading, p.start, p."end", p.text
       from json_to_recordset($2) as p (id uuid, number int, heading text, start int, "end" int, text text)`,
      [accountId, JSON.stringify(passages)],
    );
  }
  return texts;
}

function articleOf(random: Random): { id: string; title: string; text: string } {
  const parts = Array.from({ length: partsEach }, () => {
    const length = random.between(partLength.min, partLength.max);
    let text = '';
    while (text.length < length)
      text += `${text === '' ? '' : ' '}${messageText(random).replace(/\s+/g, ' ')}`;
    return `# ${titleOf(random)}\n\n${text}`;
  });
  return { id: newId(), title: titleOf(random), text: parts.join('\n\n') };
}

const titleOf = (random: Random): string => messageText(random).split(/\s+/).slice(0, 6).join(' ');
