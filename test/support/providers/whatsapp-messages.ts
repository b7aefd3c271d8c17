/** Deliveries as Meta sends them for a number of the WhatsApp Cloud API. */
type Values = Record<string, unknown>;

export const numberIds = { phoneNumberId: '106540352242922', businessAccountId: '102290129340398' };

export interface Sender {
  /** Null: Meta omits it, and the user id is all that is known. */
  from?: string | null;
  userId?: string | null;
  name?: string;
}

let count = 0;
export const newWamid = () => `wamid.HBgL${(++count).toString(36).padStart(8, '0').toUpperCase()}`;
const nowSeconds = () => String(Math.floor(Date.now() / 1000));

/** One message, without its sender. A string is a text. */
export const messageOf = (content: string | Values, own: Values = {}): Values => ({
  id: newWamid(),
  timestamp: nowSeconds(),
  ...(typeof content === 'string' ? { type: 'text', text: { body: content } } : content),
  ...own,
});

export function valueWith(messages: readonly Values[], sender: Sender = {}, phoneNumberId?: string): Values {
  const { from = '16505551234', userId = null, name = 'Sheena' } = sender;
  return {
    ...metadata(phoneNumberId),
    contacts: [
      {
        profile: { name },
        ...(from !== null && { wa_id: from }),
        ...(userId !== null && { user_id: userId }),
      },
    ],
    messages: messages.map((message) => ({
      ...(from !== null && { from }),
      ...(userId !== null && { from_user_id: userId }),
      ...message,
    })),
  };
}

export const metadata = (phoneNumberId = numberIds.phoneNumberId): Values => ({
  messaging_product: 'whatsapp',
  metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
});

export const changeOf = (value: Values, field = 'messages') => ({ field, value });

export const deliveryOf = (...changes: Values[]): Values => ({
  object: 'whatsapp_business_account',
  entry: changes.map((change) => ({ id: numberIds.businessAccountId, changes: [change] })),
});

export const statusOf = (id: string, status: string, own: Values = {}): Values => ({
  id,
  status,
  timestamp: nowSeconds(),
  recipient_id: '16505551234',
  ...own,
});

/** The customer has another number, or another user id. */
export const changedIdentity = (system: Values, own: Values = {}): Values =>
  messageOf(
    { type: 'system', system: { type: 'user_changed_user_id', body: 'Sheena changed', ...system } },
    own,
  );

export const echoOf = (to: string, content: string | Values): Values =>
  messageOf(content, { from: '15550783881', to });
