/** What every account begins with, in the order in which it is made. A feature adds its starter here. */
import type { AccountStarter } from './features/accounts/accounts.ts';
import { startAccountWithKanban } from './features/kanbans/kanbans.ts';

export const accountStarters: readonly AccountStarter[] = [startAccountWithKanban];
