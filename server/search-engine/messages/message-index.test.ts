import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import { oracleFold, oracleMatch } from '../../../test/support/search-oracle.ts';
import { compileQuery } from '../match/match.ts';
import { allowedInMessages } from '../store/text.ts';
import { excerptOf } from './excerpt.ts';
import type { MessageFilter } from './message-filter.ts';
import { type MessageDocument, MessageIndex } from './message-index.ts';
import { MessageWorkspace, searchMessages } from './message-query.ts';

const never = () => undefined;
const work = new MessageWorkspace();

const WORDS = [
  'refund',
  'Reembolso',
  'order',
  'ordem',
  '#4711',
  'ana.silva@example.com',
  'ok',
  'o',
  'João',
  'straße',
  'shipped,',
  'shipping',
  'Жанна',
  '山川',
  '👍',
  'a',
];
const QUERIES = [
  'refund',
  'refnud',
  'rembolso',
  'ord',
  'ordre shiped',
  'o',
  'a',
  'joao strasse',
  'exampel',
  '471',
  'жана',
  '山',
  'ok a',
  'zzzzzz',
  '',
  '👍',
];
const SESSIONS = ['s1', 's2', 's3'];
const KANBANS = ['k1', 'k2'];
const CHANNELS = ['c1', 'c2'];
const AUTHORS = ['user', 'assistant', 'operator a', 'operator b'];

const anyMessage = fc
  .record({
    number: fc.nat({ max: 60 }),
    sessionId: fc.constantFrom(...SESSIONS),
    author: fc.constantFrom(...AUTHORS),
    isNote: fc.boolean(),
    createdAt: fc.nat({ max: 9 }),
    text: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((list) => list.join(' ')),
  })
  .map(
    ({ number, ...rest }): MessageDocument => ({
      id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      ...rest,
    }),
  );
const anyFilter = fc.record(
  {
    openKanbanIds: fc.subarray(KANBANS),
    channelId: fc.constantFrom(...CHANNELS, 'unknown'),
    sessionIds: fc.subarray([...SESSIONS, 'unknown']),
    author: fc.constantFrom(...AUTHORS),
    isNote: fc.boolean(),
    from: fc.nat({ max: 9 }),
    to: fc.nat({ max: 9 }),
  },
  { requiredKeys: [] },
);
const anyStep = fc.oneof(
  { weight: 10, arbitrary: anyMessage.map((message) => ({ kind: 'upsert' as const, message })) },
  { weight: 2, arbitrary: anyMessage.map(({ id }) => ({ kind: 'remove' as const, id })) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        sessionId: fc.constantFrom(...SESSIONS),
        kanbanId: fc.constantFrom(...KANBANS),
        channelId: fc.constantFrom(...CHANNELS),
      })
      .map((place) => ({ kind: 'place' as const, place })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...SESSIONS).map((id) => ({ kind: 'removeSession' as const, id })),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...QUERIES),
        fc.oneof(fc.constant({}), anyFilter),
        fc.nat({ max: 2 }),
        fc.integer({ min: 1, max: 10 }),
      )
      .map(([q, filter, page, size]) => ({ kind: 'query' as const, q, filter, page, size })),
  },
);

type Places = Map<string, { kanbanId: string; channelId: string }>;
type Filter = Omit<MessageFilter, 'isAuthor'> & { author?: string };

/** What must be found, by comparing every message with every term. */
function expectedOf(messages: MessageDocument[], places: Places, q: string, filter: Filter) {
  const terms = oracleFold(q)
    .split(/\s+/)
    .filter((term) => term !== '');
  const passes = ({ sessionId, author, isNote, createdAt }: MessageDocument) => {
    const place = places.get(sessionId);
    if (filter.openKanbanIds && !filter.openKanbanIds.includes(place?.kanbanId ?? '')) return false;
    if (filter.channelId !== undefined && place?.channelId !== filter.channelId) return false;
    if (filter.sessionIds && !filter.sessionIds.includes(sessionId)) return false;
    if (filter.author !== undefined && filter.author !== author) return false;
    if (filter.isNote !== undefined && filter.isNote !== isNote) return false;
    return createdAt >= (filter.from ?? 0) && createdAt < (filter.to ?? Number.POSITIVE_INFINITY);
  };
  return messages
    .filter(passes)
    .flatMap((message) => {
      const found = terms.map((term) => oracleMatch(term, message.text, false, [5, 8]));
      if (found.some((one) => one === null)) return [];
      const typos = found.reduce((sum, one) => sum + one!.typos, 0);
      const atWordStart = terms.length === 0 || found.some((one) => one!.atWordStart);
      return [{ message, typos, atWordStart }];
    })
    .sort(
      (a, b) =>
        a.typos - b.typos ||
        Number(b.atWordStart) - Number(a.atWordStart) ||
        b.message.createdAt - a.message.createdAt ||
        (a.message.id < b.message.id ? 1 : -1),
    )
    .map(({ message: { id }, typos }) => ({ id, typos }));
}

