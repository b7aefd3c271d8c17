/** Common steps of tests of the copilot, through the API. */
import assert from 'node:assert/strict';
import { conversationsOf } from './conversations.ts';
import type { ModelServer } from './model-servers.ts';
import type { Json, TestService } from './service.ts';

export interface CopilotEvent {
  event: string;
  data: Json;
}

const eventsIn = (text: string): CopilotEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '' && block !== ':')
    .map((block) => {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? assert.fail(block);
      return { event: event!, data: JSON.parse(data!) };
    });

export function copilotOf(service: TestService) {
  const talk = conversationsOf(service);
  const ask = (sessionId: string, body: object, token = service.token) =>
    service.call('POST', `/sessions/${sessionId}/copilot`, {
      token,
      body,
      headers: { accept: 'application/json' },
    });
  return {
    talk,
    ask,
    /** The body of an answer with this status. */
    told: async (status: number, sessionId: string, body: object, token?: string): Promise<Json> => {
      const answer = await ask(sessionId, body, token);
      assert.equal(answer.status, status, answer.text);
      return answer.body;
    },
    streamed: async (sessionId: string, body: object): Promise<CopilotEvent[]> => {
      const path = `/sessions/${sessionId}/copilot`;
      const { status, headers, text } = await service.call('POST', path, { token: service.token, body });
      assert.equal(status, 200, text);
      assert.match(headers['content-type']!, /^text\/event-stream/);
      return eventsIn(text);
    },
    settings: (change: object): Promise<Json> =>
      talk.expect(200, service.call('PATCH', '/copilot/settings', { token: service.token, body: change })),
    /** Chooses a new agent, with a model or offline. */
    async helper(model: ModelServer | null, settings: object = {}): Promise<Json> {
      const connected = model
        ? { provider: 'openai-compatible', model: 'm', baseUrl: model.baseUrl, apiKey: 'sk-copilot' }
        : {};
      const agent = await talk.agent({ ...connected, ...settings });
      await this.settings({ agentId: agent.id });
      return agent;
    },
    /** A conversation in which a person answers. */
    async conversation(content: string): Promise<{ sessionId: string; channelId: string }> {
      const channel = await talk.channel();
      const { sessionId } = await talk.accepted({ content, fromChannelIdentifier: channel.identifier });
      await talk.pause(sessionId);
      return { sessionId, channelId: channel.id };
    },
  };
}

export type Copilot = ReturnType<typeof copilotOf>;
