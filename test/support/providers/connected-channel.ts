/** A whole service with one connected channel, for end-to-end tests of a provider. */
import assert from 'node:assert/strict';
import { conversationsOf } from '../conversations.ts';
import { eventually } from '../eventually.ts';
import { filesOf } from '../files.ts';
import { type Json, startTestService } from '../service.ts';
import { startTranscriptionServer } from '../transcription-server.ts';

export type ConnectedChannel = Awaited<ReturnType<typeof startConnectedChannel>>;

export async function startConnectedChannel(type: string, connector: object) {
  const ears = await startTranscriptionServer();
  const service = await startTestService({
    worker: true,
    env: { OUTBOUND_ALLOW: '127.0.0.0/8', TRANSCRIBE_URL: ears.url, PATH: process.env.PATH ?? '' },
  });
  const talks = conversationsOf(service);
  const files = await filesOf(service);
  const { id, identifier } = await talks.channel({ type, connector });
  const read = async (): Promise<Json> =>
    (await talks.expect(200, service.call('GET', `/channels/${id}`))).connector;
  const stateIs = (state: string) => eventually(async () => (await read()).state === state);
  await stateIs('connected');

  return {
    id: id as string,
    service,
    talks,
    files,
    ears,
    connector: read,
    stateIs,
    change: (body: object) => talks.expect(200, service.call('PATCH', `/channels/${id}`, { body })),
    act: (action: 'check' | 'connect' | 'disconnect') =>
      talks.expect(200, service.call('POST', `/channels/${id}/connector/${action}`)),

    /** A conversation without the AI, so that a test sends exactly what it says. */
    async quietSession(kind: string, customer: string): Promise<string> {
      const sessionId = `${kind}:${customer}`;
      const echo = { sessionId, externalUserId: customer, isEcho: true, content: 'Welcome' };
      await talks.expect(200, talks.send({ ...echo, fromChannelIdentifier: identifier, channelType: type }));
      await talks.pause(encodeURIComponent(sessionId));
      return sessionId;
    },

    /** Waits for a message of the conversation. */
    async stored(sessionId: string, holds: (message: Json) => boolean, withinMs?: number): Promise<Json> {
      let found: Json;
      await eventually(async () => {
        const { status } = await service.call('GET', `/sessions/${encodeURIComponent(sessionId)}`);
        if (status !== 200) return false;
        found = (await talks.messages(sessionId)).find(holds);
        return found !== undefined;
      }, withinMs);
      return found;
    },

    async operatorSays(sessionId: string, body: object): Promise<string> {
      const answer = await talks.operatorSays(id, encodeURIComponent(sessionId), body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body.id;
    },

    async close() {
      await service.close();
      await ears.close();
    },
  };
}

export const withId = (providerMsgId: string) => (message: Json) => message.providerMsgId === providerMsgId;