describe('the index of messages', () => {
  test('finds what brute force finds, after any sequence of changes', async () => {
    let hits = 0;
    const runs = runsOf(150);
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 20, maxLength: 90 }), async (steps) => {
        const index = new MessageIndex();
        const messages = new Map<string, MessageDocument>();
        const places: Places = new Map();
        for (const step of steps) {
          if (step.kind === 'upsert') {
            const known = messages.get(step.message.id);
            // A message never changes its conversation or its time.
            const message = known
              ? { ...step.message, sessionId: known.sessionId, createdAt: known.createdAt }
              : step.message;
            messages.set(message.id, message);
            index.upsert(message);
          } else if (step.kind === 'remove') {
            messages.delete(step.id);
            index.remove(step.id);
          } else if (step.kind === 'place') {
            places.set(step.place.sessionId, step.place);
            index.placeSession(step.place);
          } else if (step.kind === 'removeSession') {
            for (const [id, { sessionId }] of messages) if (sessionId === step.id) messages.delete(id);
            index.removeSessions([step.id]);
          } else {
            const { q, page, size } = step;
            const filter: Filter = step.filter;
            const { author, ...rest } = filter;
            const asked =
              author === undefined ? rest : { ...rest, isAuthor: (one: string) => one === author };
            const wanted = expectedOf([...messages.values()], places, q, filter);
            const found = await searchMessages(
              index,
              compileQuery(q, allowedInMessages),
              asked,
              page * size,
              size,
              work,
              never,
            );
            assert.equal(found.total, wanted.length, `total of ${q}`);
            assert.deepEqual(found.items, wanted.slice(page * size, page * size + size), `page of ${q}`);
            if (q !== '') hits += found.items.length;
          }
        }
        assert.equal(index.alive, messages.size);
      }),
      { seed, numRuns: runs },
    );
    assert.ok(hits > (isFull ? 200 : 10), `only ${hits} hits: the generator no longer tests anything`);
  });

  test('reads values in storage order where most of them match, with the same result', async () => {
    const index = new MessageIndex();
    const messages = Array.from({ length: 300 }, (_, number) => ({
      id: `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      sessionId: 's1',
      author: 'user',
      isNote: false,
      createdAt: number,
      text: `the order ${number} the other ${number % 7 === 0 ? 'refund' : 'then'} the`,
    }));
    for (const message of messages) index.upsert(message);
    for (const q of ['the', 'th', 'the order', 'refund the', 'e', 'r 14', 'orders']) {
      const { items, total } = await searchMessages(
        index,
        compileQuery(q, allowedInMessages),
        {},
        0,
        400,
        work,
        never,
      );
      const wanted = expectedOf(messages, new Map(), q, {});
      assert.deepEqual({ items, total }, { items: wanted, total: wanted.length }, q);
    }
  });

  test('a receipt takes no memory, an edit leaves a dead slot', () => {
    const index = new MessageIndex();
    const message = {
      id: '018f0000-0000-7000-8000-000000000001',
      sessionId: 's1',
      author: 'user',
      isNote: false,
      createdAt: 1,
      text: 'hello',
    };
    index.upsert(message);
    index.upsert({ ...message });
    assert.equal(index.slots, 1);
    index.upsert({ ...message, text: 'goodbye' });
    assert.deepEqual([index.slots, index.alive, index.garbage], [2, 1, 0.5]);
  });
});

describe('an excerpt', () => {
  const marked = (text: string, q: string) => {
    const { excerpt, ranges } = excerptOf(text, compileQuery(q, allowedInMessages));
    return ranges.reduceRight(
      (result, { start, end }) =>
        `${result.slice(0, start)}[${result.slice(start, end)}]${result.slice(end)}`,
      excerpt,
    );
  };

  test('marks exact matches at their place and misspelt words as a whole, best matches only', () => {
    assert.equal(marked('My refunds: where is my refund?', 'refund'), 'My [refund]s: where is my [refund]?');
    assert.equal(marked('Where is the «refund»?', 'refnud'), 'Where is the «[refund]»?');
    assert.equal(marked('refund or refnud', 'refnud'), 'refund or [refnud]');
    assert.equal(marked('An die Straße 5', 'strasse'), 'An die [Straße] 5');
    assert.equal(marked('ana anna', 'ana an'), '[ana] [an]na');
  });

  test('begins some words before the first match, on one line, and never inside a character', () => {
    const text = `${'word '.repeat(50)}\nthe refund ${'😀'.repeat(200)}`;
    const found = marked(text, 'refund');
    assert.match(found, /^…(word )+ the \[refund\] 😀+…$/u);
    assert.ok(found.isWellFormed());
  });
});
