/** Texts of a language model through the AI SDK. Loaded on first use, by ai-replies.model.ts. */
import { generateText, isStepCount, streamText } from 'ai';
import { limits } from '../../../../contract/limits.ts';
import type { ToolCall } from '../../../../contract/messaging/messages.ts';
import { costOf } from '../../../platform/model-prices.ts';
import {
  type AgentSettings,
  type AgentTools,
  type Conversation,
  ModelError,
  type ReplyResult,
} from '../ai-replies.conversation.ts';
import { createMask, type Mask, maskedConversation } from '../ai-replies.mask.ts';
import { buildPrompt } from '../ai-replies.prompt.ts';
import { offerTools, type ToolRun } from '../ai-replies.tools.ts';
import { resolveCitations } from '../knowledge/ai-replies.citations.ts';
import { toModelError } from './ai-replies.errors.ts';
import type { ReplyOptions, TextOptions } from './ai-replies.model.ts';
import { handoverText } from './ai-replies.offline.ts';
import { languageModel } from './ai-replies.providers.ts';

const defaultTimeoutMs = 30_000;
const maxSteps = 6;
/** Reasoning tokens count too; a chat reply itself is seldom longer than 300. */
const maxOutputTokens = 2_048;

// Its warnings, such as a setting that a provider ignores, would go to stderr past the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

export async function askModel(
  conversation: Conversation,
  tools: AgentTools,
  options: ReplyOptions,
): Promise<ReplyResult> {
  const { fetch, signal, timeoutMs = defaultTimeoutMs, onText } = options;
  const model = languageModel(conversation.agent, fetch);
  const timeLimit = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([signal, timeLimit]);
  const mask = createMask(conversation.agent.maskForModel);
  const run = offerTools(conversation.agent.tools, tools, either, mask);
  const { system, messages, numbered } = buildPrompt(maskedConversation(conversation, mask));
  const said = saidByOthers(conversation);
  const resolved = (text: string) => resolveCitations(spoken(text, mask), numbered, said);
  try {
    const request: TextRequest = {
      model,
      instructions: system,
      messages,
      tools: run.tools,
      // Sequential: two changes of one record would otherwise have no order.
      toolCallConcurrency: 1,
      // The last step is for the text.
      prepareStep: ({ stepNumber }) => (stepNumber === maxSteps - 1 ? { toolChoice: 'none' } : {}),
      stopWhen: [isStepCount(maxSteps), () => run.handedOver || run.failure !== null],
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: either,
    };
    const result = onText
      ? await streamed(request, (soFar) => onText(resolved(soFar).text))
      : await generateText(request);
    if (run.failure) throw run.failure.error;
    const { text, citations } = resolved(result.text);
    return {
      text: replyText(text, result.finishReason, run, conversation),
      retrieved: numbered,
      citations,
      handover: run.handedOver,
      usage: {
        inputTokens: result.usage.inputTokens ?? null,
        outputTokens: result.usage.outputTokens ?? null,
      },
      steps: result.steps.length,
      toolCalls: result.steps.flatMap((step) => step.toolCalls).map((call) => loggedCall(call, run, mask)),
      cost: costOf(conversation.agent, result.usage),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (run.failure) throw run.failure.error;
    const failure = timeLimit.aborted ? tooLate(timeoutMs) : toModelError(error, conversation.agent.apiKey);
    failure.toolCalls = [...run.outcomes].map(([toolCallId, { name: toolName, input }]) =>
      loggedCall({ toolCallId, toolName, input }, run, mask),
    );
    throw failure;
  }
}

type TextRequest = Parameters<typeof generateText>[0];
type TextResult = Pick<Awaited<ReturnType<typeof generateText>>, 'text' | 'finishReason' | 'usage' | 'steps'>;

/** What is said before a call of a tool is not a part of the result. */
async function streamed(request: TextRequest, onText: (soFar: string) => void): Promise<TextResult> {
  // An error is a part of the stream, and is thrown below.
  const result = streamText({ ...request, onError: () => {} });
  let soFar = '';
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'start-step') soFar = '';
    if (part.type !== 'text-delta') continue;
    soFar += part.text;
    onText(settled(soFar));
  }
  request.abortSignal?.throwIfAborted();
  const [text, finishReason, usage, steps] = await Promise.all([
    result.text,
    result.finishReason,
    result.usage,
    result.steps,
  ]);
  return { text, finishReason, usage, steps };
}

