/** Tools of an agent that helps a person: those that read. */
import type { Session } from '../../../contract/messaging/sessions.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { systemActor } from '../accounts/accounts.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import { describeRecord } from './ai-replies.actions.ts';
import type { AgentTools, ToolName } from './ai-replies.conversation.ts';
import { callNow, ownTools } from './ai-replies.own-tools.ts';
import type { OwnToolContext } from './ai-replies.tool-values.ts';

/** Of the built-in ones. */
export const readingTools: readonly ToolName[] = ['find_record'];

const refuse = async (): Promise<string> => {
  throw badRequest('nothing is changed here');
};

/** `messageId`: the newest message of the conversation. */
export async function createReadTools(
  context: OwnToolContext,
  accountId: string,
  { session, messageId, agent }: { session: Session; messageId: string; agent: AgentDefinition },
  signal: AbortSignal,
): Promise<AgentTools> {
  const { sessionId, recordId } = session;
  const place = { accountId, sessionId, messageId, agent };
  const own = await ownTools(context.db, accountId, agent, (tool, named) =>
    callNow(context, place, signal, tool, named),
  );
  return {
    own: own.filter(({ kind }) => kind === 'read'),
    async findRecord() {
      if (recordId === null) throw badRequest('the conversation has no record');
      const { definitions } = await context.accountConfig.fresh(accountId);
      return describeRecord(context.db, systemActor(accountId), definitions, recordId);
    },
    setField: refuse,
    setStatus: refuse,
    transfer: refuse,
    handOver: refuse,
  };
}
