/** What the codes of the WhatsApp Cloud API mean, as classes for the frame and sentences for people. */
import type { Link } from '../connectors.provider.ts';
import { type GraphErrors, type GraphMeaning, graphErrorOf, meaningOf } from '../meta/meta.errors.ts';

const final = (message: string): GraphMeaning => ({ errorClass: 'final', message });
const retry = (message: string, own: Partial<GraphMeaning> = {}): GraphMeaning => ({
  errorClass: 'retry',
  message,
  ...own,
});
const credentials = (message: string): GraphMeaning => ({ errorClass: 'credentials', message });

const noPermission =
  'The access token may not use this number. Give its system user the permissions whatsapp_business_messaging and whatsapp_business_management.';
const noTemplates =
  'The access token may not read the templates of the business account. Give its system user the permission whatsapp_business_management.';
const wrongTemplate = 'The template does not exist in this language, or is not approved.';

export const whatsappErrors: GraphErrors = {
  name: 'WhatsApp',
  codes: {
    0: credentials('WhatsApp rejected the access token. Create a new one.'),
    3: credentials(noPermission),
    10: credentials(noPermission),
    '100/33': credentials('WhatsApp does not know this phone number ID, or the access token may not use it.'),
    190: credentials('WhatsApp rejected the access token. Create a new one.'),
    200: credentials(noPermission),
    80007: retry('WhatsApp asks to send more slowly.', { pauses: 'channel' }),
    130429: retry('WhatsApp asks to send more slowly.', { waitMs: 1_000, pauses: 'channel' }),
    130472: final('WhatsApp did not deliver the message because the customer is part of an experiment.'),
    131000: retry('WhatsApp could not send the message because of an unknown error.'),
    131005: credentials(noPermission),
    131016: retry('WhatsApp is temporarily not available.'),
    131021: final('The number of the customer is the number of this channel.'),
    131026: final('The customer cannot be reached in WhatsApp with this number.'),
    131030: final('A test number can only send to numbers that were added in Meta’s console.'),
    131031: credentials('Meta has locked the WhatsApp business account.'),
    131042: final('WhatsApp did not send the message: check the payment method in Meta’s console.'),
    131047: final('More than 24 hours have passed since the customer last wrote. Send a template.'),
    131048: final('WhatsApp limits messages of this number because too many were reported as spam.'),
    131049: final('WhatsApp limits how many templates a customer gets. Wait 24 hours before the next.'),
    131050: final('The customer does not want marketing messages from this business.'),
    131051: final('WhatsApp does not support this type of message.'),
    131053: final('WhatsApp could not read the file.'),
    131056: retry('WhatsApp asks to send more slowly to this customer.', {
      waitMs: 6_000,
      pauses: 'customer',
    }),
    131057: retry('Meta maintains the WhatsApp business account.'),
    131062: final('This type of message cannot be sent without the phone number of the customer.'),
    132000: final('The number of parameters is not the one that the template has.'),
    132001: final(wrongTemplate),
    132007: final('The template breaks a rule of WhatsApp.'),
    132012: final('A parameter of the template has another format than the template.'),
    132015: final('Meta has paused the template because of its quality.'),
    132016: final('Meta has disabled the template because of its quality.'),
    133010: credentials('The number is not registered for the WhatsApp Cloud API.'),
  },
};

const tokenCodes = ['0', '190'];

/** Of the list of templates: a permission that is missing there does not stop messages. */
export const templateErrors: GraphErrors = {
  name: 'WhatsApp',
  codes: Object.fromEntries(
    Object.entries(whatsappErrors.codes).map(([code, meaning]) => {
      const isAboutToken = meaning.errorClass !== 'credentials' || tokenCodes.includes(code);
      return [code, isAboutToken ? meaning : final(noTemplates)];
    }),
  ),
};

/** Of a file that a customer sent: an id that is not known has expired. */
export const mediaErrors: GraphErrors = {
  name: 'WhatsApp',
  codes: {
    ...whatsappErrors.codes,
    100: { errorClass: 'gone', message: 'WhatsApp no longer has this file.' },
    '100/33': { errorClass: 'gone', message: 'WhatsApp no longer has this file.' },
    131052: { errorClass: 'gone', message: 'WhatsApp no longer has this file.' },
  },
};

/** Why a status is `failed`. */
export function reasonOf(link: Link, [first]: readonly unknown[]): string {
  const error = graphErrorOf(link, first);
  const known = meaningOf(whatsappErrors, error)?.message;
  if (known) return known;
  const detail = [error.said, error.code === null ? null : `error ${error.code}`].filter(Boolean).join(', ');
  return `WhatsApp could not deliver the message${detail ? `: ${detail}` : ''}.`;
}
