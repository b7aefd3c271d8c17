/** What must hold of a reply. Checks of the kind `judge` ask a model: see agent-tests.judge.ts. */
import type { RE2JS } from 're2js';
import type { AgentCheck, CheckKind } from '../../../contract/agent-tests.ts';
import { badRequest } from '../../platform/http/errors.ts';

/** What a check of each kind is about. */
const needed: Readonly<Record<CheckKind, keyof AgentCheck | null>> = {
  contains: 'text',
  not_contains: 'text',
  matches: 'pattern',
  max_length: 'max',
  language: 'language',
  hands_over: null,
  does_not_hand_over: null,
  cites: 'documentId',
  calls_tool: 'name',
  does_not_call_tool: 'name',
  judge: 'instruction',
};

export async function checkChecks(checks: readonly AgentCheck[]): Promise<void> {
  for (const [index, check] of checks.entries()) {
    const place = `checks[${index}]`;
    const property = needed[check.kind];
    if (property && check[property] === undefined) {
      throw badRequest(`${place}.${property} is required for ${check.kind}`);
    }
    if (check.kind === 'matches') await checkPattern(`${place}.pattern`, check.pattern!);
  }
}

async function checkPattern(place: string, pattern: string): Promise<void> {
  try {
    await compiled(pattern);
  } catch (error) {
    throw badRequest(`${place} is no regular expression of RE2: ${(error as Error).message}`);
  }
}

/** Loaded on first use: few accounts have patterns. */
async function compiled(pattern: string): Promise<RE2JS> {
  const { RE2JS } = await import('re2js');
  return RE2JS.compile(pattern);
}
