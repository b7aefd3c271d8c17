/** The tasks by their names. What is kept from an earlier request needs no model. */
import type { CopilotRequest } from '../../../contract/copilot.ts';
import { readKey } from '../ai-replies/ai-replies.ts';
import { ask } from './copilot.ask.ts';
import { rewrite, translate } from './copilot.rewrite.ts';
import {
  type CopilotContext,
  type CopilotPlace,
  type CopilotRun,
  type CopilotText,
  plainText,
} from './copilot.run.ts';
import { suggest } from './copilot.suggest.ts';
import { findSummarizing, keptSummary, summarize } from './copilot.summarize.ts';
import { findTranslations, keptTranslations, translateMessages } from './copilot.translations.ts';

export interface PreparedTask {
  /** Null: it has to be made. */
  kept: CopilotText | null;
  make(run: CopilotRun): Promise<CopilotText>;
}

/** The request has what its task needs: see checkRequest. */
export async function prepareTask(
  context: CopilotContext,
  place: CopilotPlace,
  { task, text = '', messageIds, language = '', style = 'fix', question = '' }: CopilotRequest,
): Promise<PreparedTask> {
  switch (task) {
    case 'suggest':
      return { kept: null, make: (run) => suggest(context, place, run) };
    case 'rewrite':
      return { kept: null, make: (run) => rewrite(context, place, { text, style }, run) };
    case 'translate': {
      if (messageIds !== undefined) {
        const found = await findTranslations(context, place, messageIds, language);
        return {
          kept: keptTranslations(found),
          make: (run) => translateMessages(context, place, found, run),
        };
      }
      return {
        kept: null,
        make: async (run) => {
          const agent = { ...place.agent, apiKey: readKey(context.secrets, place.agent) };
          return plainText(await translate(context, agent, { text, language }, run));
        },
      };
    }
    case 'summarize': {
      const found = await findSummarizing(context, place, language);
      return {
        kept: await keptSummary(context, place, found),
        make: (run) => summarize(context, place, found, run),
      };
    }
    case 'ask':
      return { kept: null, make: (run) => ask(context, place, question, run) };
  }
}
