import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { costOf } from './model-prices.ts';

const tokens = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
const agent = {
  provider: 'openai-compatible' as const,
  model: 'gpt-4o',
  baseUrl: 'https://api.openai.com/v1',
};

describe('what a reply costs', () => {
  test('by the public price of the provider behind the address', () => {
    const cost = costOf(agent, tokens)!;
    assert.ok(cost > 1 && cost < 100, String(cost));
    const claude = { provider: 'anthropic' as const, model: 'claude-sonnet-4-5', baseUrl: null };
    assert.ok(costOf(claude, { inputTokens: 1_000, outputTokens: 1_000 })! > 0.001);
  });

  test('tokens from the cache of the provider cost less', () => {
    const cached = { ...tokens, inputTokenDetails: { cacheReadTokens: 1_000_000 } };
    assert.ok(costOf(agent, cached)! < costOf(agent, tokens)!);
  });

  test('by the model’s name behind another address', () => {
    const gateway = { ...agent, baseUrl: 'http://127.0.0.1:8080/v1' };
    assert.equal(costOf(gateway, tokens), costOf(agent, tokens));
  });

  test('by the price of the agent, if it has one', () => {
    const price = { input: 0.5, output: 0 };
    assert.equal(costOf({ ...agent, price }, tokens), 0.5);
    assert.equal(costOf({ ...agent, model: 'our-own', price }, tokens), 0.5);
  });

  test('null for what is not known', () => {
    assert.equal(costOf({ ...agent, model: 'our-own' }, tokens), null);
    assert.equal(costOf({ ...agent, model: null }, tokens), null);
    assert.equal(costOf(agent, { inputTokens: 5, outputTokens: undefined }), null);
    const impossible = { inputTokens: 1, outputTokens: 1, inputTokenDetails: { cacheReadTokens: 5 } };
    assert.equal(costOf(agent, impossible), null);
  });
});