/** Longer than a mark, an address or a placeholder. */
const unsettled = 80;

/** Up to the last whole word, and without a mark that has only begun. Not all scripts have blanks. */
function settled(text: string): string {
  const tail = text.slice(-unsettled);
  const whole = /^.*\s/s.exec(tail)?.[0] ?? tail;
  return text.slice(0, text.length - tail.length) + whole.replace(/[ \t]*[[【][^\]】\n]*$/, '');
}

/** A text without tools and without a conversation. */
export async function askForText(
  agent: AgentSettings,
  { system, prompt }: { system: string; prompt: string },
  { fetch, signal, timeoutMs = defaultTimeoutMs, maxTokens = maxOutputTokens, onText }: TextOptions,
): Promise<string> {
  const model = languageModel(agent, fetch);
  const mask = createMask(agent.maskForModel);
  const timeLimit = AbortSignal.timeout(timeoutMs);
  try {
    const request: TextRequest = {
      model,
      instructions: system,
      prompt: mask.hide(prompt),
      maxOutputTokens: maxTokens,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeLimit]),
    };
    const { text, finishReason } = onText
      ? await streamed(request, (soFar) => onText(spoken(soFar, mask)))
      : await generateText(request);
    if (finishReason !== 'stop') {
      throw new ModelError('the model did not finish its text', { retryable: false });
    }
    return spoken(text, mask);
  } catch (error) {
    signal.throwIfAborted();
    if (timeLimit.aborted) throw tooLate(timeoutMs);
    throw toModelError(error, agent.apiKey);
  }
}

const tooLate = (timeoutMs: number) =>
  new ModelError(`the model did not answer within ${timeoutMs / 1000} s`, { retryable: true });

/** In bytes, of arguments and of results. */
const maxLogged = 4_096;

/** A model may call any name, with anything. */
function loggedCall(
  {
    toolName,
    toolCallId,
    input,
    invalid,
  }: { toolName: string; toolCallId: string; input: unknown; invalid?: boolean },
  { outcomes, kinds }: ToolRun,
  mask: Mask,
): ToolCall {
  const { result = null, ms = 0, error = null } = outcomes.get(toolCallId) ?? {};
  const json = JSON.stringify(mask.restoreIn(input)) ?? 'null';
  return {
    name: toolName.slice(0, 64),
    kind: kinds.get(toolName) ?? null,
    arguments: Buffer.byteLength(json) > maxLogged ? shortened(json) : JSON.parse(json),
    result: result && shortened(result),
    ms,
    error: invalid ? 'the agent has no such tool, or the arguments do not fit it' : error,
  };
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= maxLogged) return text;
  const cut = Buffer.from(text)
    .subarray(0, maxLogged - 3)
    .toString();
  // The last character may have been cut in two.
  return `${cut.replace(/\uFFFD$/, '')}…`;
}

function replyText(
  said: string,
  finishReason: string,
  { handedOver }: ToolRun,
  conversation: Conversation,
): string {
  if (handedOver) return said || handoverText(conversation);
  if (finishReason === 'content-filter') {
    throw new ModelError("the provider's filter withheld the answer", { retryable: false });
  }
  if (said === '') throw new ModelError('the model returned an empty answer', { retryable: true });
  return finishReason === 'length' ? `${said} …` : said;
}

/** A server may send more than any message has, and a value may be longer than what stood for it. */
const spoken = (text: string, mask: Mask): string =>
  atMost(mask.restore(withoutMarks(withoutThinking(atMost(text))))).trim();
const atMost = (text: string): string => text.slice(0, limits.messageLength).toWellFormed();

/** What others wrote, which may have numbers in brackets of its own. */
const saidByOthers = ({ messages }: Conversation): string[] =>
  messages.filter(({ role }) => role !== 'assistant').map(({ content }) => content);

/** Some servers leave a model's reasoning in the answer, some of them without the opening tag. */
function withoutThinking(text: string): string {
  return text.replace(/<think>[\s\S]*?(?:<\/think>|$)/g, '').replace(/^[\s\S]*<\/think>/, '');
}

/** Models imitate the marks that the prompt puts on messages of the service and of colleagues. */
function withoutMarks(text: string): string {
  return text.replace(/^[ \t]*\[\[(?:service|colleague)\]\]:?/gm, '');
}
