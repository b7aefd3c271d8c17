import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { CopilotRequest } from '../../../../contract/copilot.ts';
import {
  editSuggestion,
  endSuggestion,
  isOver,
  makeSuggestion,
  sentWithSuggestion,
  suggestionOf,
} from './suggestions.ts';

const request: CopilotRequest = { task: 'suggest' };
const begun = { typed: 'Hi', fill: (text: string) => text.replace('{{customer}}', 'Ana') };

/** A service whose answer a test writes. */
function serve() {
  const sent: { path: string; body: unknown; signal: AbortSignal | null | undefined }[] = [];
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  globalThis.fetch = (async (path: string, { body, signal }: RequestInit) => {
    sent.push({ path, body: JSON.parse(String(body)), signal });
    return path.endsWith('/outcome')
      ? Response.json({})
      : new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
  }) as typeof fetch;
  return {
    sent,
    async outcomes() {
      await setImmediate();
      return sent.filter(({ path }) => path.endsWith('/outcome'));
    },
    async write(text: string) {
      await writer.write(encoder.encode(text));
      await setImmediate();
    },
  };
}

const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const done = event('done', {
  text: 'Hello {{customer}}',
  citations: [],
  basedOnMessageId: 'm2',
  suggestionId: 's1',
});

describe('a suggestion in the composer', () => {
  const { fetch } = globalThis;
  afterEach(() => {
    endSuggestion('talk', 'discarded');
    globalThis.fetch = fetch;
  });

  it('grows as it arrives, in any pieces, and is marked until it is sent', async () => {
    const service = serve();
    const made = makeSuggestion('talk', request, begun);
    assert.equal(suggestionOf('talk')?.state, 'making');
    const [first, rest] = [
      event('delta', { text: 'Hél' }).slice(0, 25),
      event('delta', { text: 'Hél' }).slice(25),
    ];
    await service.write(`: alive\n\n${first}`);
    assert.equal(suggestionOf('talk')?.text, '');
    await service.write(rest);
    assert.equal(suggestionOf('talk')?.text, 'Hél');
    await service.write(event('delta', { text: 'lo' }));
    assert.equal(suggestionOf('talk')?.text, 'Héllo');
    await service.write(done);
    await made;
    const { state, text, basedOnMessageId, typed } = suggestionOf('talk')!;
    assert.deepEqual([state, text, basedOnMessageId, typed], ['marked', 'Hello Ana', 'm2', 'Hi']);
    sentWithSuggestion('talk', 'Hello Ana ');
    assert.equal(suggestionOf('talk'), null);
    assert.deepEqual(
      (await service.outcomes()).map(({ path, body }) => [path, body]),
      [['/sessions/talk/copilot/s1/outcome', { outcome: 'accepted' }]],
    );
  });

  for (const [title, act, outcome] of [
    [
      'edited and sent',
      () => {
        editSuggestion('talk', 'Dear Ana');
        sentWithSuggestion('talk', 'Dear Ana');
      },
      'edited',
    ],
    [
      'edited to nothing',
      () => {
        editSuggestion('talk', 'Hell');
        editSuggestion('talk', '');
      },
      'discarded',
    ],
    ['undone', () => endSuggestion('talk', 'discarded'), 'discarded'],
  ] as const) {
    it(`${title}: ${outcome}, said once`, async () => {
      const service = serve();
      const made = makeSuggestion('talk', request, begun);
      await service.write(done);
      await made;
      act();
      assert.equal(suggestionOf('talk'), null);
      sentWithSuggestion('talk', 'Something else');
      assert.deepEqual(
        (await service.outcomes()).map(({ body }) => body),
        [{ outcome }],
      );
    });
  }

  it('once edited it is no longer shown over the draft', async () => {
    const service = serve();
    const made = makeSuggestion('talk', request, begun);
    await service.write(done);
    await made;
    assert.equal(isOver(suggestionOf('talk')), true);
    editSuggestion('talk', 'Dear Ana');
    assert.equal(isOver(suggestionOf('talk')), false);
  });

  it('Stop ends the request, and what still arrives is not shown', async () => {
    const service = serve();
    const made = makeSuggestion('talk', request, begun);
    await service.write(event('delta', { text: 'Hel' }));
    endSuggestion('talk', 'discarded');
    assert.equal(service.sent[0]!.signal?.aborted, true);
    await service.write(done).catch(() => {});
    await made;
    assert.equal(suggestionOf('talk'), null);
    assert.deepEqual(await service.outcomes(), []);
  });

  it('what was not finished, or held, leaves only the error', async () => {
    const service = serve();
    const made = makeSuggestion('talk', request, begun);
    await service.write(event('delta', { text: 'The note says' }));
    await service.write(event('error', { code: 'HELD', message: 'repeats a note' }));
    await made;
    const { state, text, error } = suggestionOf('talk')!;
    assert.deepEqual([state, text, (error as { code: string }).code], ['failed', '', 'HELD']);
  });
});
