/**
 * What a call of a model costs: by the price that was entered for it, or by the public prices inside of a package. Nothing is
 * fetched: prices are as old as the release. Loaded on first use.
 */
import { calcPrice, findProvider, type PriceOptions } from '@pydantic/genai-prices';
import type { Provider } from '../../contract/channels.ts';

export interface PricedModel {
  provider: Provider;
  model: string | null;
  baseUrl: string | null;
  /** Of a million tokens, in US dollars. Left out or null: the model's public price. */
  price?: { input: number; output: number } | null;
}

interface Tokens {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined };
}

const perMillion = 1_000_000;

/** In US dollars. Null if the price is not known, or the provider has not said how many tokens there were. */
export function costOf(
  priced: PricedModel,
  { inputTokens, outputTokens, inputTokenDetails = {} }: Tokens,
): number | null {
  if (inputTokens === undefined || outputTokens === undefined || priced.model === null) return null;
  if (priced.price) {
    return rounded((priced.price.input * inputTokens + priced.price.output * outputTokens) / perMillion);
  }
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: inputTokenDetails.cacheReadTokens ?? 0,
    cache_write_tokens: inputTokenDetails.cacheWriteTokens ?? 0,
  };
  try {
    const price = calcPrice(usage, priced.model, providerOf(priced));
    return price && rounded(price.total_price);
  } catch {
    // Counts that contradict each other, as some servers give them.
    return null;
  }
}

/** By its address. What is behind another address, such as a gateway, is known by the model's name. */
function providerOf({ provider, baseUrl }: PricedModel): PriceOptions {
  const known = baseUrl === null ? undefined : findProvider({ providerApiUrl: baseUrl });
  if (known) return { providerId: known.id };
  return provider === 'anthropic' ? { providerId: 'anthropic' } : {};
}

const rounded = (amount: number): number => Number(amount.toPrecision(12));
