/** What must hold of a reply. Checks of the kind `judge` ask a model: see agent-tests.judge.ts. */
import { isDeepStrictEqual } from 'node:util';
import type { AgentCheck, AgentVerdict, CheckKind } from '../../../contract/agent-tests.ts';
import type { ToolCall } from '../../../contract/messaging/messages.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { detectLanguage } from '../../platform/language.ts';
import { matchesAny, patternProblem } from '../../platform/patterns.ts';

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
    const problem = check.kind === 'matches' && (await patternProblem(check.pattern!));
    if (problem) throw badRequest(`${place}.pattern ${problem}`);
  }
}

export interface CheckedReply {
  text: string;
  handover: boolean;
  citations: readonly { documentId: string | null }[];
  toolCalls: readonly ToolCall[];
}

/** Null: it holds. Otherwise why it does not. */
export async function problemOf(
  check: AgentCheck,
  { text, handover, citations, toolCalls }: CheckedReply,
): Promise<string | null> {
  const has = (part: string) => text.toLowerCase().includes(part.toLowerCase());
  switch (check.kind) {
    case 'contains':
      return has(check.text!) ? null : 'the reply does not contain it';
    case 'not_contains':
      return has(check.text!) ? 'the reply contains it' : null;
    case 'matches':
      return (await matchesAny([check.pattern!], text)) ? null : 'nothing in the reply matches';
    case 'max_length': {
      const { length } = [...text];
      return length <= check.max! ? null : `the reply has ${length} characters`;
    }
    case 'language': {
      const found = detectLanguage([text]);
      if (found === check.language) return null;
      return found ? `the reply is in the language ${found}` : 'the language of the reply is not clear';
    }
    case 'hands_over':
      return handover ? null : 'it does not hand over';
    case 'does_not_hand_over':
      return handover ? 'it hands over' : null;
    case 'cites':
      return citations.some(({ documentId }) => documentId === check.documentId)
        ? null
        : 'it does not cite it';
    case 'calls_tool':
      return toolCalls.some((call) => isCallOf(check, call)) ? null : 'there is no such call';
    case 'does_not_call_tool':
      return toolCalls.some(({ name }) => name === check.name) ? 'there is such a call' : null;
    case 'judge':
      throw new Error('a model judges this');
  }
}

export const verdict = ({ kind }: AgentCheck, problem: string | null): AgentVerdict => ({
  kind,
  passed: problem === null,
  reason: problem,
});

const isCallOf = (check: AgentCheck, call: ToolCall): boolean =>
  call.name === check.name && isPartOf(check.arguments ?? {}, call.arguments);

/** Of objects some properties are enough, at every depth. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (!isObject(part) || !isObject(whole)) return isDeepStrictEqual(part, whole);
  return Object.entries(part).every(([name, value]) => isPartOf(value, whole[name]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
