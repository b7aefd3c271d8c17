/**
 * What a reply costs: by the agent's own price, or by the public prices inside of a package. Nothing is fetched: prices are as
 * old as the release. Loaded with the model's SDK.
 */
import { calcPrice, findProvider, type PriceOptions } from '@pydantic/genai-prices';
import type { AgentSettings } from '../ai-replies.conversation.ts';

interface Tokens {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

const perMillion = 1_000_000;

/** In US dollars. Null if the price is not known, or the provider has not said how many tokens there were. */
export function costOf(
  agent: Pick<AgentSettings, 'provider' | 'model' | 'baseUrl' | 'price'>,
  { inputTokens, outputTokens, inputTokenDetails = {} }: Tokens,
): number | null {
  if (inputTokens === undefined || outputTokens === undefined || agent.model === null) return null;
  if (agent.price) {
    return rounded((agent.price.input * inputTokens + agent.price.output * outputTokens) / perMillion);
  }
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: inputTokenDetails.cacheReadTokens ?? 0,
    cache_write_tokens: inputTokenDetails.cacheWriteTokens ?? 0,
  };
  try {
    const price = calcPrice(usage, agent.model, providerOf(agent));
    return price && rounded(price.total_price);
  } catch {
    // Counts that contradict each other, as some servers give them.
    return null;
  }
}

/** By its address. What is behind another address, such as a gateway, is known by the model's name. */
function providerOf({ provider, baseUrl }: Pick<AgentSettings, 'provider' | 'baseUrl'>): PriceOptions {
  const known = baseUrl === null ? undefined : findProvider({ providerApiUrl: baseUrl });
  if (known) return { providerId: known.id };
  return provider === 'anthropic' ? { providerId: 'anthropic' } : {};
}

const rounded = (amount: number): number => Number(amount.toPrecision(12));
