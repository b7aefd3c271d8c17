/** The clients of the model providers, built from an agent's settings only. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import { anthropicBaseUrl } from '../../../../contract/channels.ts';
import { type AgentSettings, ModelError } from '../ai-replies.conversation.ts';

/** `fetch` is safe-fetch: the address is user input. */
export function languageModel(
  { provider, model, baseUrl, apiKey }: AgentSettings,
  fetch: typeof globalThis.fetch,
): LanguageModel {
  if (!model) throw incomplete('no model');
  if (baseUrl !== null && !URL.canParse(baseUrl)) throw incomplete('no valid base URL');
  // A line break or a letter beyond Latin-1 cannot be in a header, and the error about it quotes the key.
  if (apiKey !== null && !/^[\x21-\x7e]*$/.test(apiKey)) throw incomplete('a key that cannot be sent');
  switch (provider) {
    case 'openai-compatible':
      if (!baseUrl) throw incomplete('no base URL');
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: baseUrl,
        ...(apiKey ? { apiKey } : {}),
        fetch,
        transformRequestBody: new URL(baseUrl).hostname === 'api.openai.com' ? forOpenAi : (body) => body,
      })(model);
    case 'anthropic':
      if (!apiKey) throw incomplete('no key');
      // Both are given: otherwise the SDK reads the address and the key from the process's environment.
      return createAnthropic({ baseURL: baseUrl ?? anthropicBaseUrl, apiKey, fetch })(model);
    case 'offline':
      throw incomplete('no model provider');
  }
}

/** Its newer models reject max_tokens, all of them accept the new name, and other servers know only the old one. */
function forOpenAi({ max_tokens, ...body }: Record<string, unknown>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

function incomplete(what: string): ModelError {
  return new ModelError(`the agent has ${what}`, { retryable: false });
}
