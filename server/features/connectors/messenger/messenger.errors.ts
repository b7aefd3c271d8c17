/** What Graph's codes mean where a page or an Instagram account sends. */
import type { GraphErrors, GraphMeaning } from '../meta/meta.errors.ts';

const final = (message: string): GraphMeaning => ({ errorClass: 'final', message });
const credentials = (message: string): GraphMeaning => ({ errorClass: 'credentials', message });
const retry = (message: string): GraphMeaning => ({ errorClass: 'retry', message });

const windowClosed = final('The time in which Meta allows replies is over. The customer has to write first.');
const notReachable = final(
  'The customer cannot be reached: they have blocked the account, deleted theirs, or left the conversation.',
);
const noAccount = credentials('Meta does not know this account, or the access token may not use it.');
const slower = retry('Meta asks to send more slowly.');

export const errors: GraphErrors = {
  name: 'Meta',
  codes: {
    '10/2018065': windowClosed,
    '10/2018278': windowClosed,
    '10/2534022': windowClosed,
    '10': final(
      'Meta does not allow this message: the time for replies is over, or the app lacks a permission for messages.',
    ),
    '100/2018001': final('Meta knows no such customer of this account.'),
    '100/2534014': final('Meta knows no such customer of this account.'),
    '100/33': noAccount,
    '803': noAccount,
    '102': credentials('Meta rejected the access token. Create a new one.'),
    '200/1545041': notReachable,
    '200': final('Meta does not allow this message: the app lacks a permission, or is in development mode.'),
    '230': notReachable,
    '551': notReachable,
    '1200': retry('Meta is not available for a moment.'),
    '80006': slower,
  },
};
