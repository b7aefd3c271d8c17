/** The base of AI reply tests: a short conversation, tools that record, and model servers that are stopped. */
import { after } from 'node:test';
import type {
  AgentSettings,
  AgentTools,
  Conversation,
} from '../../server/features/ai-replies/ai-replies.conversation.ts';
import { generateReply } from '../../server/features/ai-replies/model/ai-replies.model.ts';
import { parseOutboundAllow } from '../../server/platform/outbound/outbound-address.ts';
import { createSafeFetch } from '../../server/platform/outbound/safe-fetch.ts';
import {
  type ModelServer,
  type ModelStep,
  startAnthropicServer,
  startOpenAiServer,
} from './model-servers.ts';

export const modelKey = 'sk-test-4711-secret';
const question = 'Where is my parcel 99887766?';
const servers = { 'openai-compatible': startOpenAiServer, anthropic: startAnthropicServer };

export function replyTests() {
  const safeFetch = createSafeFetch({ allow: parseOutboundAllow('127.0.0.1') });
  const running: ModelServer[] = [];
  after(async () => {
    await safeFetch.close();
    await Promise.all(running.map((server) => server.close()));
  });
  return {
    safeFetch,
    /** Stopped after the file's tests. */
    async serve(provider: keyof typeof servers, ...steps: ModelStep[]): Promise<ModelServer> {
      const server = await servers[provider]({ apiKey: modelKey });
      running.push(server);
      server.script(...steps);
      return server;
    },
    ask(talk: Conversation, tools: AgentTools = recordingTools(), timeoutMs?: number) {
      const signal = new AbortController().signal;
      const limit = timeoutMs === undefined ? {} : { timeoutMs };
      return generateReply(talk, tools, { fetch: safeFetch.fetch, signal, ...limit });
    },
  };
}

export function conversation(settings: Partial<AgentSettings>, text = question): Conversation {
  return {
    agent: {
      id: 'agent',
      name: 'Ada',
      provider: 'openai-compatible',
      model: 'test-model',
      baseUrl: null,
      apiKey: modelKey,
      instructions: 'Be brief.',
      knowledge: [],
      tools: [],
      ...settings,
    },
    messages: [{ id: 'm1', role: 'user', content: text, timestamp: 1 }],
    notes: [],
    passages: [],
    customer: { externalUserId: null, sessionName: null },
  };
}

/** Records the calls; `overrides` decide what some of them return. */
export function recordingTools(overrides: Partial<AgentTools> = {}): AgentTools & { calls: unknown[][] } {
  const calls: unknown[][] = [];
  const tools: AgentTools = {
    findRecord: async () => 'title: Ana, status: open',
    setField: async () => 'done',
    setStatus: async () => 'done',
    transfer: async () => 'done',
    handOver: async () => 'A colleague has been called.',
    ...overrides,
  };
  const record =
    (name: keyof AgentTools) =>
    (...given: unknown[]) => {
      calls.push([name, ...given]);
      return (tools[name] as (...given: unknown[]) => Promise<string>)(...given);
    };
  return {
    calls,
    findRecord: record('findRecord'),
    setField: record('setField'),
    setStatus: record('setStatus'),
    transfer: record('transfer'),
    handOver: record('handOver'),
  };
}
