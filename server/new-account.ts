/** The initial content of every account, in order of creation. A feature adds its starter here. */
import type { AccountStarter } from './features/accounts/accounts.ts';
import { startAccountWithHours } from './features/business-hours/business-hours.ts';
import { startAccountWithChannels } from './features/channels/channels.ts';
import { startAccountWithKanban } from './features/kanbans/kanbans.ts';
import { startAccountWithKnowledge } from './features/knowledge/knowledge.ts';
import type { Secrets } from './platform/secrets/secrets.ts';

export function accountStarters(secrets: Secrets): readonly AccountStarter[] {
  return [
    startAccountWithHours,
    startAccountWithKanban,
    startAccountWithKnowledge,
    startAccountWithChannels(secrets),
  ];
}
